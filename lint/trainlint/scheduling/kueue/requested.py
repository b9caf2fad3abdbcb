"""What Kueue counts of the pods of a workload (kubernetes-sigs/kueue:pkg/workload/resources.go, pkg/resources)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace

from trainlint.fact import fact
from trainlint.model.admission import LimitRange, RuntimeClass
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import Container, PodSpec
from trainlint.model.queued import TopologyRequest
from trainlint.scheduling.requests import pod_requests

__all__ = ["MOST", "Team", "adjusted", "as_written", "per_pod"]

MOST = 2**63 - 1
"""Kueue's unlimited amount, and the largest that it counts to."""


@fact
class Team:
    """One pod set of a workload: ``count`` pods, of which ``least`` are enough if it may be admitted in part.

    ``requests`` are of one pod: cpu in thousandths, everything else in whole units.
    """

    name: str
    count: int
    spec: PodSpec
    requests: Mapping[str, int] = field(default_factory=dict)
    least: int | None = None
    topology: TopologyRequest | None = None


def as_written(spec: PodSpec) -> PodSpec:
    """The pod spec without the init containers that an operator adds: Kueue reads the object, not its pods."""
    if not any(each.made for each in spec.init_containers):
        return spec
    return replace(spec, init_containers=tuple(each for each in spec.init_containers if not each.made))


def adjusted(
    spec: PodSpec, ranges: Sequence[LimitRange] = (), classes: Mapping[str, RuntimeClass] | None = None
) -> PodSpec:
    """The pod spec as Kueue counts it: with the overhead of its RuntimeClass, the defaults of LimitRanges, and limits
    as the requests that are not written.
    """
    known = (classes or {}).get(spec.runtime_class)
    if known is not None and not spec.overhead:
        spec = replace(spec, overhead=known.overhead)
    limits, requests = _defaults(ranges, "Container")
    spec = replace(
        spec,
        containers=tuple(_filled(each, limits, requests) for each in spec.containers),
        init_containers=tuple(_filled(each, limits, requests) for each in as_written(spec).init_containers),
    )
    limits, requests = _defaults(ranges, "Pod")
    whole = {**limits, **spec.pod_limits}
    return replace(spec, pod_limits=whole, pod_requests={**whole, **requests, **spec.pod_requests})


def _defaults(ranges: Iterable[LimitRange], kind: str) -> tuple[dict[str, Known[str]], dict[str, Known[str]]]:
    limits: dict[str, Known[str]] = {}
    requests: dict[str, Known[str]] = {}
    for item in (item for each in ranges for item in each.items if item.type == kind):
        for name, amount in item.default.items():
            limits.setdefault(name, amount)
        for name, amount in item.default_request.items():
            requests.setdefault(name, amount)
    return limits, requests


def _filled(container: Container, limits: Mapping[str, Known[str]], requests: Mapping[str, Known[str]]) -> Container:
    own = {**limits, **container.limits}
    return replace(container, limits=own, requests={**own, **requests, **container.requests})


def per_pod(spec: PodSpec) -> dict[str, int] | None:
    """What one pod of an adjusted spec requests; ``None`` where an amount is not known."""
    found = pod_requests(spec).amounts
    known = {name: max(0, amount) for name, amount in found.items() if not isinstance(amount, Undetermined)}
    return known if len(known) == len(found) else None
