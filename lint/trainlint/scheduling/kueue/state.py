"""Why a ClusterQueue is not active: then it admits nothing, whatever is asked (kubernetes-sigs/kueue:pkg/cache)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.because import Because
from trainlint.model.kueue import MULTIKUEUE, PROVISIONING, ClusterQueue, Queues
from trainlint.scheduling.kueue.ground import InactiveGround

__all__ = ["Inactive", "multikueue_check", "why_inactive"]


@fact
class Inactive:
    """One reason. ``kind`` and ``name`` are of the object that is missing, where one is; ``at`` is where the reason
    stands.
    """

    why: Because
    at: Location | None
    kind: str = ""
    name: str = ""


def why_inactive(queue: ClusterQueue, queues: Queues) -> Iterator[Inactive]:
    """Every reason that the objects show, the queue's own state first. What is missing is not there for all that is
    known: the caller knows whether it may be elsewhere.
    """
    if queue.stopped:
        yield Inactive(Because(InactiveGround.STOPPED, (queue.stopped,)), _at(queue, "stopPolicy"))
    delayed = multikueue_check(queue, queues) is not None
    for index, group in enumerate(queue.groups):
        for number, name in enumerate(group.flavors):
            at = _at(queue, "resourceGroups", index, "flavors", number, "name")
            flavor = queues.flavors.get(name)
            if flavor is None:
                yield Inactive(Because(InactiveGround.NO_FLAVOR, (name,)), at, "ResourceFlavor", name)
            elif flavor.topology and flavor.topology not in queues.topologies and not delayed:
                place = flavor.at.child("spec", "topologyName") if flavor.at else None
                why = Because(InactiveGround.NO_TOPOLOGY, (flavor.topology, name))
                yield Inactive(why, place, "Topology", flavor.topology)
    yield from _checks(queue, queues)
    circle = _circle(queue.cohort, {name: each.parent for name, each in queues.cohorts.items()})
    if circle:
        first = queues.cohorts[circle[0]].at
        yield Inactive(Because(InactiveGround.CIRCLE, (" → ".join(circle),)), first.child("spec") if first else None)


def multikueue_check(queue: ClusterQueue, queues: Queues) -> str | None:
    """The name of the queue's check that hands workloads on to other clusters; ``None`` where it has none."""
    for name in queue.checks:
        check = queues.checks.get(name)
        if check is not None and check.controller == MULTIKUEUE:
            return name
    return None


def _checks(queue: ClusterQueue, queues: Queues) -> Iterator[Inactive]:
    at = _at(queue)
    by: dict[str, list[str]] = {}
    for name in dict.fromkeys(queue.checks):
        check = queues.checks.get(name)
        if check is None:
            yield Inactive(Because(InactiveGround.NO_CHECK, (name,)), at, "AdmissionCheck", name)
            continue
        if check.active is False:
            yield Inactive(Because(InactiveGround.INACTIVE_CHECK, (name,)), check.at)
        by.setdefault(check.controller, []).append(name)
    hands_on = by.get(MULTIKUEUE, [])
    if len(hands_on) > 1:
        yield Inactive(Because(InactiveGround.SEVERAL_MULTIKUEUE_CHECKS, (len(hands_on), tuple(hands_on))), at)
    if hands_on and by.get(PROVISIONING):
        both = (hands_on[0], by[PROVISIONING][0])
        yield Inactive(Because(InactiveGround.MULTIKUEUE_AND_PROVISIONING, both), at)
    for name in hands_on:
        if name in queue.on_flavors:
            yield Inactive(Because(InactiveGround.MULTIKUEUE_FOR_SOME_FLAVORS, (name,)), at)
        yield from _workers(name, queues)


def _workers(name: str, queues: Queues) -> Iterator[Inactive]:
    """A check without its configuration, or of which no worker cluster is described, is not active."""
    check = queues.checks[name]
    kind, config = check.parameters
    if check.active or kind != "MultiKueueConfig" or not config:
        return
    found = queues.configs.get(config)
    if found is None:
        at = check.at.child("spec", "parameters", "name") if check.at else None
        why = Because(InactiveGround.NO_MULTIKUEUE_CONFIG, (config, name))
        yield Inactive(why, at, "MultiKueueConfig", config)
    elif not found.undetermined and all(each not in queues.remotes for each in found.clusters):
        at = found.at.child("spec", "clusters") if found.at else None
        names = ", ".join(found.clusters)
        why = Because(InactiveGround.NO_MULTIKUEUE_CLUSTER, (name, names))
        yield Inactive(why, at, "MultiKueueCluster", names)


def _circle(cohort: str, parents: Mapping[str, str]) -> tuple[str, ...]:
    """The names of a circle that the cohort, or one above it, is in."""
    above: list[str] = []
    name = cohort
    while name and name not in above:
        above.append(name)
        name = parents.get(name, "")
    return (*above[above.index(name) :], name) if name else ()


def _at(queue: ClusterQueue, *steps: str | int) -> Location | None:
    return queue.at.child("spec", *steps) if queue.at else None
