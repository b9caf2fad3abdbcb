"""The static filters on pools: admission, doubts, and places for messages."""

from __future__ import annotations

from typing import Any

import pytest
from tests.scheduling.clusters import ZONE, field, on_nodes, pod, refusing, spec, where
from tests.scheduling.clusters import node as named_node
from tests.unknown_values import unknown

from trainlint.finding import Location
from trainlint.kube.pod import read_pod_spec
from trainlint.model.pool import Pool, Taint
from trainlint.model.settings import Settings
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.scheduling.admission import admit
from trainlint.scheduling.filter import Doubt, Refusal, static_refusals
from trainlint.scheduling.node import node_of
from trainlint.scheduling.node_resources_fit import Shortage, shortages
from trainlint.wording.because import because_text

GPU = "nvidia.com/gpu"
ROOM = {"cpu": "64", "memory": "256Gi", "pods": "110", GPU: "8"}


def pod_set(**parts: Any) -> PodSet:
    at = Location("train.yaml", 0, ("spec",))
    return PodSet(
        ObjectRef("Job", "team", "train"), "", 1, {"app": "train"}, read_pod_spec(field(spec(**parts))), at, at
    )


def plugins(answers: tuple[Refusal | Doubt, ...]) -> list[tuple[str, str]]:
    return [(type(answer).__name__, answer.plugin) for answer in answers]


TAINTED = Pool("gpu", {ZONE: "a"}, (Taint(GPU, "present"),), ROOM)


@pytest.mark.parametrize(
    ("settings", "taint", "fits"),
    [
        (Settings(), Taint(GPU), False),
        (Settings(profile="eks"), Taint(GPU), True),
        (Settings(profile="kind"), Taint(GPU), False),
        (Settings(profile="gke"), Taint(GPU, "present"), True),
        (Settings(admission=frozenset({"ExtendedResourceToleration"})), Taint(GPU), True),
        (Settings(profile="gke"), Taint(GPU, "", "NoExecute"), False),
        (Settings(profile="gke"), Taint("gpu", "true"), False),
    ],
    ids=["upstream", "EKS", "kind", "GKE", "named", "GKE, NoExecute", "GKE, another key"],
)
def test_the_admission_plugin_tolerates_key_and_no_schedule(settings: Settings, taint: Taint, fits: bool) -> None:
    # S 1.11, S 5 numbers 15 and 16.
    answers = static_refusals(pod_set(limits={GPU: "8"}), Pool("gpu", {}, (taint,), ROOM), settings)
    assert (answers == ()) is fits


def test_every_filter_is_asked_by_itself() -> None:
    asked = pod_set(limits={GPU: "16"}, nodeSelector={ZONE: "b"}, nodeName="elsewhere")
    cordoned = Pool("gpu", {ZONE: "a"}, (Taint(GPU),), ROOM, unschedulable=True)
    assert plugins(static_refusals(asked, cordoned, Settings())) == [
        ("Refusal", "NodeUnschedulable"),
        ("Refusal", "NodeName"),
        ("Refusal", "TaintToleration"),
        ("Refusal", "NodeAffinity"),
        ("Refusal", "NodeResourcesFit"),
    ]


def test_unknown_allocatable_is_a_doubt() -> None:
    answers = static_refusals(pod_set(limits={GPU: "1"}), Pool("gpu"), Settings())
    assert plugins(answers) == [("Doubt", "NodeResourcesFit")]


def test_one_unknown_amount_is_a_doubt_only_where_nothing_else_is_short() -> None:
    unsure = Pool("gpu", {}, (), {**ROOM, GPU: unknown("varies")})
    assert plugins(static_refusals(pod_set(limits={GPU: "1"}), unsure, Settings())) == [("Doubt", "NodeResourcesFit")]
    assert plugins(static_refusals(pod_set(limits={"cpu": "65", GPU: "1"}), unsure, Settings())) == [
        ("Refusal", "NodeResourcesFit")
    ]
    assert static_refusals(pod_set(limits={"cpu": "1"}), unsure, Settings()) == ()


def test_a_label_that_the_platform_may_add_is_a_doubt() -> None:
    pool = Pool("karpenter", {ZONE: "a"}, (), ROOM, listed_keys=frozenset({ZONE}))
    asked = pod_set(nodeSelector={"karpenter.sh/capacity-type": "spot"})
    assert plugins(static_refusals(asked, pool, Settings())) == [("Doubt", "NodeAffinity")]
    assert plugins(static_refusals(pod_set(nodeSelector={"team": "ml"}), pool, Settings())) == [
        ("Refusal", "NodeAffinity")
    ]


def test_a_host_name_may_be_that_of_a_node_that_is_yet_to_come() -> None:
    pool = Pool("karpenter", {ZONE: "a"}, (), ROOM, maximum=10, listed_keys=frozenset({ZONE}))
    asked = pod_set(nodeSelector={"kubernetes.io/hostname": "ip-10-0-0-1"})
    assert plugins(static_refusals(asked, pool, Settings())) == [("Doubt", "NodeAffinity")]


def test_a_placeholder_in_a_node_selector_is_a_doubt_unless_the_label_is_missing() -> None:
    asked = pod_set(nodeSelector={ZONE: "${ZONE}"})
    assert plugins(static_refusals(asked, Pool("p", {ZONE: "a"}, (), ROOM), Settings())) == [("Doubt", "NodeAffinity")]
    assert plugins(static_refusals(asked, Pool("p", {}, (), ROOM), Settings())) == [("Refusal", "NodeAffinity")]


def test_a_node_selector_that_is_one_placeholder_is_a_doubt_on_every_node() -> None:
    asked = pod_set(nodeSelector="${SELECTOR}")
    assert plugins(static_refusals(asked, Pool("p", {}, (), ROOM), Settings())) == [("Doubt", "NodeAffinity")]


def test_a_pod_with_resource_claims_is_a_doubt_on_every_node() -> None:
    asked = pod_set(resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}])
    assert plugins(static_refusals(asked, TAINTED, Settings())) == [
        ("Refusal", "TaintToleration"),
        ("Doubt", "DynamicResources"),
    ]


def test_a_refusal_points_at_the_requirement_that_is_not_met() -> None:
    asked = pod_set(affinity=on_nodes(where("gpu-type", "In", "h100", "h200")))
    (answer,) = static_refusals(asked, Pool("p", {"gpu-type": "a100"}, (), ROOM), Settings())
    assert isinstance(answer, Refusal)
    assert "gpu-type In [h100, h200]" in because_text(answer.reason)
    assert answer.at is not None
    assert answer.at.path[-2:] == ("matchExpressions", 0)


def test_a_shortage_says_what_is_asked_used_and_there() -> None:
    asked = admit(pod_set(limits={"cpu": "65", GPU: "8"}), Settings()).pod
    assert shortages(asked.requests, node_of(Pool("p", {}, (), ROOM)), {GPU: 4}) == [
        Shortage("cpu", 65000, 0, 64000),
        Shortage(GPU, 8, 4, 8),
    ]


def test_only_what_an_empty_node_could_not_give_is_unresolvable() -> None:
    worker = pod(limits={GPU: "8"})
    assert refusing(worker, named_node("n", gpu="8"), [worker]) == {"NodeResourcesFit": "Unschedulable"}
    assert refusing(worker, named_node("n", gpu="4"), [worker]) == {"NodeResourcesFit": "UnschedulableAndUnresolvable"}
