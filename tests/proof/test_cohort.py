"""What a ClusterQueue can get from a tree of cohorts.

Expectations by hand from kubernetes-sigs/kueue:keps/79-hierarchical-cohorts and pkg/cache/scheduler/resource_node.go:
what a node keeps for itself is what exceeds its lending limit; the rest is its parent's, from which it may borrow up to
its borrowing limit.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.kube.kueue import read_cluster_queue, read_cohort
from trainlint.model.kueue import ClusterQueue, Cohort, Queues
from trainlint.scheduling.kueue.capacity import most
from trainlint.source.document import Document

GPU = "nvidia.com/gpu"


def _groups(nominal: int | str, borrowing: int | None, lending: int | None) -> list[dict[str, Any]]:
    quota: dict[str, Any] = {"name": GPU, "nominalQuota": nominal}
    quota |= {"borrowingLimit": borrowing} if borrowing is not None else {}
    quota |= {"lendingLimit": lending} if lending is not None else {}
    return [{"coveredResources": [GPU], "flavors": [{"name": "f", "resources": [quota]}]}]


def queue(
    name: str, cohort: str, nominal: int | str, borrowing: int | None = None, lending: int | None = None
) -> ClusterQueue:
    spec = {"cohortName": cohort, "resourceGroups": _groups(nominal, borrowing, lending)}
    return read_cluster_queue(Document("q.yaml", 0, 1, "", {"metadata": {"name": name}, "spec": spec}).root)


def cohort(
    name: str, parent: str = "", nominal: int = 0, borrowing: int | None = None, lending: int | None = None
) -> Cohort:
    spec = {"parentName": parent, "resourceGroups": _groups(nominal, borrowing, lending)}
    return read_cohort(Document("c.yaml", 0, 1, "", {"metadata": {"name": name}, "spec": spec}).root)


def given_to(name: str, *nodes: ClusterQueue | Cohort, alone: bool = True) -> int | None:
    queues = Queues(
        cluster={each.name: each for each in nodes if isinstance(each, ClusterQueue)},
        cohorts={each.name: each for each in nodes if isinstance(each, Cohort)},
    )
    found = most(queues.cluster[name], "f", GPU, queues, alone=alone)
    return None if found is None else found // 1000 if found % 1000 == 0 and found >= 1000 else found


def amount(*nodes: ClusterQueue | Cohort, alone: bool = True) -> int | None:
    """What queue ``a`` can get."""
    return given_to("a", *nodes, alone=alone)


@pytest.mark.parametrize(
    ("nodes", "gpus"),
    [
        # a cohort of two shares everything
        ([queue("a", "x", 4), queue("b", "x", 8)], 12),
        ([queue("a", "x", 4, borrowing=2), queue("b", "x", 8)], 6),
        ([queue("a", "x", 4), queue("b", "x", 8, lending=3)], 7),
        ([queue("a", "x", 4, lending=1), queue("b", "x", 8)], 12),  # what it keeps is its own, too
        # quotas of the cohort itself
        ([queue("a", "x", 4), cohort("x", nominal=10)], 14),
        ([queue("a", "x", 4, borrowing=0), cohort("x", nominal=10)], 4),
        # a tree: x and y below the root
        ([queue("a", "x", 4), queue("b", "y", 8), cohort("x", "root"), cohort("y", "root")], 12),
        ([queue("a", "x", 4), queue("b", "y", 8), cohort("x", "root", borrowing=1), cohort("y", "root")], 5),
        ([queue("a", "x", 4), queue("b", "y", 8), cohort("x", "root"), cohort("y", "root", lending=2)], 6),
        (
            [
                queue("a", "x", 4),
                queue("b", "y", 8),
                cohort("x", "root"),
                cohort("y", "root"),
                cohort("root", nominal=5),
            ],
            17,
        ),
        # the limit of the queue counts before that of its cohort
        ([queue("a", "x", 4, borrowing=3), queue("b", "y", 8), cohort("x", "root"), cohort("y", "root")], 7),
        # other trees lend nothing
        ([queue("a", "x", 4), queue("b", "z", 8), cohort("x", "root")], 4),
    ],
)
def test_what_a_queue_can_get(nodes: list[ClusterQueue | Cohort], gpus: int) -> None:
    assert amount(*nodes) == gpus


def test_what_a_circle_or_a_placeholder_gives_is_unknown() -> None:
    assert amount(queue("a", "x", 4), cohort("x", "y"), cohort("y", "x")) is None
    assert amount(queue("a", "x", 4), queue("b", "x", "${N}")) is None


def test_where_there_may_be_other_queues_only_a_borrowing_limit_bounds() -> None:
    assert amount(queue("a", "x", 4), queue("b", "x", 8), alone=False) is None
    assert amount(queue("a", "x", 4, borrowing=2), queue("b", "x", 8), alone=False) == 6


LIMIT = st.none() | st.integers(0, 9)


@given(st.integers(0, 9), LIMIT, LIMIT, st.integers(0, 9), LIMIT, LIMIT, LIMIT)
def test_a_queue_can_always_get_its_own_quota_and_never_more_than_all_there_is(
    own: int, borrowing: int | None, lending: int | None, other: int, lent: int | None, up: int | None, down: int | None
) -> None:
    nodes = (
        queue("a", "x", own, borrowing, lending),
        queue("b", "y", other, lending=lent),
        cohort("x", "root", borrowing=up),
        cohort("y", "root", lending=down),
    )
    found = amount(*nodes)
    assert found is not None
    assert own <= found <= own + other
