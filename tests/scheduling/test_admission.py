"""What the API server makes of pods before they are scheduled (S 1.11), from the specification."""

from __future__ import annotations

from typing import Any

import pytest
from tests.scheduling.clusters import ZONE, field, spec

from trainlint.finding import Location
from trainlint.kube.admission import read_namespace_defaults, read_runtime_class
from trainlint.kube.pod import read_pod_spec
from trainlint.model.admission import Admission
from trainlint.model.pool import Pool, Taint
from trainlint.model.settings import Settings
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.scheduling.admission import Admitted, admit
from trainlint.scheduling.filter import refusals
from trainlint.scheduling.node import node_of
from trainlint.scheduling.refusal import Refusal
from trainlint.wording.because import because_text

GPU = "nvidia.com/gpu"
ROOM = {"cpu": "64", "memory": "256Gi", "pods": "110", GPU: "8"}
PLAIN = Pool("plain", {ZONE: "a"}, (), ROOM)
SANDBOXED = Pool("sandboxed", {"sandbox": "yes"}, (Taint("sandbox", "yes"),), ROOM)


def made(known: Admission, settings: Settings | None = None, **parts: Any) -> Admitted:
    at = Location("train.yaml", 0, ("spec",))
    pods = PodSet(ObjectRef("Job", "team", "train"), "", 1, {}, read_pod_spec(field(spec(**parts))), at, at)
    return admit(pods, settings or Settings(), known)


def answers(admitted: Admitted, pool: Pool) -> list[tuple[str, str]]:
    found = admitted.judged(refusals(admitted.pod, node_of(pool)))
    return [(type(each).__name__, each.plugin) for each in found]


def runtime_class(**parts: Any) -> Admission:
    read = read_runtime_class(field({"metadata": {"name": "kata"}, **parts}))
    return Admission(runtime_classes={"kata": read})


def test_a_runtime_class_adds_its_overhead_to_the_requests() -> None:
    known = runtime_class(overhead={"podFixed": {"cpu": "250m", "memory": "1Gi"}})
    admitted = made(known, limits={"cpu": "2", "memory": "3Gi"}, runtimeClassName="kata")
    assert admitted.pod.requests.amounts == {"cpu": 2250, "memory": 4 << 30}


def test_a_runtime_class_narrows_the_nodes_and_tolerates_their_taint() -> None:
    scheduling = {"nodeSelector": {"sandbox": "yes"}, "tolerations": [{"key": "sandbox", "operator": "Exists"}]}
    admitted = made(runtime_class(scheduling=scheduling), runtimeClassName="kata")
    assert answers(admitted, SANDBOXED) == []
    assert answers(admitted, PLAIN) == [("Refusal", "NodeAffinity")]


def test_a_runtime_class_that_wants_another_node_than_the_pod_refuses_it() -> None:
    known = runtime_class(scheduling={"nodeSelector": {"sandbox": "yes"}})
    admitted = made(known, runtimeClassName="kata", nodeSelector={"sandbox": "no"})
    (refusal,) = admitted.refusals
    assert "sandbox=no" in because_text(refusal.reason)
    assert ("Refusal", "RuntimeClass") in answers(admitted, SANDBOXED)


@pytest.mark.parametrize(("overhead", "refused"), [({"cpu": "250m"}, False), ({"cpu": "1"}, True)])
def test_an_overhead_of_the_pod_must_be_that_of_its_class(overhead: dict[str, str], refused: bool) -> None:
    known = runtime_class(overhead={"podFixed": {"cpu": "250m"}})
    assert bool(made(known, runtimeClassName="kata", overhead=overhead).refusals) is refused


def test_what_a_runtime_class_outside_of_git_adds_is_unknown() -> None:
    # It may tolerate the taint and may exclude the node that has none; it can never free what a node lacks.
    admitted = made(Admission(), runtimeClassName="kata")
    assert [name for name, _ in answers(admitted, SANDBOXED)] == ["Doubt"]
    assert [name for name, _ in answers(admitted, PLAIN)] == ["Doubt"]
    large = made(Admission(), runtimeClassName="kata", limits={"cpu": "65"})
    assert answers(large, PLAIN) == [("Refusal", "NodeResourcesFit")]


def test_placeholders_in_a_runtime_class_are_doubts_too() -> None:
    admitted = made(runtime_class(scheduling="${SCHEDULING}"), runtimeClassName="kata")
    assert [name for name, _ in answers(admitted, PLAIN)] == ["Doubt"]


def namespace(**annotations: str) -> Admission:
    names = {
        "selector": "scheduler.alpha.kubernetes.io/node-selector",
        "tolerations": "scheduler.alpha.kubernetes.io/defaultTolerations",
        "allowed": "scheduler.alpha.kubernetes.io/tolerationsWhitelist",
    }
    written = {names[key]: value for key, value in annotations.items()}
    read = read_namespace_defaults(field({"metadata": {"name": "team", "annotations": written}}))
    return Admission(namespaces={"team": read})


SELECTS = Settings(admission=frozenset({"PodNodeSelector"}))
TOLERATES = Settings(admission=frozenset({"PodTolerationRestriction"}))


def test_the_node_selector_of_a_namespace_counts_only_where_its_plugin_runs() -> None:
    known = namespace(selector="sandbox=yes, team = ml")
    assert answers(made(known), PLAIN) == []
    admitted = made(known, SELECTS)
    assert [(each.key, each.values) for each in admitted.pod.spec.node_selector] == [
        ("sandbox", ("yes",)),
        ("team", ("ml",)),
    ]
    assert answers(admitted, PLAIN) == [("Refusal", "NodeAffinity")]


def test_a_node_selector_that_conflicts_with_its_namespace_is_refused() -> None:
    assert made(namespace(selector="sandbox=yes"), SELECTS, nodeSelector={"sandbox": "no"}).refusals
    assert not made(namespace(selector="sandbox=yes"), SELECTS, nodeSelector={"sandbox": "yes"}).refusals


def test_the_tolerations_of_a_namespace_are_added() -> None:
    known = namespace(tolerations='[{"key": "sandbox", "operator": "Exists", "effect": "NoSchedule"}]')
    assert answers(made(known), SANDBOXED) == [("Refusal", "TaintToleration")]
    assert answers(made(known, TOLERATES), SANDBOXED) == []


@pytest.mark.parametrize(
    ("allowed", "refused"),
    [
        ('[{"key": "sandbox", "operator": "Exists"}]', False),
        ('[{"operator": "Exists"}]', False),
        ('[{"key": "sandbox", "operator": "Equal", "value": "yes", "effect": "NoSchedule"}]', False),
        ('[{"key": "sandbox", "operator": "Equal", "value": "no"}]', True),
        ('[{"key": "sandbox", "operator": "Exists", "effect": "NoExecute"}]', True),
        ('[{"key": "other", "operator": "Exists"}]', True),
        ("[]", False),
    ],
)
def test_a_toleration_that_the_namespace_does_not_allow_is_refused(allowed: str, refused: bool) -> None:
    mine = [{"key": "sandbox", "operator": "Equal", "value": "yes", "effect": "NoSchedule"}]
    assert bool(made(namespace(allowed=allowed), TOLERATES, tolerations=mine).refusals) is refused


@pytest.mark.parametrize("known", [Admission(), namespace(tolerations="{not json"), namespace(selector="${SELECTOR}")])
def test_a_namespace_that_is_not_in_git_or_cannot_be_read_is_a_doubt(known: Admission) -> None:
    both = Settings(admission=frozenset({"PodNodeSelector", "PodTolerationRestriction"}))
    assert [name for name, _ in answers(made(known, both), PLAIN)] == ["Doubt"]
    assert [name for name, _ in answers(made(known, both), SANDBOXED)] == ["Doubt"]


def test_refusals_of_admission_keep_the_pod_from_every_node() -> None:
    admitted = made(runtime_class(overhead={"podFixed": {"cpu": "1"}}), runtimeClassName="kata", overhead={"cpu": "2"})
    assert all(isinstance(each, Refusal) for each in admitted.judged(()))
