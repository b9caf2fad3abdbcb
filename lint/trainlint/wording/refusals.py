"""Why a pod is refused, in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from trainlint.model.pool import Taint
from trainlint.model.selector import Requirement
from trainlint.scheduling.node_affinity import describe
from trainlint.scheduling.node_resources_fit import Shortage
from trainlint.scheduling.quantity import readable
from trainlint.scheduling.refusal import Because, Ground, Refusal
from trainlint.scheduling.taint_toleration import describe as describe_taint

__all__ = ["TEXTS", "because_text", "refusals_text"]

TEXTS: Final = {
    Ground.TAINT: "it does not tolerate the taint {}",
    Ground.REQUIREMENT: "it requires {}",
    Ground.NO_COMMON_NODE: "its terms name no node that all of them allow",
    Ground.NO_TERM: "no term of its node affinity can match",
    Ground.NODE_NAME: "the pod names the node {}",
    Ground.CORDON: "the node is cordoned",
    Ground.HOST_PORT: "a host port is in use",
    Ground.DISK: "the disk of volume {} is in use here",
    Ground.SINGLE_POD_CLAIM: "another pod uses a claim that only one pod may use",
    Ground.DRIVER: "driver {} takes no more volumes here",
    Ground.ABSENT: "{} does not exist",
    Ground.LOST: "the volume of claim {} is lost",
    Ground.DELETED: "claim {} is being deleted",
    Ground.FOREIGN_CLAIM: "claim {} is not this pod's own",
    Ground.OUT_OF_REACH: "volume {} of claim {} is only where {}",
    Ground.UNBOUND: "claim {} is not bound, and does not wait for a pod to be bound",
    Ground.CLASS_ELSEWHERE: "class {} of claim {} makes volumes only where {}",
    Ground.PROVISIONED_ELSEWHERE: "claim {} is being provisioned for node {}",
    Ground.NO_VOLUME: "no volume of class {} that the node reaches fits claim {}",
    Ground.NO_CAPACITY: "no published capacity of class {} near the node is enough for claim {}",
    Ground.NO_VOLUME_YET: "claim {} has no volume yet",
    Ground.VOLUME_ZONE: "volume {} of claim {} is in {}",
    Ground.TOLERATION: "namespace {} does not allow its toleration of {}",
    Ground.OVERHEAD: "its overhead is another than that of RuntimeClass {}",
    Ground.NODE_SELECTOR: "its nodeSelector {}={} conflicts with {}, which wants {}",
    Ground.LIMIT_DEFAULT: "container {} requests {} {}, and the limit that a LimitRange gives it is {}",
    Ground.TOO_LITTLE: "{} has a {} of {} {}, at least {} is asked",
    Ground.NO_REQUEST: "{} requests no {}, at least {} is asked",
    Ground.TOO_MUCH: "{} has a {} of {} {}, at most {} is allowed",
    Ground.NO_LIMIT: "{} has no limit for {}, at most {} is allowed",
    Ground.RATIO: "{} has a limit of {} {}, more than {} times its request {}",
    Ground.UNCOUNTED: "container {} does not set {}, which the quota counts",
}
"""One sentence for each ground, with places for its values; those of shortages are told one after the other."""

_OF_ONE: Final = frozenset({Ground.TOO_LITTLE, Ground.NO_REQUEST, Ground.TOO_MUCH, Ground.NO_LIMIT, Ground.RATIO})
"""Grounds that begin with a container, or the pod."""


def refusals_text(refusals: Iterable[Refusal]) -> str:
    """Several refusals in one sentence."""
    return "; ".join(because_text(each.reason) for each in refusals)


def because_text(reason: Because) -> str:
    """The ground of a refusal as a sentence without its end."""
    if reason.ground is Ground.SHORTAGES:
        return "; ".join(_shortage(each) for each in reason.values if isinstance(each, Shortage))
    values = list(reason.values)
    if reason.ground in _OF_ONE:
        values[0] = f"container {values[0]}" if values[0] else "the pod"
    if reason.ground is Ground.TOLERATION:
        values[1] = values[1] or "every taint"
    return TEXTS[reason.ground].format(*map(_value, values))


def _value(value: object) -> str:
    match value:
        case Taint():
            return describe_taint(value)
        case Requirement():
            return describe(value)
    return str(value)


def _shortage(shortage: Shortage) -> str:
    have = readable(shortage.resource, shortage.allocatable)
    if shortage.used:
        have += f", of which {readable(shortage.resource, shortage.used)} are taken"
    return f"it asks for {readable(shortage.resource, shortage.requested)} {shortage.resource}, the node has {have}"
