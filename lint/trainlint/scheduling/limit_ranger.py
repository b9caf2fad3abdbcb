"""LimitRanger: what a LimitRange gives to the containers of a pod, and the pods that it refuses (S 1.11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from typing import Final

from trainlint.finding import Location
from trainlint.model.admission import LimitItem, LimitRange
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import Container, PodSpec
from trainlint.model.quantity import exact
from trainlint.scheduling.ground import NodeGround
from trainlint.scheduling.refusal import Code, Ground, Refusal
from trainlint.scheduling.requests import is_extended_resource, pod_limits, pod_requests

__all__ = ["PLUGIN", "refusals", "with_defaults"]

PLUGIN: Final = "LimitRanger"
Amounts = dict[str, Known[str]]


def with_defaults(spec: PodSpec, ranges: Sequence[LimitRange]) -> PodSpec:
    """The pod spec with the requests and limits that containers without them get."""
    limits, requests = _defaults(ranges)
    if not limits and not requests:
        return spec

    def filled(container: Container) -> Container:
        # The API server copies limits to missing requests before the plugin runs.
        return replace(
            container,
            limits={**limits, **container.limits},
            requests={**requests, **container.limits, **container.requests},
        )

    return replace(
        spec,
        containers=tuple(map(filled, spec.containers)),
        init_containers=tuple(map(filled, spec.init_containers)),
    )


def _defaults(ranges: Sequence[LimitRange]) -> tuple[Amounts, Amounts]:
    """Default limits and requests. Several ranges come in no certain order: where they differ the value is unknown."""
    limits: Amounts = {}
    requests: Amounts = {}
    for each in ranges:
        given = _of_range(each)
        for total, own in ((limits, given[0]), (requests, given[1])):
            for name, amount in own.items():
                if total.setdefault(name, amount) != amount:
                    total[name] = Undetermined(Because(NodeGround.LIMIT_RANGES, (name,)))
    return limits, requests


def _of_range(limit_range: LimitRange) -> tuple[Amounts, Amounts]:
    """The defaults of one range: a maximum is a default limit, that a default request, and so is a minimum."""
    limits: Amounts = {}
    requests: Amounts = {}
    for item in limit_range.items:
        if item.type == "Container":
            own = {**item.maximum, **item.default}
            limits.update(own)
            requests.update({**item.minimum, **own, **item.default_request})
    return limits, requests


def refusals(spec: PodSpec, ranges: Sequence[LimitRange]) -> Iterator[Refusal]:
    """Why the API server makes no such pod; ``spec`` is as written, before defaults."""
    limits, _ = _defaults(ranges)
    filled = with_defaults(spec, ranges)
    for container in _containers(spec):
        for name, default in limits.items():
            asked, given = exact(container.requests.get(name)), exact(default)
            unequal = None not in (asked, given) and asked != given and is_extended_resource(name)
            if name not in container.limits and (_more(asked, given) or unequal):
                values = (container.name, container.requests[name], name, default)
                by = next((item.at for each in ranges for item in each.items if name in _of_range(each)[0]), None)
                yield _refusal(Because(Ground.LIMIT_DEFAULT, values), container.at, by)
    for each in ranges:
        for item in each.items:
            if item.type == "Container":
                for container in _containers(filled):
                    yield from _checked(item, container.requests, container.limits, container)
            elif item.type == "Pod":
                yield from _checked(item, *_of_pod(filled), None, at=spec.at)


def _containers(spec: PodSpec) -> Iterator[Container]:
    return chain(spec.containers, spec.init_containers)


def _of_pod(spec: PodSpec) -> tuple[Amounts, Amounts]:
    """Requests and limits of the whole pod, without the overhead, which is added later."""
    bare = replace(spec, overhead={})
    return _texts(pod_requests(bare).amounts), _texts(pod_limits(bare).amounts)


def _texts(amounts: Mapping[str, Known[int]]) -> Amounts:
    return {
        name: amount if isinstance(amount, Undetermined) else f"{amount}m" if name == "cpu" else str(amount)
        for name, amount in amounts.items()
    }


def _checked(
    item: LimitItem,
    requests: Mapping[str, Known[str]],
    limits: Mapping[str, Known[str]],
    container: Container | None,
    at: Location | None = None,
) -> Iterator[Refusal]:
    whose = container.name if container else ""
    place = container.at if container else at
    for name, bound in item.minimum.items():
        for what, amounts in (("request", requests), ("limit", limits)):
            if _more(exact(bound), exact(amounts.get(name))):
                values = (whose, what, amounts[name], name, bound)
                yield _refusal(Because(Ground.TOO_LITTLE, values), place, item.at)
        if name not in requests:
            yield _refusal(Because(Ground.NO_REQUEST, (whose, name, bound)), place, item.at)
    for name, bound in item.maximum.items():
        for what, amounts in (("request", requests), ("limit", limits)):
            if _more(exact(amounts.get(name)), exact(bound)):
                values = (whose, what, amounts[name], name, bound)
                yield _refusal(Because(Ground.TOO_MUCH, values), place, item.at)
        if name not in limits:
            yield _refusal(Because(Ground.NO_LIMIT, (whose, name, bound)), place, item.at)
    for name, bound in item.ratio.items():
        most, request, limit = exact(bound), exact(requests.get(name)), exact(limits.get(name))
        if most is not None and request and limit is not None and limit / request > most:
            reason = Because(Ground.RATIO, (whose, limits[name], name, bound, requests[name]))
            yield _refusal(reason, place, item.at)


def _more(one: Fraction | None, other: Fraction | None) -> bool:
    return one is not None and other is not None and one > other


def _refusal(reason: Because, at: Location | None, by: Location | None) -> Refusal:
    return Refusal(PLUGIN, Code.UNRESOLVABLE, reason, at, by)
