"""In which HyperNode nodes are (S 2.3): a node is in one HyperNode of each tier, and tiers hold the ones below."""

from __future__ import annotations

from itertools import permutations

import pytest

from trainlint.model.hypernode import HyperNode, Member
from trainlint.model.known import Undetermined
from trainlint.model.pool import Pool
from trainlint.model.selector import LabelSelector, Requirement
from trainlint.scheduling.hypernodes import hypernode_key, with_hypernodes
from trainlint.wording.because import because_text


def labelled(name: str, tier: int, key: str, value: str) -> HyperNode:
    wanted = LabelSelector((Requirement(key, "In", (value,)),))
    return HyperNode(name, tier, members=(Member(of_nodes=True, labels=wanted),))


def of(name: str, tier: int, *children: str, tier_name: str = "") -> HyperNode:
    return HyperNode(name, tier, tier_name, tuple(Member(of_nodes=False, name=each) for each in children))


def where(tier: str, *tree: HyperNode, **labels: str) -> object:
    """The HyperNode of the tier that nodes with these labels are in; the reason where it is unknown."""
    pool = Pool("gpu", labels=labels, node_name=labels.get("name", ""))
    (made,) = with_hypernodes([pool], tree, [tier])
    value = made.label(hypernode_key(tier))
    return f"unknown: {because_text(value.why)}" if isinstance(value, Undetermined) else value


LEAF, OTHER = labelled("leaf", 1, "rack", "r1"), labelled("other", 1, "rack", "r2")
SPINE = of("spine", 2, "leaf", "other", tier_name="pod")
TREE = (LEAF, OTHER, SPINE)


@pytest.mark.parametrize("tree", list(permutations(TREE)))
def test_the_largest_one_up_to_the_tier_counts_in_whatever_order_they_are_written(tree: tuple[HyperNode, ...]) -> None:
    assert where("1", *tree, rack="r1") == "leaf"
    assert where("1", *tree, rack="r2") == "other"
    assert where("2", *tree, rack="r1") == where("2", *tree, rack="r2") == "spine"
    assert where("pod", *tree, rack="r2") == "spine"


@pytest.mark.parametrize("order", [1, -1])
def test_two_of_one_tier_that_hold_a_node_leave_open_which_it_is(order: int) -> None:
    tree = (LEAF, labelled("twin", 1, "rack", "r1"))[::order]
    text = "unknown: in which of leaf, twin the nodes of pool gpu are: a node is in one of each tier"
    assert where("1", *tree, rack="r1") == text
    # A larger one that holds both is the only one of its tier, and settles it.
    assert where("2", *tree, of("spine", 2, "leaf", "twin"), rack="r1") == "spine"
    assert where("2", of("spine", 2, "leaf", "twin"), *tree, rack="r1") == "spine"


def test_nodes_in_none_have_no_domain_and_above_the_highest_tier_is_the_whole_cluster() -> None:
    assert where("1", *TREE, rack="r9") is None
    assert where("2", *TREE, rack="r9") is None
    assert where("3", *TREE, rack="r9") == where("3", *TREE, rack="r1") == "the whole cluster"


def test_what_is_not_written_is_unknown() -> None:
    assert str(where("1")).startswith("unknown: which nodes share a HyperNode of tier 1: no HyperNode is in Git")
    assert where("rack", *TREE, rack="r1") == "unknown: which tier rack is: no HyperNode has this tierName"


def test_members_are_named_exactly_or_by_a_pattern_anywhere_in_the_name() -> None:
    exact = HyperNode("exact", 1, members=(Member(of_nodes=True, name="gpu-1"),))
    pattern = HyperNode("pattern", 1, members=(Member(of_nodes=True, pattern="^gpu-[0-9]$"),))
    broken = HyperNode("broken", 1, members=(Member(of_nodes=True, pattern="("),))
    assert where("1", exact, name="gpu-1") == "exact"
    assert where("1", exact, name="gpu-11") is None
    assert where("1", pattern, name="gpu-7") == "pattern"
    assert where("1", pattern, name="gpu-77") is None
    assert where("1", broken, name="gpu-7") == "unknown: whether the nodes of pool gpu are in HyperNode broken"
    # A pool of several nodes has no name to compare.
    assert str(where("1", exact)).startswith("unknown: whether")


def test_a_circle_of_hypernodes_holds_nothing() -> None:
    assert where("2", of("a", 1, "b"), of("b", 2, "a"), rack="r1") is None
