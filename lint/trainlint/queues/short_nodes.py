"""PodGroups of the coscheduling plugin whose ``minResources`` all nodes together do not have.

Before it looks for a node, the plugin takes from ``minResources`` what is free on each node; pods of a group of which
something is left are refused (kubernetes-sigs/scheduler-plugins:pkg/coscheduling/core/core.go, ``PreFilter`` and
``CheckClusterResource``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trainlint.kube.values import known_text
from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.pool import Inventory, Pool
from trainlint.model.quantity import Amount, QuantityError, milli
from trainlint.model.scheduler_queue import COSCHEDULED
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.queues.ground import QueueGround
from trainlint.queues.queue_refusals import QueueRefusal
from trainlint.queues.schedulers import COSCHEDULERS, profiles
from trainlint.scheduling.node import node_of
from trainlint.scheduling.requests import rounded
from trainlint.snapshot.build import Snapshot
from trainlint.source.document import Field
from trainlint.workload.pod_manifest import template_of
from trainlint.workload.podgroups import COSCHEDULING, PodGroup

__all__ = ["short_of_nodes"]


def short_of_nodes(snapshot: Snapshot) -> Iterator[QueueRefusal]:
    """One for each PodGroup that asks for more of a resource than all nodes have, where it asks for it."""
    groups = [
        PodGroup(each.meta, each.field)
        for each in snapshot.objects
        if each.meta.kind == "PodGroup"
        and each.meta.api_group == COSCHEDULING
        and each.field.down("spec", "minResources").present
        and each.field.document.file not in snapshot.unrendered
    ]
    if not groups:
        return
    running = {*COSCHEDULERS, *(name for name, runs in profiles(snapshot.objects).items() if runs)}
    for group in groups:
        pods = tuple(_members(snapshot, group, running))
        if pods:
            yield from list(_short(snapshot, group, pods))[:1]


def _members(snapshot: Snapshot, group: PodGroup, running: set[str]) -> Iterator[PodSet]:
    """The pods of the group that a scheduler with the plugin places."""
    for workload in snapshot.workloads.objects:
        for pods in workload.pod_sets:
            scheduler = pods.spec.scheduler_name or "default-scheduler"
            if pods.replicas != 0 and scheduler in running and group.holds(pods, template_of(workload, pods)):
                yield pods


def _short(snapshot: Snapshot, group: PodGroup, pods: tuple[PodSet, ...]) -> Iterator[QueueRefusal]:
    nodes = snapshot.inventories_for(group.field.at)
    for resource, written in _asked(group).items():
        asked = _amount(resource, written)
        there = [_most(inventory, resource) for inventory in nodes]
        known = [each for each in there if each is not None]
        if asked is None or not known or len(known) < len(there) or asked <= max(known):
            continue
        amounts = (Amount(resource, asked), resource, Amount(resource, max(known)))
        owner = ObjectRef("PodGroup", group.namespace, group.meta.name)
        why = Because(QueueGround.BEYOND_NODES, amounts)
        yield QueueRefusal(owner, pods, group.meta.name, COSCHEDULED, why, written.at)


def _asked(group: PodGroup) -> Mapping[str, Field]:
    """What stands in ``minResources``; the plugin takes ``minMember`` for pods, whatever is written there."""
    written = {name: each for name, each in group.field.down("spec", "minResources").items() if name != "pods"}
    minimum = group.field.down("spec", "minMember")
    return {**written, "pods": minimum} if minimum.present else written


def _amount(resource: str, written: Field) -> int | None:
    text = known_text(written)
    if isinstance(text, Undetermined):
        return None
    try:
        return rounded(resource, milli(text))
    except QuantityError:
        return None


def _most(inventory: Inventory, resource: str) -> int | None:
    """The most that all nodes of an inventory may have of a resource, also those that take no new pods; ``None`` where
    that is not known.
    """
    if not inventory.complete or inventory.ideal or inventory.invented:
        return None
    found = [_of_pool(pool, resource) for pool in inventory.pools if pool.maximum != 0]
    amounts = [each for each in found if each is not None]
    return sum(amounts) if len(amounts) == len(found) else None


def _of_pool(pool: Pool, resource: str) -> int | None:
    node = node_of(pool, (resource,))
    if pool.maximum is None or node.allocatable is None:
        return None
    amount = node.allocatable.get(resource, 0)
    if isinstance(amount, Undetermined):
        return None
    return pool.maximum * max(amount, node.ceiling.get(resource, 0))
