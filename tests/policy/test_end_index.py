"""The index of endpoints and that of pod sets give what going through all of them gives, and try few."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some
from tests.policy.cluster import HERE

from trainlint.facts.pod_index import PodIndex
from trainlint.model.because import Because
from trainlint.model.ground import ValueGround
from trainlint.model.known import Undetermined
from trainlint.model.pod import AffinityTerm, PodSpec
from trainlint.model.selector import LabelSelector, Requirement
from trainlint.model.settings import Settings
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.policy import endpoint
from trainlint.policy.checks.end_index import EndIndex
from trainlint.policy.selector import Matcher
from trainlint.scheduling.inter_pod_affinity import term_matches

SPACES = ("a", "b")
UNKNOWN = Undetermined(Because(ValueGround.LANDING_ZONE))
labels = some.dictionaries(some.sampled_from("kl"), some.sampled_from(["x", "y", "${Z}", UNKNOWN]), max_size=2)
requirements = some.builds(
    Requirement,
    some.sampled_from(["k", "l", "m"]),
    some.sampled_from(["In", "NotIn", "Exists"]),
    some.lists(some.sampled_from(["x", "y", "${Z}"]), min_size=1, max_size=2, unique=True).map(tuple),
).map(lambda each: Requirement(each.key, each.operator, each.values if each.operator != "Exists" else ()))
selectors = some.lists(requirements, max_size=2).map(lambda found: LabelSelector(tuple(found)))


def pod_set(number: int, namespace: str, found: dict[str, object]) -> PodSet:
    return PodSet(ObjectRef("Job", namespace, f"j{number}"), "", 1, found, PodSpec(at=HERE), at=HERE, template=HERE)  # type: ignore[arg-type]


worlds = some.lists(some.tuples(some.sampled_from(SPACES), labels), max_size=6).map(
    lambda pods: [pod_set(number, *each) for number, each in enumerate(pods)]
)


@given(worlds, selectors, some.sampled_from(["", *SPACES]))
def test_an_index_of_endpoints_leaves_out_and_adds_nothing(
    pods: list[PodSet], selector: LabelSelector, namespace: str
) -> None:
    ends = [endpoint(each, Settings(), {}) for each in pods]
    keyed = LabelSelector(
        tuple(Requirement(f"any:{each.key}", each.operator, each.values) for each in selector.requirements)
    )
    matcher = Matcher.of(keyed)
    answers = [(index, matcher.matches(each.labels, each.unknown)) for index, each in enumerate(ends)]
    expected = [
        (index, answer)
        for index, answer in answers
        if answer is not False and (not namespace or pods[index].namespace == namespace)
    ]
    assert list(EndIndex(ends, [each.namespace for each in pods]).selected(matcher, namespace)) == expected


@given(worlds, selectors, some.sampled_from([(), ("b",)]), some.booleans())
def test_an_index_of_pod_sets_leaves_out_none_that_a_term_may_select(
    pods: list[PodSet], selector: LabelSelector, namespaces: tuple[str, ...], everywhere: bool
) -> None:
    term = AffinityTerm("zone", selector, namespaces, LabelSelector() if everywhere else None)
    near = PodIndex(pods).near([("a", term)])
    may = [each for each in pods if term_matches(term, "a", {}, each.labels, each.namespace) is not False]
    assert [each for each in near if each in may] == may
    assert near == [each for each in pods if each in near], "in the order of the snapshot"


def test_of_many_pods_a_selector_is_tried_on_those_with_its_label_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five times the jobs of one namespace, each with a policy of its own: five times the work, not 25 times."""
    tried = 0
    plain = Matcher.matches

    def counted(self: Matcher, *given: object) -> bool | None:
        nonlocal tried
        tried += 1
        return plain(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Matcher, "matches", counted)
    work = []
    for size in (20, 100):
        pods = [pod_set(number, "a", {"job": f"j{number}", "uid": UNKNOWN}) for number in range(size)]
        index = EndIndex([endpoint(each, Settings(), {}) for each in pods], ["a"] * size)
        tried = 0
        for number in range(size):
            matcher = Matcher.of(LabelSelector((Requirement("any:job", "In", (f"j{number}",)),)))
            assert [found for found, _ in index.selected(matcher, "a")] == [number]
        work.append(tried)
        terms = (
            AffinityTerm("zone", LabelSelector((Requirement("job", "In", (f"j{number}",)),))) for number in range(size)
        )
        pod_index = PodIndex(pods)
        assert all(len(pod_index.near([("a", term)])) == 1 for term in terms)
    assert work[1] == 5 * work[0]
