"""What arrives at the API server for a workload: its object, what its operator makes of it, and its pods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from trainlint.fact import fact
from trainlint.installed.validating.body import Body, of_object, of_pods
from trainlint.kube.meta import read_meta
from trainlint.model.known import Known
from trainlint.model.workload import PodSet, Workload
from trainlint.workload.kinds import kind_of

__all__ = ["Arrival", "Arriving", "arrivals", "arriving"]


@fact
class Arrival:
    """An object that is created: ``name`` is empty where it is generated. ``labels`` and ``annotations`` are all that
    it has, unless it is ``open``.
    """

    group: str
    kind: str
    namespace: str
    name: str = ""
    version: str = ""
    labels: Mapping[str, Known[str]] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    open: bool = False

    @property
    def resource(self) -> str:
        """The plural name in the API's paths."""
        return f"{self.kind.lower()}s"


@fact(eq=False)
class Arriving:
    """An arrival with what is known of its content, and the pods that are not made without it."""

    arrival: Arrival
    body: Body | None
    pod_sets: tuple[PodSet, ...]


def arriving(workload: Workload) -> Iterator[Arriving]:
    """Everything that is created for a workload: its object, what is made of it, its pods."""
    sets = tuple(each for each in workload.pod_sets if each.replicas != 0)
    for arrival in _of_object(workload):
        yield Arriving(arrival, None if arrival.open else of_object(workload), sets)
    for each in sets:
        yield Arriving(_of_pods(each), of_pods(workload, each), (each,))


def arrivals(workloads: Iterable[Workload], members: Iterable[PodSet]) -> Iterator[Arrival]:
    """Everything that is created for the pods of a group, with the objects that they come from."""
    pods = [each for each in members if each.replicas != 0]
    owners = {each.owner for each in pods}
    for workload in workloads:
        if workload.owner in owners:
            yield from _of_object(workload)
    for each in pods:
        yield _of_pods(each)


def _of_pods(pods: PodSet) -> Arrival:
    return Arrival("", "Pod", pods.namespace, version="v1", labels=pods.labels, annotations=pods.annotations)


def _of_object(workload: Workload) -> Iterator[Arrival]:
    owner, meta = workload.owner, read_meta(workload.field)
    kind, namespace = owner.kind.partition(".")[0], owner.namespace
    group, _, version = workload.api_version.rpartition("/")
    if (group, kind) != ("", "Pod"):
        yield Arrival(group, kind, namespace, owner.name, version, dict(meta.labels), meta.annotations)
    declared = kind_of(workload)
    for made_group, made in declared.creates if declared is not None else ():
        yield Arrival(made_group, made, namespace, open=True)
