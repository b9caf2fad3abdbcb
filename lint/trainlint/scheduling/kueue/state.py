"""Why a ClusterQueue is not active: then it admits nothing, whatever is asked (kubernetes-sigs/kueue:pkg/cache)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.kueue import MULTIKUEUE, PROVISIONING, ClusterQueue, Queues

__all__ = ["Inactive", "multikueue_check", "why_inactive"]


@fact
class Inactive:
    """One reason. ``kind`` and ``name`` are of the object that is missing, where one is; ``at`` is where the reason
    stands.
    """

    text: str
    remedy: str
    at: Location | None
    kind: str = ""
    name: str = ""


def why_inactive(queue: ClusterQueue, queues: Queues) -> Iterator[Inactive]:
    """Every reason that the objects show, the queue's own state first. What is missing is not there for all that is
    known: the caller knows whether it may be elsewhere.
    """
    if queue.stopped:
        yield Inactive(f"its stopPolicy is {queue.stopped}", "let it run", _at(queue, "stopPolicy"))
    delayed = multikueue_check(queue, queues) is not None
    for index, group in enumerate(queue.groups):
        for number, name in enumerate(group.flavors):
            at = _at(queue, "resourceGroups", index, "flavors", number, "name")
            flavor = queues.flavors.get(name)
            if flavor is None:
                yield Inactive(f"its flavor {name} does not exist", "define it", at, "ResourceFlavor", name)
            elif flavor.topology and flavor.topology not in queues.topologies and not delayed:
                place = flavor.at.child("spec", "topologyName") if flavor.at else None
                text = f"the Topology {flavor.topology} of its flavor {name} does not exist"
                yield Inactive(text, "define it", place, "Topology", flavor.topology)
    yield from _checks(queue, queues)
    circle = _circle(queue.cohort, {name: each.parent for name, each in queues.cohorts.items()})
    if circle:
        text = f"its cohorts are in a circle of parents ({' → '.join(circle)})"
        first = queues.cohorts[circle[0]].at
        yield Inactive(text, "take one of the parents out", first.child("spec") if first else None)


def multikueue_check(queue: ClusterQueue, queues: Queues) -> str | None:
    """The name of the queue's check that hands workloads on to other clusters."""
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
            yield Inactive(f"its AdmissionCheck {name} does not exist", "define it", at, "AdmissionCheck", name)
            continue
        if check.active is False:
            yield Inactive(f"its AdmissionCheck {name} is not active", "see why its controller refuses it", check.at)
        by.setdefault(check.controller, []).append(name)
    hands_on = by.get(MULTIKUEUE, [])
    if len(hands_on) > 1:
        text = f"it has {len(hands_on)} MultiKueue checks ({', '.join(hands_on)}), and may have one"
        yield Inactive(text, "keep one of them", at)
    if hands_on and by.get(PROVISIONING):
        text = f"it has a MultiKueue check ({hands_on[0]}) and a ProvisioningRequest check ({by[PROVISIONING][0]})"
        yield Inactive(text, "keep one of them", at)
    for name in hands_on:
        if name in queue.on_flavors:
            text = f"its MultiKueue check {name} counts for some flavors only, and must count for all"
            yield Inactive(text, "take onFlavors out", at)
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
        text = f"the MultiKueueConfig {config} of its check {name} does not exist"
        yield Inactive(text, "define it", at, "MultiKueueConfig", config)
    elif not found.undetermined and all(each not in queues.remotes for each in found.clusters):
        at = found.at.child("spec", "clusters") if found.at else None
        names = ", ".join(found.clusters)
        text = f"no MultiKueueCluster of its check {name} exists ({names or 'none is named'})"
        yield Inactive(text, "define the clusters", at, "MultiKueueCluster", names)


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
