"""What entries of policies ask for, and what keeps them from being about a connection."""

from __future__ import annotations

from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.selector import Requirement
from trainlint.policy.identity import CLUSTER_KEY, METADATA_NAME, NAMESPACE_KEY, NAMESPACE_LABELS, Endpoint
from trainlint.policy.selector import split_source
from trainlint.policy.shortfall import UnmetRequirement
from trainlint.wording.because import because_text

__all__ = ["miss_text", "requirement_text"]


def miss_text(reason: Because | UnmetRequirement) -> str:
    """What an entry asks for, and what an end that does not meet it has; a sentence without its end."""
    if isinstance(reason, Because):
        return because_text(reason)
    return f"asks for {requirement_text(reason.requirement)}; {_actual(reason)}"


def requirement_text(item: Requirement) -> str:
    """A requirement as people say it."""
    source, key = split_source(item.key)
    values = ", ".join(item.values)
    name = _label_name(source, key)
    match item.operator:
        case "In" if len(item.values) == 1:
            return f"{name}={values}" if not values or name == key else f"{name} {values}"
        case "In":
            return f"{name} in ({values})"
        case "NotIn":
            return f"{name} not in ({values})"
        case "Selector":
            return f"{item.key}"
        case "Exists":
            return name if source == "reserved" else f"any {name}"
        case _:
            return f"no {name}"


def _label_name(source: str, key: str) -> str:
    if source == "reserved":
        return f"the entity {key}"
    if key == NAMESPACE_KEY or key == NAMESPACE_LABELS + METADATA_NAME:
        return "the namespace"
    if key.startswith(NAMESPACE_LABELS):
        return f"the namespace label {key.removeprefix(NAMESPACE_LABELS)}"
    if key == CLUSTER_KEY:
        return "the cluster"
    return f"the node label {key}" if source == "node" else key


def _actual(unmet: UnmetRequirement) -> str:
    """What the end has instead."""
    item, end = unmet.requirement, unmet.end
    if unmet.meant is not None:
        return f"{end.name} has {unmet.meant[0]}={unmet.meant[1]}"
    if item.operator == "Selector":
        return f"the labels of {end.name} do not meet it, or are not known"
    source, key = split_source(item.key)
    if not end.namespace:
        return _no_pod(end)
    if key == NAMESPACE_KEY or key == NAMESPACE_LABELS + METADATA_NAME:
        return f"{end.name} is in namespace {end.namespace}"
    if source == "reserved":
        return f"{end.name} is a pod"
    if unmet.dropped:
        return "Cilium leaves this label out of identities, so no endpoint has it"
    name = _label_name(source, key)
    value = end.labels.get(item.key)
    if isinstance(value, Undetermined):
        return f"whether {end.name} has it is not known: {because_text(value.why)}"
    if value is not None:
        return f"{end.name} has {name}={value}"
    if end.unknown is not None and end.unknown.may_hold(item.key):
        return f"whether {end.name} has it is not known"
    return f"{end.name} has no {name.removeprefix('the ')}"


def _no_pod(end: Endpoint) -> str:
    """What an end is that is no pod to policies."""
    if end.has("host") or end.has("remote-node"):
        return f"policies see {end.name} as a node, whose identity has no labels of pods"
    return f"{end.name} is no pod"
