"""How much a ClusterQueue of Kueue can ever get of a resource in a flavor (S 2.2).

Cohorts form trees and may have quotas of their own. What a node of the tree holds (its own quota and what its children
lend) is lent on to its parent but for what its lending limit keeps, and it may borrow of the parent as much as its
borrowing limit allows (kubernetes-sigs/kueue:pkg/cache/scheduler/resource_node.go).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from trainlint.model.known import Known, Undetermined
from trainlint.model.kueue import ClusterQueue, Cohort, Queues, Quota, ResourceGroup
from trainlint.model.quantity import QuantityError, milli
from trainlint.scheduling.kueue.requested import MOST
from trainlint.scheduling.requests import rounded

__all__ = ["UnknownQuotaError", "level", "most"]


class UnknownQuotaError(Exception):
    """An amount or a tree that cannot be worked out."""


def most(queue: ClusterQueue, flavor: str, resource: str, queues: Queues, *, alone: bool) -> int | None:
    """The nominal quota and what the cohort lends, in the units of Requests; ``None`` where that is unknown.

    ``alone`` says that there are no other ClusterQueues than those of the snapshot, so that a cohort lends no more.
    """
    tree = _Tree(queues, flavor, resource)
    try:
        if not queue.cohort:
            return tree.own(queue.groups)
        if alone:
            return tree.available(queue, ())
        limit = tree.limits(queue.groups)[0]
        return None if limit is None else min(MOST, tree.own(queue.groups) + limit)
    except UnknownQuotaError:
        return None


def level(queue: ClusterQueue, flavor: str, resource: str, need: int, queues: Queues) -> int:
    """How high in the tree of cohorts the queue must borrow to get ``need``: 0 if its own quota is enough.

    Raises:
        UnknownQuotaError: an amount is not known.
    """
    tree = _Tree(queues, flavor, resource)
    own = tree.own(queue.groups)
    if need <= own or not queue.cohort:
        return 0
    rest, name, found = need - tree.kept(queue), queue.cohort, 0
    seen: set[str] = set()
    while name and name not in seen:
        seen.add(name)
        cohort = tree.cohort(name)
        found = tree.height(name)
        if rest <= tree.held(cohort, ()):
            return found
        rest -= tree.kept(cohort)
        name = cohort.parent
    return found


class _Tree:
    """The cohorts and queues of a snapshot, looked at for one resource in one flavor."""

    def __init__(self, queues: Queues, flavor: str, resource: str) -> None:
        self._queues = queues
        self._flavor = flavor
        self._resource = resource

    def own(self, groups: Iterable[ResourceGroup]) -> int:
        """The nominal quota, in the units of Requests."""
        quota = _quota(groups, self._flavor, self._resource)
        return 0 if quota is None else self._amount(quota.nominal)

    def limits(self, groups: Iterable[ResourceGroup]) -> tuple[int | None, int | None]:
        """What may be borrowed and what may be lent at most; ``None`` where there is no limit."""
        quota = _quota(groups, self._flavor, self._resource)
        if quota is None:
            return None, None
        borrowing = None if quota.borrowing is None else self._amount(quota.borrowing)
        return borrowing, None if quota.lending is None else self._amount(quota.lending)

    def available(self, node: ClusterQueue | Cohort, above: tuple[str, ...]) -> int:
        """What a node can use at most, if no other uses anything.

        Raises:
            UnknownQuotaError: an amount is not known, or the cohorts form a circle.
        """
        held = self.held(node, ())
        parent = node.cohort if isinstance(node, ClusterQueue) else node.parent
        if not parent:
            return held
        if parent in above:
            raise UnknownQuotaError  # Kueue takes no member of a circle into account
        borrowing, _ = self.limits(node.groups)
        found = min(MOST, self.kept(node) + self.available(self.cohort(parent), (*above, parent)))
        return found if borrowing is None else min(MOST, held + borrowing, found)

    def kept(self, node: ClusterQueue | Cohort) -> int:
        """What a node does not lend."""
        lending = self.limits(node.groups)[1]
        return 0 if lending is None else max(0, self.held(node, ()) - lending)

    def held(self, node: ClusterQueue | Cohort, above: tuple[str, ...]) -> int:
        """The quota of a node with what its children lend to it.

        Raises:
            UnknownQuotaError: an amount is not known, or the cohorts form a circle.
        """
        if node.undetermined:
            raise UnknownQuotaError
        total = self.own(node.groups)
        if isinstance(node, Cohort):
            if node.name in above:
                raise UnknownQuotaError
            for child in self._children(node.name):
                held = self.held(child, (*above, node.name))
                lending = self.limits(child.groups)[1]
                total += held if lending is None else min(held, lending)
        return min(MOST, total)

    def height(self, name: str, above: tuple[str, ...] = ()) -> int:
        """The number of levels: 1 for a cohort that holds only queues, one more for each cohort below another.

        Raises:
            UnknownQuotaError: the cohorts form a circle.
        """
        if name in above:
            raise UnknownQuotaError
        below = [each.name for each in self._queues.cohorts.values() if each.parent == name]
        return 1 + max((self.height(each, (*above, name)) for each in below), default=0)

    def cohort(self, name: str) -> Cohort:
        """The cohort of a name; one that is not defined has no quota of its own and no parent."""
        found: Mapping[str, Cohort] = self._queues.cohorts
        return found.get(name) or Cohort(name)

    def _children(self, name: str) -> Iterator[ClusterQueue | Cohort]:
        yield from (queue for queue in self._queues.cluster.values() if queue.cohort == name)
        yield from (cohort for cohort in self._queues.cohorts.values() if cohort.parent == name)

    def _amount(self, text: Known[str]) -> int:
        if isinstance(text, Undetermined):
            raise UnknownQuotaError
        try:
            return min(MOST, rounded(self._resource, milli(text)))
        except QuantityError:
            raise UnknownQuotaError from None


def _quota(groups: Iterable[ResourceGroup], flavor: str, resource: str) -> Quota | None:
    for group in groups:
        if flavor in group.flavors and resource in group.flavors[flavor]:
            return group.flavors[flavor][resource]
    return None
