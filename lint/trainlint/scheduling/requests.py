"""What a pod asks of a node (S 1.5): defaulting, init containers, sidecars, pod-level requests, overhead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import Container, PodSpec
from trainlint.scheduling.ground import NodeGround
from trainlint.scheduling.quantity import QuantityError, milli
from trainlint.scheduling.requirement import is_qualified_name

__all__ = [
    "InvalidResource",
    "Requests",
    "container_requests",
    "invalid_resources",
    "is_extended_resource",
    "is_scalar_resource",
    "pod_limits",
    "pod_requests",
    "rounded",
]

Amounts = dict[str, Known[int]]
_COUNTED = frozenset({"cpu", "memory", "ephemeral-storage"})
_HUGE_PAGES = "hugepages-"


@fact(slots=False)
class Requests:
    """The effective requests of a pod: cpu in thousandths, everything else in whole units, rounded up.

    ``decided_by`` is, per resource, the place of the container (or of the pod spec) that settles the amount.
    ``overhead`` is how much of it the RuntimeClass ``added_by`` adds (S 1.5).
    """

    amounts: Mapping[str, Known[int]] = field(default_factory=dict)
    decided_by: Mapping[str, Location | None] = field(default_factory=dict, compare=False)
    overhead: Mapping[str, int] = field(default_factory=dict, compare=False)
    added_by: str = field(default="", compare=False)

    def get(self, resource: str) -> Known[int]:
        """The amount of a resource; 0 if the pod does not ask for it."""
        return self.amounts.get(resource, 0)

    @cached_property
    def compared(self) -> tuple[tuple[str, Known[int]], ...]:
        """The resources that NodeResourcesFit looks at, with the amounts: no ill-formed names and no zeros."""
        return tuple(
            (name, amount)
            for name, amount in self.amounts.items()
            if amount != 0 and (name in _COUNTED or is_scalar_resource(name))
        )


def is_extended_resource(name: str) -> bool:
    """Whether the name is that of an extended resource such as nvidia.com/gpu (ill-formed ones are not, S 8)."""
    if "/" not in name or "kubernetes.io/" in name or name.startswith("requests."):
        return False
    return is_qualified_name(f"requests.{name}")


def is_scalar_resource(name: str) -> bool:
    """Whether the scheduler counts the resource beside cpu, memory and ephemeral-storage."""
    return (
        is_extended_resource(name)
        or name.startswith((_HUGE_PAGES, "attachable-volumes-"))
        or ("kubernetes.io/" in name and "/" in name)
    )


def rounded(resource: str, thousandths: int) -> int:
    """The unit in which the scheduler compares: thousandths of cpu, whole units of everything else, rounded up."""
    return thousandths if resource == "cpu" else -(-thousandths // 1000)


def container_requests(container: Container) -> Amounts:
    """Requests of one container in thousandths; a missing request takes the limit's value."""
    return {name: _thousandths(name, text) for name, text in {**container.limits, **container.requests}.items()}


def pod_requests(spec: PodSpec) -> Requests:
    """The effective requests of a pod with this spec (as manifest: defaulting is applied).

    What nothing but init containers of the workload's operator asks for is left out: it is so little that every node
    has it, and nodes often do not say so.
    """
    total = _aggregate(spec, container_requests)
    for name in _of_operator(spec, total):
        del total[name]
    decided: dict[str, Location | None] = {name: _decider(spec, name) for name in total}
    for name, amount in _pod_level(spec, total).items():
        total[name] = amount
        decided[name] = spec.at.child("resources") if spec.at else None
    added = {name: _thousandths(name, text) for name, text in spec.overhead.items()}
    for name, more in added.items():
        total[name] = _plus(total.get(name, 0), more)
        decided.setdefault(name, spec.at)
    amounts = {
        name: amount if isinstance(amount, Undetermined) else rounded(name, amount) for name, amount in total.items()
    }
    overhead = {name: rounded(name, more) for name, more in added.items() if not isinstance(more, Undetermined)}
    return Requests(amounts, decided, overhead, spec.runtime_class)


def _of_operator(spec: PodSpec, total: Amounts) -> frozenset[str]:
    """The resources that nothing but init containers of the workload's operator asks for."""
    users = tuple(each for each in spec.init_containers if not each.made)
    if len(users) == len(spec.init_containers):
        return frozenset()
    asked = _aggregate(replace(spec, init_containers=users), container_requests)
    return frozenset(name for name in total if asked.get(name, 0) == 0)


def pod_limits(spec: PodSpec) -> Requests:
    """The limits of a pod, counted like its requests; a resource that no container limits is not among them."""
    total = _aggregate(spec, _container_limits)
    total.update({name: _thousandths(name, text) for name, text in spec.pod_limits.items() if _of_pod_level(name)})
    for name, text in spec.overhead.items():
        if name in total:
            total[name] = _plus(total[name], _thousandths(name, text))
    return Requests(
        {name: amount if isinstance(amount, Undetermined) else rounded(name, amount) for name, amount in total.items()}
    )


def _container_limits(container: Container) -> Amounts:
    return {name: _thousandths(name, text) for name, text in container.limits.items()}


def _aggregate(spec: PodSpec, amounts_of: Callable[[Container], Amounts]) -> Amounts:
    """What the containers need at most at one time: all at once, or an init container and the sidecars before it."""
    together: Amounts = {}
    for container in spec.containers:
        together = _combine(_plus, together, amounts_of(container))
    sidecars: Amounts = {}
    peak: Amounts = {}
    for container in spec.init_containers:
        starting = _combine(_plus, sidecars, amounts_of(container))
        if container.restart_policy == "Always":
            together = _combine(_plus, together, amounts_of(container))
            sidecars = starting
        peak = _combine(_most, peak, starting)
    return _combine(_most, together, peak)


def _decider(spec: PodSpec, name: str) -> Location | None:
    """The container that asks for most of a resource: where a message about the amount should point."""

    def size(container: Container) -> int:
        amount = container_requests(container).get(name, -1)
        return amount if isinstance(amount, int) else 0

    return max((*spec.containers, *spec.init_containers), key=size).at


def _pod_level(spec: PodSpec, containers: Mapping[str, Known[int]]) -> Amounts:
    """Pod-level requests, which replace the sum; the API server derives those that pod-level limits leave open.

    Huge pages cannot be overcommitted: their request is the limit, which may come from the containers' limits.
    """
    requests = {name: _thousandths(name, text) for name, text in spec.pod_requests.items() if _of_pod_level(name)}
    limits = {name: _thousandths(name, text) for name, text in spec.pod_limits.items()}
    if spec.pod_requests or spec.pod_limits:
        for name, amount in _aggregate(spec, _container_limits).items():
            if name.startswith(_HUGE_PAGES) and name not in spec.pod_requests:
                limits.setdefault(name, amount)
    if limits:
        for name in ("cpu", "memory"):
            if name in containers:
                requests.setdefault(name, containers[name])
        for name, amount in limits.items():
            if _of_pod_level(name):
                requests.setdefault(name, amount)
    return requests


def _of_pod_level(name: str) -> bool:
    return name in {"cpu", "memory"} or name.startswith(_HUGE_PAGES)


def _thousandths(name: str, text: Known[str]) -> Known[int]:
    if isinstance(text, Undetermined):
        return text
    try:
        return milli(text)
    except QuantityError as error:
        return Undetermined(Because(NodeGround.QUANTITY, (name, str(error))))


def _plus(left: Known[int], right: Known[int]) -> Known[int]:
    if isinstance(left, Undetermined):
        return left
    return right if isinstance(right, Undetermined) else left + right


def _most(left: Known[int], right: Known[int]) -> Known[int]:
    if isinstance(left, Undetermined):
        return left
    return right if isinstance(right, Undetermined) else max(left, right)


def _combine(
    operation: Callable[[Known[int], Known[int]], Known[int]],
    left: Mapping[str, Known[int]],
    right: Mapping[str, Known[int]],
) -> Amounts:
    result = dict(left)
    for name, amount in right.items():
        result[name] = operation(result.get(name, 0), amount)
    return result


@fact
class InvalidResource:
    """An extended resource of a container that API validation refuses (S 1.5), and why."""

    container: Container
    resource: str
    problem: str


def invalid_resources(spec: PodSpec) -> Iterator[InvalidResource]:
    """The extended resources that the API server refuses: request and limit must be one whole number."""
    for container in (*spec.containers, *spec.init_containers):
        for name in dict.fromkeys((*container.requests, *container.limits)):
            if is_extended_resource(name) and (problem := _problem(name, container)):
                yield InvalidResource(container, name, problem)


def _problem(name: str, container: Container) -> str:
    request, limit = (each.get(name) for each in (container.requests, container.limits))
    where = f"container {container.name}"
    if limit is None:
        return f"{where} requests {name} without a limit for it"
    if isinstance(limit, Undetermined) or isinstance(request, Undetermined):
        return ""
    try:
        amount = milli(limit)
        if request is not None and milli(request) != amount:
            return f"{where} requests {request} {name}, and its limit is {limit}"
    except QuantityError:
        return ""
    return f"{where} asks for {limit} {name}, which is no whole number" if amount % 1000 else ""
