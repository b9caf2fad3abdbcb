"""ResourceQuota: what pods use of it, and the pods that it refuses (S 1.11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from trainlint.fact import fact
from trainlint.model.admission import ResourceQuota, ScopeRule
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import Container
from trainlint.scheduling.ground import NodeGround
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.quantity import QuantityError, milli
from trainlint.scheduling.requests import is_extended_resource, pod_limits, rounded

__all__ = ["covers", "limit", "resource_of", "unset", "usage"]

_BARE: Final = frozenset({"cpu", "memory", "ephemeral-storage"})
_REQUIRED: Final = frozenset({"cpu", "memory"})
"""What every container must set where a quota counts it; of other resources nothing set is nothing used."""


def covers(quota: ResourceQuota, pod: Pod) -> bool | None:
    """Whether the pod is in all scopes of the quota; ``None`` where that is unknown."""
    answers = [_in_scope(rule, pod) for rule in quota.scopes]
    return False if False in answers else None if None in answers else True


def _in_scope(rule: ScopeRule, pod: Pod) -> bool | None:
    match rule.scope:
        case "BestEffort" | "NotBestEffort":
            empty = not any(each.requests or each.limits for each in (*pod.spec.containers, *pod.spec.init_containers))
            best_effort = empty and not pod.spec.pod_requests and not pod.spec.pod_limits
            return best_effort == (rule.scope == "BestEffort")
        case "Terminating" | "NotTerminating":
            return pod.spec.deadline == (rule.scope == "Terminating")
        case "PriorityClass":
            return _priority(rule, pod.spec.priority_class)
        case _:
            return None


def _priority(rule: ScopeRule, name: str) -> bool | None:
    """A pod that names no class may get the default one, which is not known for certain."""
    match rule.operator:
        case "In" | "NotIn" if name:
            return (name in rule.values) == (rule.operator == "In")
        case "Exists" if name:
            return True
        case "DoesNotExist" if name:
            return False
        case _:
            return None


@fact
class _Name:
    """A name of a quota, taken apart."""

    resource: str
    of_limits: bool


def _parse(name: str) -> _Name | None:
    if name in {"pods", "count/pods"}:
        return _Name("pods", of_limits=False)
    if name in _BARE or name.startswith("hugepages-"):
        return _Name(name, of_limits=False)
    prefix, _, resource = name.partition(".")
    if prefix not in {"requests", "limits"}:
        return None
    counted = resource in _BARE or resource.startswith("hugepages-") or is_extended_resource(resource)
    return _Name(resource, prefix == "limits") if counted else None


def resource_of(name: str) -> str:
    """The resource that an entry of a quota counts."""
    parsed = _parse(name)
    return parsed.resource if parsed else name


def usage(name: str, pod: Pod) -> Known[int] | None:
    """What one pod uses of a quota's entry, in the units of Requests; ``None`` where pods use nothing of it."""
    parsed = _parse(name)
    if parsed is None:
        return None
    if parsed.resource == "pods":
        return 1
    amounts: Mapping[str, Known[int]] = pod_limits(pod.spec).amounts if parsed.of_limits else pod.requests.amounts
    return amounts.get(parsed.resource, 0)


def limit(name: str, quota: ResourceQuota) -> Known[int]:
    """How much of an entry there is, in the units of Requests."""
    text = quota.hard[name]
    if isinstance(text, Undetermined):
        return text
    try:
        return rounded(resource_of(name), milli(text))
    except QuantityError as error:
        return Undetermined(Because(NodeGround.QUANTITY, (name, str(error))))


def unset(quota: ResourceQuota, pod: Pod) -> Iterator[tuple[str, Container]]:
    """The entries of the quota, each with a container that the API server refuses because it does not set them."""
    if pod.spec.pod_requests or pod.spec.pod_limits or "containers" in " ".join(pod.spec.undetermined):
        return
    for name in quota.hard:
        parsed = _parse(name)
        if parsed is None or parsed.resource not in _REQUIRED:
            continue
        for container in (*pod.spec.containers, *pod.spec.init_containers):
            given = container.limits if parsed.of_limits else {**container.limits, **container.requests}
            if parsed.resource not in given:
                yield name, container
