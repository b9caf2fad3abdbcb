"""Verdicts about claims of devices against those that kube-scheduler's plugin DynamicResources gave.

``python -m tests.conformance dra FILE...`` compares; with ``--predict`` it prints predictions instead, one line each.
The files hold one recorded cluster a line (see data/dra/README.md): a pod and the plugin's verdict on every node, or a
group and everything that can become of it. A prediction never looks at what was recorded.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.conformance.scheduling import UNLIMITED, Cluster, Comparison, _block, read_pod, read_records

from trainlint.kube.devices import (
    read_device_class,
    read_resource_claim,
    read_resource_claim_template,
    read_resource_slice,
)
from trainlint.model.devices import DeviceClaim, DeviceObjects
from trainlint.scheduling.device_exploration import DeviceExplorer
from trainlint.scheduling.devices.allocated import AllocatedDevices
from trainlint.scheduling.devices.allocation import AllocatedClaims, Allocator, Answer, ClaimingPod
from trainlint.scheduling.devices.claims_of_pod import ClaimsOfPod
from trainlint.scheduling.devices.earlier import earlier_objects, is_earlier
from trainlint.scheduling.devices.extended import left_to_devices
from trainlint.scheduling.devices.outcome import AllocationFault, Open
from trainlint.scheduling.devices.search import DeviceResult
from trainlint.scheduling.filter import verdicts
from trainlint.scheduling.group_model import Cell, GroupModel, Role
from trainlint.scheduling.node import Node
from trainlint.scheduling.occupancy import Occupancy
from trainlint.scheduling.pod import Pod
from trainlint.source.document import Field

Record = Mapping[str, Any]
Prediction = dict[str, Any]
PLUGIN = "DynamicResources"
EARLIER = "1.34"


class DeviceCluster(Cluster):
    """The inputs of one record."""

    def __init__(self, record: Record, kubernetes: str = "") -> None:
        super().__init__(record)
        self.earlier = is_earlier(kubernetes or record["kubernetes"])
        dra = self.root["dra"]
        claims = [read_resource_claim(each, "default") for each in dra["resourceClaims"].elements()]
        templates = [read_resource_claim_template(each, "default") for each in dra["resourceClaimTemplates"].elements()]
        classes = [read_device_class(each) for each in dra["deviceClasses"].elements()]
        self.objects = DeviceObjects(
            slices=tuple(read_resource_slice(each) for each in dra["resourceSlices"].elements()),
            classes={each.name: each for each in classes},
            claims={(each.namespace, each.name): each for each in claims},
            templates={(each.namespace, each.name): each for each in templates},
        )
        if self.earlier:
            self.objects = earlier_objects(self.objects)
        self.allocator = Allocator(self.objects, newest=True, earlier=self.earlier)

    def asked(self, field: Field, name: str) -> ClaimingPod:
        """The pod, with the claims that the claim controller made for it."""
        pod = read_pod(field)
        statuses = {
            each["name"].scalar or "": each["resourceClaimName"].scalar
            for each in field.down("status", "resourceClaimStatuses").elements()
        }
        uid = field.down("metadata", "uid").scalar or f"uid-{pod.namespace}-{name}"
        made: dict[str, DeviceClaim | None] = {}
        for entry in pod.spec.resource_claims:
            if entry.claim or not entry.template:
                continue
            if entry.name in statuses:
                called = statuses[entry.name]
                found = self.objects.claims.get((pod.namespace, called)) if called else None
                if not called:
                    made[entry.name] = None
                elif found is not None and found.owner == uid:
                    made[entry.name] = found
                continue
            template = self.objects.templates.get((pod.namespace, entry.template))
            if template is not None:
                made[entry.name] = replace(template, name=f"{name}-{entry.name}", owner=uid)
        return ClaimingPod(pod.namespace, pod.spec, made, uid)

    def filters(self) -> Prediction:
        """The verdict of the plugin for the record's pod."""
        pod = read_pod(self.root["pod"])
        asked = self.asked(self.root["pod"], pod.name)
        answers = {node: code(answer) for node, answer in self.of_plugin(asked).items()}
        nodes = [replace(node, by_devices=self.by_devices(node, (asked,))) for node in self.nodes]
        index = {node.name: number for number, node in enumerate(nodes)}
        occupancy = Occupancy(
            nodes,
            [each for _, each in self.bound],
            [{index[name]: 1} if name in index else {} for name, _ in self.bound],
            self.namespaces,
        )
        others = verdicts(pod, occupancy, self.storage)
        others.pop(PLUGIN, None)
        feasible = [
            node.name
            for number, node in enumerate(nodes)
            if answers[node.name] == "ok" and all(codes[number] is None for codes in others.values())
        ]
        return {"verdicts": {PLUGIN: answers}, "feasible": sorted(feasible)}

    def group(self) -> Prediction:
        """What can become of the record's group, in its order and in any."""
        fields = list(self.root["group"].elements())
        asked = [self.asked(each["pod"], each["role"].scalar or "") for each in fields]
        roles = [
            Role(each["role"].scalar or "", without_claims(read_pod(each["pod"])), each["replicas"].value)
            for each in fields
        ]
        bound: dict[str | None, list[Pod]] = {}
        for name, pod in self.bound:
            bound.setdefault(name, []).append(without_claims(pod))
        cells = [
            Cell(replace(node, by_devices=self.by_devices(node, asked)), 1, tuple(bound.get(node.name, ())))
            for node in self.nodes
        ]
        model = GroupModel(roles, cells, self.namespaces, self.storage, told_apart=True)
        assert not model.doubt, model.doubt
        explorer = DeviceExplorer(model, self.allocator, asked, self.objects.claims)
        index = {role.name: number for number, role in enumerate(roles)}
        order = [index[field.scalar or ""] for field in self.root["order"].elements()]
        results = {}
        for block, fixed in (("in_order", order), ("any_order", None)):
            found = explorer.run(fixed, UNLIMITED)
            assert found is not None
            results[block] = _block(roles, found)
        return {"results": results}

    def by_devices(self, node: Node, asked: Iterable[ClaimingPod]) -> frozenset[str]:
        """The resources that the devices of the node stand for."""
        if self.earlier:
            return frozenset()
        return frozenset(name for each in asked for name in left_to_devices(each.spec, node, self.objects.classes))

    def of_plugin(self, asked: ClaimingPod) -> dict[str, Answer]:
        """The plugin's answer on every node."""
        if not self.allocator.concerns(asked.spec):
            return {node.name: AllocatedClaims() for node in self.nodes}
        wants = self.allocator.wants(asked, self.objects.claims)
        if not isinstance(wants, ClaimsOfPod):
            return dict.fromkeys((node.name for node in self.nodes), wants)
        taken = AllocatedDevices(
            each.allocation for each in self.objects.claims.values() if each.allocation is not None
        )
        return {node.name: self.allocator.answer(asked, wants, node, taken) for node in self.nodes}


def without_claims(pod: Pod) -> Pod:
    """The pod as filters other than the plugin see it."""
    return replace(pod, spec=replace(pod.spec, resource_claims=()))


def code(answer: object) -> str:
    """The status code of an answer."""
    if isinstance(answer, AllocatedClaims):
        return "ok"
    if isinstance(answer, Open):
        return "unknown"
    return "Error" if isinstance(answer, AllocationFault) else "UnschedulableAndUnresolvable"


def devices_of(record: Record) -> dict[str, dict[str, list[list[Any]]]]:
    """By node and claim, what the pod of the record is given there, where it is given something."""
    cluster = DeviceCluster(record)
    field = cluster.root["pod"]
    asked = cluster.asked(field, read_pod(field).name)
    found: dict[str, dict[str, list[list[Any]]]] = {}
    for node, answer in cluster.of_plugin(asked).items():
        if isinstance(answer, AllocatedClaims) and answer.claims:
            found[node] = {}
            for claim, results in zip(answer.claims, answer.results, strict=True):
                found[node].setdefault(claim.name, [_result(each) for each in results])
    return found


def _result(result: DeviceResult) -> list[Any]:
    return [result.request, *result.candidate.id, *(["adminAccess"] if result.admin else [])]


def predict(record: Record) -> Prediction:
    """The prediction for one record, of either kind; ``differs`` has what an earlier Kubernetes answers otherwise."""
    found = _predicted(record, record["kubernetes"])
    earlier = found if is_earlier(record["kubernetes"]) else _predicted(record, EARLIER)
    return {"id": record["id"], **found, **({"differs": {EARLIER: earlier}} if earlier != found else {})}


def _predicted(record: Record, kubernetes: str) -> Prediction:
    cluster = DeviceCluster(record, kubernetes)
    return cluster.group() if "group" in record else cluster.filters()


def disagreements(record: Record, predicted: Prediction) -> dict[str, str]:
    """What was predicted otherwise than recorded: by plugin, or by block and field of a group.

    What the earlier version answers otherwise from run to run is not compared.
    """
    compared = _of_group if "group" in record else _of_filters
    found = dict(compared(record, predicted))
    recorded = record.get("differs", {}).get(EARLIER, {})
    if not recorded.get("varies"):
        earlier = predicted.get("differs", {}).get(EARLIER, predicted)
        for name, words in compared({**record, **recorded}, earlier):
            found[f"{EARLIER} {name}"] = words
    return found


def _of_filters(record: Record, predicted: Prediction) -> Iterator[tuple[str, str]]:
    recorded = record["verdicts"].get(PLUGIN, {})
    answers = predicted["verdicts"].get(PLUGIN, {})
    for node in (each["metadata"]["name"] for each in record["nodes"]):
        entry = recorded.get(node, "ok")
        if answers.get(node, "ok") != (entry if entry == "ok" else entry[0]):
            yield PLUGIN, f"{node}: recorded {entry}, predicted {answers.get(node, 'ok')}"
    if record["feasible"] != predicted["feasible"]:
        yield "feasible", f"recorded {record['feasible']}, predicted {predicted['feasible']}"


def _of_group(record: Record, predicted: Prediction) -> Iterator[tuple[str, str]]:
    for block, fields in predicted["results"].items():
        recorded = record["results"][block]
        for name, value in fields.items():
            if recorded[name] != value:
                yield f"{block}.{name}", f"recorded {recorded[name]}, predicted {value}"


def main(argv: list[str]) -> int:
    """The command line: 0 where everything agrees."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance dra", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--predict", action="store_true", help="print predictions as JSON lines")
    parser.add_argument("--show", type=int, default=5, metavar="N", help="how many disagreements to print in full")
    arguments = parser.parse_args(argv)
    records = (record for path in arguments.files for record in read_records(path))
    if arguments.predict:
        for record in records:
            sys.stdout.write(json.dumps(predict(record)) + "\n")
        return 0
    comparison = compare(records, arguments.show)
    sys.stdout.write(comparison.report() + "\n")
    return 0 if comparison.complete else 1


def compare(records: Iterable[Record], show: int = 5) -> Comparison:
    """Predict and compare every record."""
    comparison = Comparison(show)
    for record in records:
        comparison.count(record, disagreements(record, predict(record)))
    return comparison
