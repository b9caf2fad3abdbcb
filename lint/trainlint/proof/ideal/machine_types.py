"""What an ideal node offers where the selectors name a machine: what that machine has, and no more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Final

from trainlint.fact import fact
from trainlint.inventory.instance_types import ACCELERATORS, InstanceType
from trainlint.inventory.machine_selection import TYPE_KEYS, Machines, is_shared, machines_left
from trainlint.inventory.tpu import TPU
from trainlint.model.pool import Taint
from trainlint.model.selector import Requirement
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.quantity import milli, readable
from trainlint.scheduling.requests import rounded

__all__ = ["Margin", "divided", "margins", "offered", "taints_of"]

MOST: Final = 16
"""Types of machines of one way that are looked at one by one; of more, the largest amount of each resource counts."""
COMMON: Final = ("cpu", "memory")
EFA: Final = "vpc.amazonaws.com/efa"
_COUNTED: Final = (*ACCELERATORS, EFA)
"""Devices of which the tables say how many a machine has. Others are made by plugins, in any number."""

Way = tuple[Requirement, ...]


@fact
class Margin:
    """Pods that ask for more of a resource than a machine surely leaves to them, and not for more than it has.

    Amounts are as people write them; ``machine`` is the name of the one that leaves most.
    """

    resource: str
    asked: str
    surely: str
    most: str
    machine: str


def divided(ways: Iterable[Way]) -> Iterator[Way]:
    """The ways, those that list types of machines in one for each type."""
    for way in ways:
        lists = [each.values if _lists_types(each) else () for each in way]
        if 1 < sum(map(len, lists)) <= MOST:
            choices = [_each(each) if _lists_types(each) else (each,) for each in way]
            yield from (tuple(chosen) for chosen in product(*choices))
        else:
            yield way


def _lists_types(requirement: Requirement) -> bool:
    return requirement.key in TYPE_KEYS and requirement.operator == "In" and len(requirement.values) > 1


def _each(requirement: Requirement) -> tuple[Requirement, ...]:
    return tuple(replace(requirement, values=(value,)) for value in requirement.values)


def _machines(way: Way) -> Machines | None:
    found = machines_left(way)
    return found if found is not None and found.types and found.bounded else None


def offered(way: Way, pods: Sequence[Pod]) -> Mapping[str, str]:
    """The most of CPU, memory and devices that nodes of a way can have; what is not known is left out.

    Devices of which one pod alone asks for too many are left out too: that is the fault of its own request, and told
    as such.
    """
    machines = _machines(way)
    if machines is None:
        return {}
    found = {
        "cpu": str(max(each.cpus for each in machines.types)),
        "memory": f"{max(each.memory for each in machines.types)}Mi",
    }
    for name in () if is_shared(way) else _COUNTED:
        most = machines.most(name)
        asked = [amount for pod in pods if isinstance(amount := pod.requests.amounts.get(name), int)]
        if most and (name == EFA or max(asked, default=0) <= most):
            found[name] = str(most)
    return found


def taints_of(way: Way, pods: Sequence[Pod]) -> tuple[Taint, ...]:
    """The taints that the platform gives such nodes for certain: GKE those with TPUs. It lets in what asks for TPUs."""
    if any(TPU in pod.requests.amounts or pod.spec.resource_claims or pod.spec.undetermined for pod in pods):
        return ()
    machines = _machines(way)
    there = machines is not None and all(TPU in each.devices for each in machines.types)
    return (Taint(TPU, "present"),) if there else ()


def margins(pod: Pod) -> Iterator[Margin]:
    """What a pod asks for that the machines it selects have, and perhaps do not leave to it."""
    terms = pod.spec.node_affinity or (None,)
    found = [_machines((*pod.spec.node_selector, *(term.expressions if term else ()))) for term in terms]
    if any(each is None for each in found):
        return
    types = {kind.name: kind for each in found if each is not None for kind in each.types}
    for name in COMMON:
        asked = pod.requests.amounts.get(name)
        best = max(types.values(), key=partial(_surely, name))
        if isinstance(asked, int) and _surely(name, best) < asked:
            shown = (asked, _surely(name, best), _in_units(name, _has(best, name)))
            asks, surely, most = (readable(name, amount) for amount in shown)
            yield Margin(name, asks, surely, most, best.name)


def _has(machine: InstanceType, name: str) -> str:
    return str(machine.cpus) if name == "cpu" else f"{machine.memory}Mi"


def _surely(name: str, machine: InstanceType) -> int:
    amount = machine.allocatable.get(name)
    return _in_units(name, amount) if isinstance(amount, str) else 0


def _in_units(name: str, amount: str) -> int:
    return rounded(name, milli(amount))
