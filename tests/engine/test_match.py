"""Which findings of two runs are the same: by identity, not by line; as often as they are there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.engine.finding_matches import is_worse, match
from trainlint.result import BaselineEntry


def entry(identity="a", file="x.yaml", path="spec/0", message="m", severity="error", rule="r"):
    return BaselineEntry(identity, rule, severity, file, path, message)


@pytest.mark.parametrize(
    ("now", "before", "pairs"),
    [
        ([entry()], [entry()], {0: 0}),
        ([entry()], [entry(file="old.yaml")], {0: 0}),
        ([entry("a")], [entry("b", path="spec/1")], {0: 0}),
        ([entry("a")], [entry("b", path="spec/1", message="another")], {}),
        ([entry("a")], [entry("b", path="status/0")], {}),
        ([entry("a")], [entry("b", rule="s")], {}),
        ([entry()], [], {}),
        ([entry(), entry()], [entry()], {0: 0}),
        ([entry()], [entry(), entry()], {0: 0}),
    ],
)
def test_identity_decides_and_list_positions_do_not(now, before, pairs):
    assert match(now, before) == pairs


def test_equal_files_are_preferred_among_equal_identities():
    now = [entry(file="one.yaml"), entry(file="two.yaml")]
    assert match(now, [entry(file="two.yaml"), entry(file="gone.yaml")]) == {1: 0, 0: 1}


ENTRIES = st.lists(
    st.builds(entry, st.sampled_from("ab"), st.sampled_from(["x", "y"]), st.sampled_from(["s/0", "s/1", "t"])),
    max_size=8,
)


@given(ENTRIES, ENTRIES)
def test_nothing_is_matched_twice_and_equal_ones_are_all_matched(now, before):
    pairs = match(now, before)
    assert len(set(pairs.values())) == len(pairs)
    for identity in "ab":
        mine = [index for index, each in enumerate(now) if each.id == identity]
        theirs = [index for index, each in enumerate(before) if each.id == identity]
        matched = [index for index in mine if index in pairs and pairs[index] in theirs]
        assert len(matched) == min(len(mine), len(theirs))


@pytest.mark.parametrize(
    ("now", "before", "worse"),
    [("error", "warning", True), ("warning", "note", True), ("note", "error", False), ("error", "error", False)],
)
def test_more_severe_is_worse(now, before, worse):
    assert is_worse(entry(severity=now), entry(severity=before)) is worse
