"""Scheduling verdicts against those that kube-scheduler's own filters gave.

``python -m tests.conformance scheduling FILE...`` compares; with ``--predict`` it prints predictions instead. The files
hold one recorded cluster a line (see data/scheduling/README.md): a pod and every filter's verdict on every node, or a
group and everything that can become of it. A prediction never looks at what was recorded.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from trainlint.kube.meta import read_labels
from trainlint.kube.node import read_node
from trainlint.kube.pod import read_pod_spec
from trainlint.kube.storage import (
    read_claim,
    read_csi_node,
    read_persistent_volume,
    read_storage_capacity,
    read_storage_class,
)
from trainlint.model.storage import Storage
from trainlint.scheduling.exploration import Cell, Exploration, Role, explore
from trainlint.scheduling.filter import Code, Doubt, verdicts
from trainlint.scheduling.node import Node, node_of
from trainlint.scheduling.occupancy import Occupancy
from trainlint.scheduling.pod import Pod, defaulted
from trainlint.source.document import Document, Field

Record = Mapping[str, Any]
Prediction = dict[str, Any]
Zone = str | None

PLUGINS = (
    "NodeUnschedulable",
    "NodeName",
    "TaintToleration",
    "NodeAffinity",
    "NodePorts",
    "NodeResourcesFit",
    "VolumeRestrictions",
    "NodeVolumeLimits",
    "VolumeBinding",
    "VolumeZone",
    "PodTopologySpread",
    "InterPodAffinity",
)
UNLIMITED = sys.maxsize


class Cluster:
    """The inputs of one record."""

    def __init__(self, record: Record) -> None:
        self.root = Document("record", 0, 1, "", record).root
        self.nodes = [_node(field) for field in self.root["nodes"].elements()]
        self.bound = [
            (field.down("spec", "nodeName").scalar, read_pod(field))
            for field in self.root["pods"].elements()
            if field.down("status", "phase").value not in {"Succeeded", "Failed"}
        ]
        self.namespaces = {
            field["name"].scalar or "": read_labels(field["labels"]) for field in self.root["namespaces"].elements()
        }
        self.storage = _storage(self.root["volumes"])

    def filters(self) -> Prediction:
        """The verdict of every filter for the record's pod."""
        index = {node.name: number for number, node in enumerate(self.nodes)}
        occupancy = Occupancy(
            self.nodes,
            [pod for _, pod in self.bound],
            [{index[name]: 1} if name in index else {} for name, _ in self.bound],
            self.namespaces,
        )
        answers = verdicts(read_pod(self.root["pod"]), occupancy, self.storage)
        named = {
            plugin: {node.name: _answer(code) for node, code in zip(self.nodes, codes, strict=True)}
            for plugin, codes in answers.items()
        }
        feasible = [node.name for node in self.nodes if all(codes[node.name] == "ok" for codes in named.values())]
        return {"verdicts": named, "feasible": sorted(feasible)}

    def group(self) -> Prediction:
        """What can become of the record's group, in its order and in any."""
        on: dict[str | None, list[Pod]] = {}
        for name, pod in self.bound:
            on.setdefault(name, []).append(pod)
        cells = [Cell(node, 1, tuple(on.get(node.name, ()))) for node in self.nodes]
        roles = [
            Role(field["role"].scalar or "", read_pod(field["pod"]), field["replicas"].value)
            for field in self.root["group"].elements()
        ]
        index = {role.name: number for number, role in enumerate(roles)}
        order = [index[field.scalar or ""] for field in self.root["order"].elements()]
        results = {}
        for block, fixed in (("in_order", order), ("any_order", None)):
            found = explore(
                roles, cells, order=fixed, namespaces=self.namespaces, storage=self.storage, budget=UNLIMITED
            )
            assert isinstance(found, Exploration), found
            results[block] = _block(roles, found)
        return {"results": results}


def read_pod(field: Field) -> Pod:
    """A v1 Pod, or a pod template, as the scheduler sees it."""
    metadata = field["metadata"]
    return defaulted(
        metadata["namespace"].scalar or "default",
        read_labels(metadata["labels"]),
        read_pod_spec(field["spec"]),
        name=metadata["name"].scalar or "",
        terminating=metadata["deletionTimestamp"].present,
    )


def _node(field: Field) -> Node:
    """A node with no labels beyond those written: the recordings add none."""
    return node_of(replace(read_node(field), labels=read_labels(field.down("metadata", "labels"))))


def _storage(field: Field) -> Storage:
    claims = [read_claim(each) for each in field["persistentVolumeClaims"].elements()]
    return Storage(
        volumes={each.name: each for each in map(read_persistent_volume, field["persistentVolumes"].elements())},
        claims={(each.namespace, each.name): each for each in claims},
        classes={each.name: each for each in map(read_storage_class, field["storageClasses"].elements())},
        csi_nodes={each.name: each for each in map(read_csi_node, field["csiNodes"].elements())},
        capacity_drivers=frozenset(
            each.down("metadata", "name").scalar or ""
            for each in field["csiDrivers"].elements()
            if each.down("spec", "storageCapacity").value is True
        ),
        capacities=tuple(map(read_storage_capacity, field["csiStorageCapacities"].elements())),
        complete=True,
        controllers=False,
    )


def _answer(code: Code | Doubt | None) -> str:
    return "unknown" if isinstance(code, Doubt) else code or "ok"


def _block(roles: list[Role], found: Exploration) -> Prediction:
    return {
        "states": found.states,
        "complete": found.complete,
        "zones": sorted((_sorted(zones) for zones in found.zones), key=lambda zones: (len(zones), _keys(zones))),
        "stuck": found.stuck,
        "dead_end": found.dead_end,
        "role_zones": {roles[index].name: _sorted(zones) for index, zones in found.role_zones.items()},
        "pairs": {
            f"{roles[one].name}|{roles[other].name}": sorted((list(pair) for pair in pairs), key=_keys)
            for (one, other), pairs in found.pairs.items()
        },
    }


def _sorted(zones: Iterable[Zone]) -> list[Zone]:
    return sorted(zones, key=_key)


def _keys(zones: Iterable[Zone]) -> list[tuple[bool, str]]:
    return [_key(zone) for zone in zones]


def _key(zone: Zone) -> tuple[bool, str]:
    return zone is not None, zone or ""


def predict(record: Record) -> Prediction:
    """The prediction for one record, of either kind."""
    cluster = Cluster(record)
    return {"id": record["id"], **(cluster.group() if "group" in record else cluster.filters())}


def disagreements(record: Record, predicted: Prediction) -> dict[str, str]:
    """What was predicted otherwise than recorded: by plugin, or by block and field of a group."""
    return dict(_of_group(record, predicted) if "group" in record else _of_filters(record, predicted))


def _of_filters(record: Record, predicted: Prediction) -> Iterator[tuple[str, str]]:
    for plugin in PLUGINS:
        recorded = record["verdicts"].get(plugin, {})
        answers = predicted["verdicts"].get(plugin, {})
        for node in (each["metadata"]["name"] for each in record["nodes"]):
            entry = recorded.get(node, "ok")
            code = entry if entry == "ok" else entry[0]
            if answers.get(node, "ok") != code:
                yield plugin, f"{node}: recorded {entry}, predicted {answers.get(node, 'ok')}"
    if record["feasible"] != predicted["feasible"]:
        yield "feasible", f"recorded {record['feasible']}, predicted {predicted['feasible']}"


def _of_group(record: Record, predicted: Prediction) -> Iterator[tuple[str, str]]:
    for block, fields in predicted["results"].items():
        recorded = record["results"][block]
        for name, value in fields.items():
            if recorded[name] != value:
                yield f"{block}.{name}", f"recorded {recorded[name]}, predicted {value}"


def read_records(path: Path) -> Iterator[Record]:
    """The records of a file, packed or not."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


class Comparison:
    """Counts of records that agree, the disagreements by kind, and the first of them in full."""

    def __init__(self, show: int = 5) -> None:
        self.records = 0
        self.agreed = 0
        self.wrong: Counter[str] = Counter()
        self.examples: list[str] = []
        self._show = show

    def add(self, record: Record) -> None:
        """Predict and compare one record."""
        self.count(record, disagreements(record, predict(record)))

    def count(self, record: Record, wrong: Mapping[str, str]) -> None:
        """Take in what was predicted wrong of one record."""
        self.records += 1
        self.agreed += not wrong
        self.wrong.update(wrong.keys())
        if wrong and len(self.examples) < self._show:
            inputs = {key: value for key, value in record.items() if key not in {"verdicts", "results"}}
            self.examples.append("\n".join([json.dumps(inputs), *(f"  {key}: {text}" for key, text in wrong.items())]))

    def merge(self, other: Comparison) -> None:
        """Take the counts of another one in."""
        self.records += other.records
        self.agreed += other.agreed
        self.wrong.update(other.wrong)
        self.examples = [*self.examples, *other.examples][: self._show]

    @property
    def complete(self) -> bool:
        """Whether everything agrees."""
        return self.agreed == self.records

    def report(self) -> str:
        """``N of M records agree``, the kinds of disagreement, and the first of these in full."""
        lines = [f"{self.agreed} of {self.records} records agree"]
        lines += [f"  {kind}: {count} disagree" for kind, count in self.wrong.most_common()]
        return "\n".join([*lines, *self.examples])


def _compare_part(path: Path, part: int, parts: int, show: int) -> Comparison:
    comparison = Comparison(show)
    for number, record in enumerate(read_records(path)):
        if number % parts == part:
            comparison.add(record)
    return comparison


def compare(paths: Iterable[Path], show: int = 5, workers: int = 1) -> Comparison:
    """Predict and compare every record of the files, in that many processes."""
    total = Comparison(show)
    if workers == 1:
        for path in paths:
            total.merge(_compare_part(path, 0, 1, show))
        return total
    with ProcessPoolExecutor(workers) as pool:
        parts = [pool.submit(_compare_part, path, part, workers, show) for path in paths for part in range(workers)]
        for part in parts:
            total.merge(part.result())
    return total


def main(argv: list[str]) -> int:
    """The command line: 0 where everything agrees."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance scheduling", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--predict", action="store_true", help="print predictions as JSON lines")
    parser.add_argument("--show", type=int, default=5, metavar="N", help="how many disagreements to print in full")
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1), metavar="N", help="processes")
    arguments = parser.parse_args(argv)
    if arguments.predict:
        for path in arguments.files:
            for record in read_records(path):
                sys.stdout.write(json.dumps(predict(record)) + "\n")
        return 0
    comparison = compare(arguments.files, arguments.show, arguments.workers)
    sys.stdout.write(comparison.report() + "\n")
    return 0 if comparison.complete else 1
