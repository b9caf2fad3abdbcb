"""Compute domains that wait for more nodes than pods bring."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainlint.checks.shape_mismatch import Shape, ShapeMismatch
from trainlint.finding import Location
from trainlint.kube.values import read_int
from trainlint.model.known import Undetermined
from trainlint.model.workload import PodSet
from trainlint.snapshot.build import Snapshot
from trainlint.workload.claims import made_template

__all__ = ["compute_domain_mismatches"]


def compute_domain_mismatches(snapshot: Snapshot) -> Iterator[ShapeMismatch]:
    """One for each domain whose ``numNodes`` is above the pods that claim its channel, of which a node has one."""
    for each in snapshot.objects:
        if each.meta.kind != "ComputeDomain" or each.meta.api_group != "resource.nvidia.com":
            continue
        written = each.field.down("spec", "numNodes")
        template, nodes = made_template(each.field), read_int(written)
        if template and isinstance(nodes, int) and nodes > 0:
            members = _members(snapshot.workloads.pod_sets, each.ref.namespace, template)
            yield from _waiting(members, each.meta.name, nodes, written.at)


def _members(pod_sets: Iterable[PodSet], namespace: str, template: str) -> tuple[PodSet, ...]:
    """The pods that claim a channel of the domain with this claim template."""
    return tuple(
        pods
        for pods in pod_sets
        if pods.namespace == namespace and any(each.template == template for each in pods.spec.resource_claims)
    )


def _waiting(members: tuple[PodSet, ...], name: str, nodes: int, at: Location) -> Iterator[ShapeMismatch]:
    counts = [count for pods in members if (count := _pods(pods)) is not None]
    if members and len(counts) == len(members) and sum(counts) < nodes:
        places = tuple(each.at for each in members)
        yield ShapeMismatch(Shape.DOMAIN, members, at, name, sum(counts), nodes, places=places)


def _pods(pods: PodSet) -> int | None:
    """How many pods of the set there will be, in all of its copies."""
    if isinstance(pods.replicas, Undetermined) or isinstance(pods.instances, Undetermined):
        return None
    return pods.replicas * pods.instances
