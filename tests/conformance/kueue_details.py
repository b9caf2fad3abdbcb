"""What Kueue worked out on the way to its answer: requests, capacities, flavors, and domains (data/kueue/README.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

from tests.conformance.kueue import Cluster, Record

from trainlint.kube.node import HOSTNAME
from trainlint.scheduling.kueue.assignment import Assigner
from trainlint.scheduling.kueue.decision import decide
from trainlint.scheduling.kueue.domains import Forest, TopologyDomain
from trainlint.scheduling.kueue.match import KueueCode, mismatch
from trainlint.scheduling.kueue.pod_set_groups import is_explicit, leader_and_workers
from trainlint.scheduling.kueue.requested import Team
from trainlint.scheduling.kueue.topology import Places, place

CHECKS = {
    "untolerated taint": KueueCode.TAINT,
    "match node affinity": KueueCode.AFFINITY,
    "does not support TopologyAwareScheduling": KueueCode.FLAVOR_NOT_TAS,
    "supports only TopologyAwareScheduling": KueueCode.FLAVOR_ONLY_TAS,
    "does not contain the requested level": KueueCode.LEVEL_MISSING,
    "nodeSelectorTerms[0].matchExpressions[0]": KueueCode.AFFINITY_INVALID,
}
"""Parts of Kueue's messages about a flavor."""


def details(record: Record) -> Iterator[tuple[str, Any, Any]]:
    """What was recorded besides the verdict, by kind, and what is predicted of it."""
    cluster = Cluster(record)
    teams = cluster.teams()
    code, queue = cluster.first(teams)
    if queue is None:
        return
    assigner = Assigner(queue, cluster.queues, cluster.forests())
    yield from _amounts(record, assigner, teams)
    yield from _checks(record, assigner, cluster, teams)
    yield from _placements(record, cluster, teams)
    if code is None and "podSets" in record["result"]:
        found = decide(assigner, teams)
        own = zip(found.flavors.items(), found.counts, strict=True) if found.flavors else ()
        recorded = [(each["name"], each.get("flavors", {}), each["count"]) for each in record["result"]["podSets"]]
        yield "flavors", recorded, [(name, dict(flavors), count) for (name, flavors), count in own]


def _amounts(record: Record, assigner: Assigner, teams: list[Team]) -> Iterator[tuple[str, Any, Any]]:
    for team in teams:
        if "pods" not in team.requests:  # no pod may request pods; what is recorded is from before Kueue counts them
            yield "requests", record["requests"][team.name], assigner.requested([team])
    for flavor, amounts in record.get("capacity", {}).items():
        yield "capacity", amounts, {name: assigner.capacity(flavor, name) for name in amounts}


def _checks(record: Record, assigner: Assigner, cluster: Cluster, teams: list[Team]) -> Iterator[tuple[str, Any, Any]]:
    for team in teams:
        for name, text in record.get("flavorChecks", {}).get(team.name, {}).items():
            flavor = cluster.queues.flavors[name]
            covered = next(each.covered for each in assigner.queue.groups if name in each.flavors)
            levels = cluster.queues.topologies.get(flavor.topology, ())
            code = next((code for part, code in CHECKS.items() if part in text), text)
            found = mismatch(team, flavor, covered, levels, implied=assigner.implied)
            yield "flavorChecks", code, found or "ok"


def _placements(record: Record, cluster: Cluster, teams: list[Team]) -> Iterator[tuple[str, Any, Any]]:
    forests, named = cluster.forests(), {each.name: each for each in teams}
    for attempt in record.get("tas", ()):
        found = _predicted(forests[attempt["flavor"]], [named[name] for name in attempt["podSets"]])
        yield "fits", attempt["fits"], found["fits"]
        yield "topology", attempt.get("topology"), found["topology"]
        if "counts" in attempt:
            yield "counts", attempt["counts"], found["counts"]


def _predicted(forest: Forest, teams: list[Team]) -> dict[str, Any]:
    counts: dict[str, dict[str, list[int]]] = {}
    fill = Forest.fill

    def counted(self: Forest, *arguments: Any) -> None:
        fill(self, *arguments)
        for level, name in enumerate(self.levels):
            counts[name] = {"/".join(each.path): _count(each) for each in self.at(level)}

    leader, workers = leader_and_workers(teams)
    with patch.object(Forest, "fill", counted):
        found = place(forest, workers, leader, {}, implied=not is_explicit(workers))
    return {
        "fits": found is not None,
        "topology": None if found is None else _shown(forest, workers, leader, *found),
        "counts": counts,
    }


def _count(domain: TopologyDomain) -> list[int]:
    """Pods, slices, leaders, and pods and slices beside a leader."""
    return [domain.pods, domain.slices, domain.leader, domain.pods_beside, domain.slices_beside]


def _shown(forest: Forest, workers: Team, leader: Team | None, own: Places, led: Places) -> dict[str, Any]:
    levels = [HOSTNAME] if forest.by_host else list(forest.levels)
    parts = [(workers, own)] if leader is None else [(workers, own), (leader, led)]
    return {
        team.name: {
            "levels": levels,
            "domains": {"/".join(forest.id_of(forest.leaves[path])): pods for path, pods in places.items()},
        }
        for team, places in parts
    }
