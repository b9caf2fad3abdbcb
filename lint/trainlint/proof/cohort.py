"""How much a ClusterQueue of Kueue can ever give of a resource in a flavor (S 2.2)."""

from __future__ import annotations

from trainlint.model.known import Known, Undetermined
from trainlint.model.kueue import ClusterQueue, Queues, Quota
from trainlint.model.quantity import QuantityError, milli
from trainlint.scheduling.requests import rounded

__all__ = ["most"]


def most(queue: ClusterQueue, flavor: str, resource: str, queues: Queues, *, alone: bool) -> int | None:
    """The nominal quota and what the cohort lends; ``None`` where nobody knows.

    ``alone`` says that there are no other ClusterQueues than those of the snapshot, so that a cohort lends no more.
    """
    quota = _quota(queue, flavor, resource)
    own = _amount(resource, quota.nominal) if quota is not None else 0
    if own is None or not queue.cohort:
        return own
    borrowing = _amount(resource, quota.borrowing) if quota is not None and quota.borrowing is not None else None
    if quota is not None and quota.borrowing is not None and borrowing is not None and not alone:
        return own + borrowing
    if not alone or queue.cohort in queues.cohorts:
        return None
    lent = 0
    for other in queues.cluster.values():
        if other.cohort != queue.cohort or other.name == queue.name:
            continue
        theirs = _quota(other, flavor, resource)
        if other.undetermined:
            return None
        if theirs is not None:
            share = _amount(resource, theirs.nominal if theirs.lending is None else theirs.lending)
            if share is None:
                return None
            lent += share
    return own + (lent if borrowing is None else min(lent, borrowing))


def _quota(queue: ClusterQueue, flavor: str, resource: str) -> Quota | None:
    for group in queue.groups:
        if flavor in group.flavors:
            return group.flavors[flavor].get(resource)
    return None


def _amount(resource: str, text: Known[str] | None) -> int | None:
    if text is None or isinstance(text, Undetermined):
        return None
    try:
        return rounded(resource, milli(text))
    except QuantityError:
        return None
