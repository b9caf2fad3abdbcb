"""Grounds with their values, in words: what is wrong or not known, and what would end it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Final

from trainlint.finding import Location, Related
from trainlint.model.because import Because
from trainlint.model.pool import Taint
from trainlint.model.quantity import Amount, readable
from trainlint.model.selector import Requirement
from trainlint.scheduling.node_affinity import describe
from trainlint.scheduling.node_resources_fit import Shortage
from trainlint.scheduling.taint_toleration import describe as describe_taint
from trainlint.wording.faults import fault_text
from trainlint.wording.filling import filled
from trainlint.wording.network_faults import NetworkCause
from trainlint.wording.texts.argument import ARGUMENT
from trainlint.wording.texts.assumptions import ASSUMPTIONS
from trainlint.wording.texts.calico import CALICO
from trainlint.wording.texts.fields import FIELDS
from trainlint.wording.texts.jobs import JOBS
from trainlint.wording.texts.kinds import KINDS
from trainlint.wording.texts.needs import NEEDS
from trainlint.wording.texts.objects import OBJECTS
from trainlint.wording.texts.pod_groups import POD_GROUPS
from trainlint.wording.texts.pods import PODS
from trainlint.wording.texts.policies import POLICIES
from trainlint.wording.texts.proof import PROOF
from trainlint.wording.texts.queues import QUEUES
from trainlint.wording.texts.refusals import REFUSALS as REFUSERS
from trainlint.wording.texts.rejections import REJECTIONS
from trainlint.wording.texts.scheduling import REFUSALS
from trainlint.wording.texts.values import VALUES
from trainlint.wording.texts.volcano import VOLCANO
from trainlint.workload.checks.contract_fault import ContractFault

__all__ = ["TEXTS", "because_text", "related_to", "remedy_for", "texts_of"]

Text = str | tuple[str, str]
"""What is said of a ground, or that and what would end it."""
TEXTS: Final[Mapping[Enum, Text]] = {
    **REFUSALS,
    **QUEUES,
    **PROOF,
    **OBJECTS,
    **KINDS,
    **JOBS,
    **PODS,
    **FIELDS,
    **POD_GROUPS,
    **ARGUMENT,
    **NEEDS,
    **POLICIES,
    **VALUES,
    **VOLCANO,
    **ASSUMPTIONS,
    **CALICO,
    **REJECTIONS,
    **REFUSERS,
}
"""One sentence without its end for each ground."""


def because_text(reason: Because) -> str:
    """The ground as a sentence without its end."""
    text = TEXTS[reason.ground]
    return filled(text if isinstance(text, str) else text[0], reason.values, _value_text, _ends)


def remedy_for(reason: Because) -> str:
    """What would end it; empty where nothing short does."""
    text = TEXTS[reason.ground]
    return "" if isinstance(text, str) else filled(text[1], reason.values, _value_text, _ends)


def texts_of(reasons: Iterable[Because]) -> tuple[str, ...]:
    """Several grounds, each as a sentence without its end."""
    return tuple(map(because_text, reasons))


def related_to(places: Iterable[tuple[Because, Location]]) -> tuple[Related, ...]:
    """Places with their roles, as the related places of a finding."""
    return tuple(Related(because_text(role), at) for role, at in places)


def _is_ground(value: object) -> bool:
    return isinstance(value, Because) or (isinstance(value, Enum) and value in TEXTS)


def _value_text(value: object) -> str:
    match value:
        case Because():
            return because_text(value)
        case Enum() if value in TEXTS:
            return because_text(Because(value))
        case Amount():
            return readable(value.resource, value.number)
        case Taint():
            return describe_taint(value)
        case Requirement():
            return describe(value)
        case Shortage():
            return _shortage(value)
        case _ if isinstance(value, ContractFault | NetworkCause):
            return fault_text(value)
        case tuple():
            sentences = any(_is_ground(each) or isinstance(each, Shortage) for each in value)
            return ("; " if sentences else ", ").join(map(_value_text, value))
    return str(value)


def _ends(value: object) -> str:
    """What would end a ground, or the first of several that something short ends."""
    match value:
        case Because():
            return remedy_for(value)
        case Enum() if value in TEXTS:
            return remedy_for(Because(value))
        case tuple():
            return next(filter(None, map(_ends, value)), "")
    return ""


def _shortage(shortage: Shortage) -> str:
    have = readable(shortage.resource, shortage.allocatable)
    if shortage.used:
        have += f", of which {readable(shortage.resource, shortage.used)} are taken"
    return f"it asks for {readable(shortage.resource, shortage.requested)} {shortage.resource}, the node has {have}"
