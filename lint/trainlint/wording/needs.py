"""What a cluster must offer, in few words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.model.needs import Needs, RoleNeed
from trainlint.model.selector import Requirement
from trainlint.model.settings import ZONE
from trainlint.proof.ideal.words import object_words
from trainlint.workload.accelerators import is_accelerator

__all__ = ["amounts", "listed", "short_need"]

SHOWN: Final = 6
"""Zones, and needs of roles, that are listed."""


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
        parts = [*map(object_words, needs.objects), *needs.others]
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
    yield amounts(role) or ", ".join(role.devices)
    labels = [_value(each) for way in role.labels[:1] for each in way if each.operator == "In" and each.key != ZONE]
    if role.role in role.on_nodes_of and role.pods > 1:
        yield " on one node"
    if labels:
        yield f" on {', '.join(dict.fromkeys(labels[:2]))}"


def _value(requirement: Requirement) -> str:
    return "/".join(requirement.values) if len("".join(requirement.values)) > 4 else _pair(requirement)


def _pair(requirement: Requirement) -> str:
    return f"{requirement.key.rpartition('/')[2]}={'/'.join(requirement.values)}"
