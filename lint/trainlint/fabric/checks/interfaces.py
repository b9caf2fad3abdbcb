"""NCCL_SOCKET_IFNAME and GLOO_SOCKET_IFNAME against the interfaces that pods have (N 2.1, 3.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from trainlint.fabric.fault import NetworkFault, place_of
from trainlint.fabric.fixes import write
from trainlint.fabric.gloo import gloo_names
from trainlint.fabric.interface import placed
from trainlint.fabric.name_list import LONGEST_NAME, NameList
from trainlint.fabric.pod_interfaces import PodInterfaces
from trainlint.fabric.process import Rank
from trainlint.fabric.selection import select
from trainlint.fact import fact
from trainlint.finding import Fix, Location, Move, Severity
from trainlint.launch.environment import Variable

__all__ = ["GLOO", "NCCL", "Judged", "gloo_fault", "judge", "loopback_fault", "missing_fault"]

NCCL: Final = "NCCL_SOCKET_IFNAME"
GLOO: Final = "GLOO_SOCKET_IFNAME"
_OTHER_GRAMMAR: Final = frozenset(" \t\n\"'*!;")


@fact
class Judged:
    """What NCCL's choice is among the known interfaces: names in its order.

    ``maybe`` are names that the value would select and that the pod may have.
    """

    rank: Rank
    variable: Variable
    value: str
    interfaces: PodInterfaces
    selected: tuple[str, ...]
    maybe: tuple[str, ...]


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


def missing_fault(judged: Judged, hints: Mapping[str, Location]) -> NetworkFault | None:
    """The value selects nothing that the pods can have; ``hints`` are annotations at a place where they do nothing."""
    if judged.selected:
        return _isolated_fault(judged) if judged.selected[0] in judged.interfaces.useless - {"lo"} else None
    names = NameList.parse(judged.value)
    too_long = not names.exclude and all(len(item.name) > LONGEST_NAME for item in names.items)
    impossible = not names.exclude and all(_OTHER_GRAMMAR & set(item.name) for item in names.items)
    doubtful = not (too_long or impossible) and bool(judged.maybe or judged.interfaces.unknown)
    if doubtful and judged.interfaces.unknown:
        return None
    uncertain = doubtful and not hints
    pod_set = judged.rank.pod_set
    has = ", ".join(judged.interfaces.names)
    why = "a name has at most 15 characters" if too_long else f"its pods have {has}"
    if impossible:
        why = "blanks, quotes and wildcards are part of a name for NCCL"
    doubt = ""
    if uncertain:
        doubt = (
            f"; only default networks of Multus could add {judged.maybe[0]}" if judged.maybe else "; others may exist"
        )
    return NetworkFault(
        pod_set,
        f"{NCCL}={judged.value} selects no interface of {pod_set.name} ({why}{doubt}): NCCL finds no interface and "
        "fails in init",
        place_of(judged.variable),
        _remedy(judged, hints),
        judged.value,
        _places(judged) + tuple((f"does nothing here: {text}", at) for text, at in hints.items()),
        {"value": judged.value, "interfaces": has},
        severity=Severity.NOTE if uncertain else None,
        fixes=_moved(judged, hints) if hints else _only_one(judged),
    )


def _remedy(judged: Judged, hints: Mapping[str, Location]) -> str:
    if hints:
        return f"move the annotation {next(iter(hints))} to the metadata of the pod template"
    usable = [name for name in judged.interfaces.names if name not in judged.interfaces.useless]
    if usable:
        return f"write {usable[0]}, or ^lo,docker to take whatever the pod has"
    return "name an interface that the pods have"


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
    usable = [name for name in judged.interfaces.names if name not in judged.interfaces.useless and name != "lo"]
    return write(judged.variable, usable[0]) if len(usable) == 1 else ()


def _isolated_fault(judged: Judged) -> NetworkFault:
    """The choice exists, but reaches no other pod: the namespace has a primary network of its own (N 3.3)."""
    pod_set, first = judged.rank.pod_set, judged.selected[0]
    usable = [name for name in judged.interfaces.names if name not in judged.interfaces.useless]
    return NetworkFault(
        pod_set,
        f"{NCCL}={judged.value} selects {first} in {pod_set.name}, which reaches no other pod: {pod_set.namespace} has "
        f"a primary network of its own, on {', '.join(usable)}",
        place_of(judged.variable),
        f"write {usable[0]}" if usable else "name the interface of the primary network",
        judged.value,
        _places(judged),
        {"value": judged.value, "chosen": first},
        fixes=_only_one(judged),
    )


def loopback_fault(judged: Judged) -> NetworkFault | None:
    """The choice is loopback, which reaches no other pod."""
    if not judged.selected:
        return None
    if judged.selected[0] != "lo":
        return None
    names = NameList.parse(judged.value)
    pod_set = judged.rank.pod_set
    why = "the exclusion leaves lo, which is always the first interface" if names.exclude else "it selects lo"
    return NetworkFault(
        pod_set,
        f"NCCL of {pod_set.name} listens on lo ({NCCL}={judged.value}: {why}): each pod offers 127.0.0.1 to the "
        "others, and the job hangs in init",
        place_of(judged.variable),
        f"exclude lo as well: {judged.value},lo"
        if names.exclude and names.items
        else "name the pod's interface, as eth0",
        judged.value,
        _places(judged),
        {"value": judged.value, "chosen": "lo"},
        fixes=write(judged.variable, f"{judged.value},lo") if names.exclude and names.items else _only_one(judged),
    )


def gloo_fault(rank: Rank, interfaces: PodInterfaces) -> NetworkFault | None:
    """The first item of GLOO_SOCKET_IFNAME that no interface of the pods is called exactly."""
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
        why = "an empty item raises" if not name else "Gloo knows exact names only: no prefix, no ^, no =, no blanks"
        if not grammar and not any(each.startswith(name) for each in known):
            why = f"its pods have {', '.join(interfaces.names)}"
        exact = next((each for each in interfaces.names if each != "lo" and each not in interfaces.useless), "")
        return NetworkFault(
            pod_set,
            f"{GLOO}={value} names {name or 'an empty item'!r}, which is no interface of {pod_set.name} ({why}): "
            "creating a Gloo group raises",
            place_of(variable),
            f"write the exact name: {exact}" if exact else "write the exact name of an interface",
            value,
            _told_by(rank, variable),
            {"value": value, "item": name, "interfaces": ", ".join(interfaces.names)},
            fixes=write(variable, exact) if exact and _alone(interfaces) else (),
        )
    return None


def _alone(interfaces: PodInterfaces) -> bool:
    """Whether the pods have one interface that reaches others."""
    usable = [each for each in interfaces.names if each != "lo" and each not in interfaces.useless]
    return len(usable) == 1 and not interfaces.unknown


def _places(judged: Judged) -> tuple[tuple[str, Location], ...]:
    return _told_by(judged.rank, judged.variable)


def _told_by(rank: Rank, variable: Variable) -> tuple[tuple[str, Location], ...]:
    found: Iterator[tuple[str, Location]] = iter(())
    if rank.teller is not rank.pod_set:
        found = iter([(f"its ranks get it ({rank.pod_set.name})", rank.container.at or rank.pod_set.at)])
    elif variable.origin is not None:
        found = iter([(f"takes it from there ({rank.pod_set.name})", variable.at)])
    elif rank.container.at is not None and variable.at.file != rank.container.at.file:
        found = iter([(f"its pods read it ({rank.pod_set.name})", rank.container.at)])
    return tuple(found)
