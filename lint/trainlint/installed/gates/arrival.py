"""What arrives at the API server for a workload: its object, what its operator makes of it, and its pods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from trainlint.fact import fact
from trainlint.kube.meta import read_meta
from trainlint.model.known import Known
from trainlint.model.workload import PodSet, Workload
from trainlint.workload.kinds import kind_of

__all__ = ["Arrival", "arrivals"]


@fact
class Arrival:
    """An object that is created: ``name`` is empty where it is generated. ``labels`` and ``annotations`` are all that
    it has, unless it is ``open``.
    """

    group: str
    kind: str
    namespace: str
    name: str = ""
    labels: Mapping[str, Known[str]] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    open: bool = False

    @property
    def resource(self) -> str:
        """The plural name in the API's paths."""
        return f"{self.kind.lower()}s"


def arrivals(workloads: Iterable[Workload], members: Iterable[PodSet]) -> Iterator[Arrival]:
    """Everything that is created for the pods of a group, with the objects that they come from."""
    pods = [each for each in members if each.replicas != 0]
    owners = {each.owner for each in pods}
    for workload in workloads:
        if workload.owner in owners:
            yield from _of_object(workload)
    for each in pods:
        yield Arrival("", "Pod", each.namespace, labels=each.labels, annotations=each.annotations)


def _of_object(workload: Workload) -> Iterator[Arrival]:
    owner, meta = workload.owner, read_meta(workload.field)
    kind, namespace = owner.kind.partition(".")[0], owner.namespace
    group = workload.api_version.rpartition("/")[0]
    if (group, kind) != ("", "Pod"):
        yield Arrival(group, kind, namespace, owner.name, dict(meta.labels), meta.annotations)
    declared = kind_of(workload)
    for made_group, made in declared.creates if declared is not None else ():
        yield Arrival(made_group, made, namespace, open=True)
