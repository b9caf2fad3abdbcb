"""Units of pods that share a domain: answers are those of trying every order (decision 2; S 2.2, 2.3)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.engine.worlds import lint

World = tuple[tuple[str, str, int], ...]
"""Nodes: zone, rack, and how many pods fit."""
State = tuple[tuple[int, int, int], ...]
"""Pods as (unit, node, how many), sorted."""


def manifests(world: World) -> str:
    nodes = (
        f"apiVersion: v1\nkind: Node\nmetadata:\n  name: n{number}\n"
        f"  labels: {{topology.kubernetes.io/zone: {zone}, rack: {rack}}}\n"
        f'status: {{allocatable: {{cpu: "64", pods: "110", nvidia.com/gpu: "{room}"}}}}\n'
        for number, (zone, rack, room) in enumerate(world)
    )
    return "---\n".join(nodes)


POD = "spec: {restartPolicy: Never, containers: [{name: c, command: [x], resources: {limits: {nvidia.com/gpu: 1}}}]}"


def job_set(units: int, size: int) -> str:
    key = "alpha.jobset.sigs.k8s.io/exclusive-topology: rack"
    job = f"parallelism: {size}, completions: {size}, backoffLimit: 0, template: {{{POD}}}"
    return (
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\n"
        f"metadata: {{name: t, namespace: ml, annotations: {{{key}}}}}\n"
        f"spec: {{replicatedJobs: [{{name: w, replicas: {units}, template: {{spec: {{{job}}}}}}}]}}\n"
    )


def slices(units: int, size: int) -> str:
    total = units * size
    keys = f"kueue.x-k8s.io/podset-slice-required-topology: rack, kueue.x-k8s.io/podset-slice-size: '{size}'"
    return (
        "apiVersion: batch/v1\nkind: Job\n"
        "metadata: {name: t, namespace: ml, labels: {kueue.x-k8s.io/queue-name: q}}\n"
        f"spec: {{parallelism: {total}, completions: {total}, completionMode: Indexed, backoffLimit: 0, "
        f"template: {{metadata: {{annotations: {{{keys}}}}}, {POD}}}}}\n"
    )


class Force:
    """Every order in which pods of some units come to nodes."""

    def __init__(self, world: World, units: int, size: int, *, exclusive: bool) -> None:
        self.world, self.units, self.size, self.exclusive = world, units, size, exclusive
        self.following = cache(self._following)
        self.ends = cache(self._ends)

    def _following(self, state: State) -> tuple[State, ...]:
        count = {(unit, node): pods for unit, node, pods in state}
        rack_of = {unit: self.world[node][1] for unit, node in count}
        found = set()
        for unit in range(self.units):
            if sum(pods for (each, _), pods in count.items() if each == unit) == self.size:
                continue
            for node, (_, rack, room) in enumerate(self.world):
                others = {where for each, where in rack_of.items() if each != unit}
                if rack_of.get(unit, rack) != rack or (self.exclusive and rack in others):
                    continue
                if sum(pods for (_, each), pods in count.items() if each == node) < room:
                    more = {**count, (unit, node): count.get((unit, node), 0) + 1}
                    found.add(tuple(sorted((*key, pods) for key, pods in more.items())))
        return tuple(sorted(found))

    def _ends(self, state: State) -> frozenset[State]:
        """The states after which nothing can be placed."""
        following = self.following(state)
        return frozenset().union(*(self.ends(each) for each in following)) if following else frozenset({state})

    def complete(self, state: State) -> bool:
        return sum(pods for *_, pods in state) == self.units * self.size

    def zones(self, state: State) -> set[str]:
        return {self.world[node][0] for _, node, _ in state}

    @property
    def exists(self) -> bool:
        return any(self.complete(each) and len(self.zones(each)) == 1 for each in self.ends(()))

    def always(self, *, ahead: bool) -> bool:
        """Whether every placement is good; one that looks ahead ends in no dead end."""
        ends = [each for each in self.ends(()) if self.complete(each) or not ahead]
        return all(self.complete(each) and len(self.zones(each)) == 1 for each in ends)


def worlds() -> Iterator[tuple[World, int, int]]:
    rng = random.Random(11)
    for _ in range(60):
        racks = [("a", "r0"), ("a", "r1"), ("b", "r2"), ("b", "r3")][: rng.randint(2, 4)]
        world = tuple((*rng.choice(racks), rng.randint(1, 2)) for _ in range(rng.randint(2, 5)))
        yield world, rng.randint(1, 3), rng.randint(1, 3)


def asked(folder: Path, world: World, work: str) -> tuple[str, str] | None:
    result = lint(folder, {"nodes.yaml": manifests(world), "work.yaml": work})
    return (str(result.groups[0].exists), str(result.groups[0].for_all)) if result.groups else None


@pytest.mark.parametrize("kind", ["JobSet", "slices"])
def test_answers_are_those_of_every_order_of_placement(kind: str, tmp_path: Path) -> None:
    settled = 0
    for number, (world, units, size) in enumerate(worlds()):
        exclusive = kind == "JobSet"
        work = job_set(units, size) if exclusive else slices(units, size)
        found = asked(tmp_path / str(number), world, work)
        if found is None:  # one pod is no group
            continue
        force = Force(world, units, size, exclusive=exclusive)
        exists = "proved" if force.exists else "refuted"
        for_all = "proved" if force.exists and force.always(ahead=not exclusive) else "refuted"
        assert found[0] in {exists, "unknown"}, (world, units, size, found)
        assert found[1] in {for_all, "unknown"}, (world, units, size, found)
        settled += found == (exists, for_all)
    assert settled > 40
