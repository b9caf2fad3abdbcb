"""The least that a gang needs at once of a resource."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from trainlint.kube.values import known_text
from trainlint.model.known import Undetermined
from trainlint.model.quantity import QuantityError, milli
from trainlint.model.workload import Gang, PodSet, Workload
from trainlint.queues.kueue_queues import Queueing
from trainlint.scheduling.requests import rounded
from trainlint.source.document import Field

__all__ = ["GangNeeds"]


class GangNeeds:
    """What pods of one object need together before any of them starts. ``group`` is their PodGroup, if they have one
    in Git.
    """

    def __init__(self, queueing: Queueing, workload: Workload, group: Field | None = None) -> None:
        self._queueing = queueing
        self._pods = tuple(each for each in workload.pod_sets if each.replicas != 0)
        self._group = group

    @property
    def together(self) -> int:
        """How many pods start together; 0 where they start one by one."""
        if self._whole is None:
            return max(self._sure.values(), default=0)
        return self._whole.minimum if isinstance(self._whole.minimum, int) else 0

    def least(self, resource: str) -> int:
        """A lower bound, whichever pods start first: the cheapest ones that make up the gang. What is not known counts
        as nothing; pods that start one by one need as much as the largest of them.
        """
        costs = [self._cost(each, resource) for each in self._pods]
        if self._whole is None:
            parts = [
                cost * max(1, self._sure.get(id(each), 1)) if _some(each) else 0
                for cost, each in zip(costs, self._pods, strict=True)
            ]
            return max(parts, default=0)
        minimum = self._whole.minimum if isinstance(self._whole.minimum, int) else 0
        sure = [self._sure.get(id(each), 0) for each in self._pods]
        if sum(sure) > minimum:
            sure = [0] * len(sure)
        total = sum(count * cost for count, cost in zip(sure, costs, strict=True))
        left = minimum - sum(sure)
        for cost, count in sorted((cost, _count(each) - own) for each, cost, own in self._each(costs, sure)):
            total += cost * min(left, max(0, count))
            left -= min(left, max(0, count))
        return max(total, self._stated(resource))

    def _each(self, costs: Sequence[int], sure: Sequence[int]) -> list[tuple[PodSet, int, int]]:
        return list(zip(self._pods, costs, sure, strict=True))

    @cached_property
    def _whole(self) -> Gang | None:
        """The gang that holds the pods of all sets and demands the most."""
        own = {id(each) for each in self._pods}
        found = [
            gang
            for gang in self._queueing.snapshot.workloads.gangs
            if own <= {id(each) for each in gang.pod_sets} and isinstance(gang.minimum, int) and not gang.doubt
        ]
        return max(found, key=lambda gang: gang.minimum if isinstance(gang.minimum, int) else 0, default=None)

    @cached_property
    def _sure(self) -> dict[int, int]:
        """How many pods of a set must be among those that start together, by the identity of the set."""
        return {
            id(gang.pod_sets[0]): gang.minimum
            for gang in self._queueing.snapshot.workloads.gangs
            if len(gang.pod_sets) == 1 and isinstance(gang.minimum, int) and not gang.doubt and len(self._pods) > 1
        }

    def _cost(self, pods: PodSet, resource: str) -> int:
        amount = self._queueing.requests(pods).get(resource, 0)
        return amount if isinstance(amount, int) else 0

    def _stated(self, resource: str) -> int:
        """``minResources`` of the PodGroup."""
        if self._group is None:
            return 0
        text = known_text(self._group.down("spec", "minResources", resource))
        if isinstance(text, Undetermined):
            return 0
        try:
            return rounded(resource, milli(text))
        except QuantityError:
            return 0


def _count(pods: PodSet) -> int:
    """How many pods there are at most."""
    replicas = pods.replicas if isinstance(pods.replicas, int) else 0
    return replicas if pods.max_replicas is None else max(pods.max_replicas, replicas)


def _some(pods: PodSet) -> bool:
    return isinstance(pods.replicas, int) and pods.replicas > 0
