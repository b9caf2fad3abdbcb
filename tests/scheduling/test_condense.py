"""Equal nodes as one, and back to the nodes as they are written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trainlint.kube.node import HOSTNAME
from trainlint.model.pool import Pool
from trainlint.scheduling.condense import condense, members


def node(name: str, zone: str = "a") -> Pool:
    return Pool(name, {HOSTNAME: name, "zone": zone}, minimum=1, maximum=1, node_name=name)


def names(pools: list[Pool], named: set[str] | None) -> list[list[str]]:
    return [[each.name for each in united] for united in members(pools, condense(pools, named))]


def test_equal_nodes_are_one_and_a_node_that_is_named_is_not_among_them() -> None:
    pools = [node("n1"), node("n2"), node("n3"), node("n4", "b")]
    assert names(pools, set()) == [["n1", "n2", "n3"], ["n4"]]
    assert names(pools, {"n1"}) == [["n1"], ["n2", "n3"], ["n4"]]
    assert names(pools, {"n3"}) == [["n1", "n2"], ["n3"], ["n4"]]
    assert names(pools, None) == [["n1"], ["n2"], ["n3"], ["n4"]]


@given(
    zones=st.lists(st.sampled_from("ab"), min_size=1, max_size=8),
    named=st.sets(st.sampled_from([f"n{number}" for number in range(8)])),
)
def test_every_node_is_in_one_place_and_the_counts_add_up(zones: list[str], named: set[str]) -> None:
    pools = [node(f"n{number}", zone) for number, zone in enumerate(zones)]
    condensed = condense(pools, named)
    found = members(pools, condensed)
    assert sorted(each.name for united in found for each in united) == sorted(each.name for each in pools)
    for pool, united in zip(condensed, found, strict=True):
        assert pool.maximum == len(united)
        assert {each.labels["zone"] for each in united} == {pool.labels["zone"]}
        assert len(united) == 1 or named.isdisjoint(each.name for each in united)
