"""Laws of taints and tolerations (S 1.2), and what the filters say about them."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.scheduling.clusters import bare_node, feasible, node, pod, refusing, taint

from trainlint.model.pod import PodSpec, Toleration
from trainlint.model.pool import Taint
from trainlint.scheduling.refusal import Refusal
from trainlint.scheduling.taint_toleration import PLUGIN, check, passes, tolerates, untolerated
from trainlint.wording.because import because_text

keys, values = st.sampled_from(["a", "b"]), st.sampled_from(["", "v", "w"])
effects = st.sampled_from(["NoSchedule", "NoExecute", "PreferNoSchedule"])
taints = st.builds(Taint, keys, values, effects)
tolerations = st.builds(
    Toleration,
    st.sampled_from(["", "a", "b"]),
    st.sampled_from(["", "Equal", "Exists", "Gt", "odd"]),
    values,
    st.one_of(st.just(""), effects),
)
specs = st.lists(tolerations, max_size=3).map(lambda given: PodSpec(tolerations=tuple(given)))


@given(specs, tolerations, st.lists(taints, max_size=3))
def test_an_added_toleration_never_removes_a_node(spec: PodSpec, added: Toleration, tainted: list[Taint]) -> None:
    if passes(spec, tainted):
        assert passes(replace(spec, tolerations=(*spec.tolerations, added)), tainted)


@given(specs, taints, st.lists(taints, max_size=3))
def test_an_added_taint_never_admits_a_pod(spec: PodSpec, added: Taint, tainted: list[Taint]) -> None:
    if passes(spec, [*tainted, added]):
        assert passes(spec, tainted)


@given(specs, st.lists(taints, max_size=3))
def test_a_pod_passes_exactly_where_nothing_is_left_untolerated(spec: PodSpec, tainted: list[Taint]) -> None:
    left = untolerated(tainted, spec)
    assert passes(spec, tainted) is (not left)
    assert all(each.effect != "PreferNoSchedule" for each in left)


@given(taints)
def test_the_wildcard_tolerates_everything(tainted: Taint) -> None:
    assert tolerates(Toleration(operator="Exists"), tainted)


@given(tolerations, taints)
def test_a_toleration_of_one_effect_tolerates_no_other(toleration: Toleration, tainted: Taint) -> None:
    if toleration.effect and toleration.effect != tainted.effect:
        assert tolerates(toleration, tainted) is False


def test_the_refusal_names_the_first_taint_that_is_not_tolerated_and_its_place() -> None:
    tainted = node("n", taints=[taint("a"), taint("nvidia.com/gpu", "present")])
    answer = check(pod(tolerations=[{"key": "a", "operator": "Exists"}]), tainted)
    assert isinstance(answer, Refusal)
    assert "nvidia.com/gpu=present:NoSchedule" in because_text(answer.reason)
    assert answer.node_at is not None
    assert answer.node_at.path == ("spec", "taints", 1)


def test_a_placeholder_among_the_tolerations_is_a_doubt_only_where_it_could_help() -> None:
    unsure = pod(tolerations=[{"key": "${KEY}", "operator": "Exists", "effect": "NoSchedule"}])
    assert refusing(unsure, node("n", taints=[taint("a")])) == {PLUGIN: "doubt"}
    assert refusing(unsure, node("n", taints=[taint("a", "", "NoExecute")])) == {PLUGIN: "UnschedulableAndUnresolvable"}
    assert feasible(unsure, [node("n")]) == ["n"]


def test_tolerations_that_are_one_placeholder_are_a_doubt() -> None:
    assert refusing(pod(tolerations="${TOLERATIONS}"), node("n", taints=[taint("a")])) == {PLUGIN: "doubt"}


def test_a_cordoned_node_refuses_whoever_does_not_tolerate_the_cordon() -> None:
    cordoned = bare_node(
        {"metadata": {"name": "n"}, "spec": {"unschedulable": True}, "status": {"allocatable": {"pods": "9"}}}
    )
    key = "node.kubernetes.io/unschedulable"
    assert refusing(pod(), cordoned) == {"NodeUnschedulable": "UnschedulableAndUnresolvable"}
    assert refusing(pod(tolerations=[{"key": key, "operator": "Exists"}]), cordoned) == {}
    assert refusing(pod(tolerations=[{"key": key, "value": "true"}]), cordoned) != {}
