"""Facts that are missing about pods: connections, devices, addresses of rendezvous."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.finding import Unknown
from trainlint.launch.addresses import Address
from trainlint.model.workload import Group, PodSet
from trainlint.workload.accelerators import accelerators_of
from trainlint.workload.flows import maybe_many
from trainlint.workload.groups import GROUP_ANNOTATION, Unit

__all__ = ["lost_meetings", "silent"]


def silent(units: Sequence[Unit], pod_sets: Sequence[PodSet], groups: Sequence[Group]) -> Iterator[Unknown]:
    """Training objects of several pods for which nothing says how the pods communicate.

    Pods whose commands open no connection communicate with no others: that is known, and no group.
    """
    grouped = {member.owner for group in groups for member in group.members}
    for unit in units:
        if unit.flows or unit.owner in grouped:
            continue
        if not unit.training:
            yield from _of_unknown_devices(unit, pod_sets)
            continue
        from trainlint.launch.silent_commands import talks  # noqa: PLC0415 (seldom needed)

        alive = (pod_sets[i] for i in unit.pod_sets if pod_sets[i].replicas != 0)
        pods = [each for each in alive if any(talks(container) for container in each.spec.containers)]
        if len(pods) > 1 or any(maybe_many(each) for each in pods):
            yield Unknown(
                str(unit.owner),
                "which connections its pods open: no launcher, address or accelerator in its manifest says so",
                f"annotate it with {GROUP_ANNOTATION}, or name the addresses in command, args or env",
                at=unit.at,
            )


def _of_unknown_devices(unit: Unit, pod_sets: Sequence[PodSet]) -> Iterator[Unknown]:
    """Jobs of several pods whose claims may be accelerators, on which the pods would compute together."""
    for pods in (pod_sets[i] for i in unit.pod_sets):
        if not unit.seed or not maybe_many(pods) or accelerators_of(pods.spec):
            continue
        for container in pods.spec.containers:
            claimed = next((each for each in container.claimed if each.accelerator is None), None)
            if claimed is not None:
                what = claimed.device_class or ", ".join(container.resource_claims)
                yield Unknown(
                    str(unit.owner),
                    f"whether its pods compute together: no document says which devices {what} stands for",
                    "add the ResourceClaimTemplate and its DeviceClass, or annotate the object with "
                    f"{GROUP_ANNOTATION}",
                    at=unit.at,
                )
                return


def lost_meetings(
    lost: Sequence[tuple[int, Address]], pod_sets: Sequence[PodSet], groups: Sequence[Group]
) -> Iterator[Unknown]:
    """Places where the ranks of a group meet that no Service or pod of the snapshot has the name of."""
    grouped = {id(member) for group in groups for member in group.members}
    seen = set()
    for index, address in lost:
        found = pod_sets[index]
        if id(found) in grouped and (found.owner, address.host) not in seen:
            seen.add((found.owner, address.host))
            yield Unknown(
                str(found.owner),
                f"what {address.host} is ({address.carrier}): no Service or pod in the repository has this name",
                "add its Service and the pods behind it",
                at=address.at,
            )
