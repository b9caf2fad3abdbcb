"""A pod as the scheduler sees it: after defaulting, admission and the merge of match label keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from trainlint.fact import fact
from trainlint.kube.values import is_placeholder
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import AffinityTerm, Container, PodSpec, SpreadConstraint
from trainlint.model.selector import LabelSelector, Requirement
from trainlint.scheduling.requests import Requests, pod_requests

__all__ = ["HostPort", "Pod", "defaulted"]

ANY_ADDRESS = "0.0.0.0"  # noqa: S104 (a wildcard in a comparison, nothing listens)


@fact(order=True)
class HostPort:
    """A port that a pod occupies on its node; ``ip`` is 0.0.0.0 where none is given (S 1.4)."""

    protocol: str
    port: int
    ip: str

    def conflicts(self, other: HostPort) -> bool:
        """Whether both cannot be on one node."""
        return (
            self.port == other.port
            and self.protocol == other.protocol
            and (self.ip == other.ip or ANY_ADDRESS in (self.ip, other.ip))
        )


@fact(eq=False)
class Pod:
    """A pod that is to be placed or is placed. The terms and constraints in ``spec`` have their keys merged."""

    namespace: str
    labels: Mapping[str, Known[str]]
    spec: PodSpec
    requests: Requests
    host_ports: tuple[HostPort, ...] = ()
    terminating: bool = False
    name: str = ""


def defaulted(
    namespace: str, labels: Mapping[str, Known[str]], spec: PodSpec, *, name: str = "", terminating: bool = False
) -> Pod:
    """The pod after what the API server does on create: defaults and merged match label keys."""
    return Pod(
        namespace=namespace,
        labels=labels,
        spec=replace(
            spec,
            pod_affinity=tuple(_merge_term(term, labels) for term in spec.pod_affinity),
            pod_anti_affinity=tuple(_merge_term(term, labels) for term in spec.pod_anti_affinity),
            spread=tuple(_merge_spread(constraint, labels) for constraint in spec.spread),
        ),
        requests=pod_requests(spec),
        host_ports=tuple(sorted(set(_host_ports(spec)))),
        terminating=terminating,
        name=name,
    )


def _host_ports(spec: PodSpec) -> Iterator[HostPort]:
    sidecars = (container for container in spec.init_containers if container.restart_policy == "Always")
    for container in (*spec.containers, *sidecars):
        yield from _host_ports_of(container, host_network=spec.host_network)


def _host_ports_of(container: Container, *, host_network: bool) -> Iterator[HostPort]:
    for port in container.ports:
        number = port.host_port or (port.number if host_network else 0)
        if number > 0:
            yield HostPort(port.protocol or "TCP", number, port.host_ip or ANY_ADDRESS)


def _merge_term(term: AffinityTerm, labels: Mapping[str, Known[str]]) -> AffinityTerm:
    if term.selector is None or not (term.match_label_keys or term.mismatch_label_keys):
        return term
    merged = (
        *term.selector.requirements,
        *_own_values(term.match_label_keys, "In", labels),
        *_own_values(term.mismatch_label_keys, "NotIn", labels),
    )
    return replace(term, selector=LabelSelector(merged, at=term.selector.at))


def _merge_spread(constraint: SpreadConstraint, labels: Mapping[str, Known[str]]) -> SpreadConstraint:
    if constraint.selector is None or not constraint.match_label_keys:
        return constraint
    merged = (*constraint.selector.requirements, *_own_values(constraint.match_label_keys, "In", labels))
    return replace(constraint, selector=LabelSelector(merged, at=constraint.selector.at))


def _own_values(keys: Iterable[str], operator: str, labels: Mapping[str, Known[str]]) -> Iterator[Requirement]:
    """Requirements on the pod's own values; a value that exists only at run time is a placeholder."""
    for key in keys:
        value = labels.get(key)
        if is_placeholder(key):
            yield Requirement(key, operator, ("",))
        elif isinstance(value, Undetermined):
            yield Requirement(key, operator, (f"<{key}>",))
        elif value is not None:
            yield Requirement(key, operator, (value,))
