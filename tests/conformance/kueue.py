"""Kueue's answers against those that its own scheduler and its integrations gave.

``python -m tests.conformance kueue FILE...`` compares; with ``--predict`` it prints predictions instead. The files hold
one record a line (see data/kueue/README.md): a workload on an empty cluster, or a manifest with the pod sets that Kueue
makes of it. A prediction never looks at what was recorded.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.conformance.kueue_pod_sets import pod_sets
from tests.conformance.scheduling import read_records

from trainlint.kube.admission import read_limit_range, read_runtime_class
from trainlint.kube.kueue import (
    read_admission_check,
    read_cluster_queue,
    read_cohort,
    read_flavor,
    read_levels,
    read_local_queue,
)
from trainlint.kube.meta import read_labels, read_meta
from trainlint.kube.node import read_node
from trainlint.kube.pod import read_pod_spec
from trainlint.model.kueue import Queues
from trainlint.model.queued import Slices, TopologyRequest
from trainlint.scheduling.kueue.assignment import Assigner
from trainlint.scheduling.kueue.decision import decide
from trainlint.scheduling.kueue.domains import Forest, Host
from trainlint.scheduling.kueue.match import KueueCode
from trainlint.scheduling.kueue.requested import Team, adjusted, per_pod
from trainlint.scheduling.kueue.state import why_inactive
from trainlint.scheduling.kueue.violations import violation
from trainlint.scheduling.node import node_of
from trainlint.scheduling.requirement import selector_matches
from trainlint.source.document import Document, Field

Record = Mapping[str, Any]
Prediction = dict[str, Any]

MOST_COMBINATIONS = 243
"""More were not tried in the recordings."""


class Cluster:
    """The inputs of one record."""

    def __init__(self, record: Record) -> None:
        self.root = Document("record", 0, 1, "", record).root
        self.namespaces = {
            read_meta(each).name: {
                **read_labels(each.down("metadata", "labels")),
                "kubernetes.io/metadata.name": read_meta(each).name,
            }
            for each in self.root["namespaces"].elements()
        }
        local = [
            read_local_queue(each, read_meta(each).namespace or "default")
            for each in self.root["localQueues"].elements()
        ]
        self.queues = Queues(
            local={(each.namespace, each.name): each for each in local},
            cluster=self._named("clusterQueues", read_cluster_queue),
            flavors=self._named("resourceFlavors", read_flavor),
            topologies=self._named("topologies", read_levels),
            checks=self._named("admissionChecks", read_admission_check),
            cohorts=self._named("cohorts", read_cohort),
        )
        self.workload = self.root["workload"]
        self.namespace = read_meta(self.workload).namespace or "default"
        self.ranges = [
            read_limit_range(each, read_meta(each).namespace)
            for each in self.root["limitRanges"].elements()
            if (read_meta(each).namespace or "default") == self.namespace
        ]
        self.classes = self._named("runtimeClasses", read_runtime_class)

    def _named(self, key: str, read: Any) -> dict[str, Any]:
        return {read_meta(each).name: read(each) for each in self.root[key].elements()}

    def predict(self) -> Prediction:
        """Whether the workload is admitted, why not, and which combinations of flavors hold it."""
        teams = self.teams()
        code, queue = self.first(teams)
        if queue is None:
            return _never({code} if code is not None else set())
        assigner = Assigner(queue, self.queues, self.forests())
        possible = assigner.possible(teams, MOST_COMBINATIONS)
        extra = {} if possible is None else {"possible": [_shown(each) for each in possible]}
        if code is not None:
            return _never({code}) | extra
        found = decide(assigner, teams)
        if not found.admitted:
            return _never(found.codes) | extra
        waits = found.delayed or any(self._waits(name, found.flavors or {}) for name in queue.checks)
        return {"verdict": "reserved" if waits else "admitted", "result": {}} | extra

    def first(self, teams: list[Team]) -> tuple[KueueCode | None, Any]:
        """What decides before flavors are looked at, and the queue if it is active."""
        if self.workload.down("spec", "active").value is False:
            return KueueCode.DEACTIVATED, self._active()
        local = self.queues.local.get((self.namespace, self.workload.down("spec", "queueName").scalar or ""))
        if local is None:
            return KueueCode.LOCAL_QUEUE_MISSING, None
        queue = self.queues.cluster.get(str(local.cluster_queue))
        if local.stopped:
            return KueueCode.LOCAL_QUEUE_STOPPED, self._active()
        if queue is None:
            return KueueCode.CLUSTER_QUEUE_MISSING, None
        if self._active() is None:
            return KueueCode.CLUSTER_QUEUE_INACTIVE, None
        labels = self.namespaces.get(self.namespace)
        if labels is None:
            return KueueCode.NAMESPACE_MISSING, queue
        if queue.namespace_selector is None or selector_matches(queue.namespace_selector, labels) is not True:
            return KueueCode.NAMESPACE_MISMATCH, queue
        for team in teams:
            code = violation(team.spec, self.ranges)
            if code is not None:
                return code, queue
        return None, queue

    def _active(self) -> Any:
        local = self.queues.local.get((self.namespace, self.workload.down("spec", "queueName").scalar or ""))
        queue = None if local is None else self.queues.cluster.get(str(local.cluster_queue))
        if queue is None or next(why_inactive(queue, self.queues), None) is not None:
            return None
        unproved = [name for name in queue.checks if name in self.queues.checks and not self.queues.checks[name].active]
        return None if unproved else queue

    def _waits(self, check: str, flavors: Mapping[str, Mapping[str, str]]) -> bool:
        queue = self._active()
        named = queue.on_flavors.get(check)
        return named is None or any(each in named for team in flavors.values() for each in team.values())

    def teams(self) -> list[Team]:
        """The pod sets of the workload."""
        return [self._team(each) for each in self.workload.down("spec", "podSets").elements()]

    def _team(self, item: Field) -> Team:
        template = item["template"]
        spec = adjusted(read_pod_spec(template["spec"]), self.ranges, self.classes)
        request = item["topologyRequest"]
        least = item["minCount"]
        return Team(
            item["name"].scalar or "main",
            item["count"].value,
            spec,
            per_pod(spec) or {},
            least.value if least.present else None,
            read_topology_request(request) if request.present else None,
        )

    def forests(self) -> dict[str, Forest]:
        """The nodes in the domains of each flavor that has a topology."""
        hosts = list(self._hosts())
        return {
            name: Forest.of(flavor, self.queues.topologies[flavor.topology], hosts)
            for name, flavor in self.queues.flavors.items()
            if flavor.topology in self.queues.topologies
        }

    def _hosts(self) -> Iterator[Host]:
        used: dict[str, Counter[str]] = defaultdict(Counter)
        for each in self.root["pods"].elements():
            if each.down("status", "phase").value not in {"Succeeded", "Failed"}:
                name = each.down("spec", "nodeName").scalar or ""
                used[name].update({**(per_pod(adjusted(read_pod_spec(each["spec"]))) or {}), "pods": 1})
        for each in self.root["nodes"].elements():
            pool = replace(read_node(each), labels=read_labels(each.down("metadata", "labels")))
            conditions = each.down("status", "conditions").elements()
            ready = any(one["type"].scalar == "Ready" and one["status"].value in {"True", True} for one in conditions)
            if ready and not pool.unschedulable:
                node = node_of(pool)
                free = {name: each for name, each in (node.allocatable or {}).items() if isinstance(each, int)}
                yield Host(node, pool.taints, {name: free[name] - used[node.name][name] for name in free})


def read_topology_request(item: Field) -> TopologyRequest:
    """The topologyRequest of a pod set."""
    slices = [Slices(each["topology"].scalar or "", each["size"].value) for each in _constraints(item).elements()]
    level, size = item["podSetSliceRequiredTopology"], item["podSetSliceSize"]
    if not slices and level.present:
        slices = [Slices(level.scalar or "", size.value if size.present else None)]
    unconstrained = item["unconstrained"]
    return TopologyRequest(
        item["required"].scalar,
        item["preferred"].scalar,
        unconstrained.value if unconstrained.present else None,
        tuple(slices),
        size_only=size.present and not slices,
        group=item["podSetGroupName"].scalar,
    )


def _constraints(item: Field) -> Field:
    first = item["podsetSliceRequiredTopologyConstraints"]
    return first if first.present else item["podSetSliceRequiredTopologyConstraints"]


def _never(codes: Iterable[KueueCode]) -> Prediction:
    return {"verdict": "never", "result": {"why": sorted(codes)}}


def _shown(combination: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    return {name: dict(flavors) for name, flavors in combination.items()}


def predict(record: Record) -> Prediction:
    """The prediction for one record, of either kind."""
    if "workload" in record:
        return {"id": record["id"], **Cluster(record).predict()}
    return {"id": record["id"], **pod_sets(Document("record", 0, 1, "", record).root)}


def disagreements(record: Record, predicted: Prediction) -> dict[str, str]:
    """What was predicted otherwise than recorded, by field."""
    return dict(_compared(record, predicted))


def _compared(record: Record, predicted: Prediction) -> Iterator[tuple[str, str]]:
    if "workload" not in record:
        if predicted["podSets"] != record.get("podSets", []):
            yield "podSets", f"recorded {record.get('podSets', [])}, predicted {predicted['podSets']}"
        return
    if predicted["verdict"] != record["verdict"]:
        yield "verdict", f"recorded {record['verdict']}, predicted {predicted['verdict']}"
    if record["verdict"] == "never" and predicted["result"].get("why") != record["result"]["why"]:
        yield "why", f"recorded {record['result']['why']}, predicted {predicted['result'].get('why')}"
    if _sorted(predicted.get("possible")) != _sorted(record.get("possible")):
        yield "possible", f"recorded {record.get('possible')}, predicted {predicted.get('possible')}"


def _sorted(combinations: Any) -> list[str] | None:
    return None if combinations is None else sorted(json.dumps(each, sort_keys=True) for each in combinations)


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
        wrong = disagreements(record, predict(record))
        self.records += 1
        self.agreed += not wrong
        self.wrong.update(wrong.keys())
        if wrong and len(self.examples) < self._show:
            self.examples.append("\n".join([record["id"], *(f"  {key}: {text}" for key, text in wrong.items())]))

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


def compare(paths: Iterable[Path], show: int = 5, workers: int = 1) -> Comparison:
    """Predict and compare every record of the files, in that many processes."""
    total, listed = Comparison(show), list(paths)
    if workers == 1:
        for path in listed:
            for record in read_records(path):
                total.add(record)
        return total
    with ProcessPoolExecutor(workers) as pool:
        for part in pool.map(compare, [[path] for path in listed], [show] * len(listed)):
            total.merge(part)
    return total


def main(argv: list[str]) -> int:
    """The command line: 0 where everything agrees."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance kueue", description=__doc__)
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
