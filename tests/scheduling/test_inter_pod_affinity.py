"""InterPodAffinity where values exist only at run time, and what one term matches (S 1.6)."""

from __future__ import annotations

from typing import Any

import pytest
from tests.scheduling.clusters import ZONE, apart, feasible, near, node, pod, refusing, term
from tests.unknown_values import unknown

from trainlint.model.because import Because
from trainlint.model.pod import AffinityTerm
from trainlint.model.selector import LabelSelector, Requirement
from trainlint.scheduling.exploration import Cell, Exploration, Role, explore
from trainlint.scheduling.inter_pod_affinity import rules, term_matches
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.refusal import DoubtGround

RUN_TIME = unknown("known when the pod exists")
HASH = "pod-template-hash"
A, B = node("a", {ZONE: "a"}), node("b", {ZONE: "b"})
NAMESPACES = {"own": {"team": "ml"}, "other": {"team": "web"}}


def selector(*requirements: Requirement) -> LabelSelector:
    return LabelSelector(requirements)


APP = selector(Requirement("app", "In", ("x",)))


@pytest.mark.parametrize(
    ("given", "namespace", "expected"),
    [
        (AffinityTerm(ZONE, APP), "own", True),
        (AffinityTerm(ZONE, APP), "other", False),
        (AffinityTerm(ZONE, None), "own", False),
        (AffinityTerm(ZONE, selector()), "own", True),
        (AffinityTerm(ZONE, APP, namespaces=("other",)), "own", False),
        (AffinityTerm(ZONE, APP, namespace_selector=selector()), "unlisted", True),
        (AffinityTerm(ZONE, APP, namespace_selector=selector(Requirement("team", "In", ("web",)))), "other", True),
        (AffinityTerm(ZONE, APP, namespace_selector=selector(Requirement("team", "In", ("web",)))), "own", False),
        (AffinityTerm(ZONE, APP, ("own",), selector(Requirement("team", "In", ("web",)))), "own", True),
        (
            AffinityTerm(
                ZONE, APP, namespace_selector=selector(Requirement("kubernetes.io/metadata.name", "In", ("other",)))
            ),
            "other",
            True,
        ),
        (AffinityTerm(ZONE, selector(Requirement("app", "Like", ("x",)))), "own", False),
    ],
    ids=[
        "no namespace given: the own one",
        "and no other",
        "no label selector: nothing",
        "an empty one: every pod",
        "a list of namespaces replaces the own one",
        "an empty namespaceSelector: every namespace",
        "a namespaceSelector reads the labels of the namespace",
        "also of the own one",
        "list and selector add up",
        "the name of a namespace is a label of it",
        "a malformed selector: nothing",
    ],
)
def test_what_a_term_matches(given: AffinityTerm, namespace: str, expected: bool) -> None:
    assert term_matches(given, "own", NAMESPACES, {"app": "x"}, namespace) is expected


@pytest.mark.parametrize(
    ("requirements", "expected"),
    [
        ([Requirement("team", "In", ("web",))], None),
        ([Requirement("kubernetes.io/metadata.name", "In", ("bare",))], True),
        ([Requirement("kubernetes.io/metadata.name", "In", ("own",))], False),
        ([Requirement("kubernetes.io/metadata.name", "In", ("bare",)), Requirement("team", "Exists")], None),
        ([Requirement("kubernetes.io/metadata.name", "In", ("own",)), Requirement("team", "Exists")], False),
        ([], True),
    ],
)
def test_of_a_namespace_without_a_document_only_the_name_is_known(
    requirements: list[Requirement], *, expected: bool | None
) -> None:
    # Decision 11: what is not known is not no.
    term = AffinityTerm(ZONE, APP, namespace_selector=selector(*requirements))
    assert term_matches(term, "own", {**NAMESPACES, "bare": None}, {"app": "x"}, "bare") is expected


def test_only_the_newcomers_own_terms_have_the_quirk_of_an_empty_namespace() -> None:
    # S 8: recorded from 1.34 and 1.36.
    never_web = AffinityTerm(ZONE, APP, namespace_selector=selector(Requirement("team", "NotIn", ("web",))))
    assert term_matches(never_web, "own", NAMESPACES, {"app": "x"}, "other") is True
    assert term_matches(never_web, "own", NAMESPACES, {"app": "x"}, "other", incoming=False) is False


def test_a_label_of_unknown_value_is_neither_matched_nor_missed() -> None:
    labels = {"app": RUN_TIME}
    assert term_matches(AffinityTerm(ZONE, APP), "own", {}, labels, "own") is None
    exists = AffinityTerm(ZONE, selector(Requirement("app", "Exists")))
    assert term_matches(exists, "own", {}, labels, "own") is True


def worker(role: str, affinity: dict[str, Any], **labels: Any) -> Pod:
    return pod({"app": "x", "role": role, **labels}, affinity=affinity)


def test_match_label_keys_take_the_pods_own_value() -> None:
    follows = near(term(ZONE, {"app": "x"}, matchLabelKeys=["job"]))
    placed = [("a", pod({"app": "x", "job": "one"})), ("b", pod({"app": "x", "job": "two"}))]
    assert feasible(worker("w", follows, job="two"), [A, B], placed) == ["b"]
    assert feasible(worker("w", follows), [A, B], placed) == ["a", "b"]


def test_mismatch_label_keys_exclude_the_pods_own_value() -> None:
    exclusive = apart(term(ZONE, {"app": "x"}, mismatchLabelKeys=["job"]))
    placed = [("a", pod({"app": "x", "job": "one"})), ("b", pod({"app": "x", "job": "two"}))]
    assert feasible(worker("w", exclusive, job="two"), [A, B], placed) == ["b"]


def test_a_run_time_value_is_the_same_in_all_pods_of_a_set() -> None:
    together = near(term(ZONE, {"app": "x"}, matchLabelKeys=[HASH]))
    mine = worker("w", together, **{HASH: RUN_TIME})
    asked = rules(mine, [mine], {}, own=0)
    assert asked.affinity[0].kinds == {0}
    assert asked.starts
    assert not asked.doubtful


def test_a_run_time_value_of_another_set_is_not_known() -> None:
    together = near(term(ZONE, {"app": "x"}, matchLabelKeys=[HASH]))
    mine = worker("w", together, **{HASH: RUN_TIME})
    theirs = worker("v", {}, **{HASH: RUN_TIME})
    assert rules(mine, [mine, theirs], {}, own=0).doubtful == {1}


def test_a_mismatch_on_a_run_time_value_never_keeps_a_set_from_itself() -> None:
    exclusive = apart(term(ZONE, {"app": "x"}, mismatchLabelKeys=[HASH]))
    mine = worker("w", exclusive, **{HASH: RUN_TIME})
    asked = rules(mine, [mine], {}, own=0)
    assert asked.anti_affinity == ()
    assert asked.symmetry == ()
    assert not asked.doubtful


def test_a_value_that_differs_between_pods_of_a_set_is_not_known() -> None:
    index = "batch.kubernetes.io/job-completion-index"
    mine = worker("w", near(term(ZONE, {"app": "x"}, matchLabelKeys=[index])), **{index: RUN_TIME})
    assert rules(mine, [mine], {}, own=0).doubtful == {0}


def test_a_doubt_about_a_placed_pod_is_a_doubt_unless_something_else_refuses() -> None:
    avoids = worker("w", apart(term(ZONE, {"app": "y"})))
    unsure, sure = pod({"app": RUN_TIME}), pod({"app": "y"})
    assert refusing(avoids, A, [unsure]) == {"InterPodAffinity": "doubt"}
    assert refusing(avoids, A, [unsure, sure]) == {"InterPodAffinity": "Unschedulable"}
    assert refusing(avoids, A) == {}


def test_replicas_of_one_deployment_find_each_other_by_their_hash() -> None:
    together = near(term(ZONE, {"app": "x"}, matchLabelKeys=[HASH]))
    found = explore([Role("w", worker("w", together, **{HASH: RUN_TIME}), 3)], [Cell(A), Cell(B)])
    assert isinstance(found, Exploration)
    assert found.zones == {frozenset("a"), frozenset("b")}


def test_a_doubt_between_roles_leaves_the_group_undetermined() -> None:
    together = near(term(ZONE, {"app": "x"}, matchLabelKeys=[HASH]))
    roles = [Role(name, worker(name, together, **{HASH: RUN_TIME}), 1) for name in ("v", "w")]
    assert explore(roles, [Cell(A)]) == Because(DoubtGround.SELECTED)
