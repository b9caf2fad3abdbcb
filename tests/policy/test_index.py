"""Cost grows with what may be about a pod, not with everything that there is."""

from __future__ import annotations

from tests.bench.verdicts import SETTINGS, documents, pods

from trainlint.policy import PolicyContext, PolicySet, endpoint, read_policies
from trainlint.policy.index import EntryIndex
from trainlint.policy.matching import ready


def policies(count: int) -> PolicySet:
    return read_policies((each.root for each in documents(count)), PolicyContext(SETTINGS))


def test_policies_of_other_namespaces_and_other_labels_are_not_even_looked_at() -> None:
    pod = next(each for each in pods() if each.namespace == "team-0")
    end = endpoint(pod, SETTINGS, {"team-0": {}})
    found = policies(2000)
    index = EntryIndex(ready(entry, order) for order, entry in enumerate(found.entries))
    candidates = list(index.candidates(end))
    assert len(candidates) <= len(found.entries) / 50
    assert {each.entry.namespace for each in candidates} <= {"", "team-0"}


def test_the_index_leaves_out_nothing_that_selects_a_pod() -> None:
    found = policies(1000)
    index = EntryIndex(ready(entry, order) for order, entry in enumerate(found.entries))
    for pod in pods()[::37]:
        end = endpoint(pod, SETTINGS, {})
        assert end.subject is not None
        selecting = {
            entry.origin
            for entry in found.entries
            if entry.namespace in ("", end.namespace)
            and ready(entry, 0).subject.matches(end.subject, end.unknown_subject) is not False
        }
        assert selecting <= {each.entry.origin for each in index.candidates(end)}


def test_equal_pods_are_judged_once_however_many_there_are() -> None:
    found = policies(200)
    one, other = (endpoint(pods()[0], SETTINGS, {}) for _ in range(2))
    assert found.verdict(one, other, "TCP", 80) == found.verdict(other, one, "TCP", 80)
    assert found.selection(one, found.entries[0].direction) is found.selection(other, found.entries[0].direction)
