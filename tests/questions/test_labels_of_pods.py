"""Which labels name pods, which pods may get, and what is on the way of each (decision 12)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tests.fields import field
from tests.unknown_values import unknown

from trainlint.finding import Location
from trainlint.kube.meta import read_meta
from trainlint.model.known import Known
from trainlint.model.pod import AffinityTerm, PodSpec
from trainlint.model.selector import LabelSelector, Requirement
from trainlint.model.workload import ObjectRef, PodSet, Service
from trainlint.questions.lookalikes import may_be_labelled
from trainlint.questions.named_pods import lasting_labels, naming_labels, pods_with
from trainlint.snapshot.objects import ApiObject

HERE = Location("a.yaml", 0)
JOB = "training.kubeflow.org/job-name"
ROLE = "training.kubeflow.org/replica-type"


def pods(
    labels: dict[str, Known[str]], name: str = "train", namespace: str = "ml", role: str = "", **spec: Any
) -> PodSet:
    owner = ObjectRef("Job", namespace, name)
    return PodSet(owner, role, 1, labels, PodSpec((), **spec), HERE, HERE)


def facts(
    *pod_sets: PodSet, services: tuple[Service, ...] = (), objects: tuple[ApiObject, ...] = (), drops: str = "nothing"
) -> Any:
    workloads = SimpleNamespace(pod_sets=pod_sets, services=services)
    snapshot = SimpleNamespace(workloads=workloads, objects=objects)
    return SimpleNamespace(snapshot=snapshot, policies=SimpleNamespace(drops=lambda key: drops in key, entries=()))


def test_labels_that_last_are_those_that_name_the_workload() -> None:
    labels: dict[str, Known[str]] = {
        "app": "x",
        "empty": "",
        "unknown": unknown("a placeholder"),
        JOB: "train",
        "pod-template-hash": "1",
        "controller-uid": "2",
        "batch.kubernetes.io/job-completion-index": "3",
        "topology.kubernetes.io/zone": "z",
        "kubernetes.io/arch": "arm64",
        "node.kubernetes.io/instance-type": "m",
        "io.cilium.k8s.policy.cluster": "c",
    }
    assert set(lasting_labels(pods(labels))) == {"app", JOB}


@pytest.mark.parametrize(
    ("labels", "named"),
    [
        # usual names before those of operators, these before those of people, roles last
        ({"x": "1", JOB: "t", "app": "t"}, {"app": "t"}),
        ({"name": "t", "app": "t"}, {"app": "t"}),
        ({"k8s-app": "t", "name": "t", "app.kubernetes.io/name": "t"}, {"app.kubernetes.io/name": "t"}),
        ({"x": "1", JOB: "t"}, {JOB: "t"}),
        ({"batch.kubernetes.io/job-name": "t", JOB: "t"}, {JOB: "t"}),
        ({"x": "1", ROLE: "worker"}, {"x": "1"}),
        ({"role": "w", "app.kubernetes.io/component": "w"}, {"app.kubernetes.io/component": "w"}),
        ({"kai.scheduler/x": "1", ROLE: "worker"}, {ROLE: "worker"}),
        ({"b": "1", "a": "1"}, {"a": "1"}),
        ({}, {}),
    ],
)  # fmt: skip
def test_pods_are_named_by_the_label_that_people_would_choose(
    labels: dict[str, Known[str]], named: dict[str, str]
) -> None:
    own = pods(labels)
    assert naming_labels(facts(own), [own]) == named


def test_as_many_labels_as_tell_the_pods_from_all_others_of_their_namespace() -> None:
    own = pods({"app": "t", "part": "a", "size": "1"})
    assert naming_labels(facts(own, pods({"app": "t"}, "other")), [own]) == {"part": "a"}
    assert naming_labels(facts(own, pods({"app": "t"}, "other", namespace="elsewhere")), [own]) == {"app": "t"}
    others = [pods({**own.labels, key: "x"}, key) for key in ("app", "part")]
    assert naming_labels(facts(own, *others), [own]) == {"app": "t", "part": "a"}
    others = [pods({**own.labels, key: "x"}, key) for key in own.labels]
    assert naming_labels(facts(own, *others), [own]) == {"app": "t", "part": "a", "size": "1"}
    assert naming_labels(facts(own, pods(dict(own.labels), "twin")), [own]) == {}
    maybe = pods({"app": unknown("a placeholder")}, "other")
    assert naming_labels(facts(own, maybe), [own]) == {"part": "a"}
    four = pods({"a": "1", "b": "1", "c": "1", "d": "1"})
    assert naming_labels(facts(four, *(pods({**four.labels, key: "x"}, key) for key in four.labels)), [four]) == {}


def test_labels_that_policies_use_already_come_first_and_dropped_ones_never() -> None:
    own = pods({"app": "t", "part": "a"})
    assert naming_labels(facts(own), [own], like={"part"}) == {"part": "a"}
    assert naming_labels(facts(own, drops="app"), [own]) == {"part": "a"}


def test_several_sets_are_named_by_what_they_share() -> None:
    one, other = pods({"app": "t", "part": "a", "x": "1"}), pods({"app": "t", "part": "b", "x": "1"}, role="w")
    assert naming_labels(facts(one, other), [one, other]) == {"app": "t"}
    assert naming_labels(facts(one, other), [one, other], like={"part"}) == {"app": "t"}


def test_pods_that_carry_labels_or_may() -> None:
    own, maybe = pods({"app": "t"}), pods({"app": unknown("x")}, "maybe")
    others = pods({"app": "u"}, "u"), pods({}, "bare"), pods({"app": "t"}, "far", namespace="b")
    assert pods_with(facts(own, maybe, *others), "ml", [("app", "t")]) == [own, maybe]
    assert pods_with(facts(own), "ml", []) == [own]


def service(selector: dict[str, str] | None, namespace: str = "ml") -> Service:
    return Service(ObjectRef("Service", namespace, "s"), selector)


def selecting(kind: str, labels: dict[str, Any], namespace: str = "ml") -> ApiObject:
    group = "policy/v1" if kind == "PodDisruptionBudget" else "apps/v1"
    data = {"apiVersion": group, "kind": kind, "metadata": {"name": "o", "namespace": namespace}}
    root = field({**data, "spec": {"selector": {"matchLabels": labels}}})
    return ApiObject(root, read_meta(root), None)


def near(name: str, labels: dict[str, str], kind: str = "pod_affinity", namespace: str = "ml", **more: Any) -> PodSet:
    wanted = LabelSelector(tuple(Requirement(key, "In", (value,)) for key, value in labels.items()))
    return pods({}, name, namespace, **{kind: (AffinityTerm("zone", wanted, **more),)})


OWN = pods({"app": "x", "tier": "t"})
NAMES = ("app", "name", "k8s-app", "app.kubernetes.io/name", "app.kubernetes.io/instance")


@pytest.mark.parametrize(
    ("changes", "more", "may"),
    [
        ({"part": "a"}, {}, True),
        ({"part": None}, {}, True),
        ({"tier": "u"}, {}, True),
        *(({key: "y"}, {}, False) for key in NAMES),
        ({"app": "x"}, {}, True),
        ({JOB: "train"}, {}, False),
        ({"pod-template-hash": "1"}, {}, False),
        ({"topology.kubernetes.io/zone": "z"}, {}, True),
        ({"kueue.x-k8s.io/queue-name": "q"}, {}, True),
        ({"part": "a"}, {"services": (service({"part": "a"}),)}, False),
        ({"part": "a"}, {"services": (service({"part": "b"}),)}, True),
        ({"part": "a"}, {"services": (service({"part": "a", "z": "1"}),)}, True),
        ({"part": "a"}, {"services": (service({"part": "a"}, "other"),)}, True),
        ({"part": "a"}, {"services": (service({}), service(None))}, True),
        ({"tier": None}, {"services": (service({"tier": "t"}),)}, False),
        *(
            ({"part": "a"}, {"objects": (selecting(kind, {"part": "a"}),)}, False)
            for kind in ("DaemonSet", "Deployment", "PodDisruptionBudget", "ReplicaSet", "StatefulSet")
        ),
        ({"part": "a"}, {"objects": (selecting("NetworkPolicy", {"part": "a"}),)}, True),
        ({"part": "a"}, {"objects": (selecting("Deployment", {"part": "a"}, "other"),)}, True),
        ({"part": "a"}, {"objects": (selecting("Deployment", {}),)}, True),
    ],
)  # fmt: skip
def test_labels_that_pods_may_get(changes: dict[str, str | None], more: dict[str, Any], may: bool) -> None:
    assert may_be_labelled(facts(OWN, **more), OWN, changes) is may


@pytest.mark.parametrize(
    ("other", "may"),
    [
        (near("other", {"part": "a"}), False),
        (near("other", {"part": "a"}, "pod_anti_affinity"), False),
        (near("other", {"part": "b"}), True),
        (near("train", {"part": "a"}), True),
        (near("other", {"part": "a"}, namespace="far"), True),
        (near("other", {"part": "a"}, namespace="far", namespaces=("ml",)), False),
        (near("other", {"part": "a"}, namespaces=("far",)), True),
    ],
)
def test_pods_do_not_get_near_others_by_a_label(other: PodSet, may: bool) -> None:
    assert may_be_labelled(facts(OWN, other), OWN, {"part": "a"}) is may
