"""Pods that Kueue refuses before it looks at quotas: requests above limits, and LimitRanges (S 2.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from trainlint.model.admission import LimitItem, LimitRange
from trainlint.model.known import Known
from trainlint.model.pod import PodSpec
from trainlint.model.quantity import exact
from trainlint.scheduling.kueue.match import KueueCode
from trainlint.scheduling.requests import pod_requests

__all__ = ["violation"]

Amounts = Mapping[str, Known[str]]


def violation(spec: PodSpec, ranges: Sequence[LimitRange]) -> KueueCode | None:
    """Why pods of this adjusted spec are refused; ``None`` where they are not."""
    for requests, limits in _parts(spec):
        for name, amount in requests.items():
            asked, limit = exact(amount), exact(limits.get(name))
            if asked is not None and limit is not None and asked > limit:
                return KueueCode.REQUEST_OVER_LIMIT
    for item in (item for each in ranges for item in each.items):
        if any(_breaks(item, low, high) for low, high in _measured(item, spec)):
            return KueueCode.LIMIT_RANGE
    return None


def _parts(spec: PodSpec) -> Iterator[tuple[Amounts, Amounts]]:
    for container in (*spec.init_containers, *spec.containers):
        yield container.requests, container.limits
    yield spec.pod_requests, spec.pod_limits


def _measured(item: LimitItem, spec: PodSpec) -> Iterator[tuple[Mapping[str, Fraction], Mapping[str, Fraction]]]:
    """The least and the most of each container, or of the pod, that a LimitRange is compared with."""
    if item.type == "Container":
        for container in (*spec.init_containers, *spec.containers):
            both = [_amounts(container.requests), _amounts(container.limits)]
            names = {*both[0], *both[1]}
            known = {name: [each[name] for each in both if name in each] for name in names}
            yield {name: min(each) for name, each in known.items()}, {name: max(each) for name, each in known.items()}
    elif item.type == "Pod":
        total = {
            name: Fraction(amount, 1000 if name == "cpu" else 1)
            for name, amount in pod_requests(spec).amounts.items()
            if isinstance(amount, int)
        }
        yield total, total


def _breaks(item: LimitItem, low: Mapping[str, Fraction], high: Mapping[str, Fraction]) -> bool:
    most, least = _amounts(item.maximum), _amounts(item.minimum)
    return any(name in high and high[name] > bound for name, bound in most.items()) or any(
        name in low and low[name] < bound for name, bound in least.items()
    )


def _amounts(amounts: Amounts) -> dict[str, Fraction]:
    found = {name: exact(amount) for name, amount in amounts.items()}
    return {name: amount for name, amount in found.items() if amount is not None}
