"""The objects that eight operators make of a manifest, against what is predicted of it, field by field.

``python -m tests.conformance expansion FILE...`` compares; with ``--predict`` it prints predictions instead. The files
hold one recorded manifest a line (see data/expansion/README.md). A prediction never looks at what was recorded.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.conformance.refusal_words import entry, owner
from tests.conformance.refused import refused, takes

from trainlint.kube.meta import Meta
from trainlint.operators.cluster import OperatorOptions
from trainlint.operators.manifest import ANY, Manifest, mapping, meta, name_of, namespace_of, text
from trainlint.operators.run_operators import run_operators

Record = Mapping[str, Any]
Prediction = dict[str, Any]

POD = (
    "hostname",
    "subdomain",
    "nodeSelector",
    "affinity",
    "tolerations",
    "topologySpreadConstraints",
    "schedulerName",
    "restartPolicy",
    "hostNetwork",
    "dnsPolicy",
)
CONTAINER = ("name", "command", "args", "env", "ports", "resources", "restartPolicy")
WHOLE = ("NetworkPolicy", "PodGroup")
QUEUES = frozenset({"default", "q1"})
"""The queues that the recordings' Volcano has open."""
_USUAL = {"schedulerName": "default-scheduler", "dnsPolicy": "ClusterFirst"}
_GANG = ("gang-scheduler-name", "gang-scheduling", "batch-scheduler", "gangSchedulingManagement.schedulerProvider")


def predict(record: Record) -> Prediction:
    """The objects for one record, or who refuses it."""
    by = refused(record["input"])
    if by:
        return {"id": record["id"], "rejected": by}
    cluster = run_operators(record["input"], _options(record), takes)
    if cluster.refused:
        rejected = [entry(kind := identity(each.item), owner(kind), each.field, each.why) for each in cluster.refused]
        return {"id": record["id"], "rejected": rejected}
    pods = [pod_entry(each) for each in cluster.pods]
    if any(each.get("kind") == "TrainJob" for each in record["input"]):
        pods = [_with_sorted_env(each) for each in pods]
    output = {
        "pods": pods,
        "services": [service_entry(each) for each in cluster.services],
        "others": [other_entry(each) for each in cluster.others],
    }
    return {"id": record["id"], "output": {key: sorted(each, key=_order) for key, each in output.items()}}


def _options(record: Record) -> OperatorOptions:
    """The settings of the installation; the nodes on which leaders of LeaderWorkerSets were placed had no labels."""
    config = record.get("config", {})
    bare = any(each.get("kind") == "LeaderWorkerSet" for each in record["input"])
    gang = next((text(config[key]) for key in _GANG if key in config), "")
    return OperatorOptions(gang, config.get("feature-gates", {}), config.get("env", {}), "" if bare else ANY, QUEUES)


def identity(item: Manifest) -> Meta:
    """The API version and kind of an object."""
    return Meta(text(item.get("kind")), text(item.get("apiVersion")))


def pod_entry(pod: Manifest) -> Manifest:
    """A pod in the form of the recordings, with what is compared."""
    spec = mapping(pod.get("spec"))
    entry = {"name": name_of(pod), "labels": meta(pod).get("labels")}
    entry |= {key: spec.get(key) for key in POD if spec.get(key) != _USUAL.get(key)}
    for key in ("initContainers", "containers"):
        entry[key] = [_container_entry(each, spec) for each in spec.get(key) or ()]
    return _said(entry)


def _with_sorted_env(pod: Manifest) -> Manifest:
    """Trainer writes variables in an order of its own each time, so the recordings have them by name."""
    for kind in ("initContainers", "containers"):
        for container in pod.get(kind, ()):
            if "env" in container:
                container["env"] = sorted(container["env"], key=lambda each: str(each["name"]))
    return pod


def _container_entry(container: Manifest, spec: Manifest) -> Manifest:
    entry = {key: container.get(key) for key in CONTAINER}
    entry["ports"] = [_port(each, spec) for each in container.get("ports") or ()]
    entry["env"] = [_variable(each) for each in container.get("env") or ()]
    return _said(entry)


def _variable(entry: Manifest) -> Manifest:
    source = entry.get("valueFrom")
    return (
        {"name": entry["name"], "valueFrom": source}
        if source
        else {"name": entry["name"], "value": entry.get("value") or ""}
    )


def _port(port: Manifest, spec: Manifest) -> Manifest:
    hidden = {"protocol"} if port.get("protocol", "TCP") == "TCP" else set()
    hidden |= {"hostPort"} if spec.get("hostNetwork") else set()
    return _said({key: value for key, value in port.items() if key not in hidden})


def _said(entry: Mapping[str, Any]) -> Manifest:
    return {key: value for key, value in entry.items() if value not in (None, "", [], {}, False)}


def service_entry(service: Manifest) -> Manifest:
    """A Service in the form of the recordings."""
    spec = mapping(service.get("spec"))
    headless = spec.get("clusterIP") == "None"
    ports = [_port(each, {}) for each in spec.get("ports") or ()]
    kind = spec.get("type")
    entry = _said(
        {
            "name": name_of(service),
            "namespace": namespace_of(service),
            "labels": meta(service).get("labels"),
            "annotations": meta(service).get("annotations"),
            "selector": spec.get("selector"),
            "type": None if kind == "ClusterIP" else kind,
            "ports": sorted(ports, key=lambda each: (each.get("name", ""), each["port"])),
        }
    )
    return {**entry, "headless": headless, "publishNotReadyAddresses": spec.get("publishNotReadyAddresses") is True}


def other_entry(item: Manifest) -> Manifest:
    """Another object in the form of the recordings; the ones that are compared are whole."""
    entry = {
        "kind": item["kind"],
        "apiVersion": item["apiVersion"],
        "name": name_of(item),
        "labels": meta(item).get("labels"),
        "annotations": meta(item).get("annotations"),
        "spec": item.get("spec"),
    }
    return {key: value for key, value in entry.items() if value not in (None, {})}


def _order(entry: Manifest) -> str:
    return f"{entry.get('kind', '')} {entry['name']} {json.dumps(entry, sort_keys=True)}"


def disagreements(record: Record, predicted: Prediction) -> list[str]:
    """What was predicted otherwise than recorded."""
    if "crash" in record:
        return []
    if ("rejected" in record) != ("rejected" in predicted):
        return [f"rejected: recorded {record.get('rejected')}, predicted {predicted.get('rejected')}"]
    if "rejected" in record:
        return []
    found: list[str] = []
    for part in ("pods", "services", "others"):
        recorded = [
            _compared(part, each) for each in record["output"][part] if part != "others" or each["kind"] in WHOLE
        ]
        made = [each for each in predicted["output"][part] if part != "others" or each["kind"] in WHOLE]
        found += _of_list(part, recorded, [_compared(part, each) for each in made])
    return found


def _compared(part: str, entry: Record) -> Manifest:
    if part != "pods":
        return {key: value for key, value in entry.items() if key not in {"apiVersion", "owner"}}
    kept = {key: entry[key] for key in ("name", "labels", *POD) if key in entry}
    for key in ("initContainers", "containers"):
        kept[key] = [{name: each[name] for name in CONTAINER if name in each} for each in entry.get(key, ())]
    return kept


def _of_list(part: str, recorded: list[Manifest], made: list[Manifest]) -> list[str]:
    found: list[str] = []
    left = list(made)
    for each in recorded:
        same = next((other for other in left if same_value(each, other)), None)
        if same is None:
            same = next((other for other in left if same_value(each["name"], other["name"])), None)
            if same is None:
                found.append(f"{part}: {each['name']} not predicted")
                continue
            found += [f"{part} {each['name']}{line}" for line in differences(each, same)]
        left.remove(same)
    return [*found, *(f"{part}: {each['name']} not recorded" for each in left)]


def same_value(recorded: Any, made: Any) -> bool:
    """Whether two values are equal, where ``*`` in a recorded text stands for any characters."""
    return next(differences(recorded, made), None) is None


def differences(recorded: Any, made: Any, at: str = "") -> Iterator[str]:
    """The places where two values differ."""
    if isinstance(recorded, dict) and isinstance(made, dict):
        for key in sorted({*recorded, *made}):
            if key in recorded and key in made:
                yield from differences(recorded[key], made[key], f"{at}.{key}")
            else:
                yield f"{at}.{key}: recorded {recorded.get(key)!r}, predicted {made.get(key)!r}"
    elif isinstance(recorded, list) and isinstance(made, list) and len(recorded) == len(made):
        for index, (one, other) in enumerate(zip(recorded, made, strict=True)):
            yield from differences(one, other, f"{at}[{index}]")
    elif recorded != made and not _fits(recorded, made):
        yield f"{at}: recorded {recorded!r}, predicted {made!r}"


def _fits(recorded: Any, made: Any) -> bool:
    if not isinstance(recorded, str) or not isinstance(made, str) or "*" not in recorded:
        return False
    return re.fullmatch(".*".join(map(re.escape, recorded.split("*"))), made, re.DOTALL) is not None


def read_records(path: Path) -> Iterator[Record]:
    """The records of a file, one a line."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


class Comparison:
    """How many records agree in full, and how each of the others differs."""

    def __init__(self) -> None:
        self.records = 0
        self.wrong: dict[str, list[str]] = {}

    def add(self, record: Record) -> None:
        """Predict and compare one record."""
        self.records += 1
        if wrong := disagreements(record, predict(record)):
            self.wrong[record["id"]] = wrong

    def report(self) -> str:
        """``N of M records agree``, then the kinds of disagreement and the records."""
        lines = [f"{self.records - len(self.wrong)} of {self.records} records agree"]
        kinds = Counter(
            re.sub(r"[a-z0-9*-]*[0-9*][a-z0-9*-]*", "N", line)[:110] for each in self.wrong.values() for line in each
        )
        lines += [f"  {count} x {kind}" for kind, count in kinds.most_common(25)]
        lines += [
            f"  {name}: {each[0][:300]}" + (f" (and {len(each) - 1} more)" if each[1:] else "")
            for name, each in self.wrong.items()
        ]
        return "\n".join(lines)


def compare(paths: Iterable[Path]) -> Comparison:
    """Predict and compare every record of the files."""
    total = Comparison()
    for path in paths:
        for record in read_records(path):
            total.add(record)
    return total


def main(argv: list[str]) -> int:
    """The command line: 0 where everything agrees."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance expansion", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--predict", action="store_true", help="print predictions as JSON lines")
    arguments = parser.parse_args(argv)
    if arguments.predict:
        for path in arguments.files:
            for record in read_records(path):
                sys.stdout.write(json.dumps(predict(record)) + "\n")
        return 0
    comparison = compare(arguments.files)
    sys.stdout.write(comparison.report() + "\n")
    return 0 if not comparison.wrong else 1
