"""NCCL_SOCKET_IFNAME and GLOO_SOCKET_IFNAME against the interfaces that pods have (N 2.1, 3.4)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final

from trainlint.fabric.fault import RoleFault, place_of
from trainlint.fabric.fixes import write
from trainlint.fabric.gloo import gloo_names
from trainlint.fabric.interface import placed
from trainlint.fabric.name_list import LONGEST_NAME, NameList
from trainlint.fabric.pod_interfaces import PodInterfaces
from trainlint.fabric.process import Rank
from trainlint.fabric.selection import select
from trainlint.fabric.variable_places import variable_places
from trainlint.fact import fact
from trainlint.finding import Fix, Location, Move, Severity
from trainlint.launch.environment import Variable

__all__ = [
    "GLOO",
    "NCCL",
    "GlooFault",
    "GlooItem",
    "GlooProblem",
    "IsolatedInterface",
    "Judged",
    "LoopbackInterface",
    "MissingInterface",
    "NoMatch",
    "gloo_fault",
    "judge",
    "loopback_fault",
    "missing_fault",
]

NCCL: Final = "NCCL_SOCKET_IFNAME"
GLOO: Final = "GLOO_SOCKET_IFNAME"
_OTHER_GRAMMAR: Final = frozenset(" \t\n\"'*!;")


@fact
class Judged:
    """NCCL's choice among the known interfaces, by the value of NCCL_SOCKET_IFNAME: names in its order.

    ``maybe`` are names that the value would select and that the pod may have.
    """

    rank: Rank
    variable: Variable
    value: str
    interfaces: PodInterfaces
    selected: tuple[str, ...]
    maybe: tuple[str, ...]

    @property
    def usable(self) -> tuple[str, ...]:
        """The interfaces of the pods that are not useless for connections with other pods."""
        return tuple(name for name in self.interfaces.names if name not in self.interfaces.useless)


def judge(rank: Rank, interfaces: PodInterfaces) -> Judged | None:
    """NCCL's choice by the value of NCCL_SOCKET_IFNAME; ``None`` where none is known, or it is ignored."""
    variable, value = rank.settings.get(NCCL), rank.value(NCCL)
    if variable is None or value is None or len(value) <= 1 or rank.value("NCCL_COMM_ID") is not None:
        return None
    names = NameList.parse(value)
    family = rank.settings.get("NCCL_SOCKET_FAMILY")
    environment = {NCCL: value}
    if family is not None and family.value == "AF_INET6":
        return None
    selection = select(placed(interfaces.names), environment)
    maybe = () if names.exclude else tuple(name for name in interfaces.possible if names.takes(name))
    return Judged(rank, variable, value, interfaces, selection.interfaces, maybe)


class NoMatch(Enum):
    """Why a value selects no interface."""

    TOO_LONG = auto()
    OTHER_GRAMMAR = auto()
    ABSENT = auto()


@fact
class MissingInterface(RoleFault):
    """The value selects nothing that the pods can have.

    ``hints`` are annotations at a place where they do nothing. ``doubtful`` says that the pods may have more
    interfaces than are known.
    """

    judged: Judged
    why: NoMatch
    doubtful: bool
    hints: Mapping[str, Location]


@fact
class IsolatedInterface(RoleFault):
    """The choice exists, but reaches no other pod: the namespace has a primary network of its own (N 3.3)."""

    judged: Judged


@fact
class LoopbackInterface(RoleFault):
    """The choice is loopback, which reaches no other pod."""

    judged: Judged

    @property
    def forgotten(self) -> bool:
        """Whether the value excludes interfaces by name, and loopback is not one of them."""
        names = NameList.parse(self.judged.value)
        return names.exclude and bool(names.items)


def missing_fault(judged: Judged, hints: Mapping[str, Location]) -> MissingInterface | IsolatedInterface | None:
    """The fault of a value that selects nothing, or nothing that reaches other pods; ``None`` where it has none.

    ``hints`` are annotations at a place where they do nothing.
    """
    pod_set, at = judged.rank.pod_set, place_of(judged.variable)
    if judged.selected:
        if judged.selected[0] not in judged.interfaces.useless - {"lo"}:
            return None
        return IsolatedInterface(pod_set, at, judged.value, judged, fixes=_only_one(judged))
    why = _no_match(NameList.parse(judged.value))
    doubtful = why is NoMatch.ABSENT and bool(judged.maybe or judged.interfaces.unknown)
    if doubtful and judged.interfaces.unknown:
        return None
    uncertain = doubtful and not hints
    return MissingInterface(
        pod_set,
        at,
        judged.value,
        judged,
        why,
        uncertain,
        hints,
        severity=Severity.NOTE if uncertain else None,
        fixes=_moved(judged, hints) if hints else _only_one(judged),
    )


def _no_match(names: NameList) -> NoMatch:
    if names.exclude:
        return NoMatch.ABSENT
    if all(_OTHER_GRAMMAR & set(item.name) for item in names.items):
        return NoMatch.OTHER_GRAMMAR
    return NoMatch.TOO_LONG if all(len(item.name) > LONGEST_NAME for item in names.items) else NoMatch.ABSENT


def _moved(judged: Judged, hints: Mapping[str, Location]) -> tuple[Fix, ...]:
    """The annotation on the pod template, where pods get it from."""
    (name, at), *_ = hints.items()
    template = judged.rank.pod_set.template
    if (template.file, template.document) != (at.file, at.document):
        return ()
    to = (*template.path, "metadata", "annotations", name)
    return (Fix(f"move the annotation {name} to the pod template of {judged.rank.pod_set.name}", (Move(at, to),)),)


def _only_one(judged: Judged) -> tuple[Fix, ...]:
    """The interface of the pods that reaches others, where there is no choice."""
    usable = [name for name in judged.usable if name != "lo"]
    return write(judged.variable, usable[0]) if len(usable) == 1 else ()


def loopback_fault(judged: Judged) -> LoopbackInterface | None:
    """The fault of a value that selects loopback; ``None`` where it selects another interface, or none."""
    if not judged.selected or judged.selected[0] != "lo":
        return None
    names = NameList.parse(judged.value)
    fixes = write(judged.variable, f"{judged.value},lo") if names.exclude and names.items else _only_one(judged)
    return LoopbackInterface(judged.rank.pod_set, place_of(judged.variable), judged.value, judged, fixes=fixes)


class GlooProblem(Enum):
    """Why an item of GLOO_SOCKET_IFNAME is no interface."""

    EMPTY = auto()
    GRAMMAR = auto()
    ABSENT = auto()


@fact
class GlooItem:
    """An item of GLOO_SOCKET_IFNAME that no interface of the pods is called exactly."""

    pods: str
    value: str
    item: str
    why: GlooProblem
    interfaces: tuple[str, ...]


@fact
class GlooFault(RoleFault):
    """The fault of such an item; ``exact`` is an interface that it may mean, or empty.

    ``places`` are where the variable comes from, each with its part.
    """

    what: GlooItem
    exact: str
    places: tuple[tuple[str, Location], ...]


def gloo_fault(rank: Rank, interfaces: PodInterfaces) -> GlooFault | None:
    """The fault of GLOO_SOCKET_IFNAME: its first item that no interface of the pods is called exactly; ``None`` where
    there is no such item.
    """
    variable, value = rank.settings.get(GLOO), rank.value(GLOO)
    names = gloo_names(value) if value is not None else None
    if variable is None or value is None or names is None:
        return None
    known = {*interfaces.names, *interfaces.possible}
    for name in names:
        grammar = (
            not name or name.startswith(("^", "=")) or bool(_OTHER_GRAMMAR & set(name)) or len(name) > LONGEST_NAME
        )
        if not grammar and (name in known or interfaces.unknown):
            continue
        pod_set = rank.pod_set
        why = GlooProblem.ABSENT
        if grammar or any(each.startswith(name) for each in known):
            why = GlooProblem.GRAMMAR if name else GlooProblem.EMPTY
        exact = next((each for each in interfaces.names if each != "lo" and each not in interfaces.useless), "")
        return GlooFault(
            pod_set,
            place_of(variable),
            value,
            GlooItem(pod_set.name, value, name, why, tuple(interfaces.names)),
            exact,
            variable_places(rank, variable),
            fixes=write(variable, exact) if exact and _alone(interfaces) else (),
        )
    return None


def _alone(interfaces: PodInterfaces) -> bool:
    """Whether the pods have one interface that reaches others."""
    usable = [each for each in interfaces.names if each != "lo" and each not in interfaces.useless]
    return len(usable) == 1 and not interfaces.unknown
