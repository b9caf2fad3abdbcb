"""What a cluster must offer: one sentence for each need, or few words for all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.model.because import Because
from trainlint.model.needs import DeviceNeed, DeviceWant, Needs, ObjectNeed, RoleNeed
from trainlint.model.pod import Toleration
from trainlint.model.selector import Requirement
from trainlint.model.settings import ZONE
from trainlint.scheduling.node_affinity import describe
from trainlint.wording.because import because_text, texts_of
from trainlint.workload.accelerators import is_accelerator

__all__ = [
    "amounts",
    "device_words",
    "domain_word",
    "listed",
    "need_words",
    "object_words",
    "role_words",
    "short_need",
    "taint_words",
]

SHOWN: Final = 6
"""Zones, and needs of roles, that are listed."""


def need_words(needs: Needs) -> Iterator[str]:
    """What must be there, the nodes first."""
    for role in needs.roles:
        yield role_words(role)
    if needs.domain:
        where = f": {' or '.join(needs.zones)}" if needs.zones else ""
        yield f"all of this in one {domain_word(needs.domain)}{where}"
    yield from (f"all of this on nodes with one value of the label {key}" for key in needs.shared)
    if needs.together:
        word = domain_word(needs.together)
        yield f"nothing keeps the pods together: every placement is good only where such nodes are in one {word}"
    yield from (f"{each.role}: devices on the node of each pod: {device_words(each)}" for each in needs.devices)
    yield from (f"{object_words(each)}, for {each.role}" for each in needs.objects)
    yield from texts_of(needs.others)


def device_words(need: DeviceNeed) -> str:
    """The need in words: what is asked for, and by which claim."""
    by_request: dict[str, list[str]] = {}
    for each in need.wants:
        that = f" with {' and '.join(each.selectors)}" if each.selectors else ""
        by_request.setdefault(each.request, []).append(f"{_count(each)} of class {each.device_class}{that}")
    what = ", ".join(" or ".join(found) for found in by_request.values())
    same = f", all with one value of {' and of '.join(need.matching)}" if need.matching else ""
    return f"{what}{same} ({need.claim})" if what else need.claim


def _count(want: DeviceWant) -> str:
    return because_text(want.count) if isinstance(want.count, Because) else want.count


def domain_word(key: str) -> str:
    """What people call a domain of a topology key."""
    return "zone" if key == ZONE else key.rpartition("/")[2]


def object_words(need: ObjectNeed) -> str:
    """The object as kubectl names it."""
    return f"{need.kind} {need.namespace}/{need.name}" if need.namespace else f"{need.kind} {need.name}"


def role_words(role: RoleNeed) -> str:
    """What the pods of one role need of nodes."""
    what = ", ".join(f"{amount} {name}" for name, amount in role.requests.items())
    many = bool(role.pods > 1 or role.unsaid)
    text = f"{role.role}: {role.pods} pod{'' if role.pods == 1 else 's'}{' or more' if role.unsaid else ''}"
    text += f" with {what}{' each' if many else ''}" if what else ""
    text += ", each on a node of its own" if role.apart else ""
    text += f", {_together(role)}" if role.on_nodes_of else ""
    text += ", near which the pods of the group must be" if role.beside else ""
    ways = [" and ".join(map(describe, way)) for way in role.labels if way]
    text += f", on nodes with {', or with '.join(ways)}" if ways and len(ways) == len(role.labels) else ""
    text += f"; devices on its node: {', '.join(map(device_words, role.devices))}" if role.devices else ""
    text += f"; within reach of the volumes of {', '.join(role.volumes)}" if role.volumes else ""
    if role.tolerates:
        text += f"; the nodes may be tainted {', '.join(dict.fromkeys(map(taint_words, role.tolerates)))}"
    return text + (f"; how many is not known: {because_text(role.unsaid)}" if role.unsaid else "")


def _together(role: RoleNeed) -> str:
    """With which pods those of a role share a node."""
    others = [each for each in role.on_nodes_of if each != role.role]
    beside = f"a pod of {' and of '.join(others)}" if others else ""
    if role.role not in role.on_nodes_of:
        return f"{'each ' if role.pods > 1 else ''}on the node of {beside}"
    return f"{'all ' if role.pods > 1 else ''}on one node{f' with {beside}' if beside else ''}"


def taint_words(toleration: Toleration) -> str:
    """The taints that a toleration is for, as kubectl writes them."""
    key = toleration.key or "with anything"
    value = f"={toleration.value}" if toleration.value else ""
    return f"{key}{value}{f':{toleration.effect}' if toleration.effect else ''}"


def short_need(needs: Needs) -> str:
    """The pods with what each asks for, the scarcest first: ``4 x 8 nvidia.com/gpu``."""
    counts: dict[str, int] = {}
    unsaid: set[str] = set()
    for role in sorted(needs.roles, key=lambda role: not any(map(is_accelerator, role.requests))):
        text = "".join(_of_role(role))
        counts[text] = counts.get(text, 0) + role.pods
        unsaid |= {text} if role.unsaid else set()
    parts = [f"{count}{'+' if text in unsaid else ''} x {text or 'any node'}" for text, count in counts.items()]
    if not parts:  # the nodes are known: what is missing are objects
        parts = [*map(device_words, needs.devices), *map(object_words, needs.objects), *texts_of(needs.others)]
    return listed(parts) + (f" in {listed(needs.zones, ' or ')}" if needs.zones else "")


def amounts(role: RoleNeed) -> str:
    """What one pod asks for of what is scarce: ``8 nvidia.com/gpu``; cpu and memory where it asks for no device."""
    scarce = [name for name in role.requests if is_accelerator(name)]
    names = scarce or [name for name in ("cpu", "memory") if name in role.requests]
    return " + ".join(f"{role.requests[name]} {name}" for name in names)


def listed(texts: Sequence[str], by: str = ", ") -> str:
    """The texts, up to a number of them."""
    return by.join(texts[:SHOWN]) + (f" and {len(texts) - SHOWN} more" if len(texts) > SHOWN else "")


def _of_role(role: RoleNeed) -> Iterator[str]:
    yield amounts(role) or ", ".join(each.claim for each in role.devices)
    labels = [_value(each) for way in role.labels[:1] for each in way if each.operator == "In" and each.key != ZONE]
    if role.role in role.on_nodes_of and role.pods > 1:
        yield " on one node"
    if labels:
        yield f" on {', '.join(dict.fromkeys(labels[:2]))}"


def _value(requirement: Requirement) -> str:
    return "/".join(requirement.values) if len("".join(requirement.values)) > 4 else _pair(requirement)


def _pair(requirement: Requirement) -> str:
    return f"{requirement.key.rpartition('/')[2]}={'/'.join(requirement.values)}"
