"""What the API server adds to objects before admission policies see them (kubernetes:pkg/apis/core/v1/defaults.go,
pkg/apis/apps/v1/defaults.go, pkg/apis/batch/v1/defaults.go, plugin/pkg/admission).
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.workload.manifests import read

from trainlint.installed.validating.body import Body, of_object, of_pods
from trainlint.installed.validating.defaults import as_pod, with_defaults, without_nulls

POD = {
    "restartPolicy": "Always",
    "dnsPolicy": "ClusterFirst",
    "schedulerName": "default-scheduler",
    "terminationGracePeriodSeconds": 30,
    "securityContext": {},
}
CONTAINER = {
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
    "resources": {},
    "imagePullPolicy": "IfNotPresent",
}


def pod(spec: dict[str, Any]) -> Any:
    return with_defaults("", "Pod", {"spec": spec})["spec"]


def test_the_fields_of_a_pod() -> None:
    assert pod({}) == POD
    stated = {
        "restartPolicy": "Never",
        "dnsPolicy": "None",
        "schedulerName": "kai",
        "terminationGracePeriodSeconds": 5,
        "securityContext": {"runAsUser": 1},
    }
    assert pod(stated) == stated
    assert pod({"serviceAccountName": "a"}) == {**POD, "serviceAccountName": "a", "serviceAccount": "a"}
    two = {"serviceAccountName": "a", "serviceAccount": "b"}
    assert pod(two) == {**POD, **two}


@pytest.mark.parametrize("key", ["containers", "initContainers"])
def test_the_fields_of_a_container(key: str) -> None:
    assert pod({key: [{"name": "a"}, "odd"]}) == {**POD, key: [{**CONTAINER, "name": "a"}, "odd"]}
    assert pod({key: "odd"}) == {**POD, key: "odd"}
    stated = {
        "terminationMessagePath": "/x",
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "resources": {"requests": {"cpu": "1"}},
        "imagePullPolicy": "Never",
    }
    assert pod({key: [stated]})[key] == [stated]


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("a", "Always"),
        ("a:latest", "Always"),
        ("r:5000/a", "Always"),
        ("a:1", "IfNotPresent"),
        ("r:5000/a:1", "IfNotPresent"),
        ("a@sha256:00", "IfNotPresent"),
        ("r/a:1@sha256:00", "IfNotPresent"),
        ("r/a:latest@sha256:00", "Always"),  # the tag decides, also beside a digest
        ("", "IfNotPresent"),  # what cannot be parsed has no tag
    ],
)
def test_images_are_pulled(image: str, policy: str) -> None:
    assert pod({"containers": [{"image": image}]})["containers"][0]["imagePullPolicy"] == policy


def test_ports_are_of_tcp() -> None:
    ports = [{"containerPort": 1}, {"containerPort": 2, "protocol": "UDP"}, "odd"]
    made = pod({"containers": [{"ports": ports}, {"ports": "odd"}]})["containers"]
    assert made[0]["ports"] == [{"containerPort": 1, "protocol": "TCP"}, {"containerPort": 2, "protocol": "UDP"}, "odd"]
    assert made[1]["ports"] == "odd"


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({"limits": {"cpu": "2", "a": "1"}}, {"limits": {"cpu": "2", "a": "1"}, "requests": {"cpu": "2", "a": "1"}}),
        (
            {"limits": {"cpu": "2", "a": "1"}, "requests": {"cpu": "1", "b": "3"}},
            {"limits": {"cpu": "2", "a": "1"}, "requests": {"cpu": "1", "a": "1", "b": "3"}},
        ),
        ({"limits": {"cpu": "2"}, "requests": "odd"}, {"limits": {"cpu": "2"}, "requests": {"cpu": "2"}}),
        ({"limits": {"cpu": 2}}, {"limits": {"cpu": "2"}, "requests": {"cpu": "2"}}),
        ({"limits": {"cpu": 0.5}}, {"limits": {"cpu": "0.5"}, "requests": {"cpu": "0.5"}}),
        ({"requests": {"cpu": "2"}}, {"requests": {"cpu": "2"}}),
        ({"limits": "odd"}, {"limits": "odd"}),
        ("odd", "odd"),
    ],
)
def test_requests_are_the_limits_where_they_are_not_written(resources: object, expected: object) -> None:
    assert pod({"containers": [{"resources": resources}]})["containers"][0]["resources"] == expected


@pytest.mark.parametrize("key", ["hostIPC", "hostNetwork", "hostPID"])
def test_what_is_false_in_a_pod_is_left_out(key: str) -> None:
    assert pod({key: False}) == POD
    assert pod({key: True}) == {**POD, key: True}
    assert pod({"automountServiceAccountToken": False}) == {**POD, "automountServiceAccountToken": False}


@pytest.mark.parametrize("key", ["stdin", "stdinOnce", "tty"])
def test_what_is_false_in_a_container_is_left_out(key: str) -> None:
    assert pod({"containers": [{key: False}, {key: True}]})["containers"] == [CONTAINER, {**CONTAINER, key: True}]


def test_what_is_empty_is_left_out() -> None:
    made = pod({"nodeName": "", "volumes": [], "nodeSelector": {}, "x": 0, "volumeMounts": [{"readOnly": False}]})
    assert made == {**POD, "nodeSelector": {}, "x": 0, "volumeMounts": [{}]}


@pytest.mark.parametrize("key", ["capacity", "hard", "limits", "overhead", "requests"])
def test_amounts_are_texts(key: str) -> None:
    assert pod({key: {"cpu": 1, "memory": "1Gi"}})[key] == {"cpu": "1", "memory": "1Gi"}
    assert pod({"others": {"cpu": 1}})["others"] == {"cpu": 1}


@pytest.mark.parametrize(
    ("group", "kind", "defaults"),
    [
        ("", "ReplicationController", {}),
        ("apps", "Deployment", {"replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600}),
        ("apps", "ReplicaSet", {"replicas": 1}),
        ("apps", "StatefulSet", {"replicas": 1, "podManagementPolicy": "OrderedReady", "revisionHistoryLimit": 10}),
        (
            "batch",
            "Job",
            {"backoffLimit": 6, "completionMode": "NonIndexed", "suspend": False, "parallelism": 1, "completions": 1},
        ),
    ],
)
def test_workloads_and_their_templates(group: str, kind: str, defaults: dict[str, Any]) -> None:
    def made(spec: dict[str, Any]) -> Any:
        return with_defaults(group, kind, {"kind": kind, "spec": spec})

    assert made({}) == {"kind": kind, "spec": defaults}
    assert made({"template": {"metadata": {"name": "a"}, "spec": {}}}) == {
        "kind": kind,
        "spec": {**defaults, "template": {"metadata": {"name": "a"}, "spec": POD}},
    }
    assert made({"template": {"x": 1}})["spec"]["template"] == {"x": 1}
    assert made({"template": "odd"})["spec"]["template"] == "odd"
    stated = dict.fromkeys(defaults, 7)
    assert made(stated) == {"kind": kind, "spec": stated}
    assert with_defaults("example.com", kind, {"spec": {"template": {"spec": {}}}}) == {
        "spec": {"template": {"spec": {}}}
    }


@pytest.mark.parametrize(
    ("written", "added"),
    [({}, {"parallelism": 1, "completions": 1}), ({"completions": 3}, {"parallelism": 1}), ({"parallelism": 3}, {})],
)
def test_the_counts_of_a_job(written: dict[str, Any], added: dict[str, Any]) -> None:
    rest = {"backoffLimit": 6, "completionMode": "NonIndexed", "suspend": False}
    assert with_defaults("batch", "Job", {"spec": written}) == {"spec": {**rest, **written, **added}}


def test_a_cron_job_has_the_job_in_it() -> None:
    text = {"spec": {"jobTemplate": {"spec": {"parallelism": 2, "template": {"spec": {}}}}}}
    job = {"backoffLimit": 6, "completionMode": "NonIndexed", "suspend": False, "parallelism": 2}
    own = {"concurrencyPolicy": "Allow", "suspend": False}
    assert with_defaults("batch", "CronJob", text) == {
        "spec": {**own, "jobTemplate": {"spec": {**job, "template": {"spec": POD}}}}
    }
    assert with_defaults("batch", "CronJob", {"spec": {"jobTemplate": {"x": 1}}}) == {
        "spec": {**own, "jobTemplate": {"x": 1}}
    }


def test_what_has_no_spec_or_is_of_another_kind_stays_as_it_is() -> None:
    assert with_defaults("", "Pod", {"x": ""}) == {"x": ""}
    assert with_defaults("", "Service", {"spec": {"x": ""}}) == {"spec": {"x": ""}}


def test_nulls_are_dropped() -> None:
    assert without_nulls({"a": None, "b": [{"c": None, "d": 0}, None, 1], "e": {}}) == {
        "b": [{"d": 0}, None, 1],
        "e": {},
    }


TOKEN = {
    "name": "kube-api-access",
    "projected": {
        "sources": [{"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}}],
        "defaultMode": 420,
    },
}
MOUNT = {
    "name": "kube-api-access",
    "readOnly": True,
    "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
}
TOLERATIONS = [
    {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
    for key in ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
]


def test_what_admission_plugins_add_to_a_pod() -> None:
    made = as_pod({"kind": "Pod", "spec": {"containers": [{"name": "a"}, "odd"], "initContainers": "odd"}})
    assert made == {
        "kind": "Pod",
        "spec": {
            "containers": [{"name": "a", "volumeMounts": [MOUNT]}, "odd"],
            "initContainers": "odd",
            "serviceAccountName": "default",
            "serviceAccount": "default",
            "enableServiceLinks": True,
            "tolerations": TOLERATIONS,
            "volumes": [TOKEN],
        },
    }


def test_what_a_pod_states_stays() -> None:
    stated = {
        "serviceAccountName": "a",
        "enableServiceLinks": False,
        "automountServiceAccountToken": False,
        "tolerations": [{"key": "x"}],
        "volumes": [{"name": "v"}],
        "containers": [{"name": "a", "volumeMounts": [{"name": "v"}]}],
    }
    assert as_pod({"spec": stated})["spec"] == {
        **stated,
        "serviceAccount": "a",
        "tolerations": [{"key": "x"}, *TOLERATIONS],
    }
    with_token = as_pod({"spec": {**stated, "automountServiceAccountToken": True}})["spec"]
    assert with_token["volumes"] == [{"name": "v"}, TOKEN]
    assert with_token["containers"] == [{"name": "a", "volumeMounts": [{"name": "v"}, MOUNT]}]


@pytest.mark.parametrize(
    ("tolerations", "added"),
    [
        ([{"operator": "Exists"}], []),
        ([{"key": "node.kubernetes.io/not-ready", "operator": "Exists"}], TOLERATIONS[1:]),
        ([{"key": "node.kubernetes.io/unreachable", "operator": "Exists"}], TOLERATIONS[:1]),
        (["odd"], TOLERATIONS),
    ],
)
def test_a_pod_tolerates_what_it_says(tolerations: list[Any], added: list[Any]) -> None:
    assert as_pod({"spec": {"tolerations": tolerations}})["spec"]["tolerations"] == [*tolerations, *added]


JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  parallelism: 2
  completions: 2
  completionMode: Indexed
  template:
    metadata: {labels: {app: train}, annotations: {note: 'x'}}
    spec:
      restartPolicy: Never
      containers: [{name: a, image: 'r.example/a:1'}]
"""
PYTORCH = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: pytorch, image: 'r.example/a:1'}]}}
"""


def object_of(text: str) -> Body:
    (workload,) = read(text).objects
    return of_object(workload)


def pods_of(text: str) -> Body:
    (workload,) = read(text).objects
    made = of_pods(workload, workload.pod_sets[0])
    assert made is not None
    return made


def test_the_object_of_a_job() -> None:
    body = object_of(JOB)
    assert body.value["metadata"] == {"name": "train", "namespace": "ml"}
    assert body.value["spec"]["backoffLimit"] == 6
    assert body.value["spec"]["template"]["spec"]["dnsPolicy"] == "ClusterFirst"
    assert (body.own_kind, body.weight, body.doubtful, body.counted) == (True, 1, frozenset(), frozenset())


def test_the_object_of_an_operator_has_no_defaults() -> None:
    body = object_of(PYTORCH)
    assert "dnsPolicy" not in str(body.value)
    assert not body.own_kind


def test_a_pod_arrives_with_what_plugins_add() -> None:
    text = "apiVersion: v1\nkind: Pod\nmetadata: {generateName: a-, namespace: ml}\nspec: {containers: [{name: a}]}\n"
    body = object_of(text)
    assert body.value["spec"]["serviceAccountName"] == "default"
    assert body.doubtful == {"metadata.name", "metadata.generateName", "request.name"}
    assert pods_of(text).value == body.value


def test_the_pods_of_a_job() -> None:
    body = pods_of(JOB)
    assert body.value["apiVersion"] == "v1"
    assert body.value["kind"] == "Pod"
    metadata = body.value["metadata"]
    assert metadata["namespace"] == "ml"
    assert metadata["ownerReferences"] == [
        {"apiVersion": "batch/v1", "kind": "Job", "name": "train", "controller": True}
    ]
    assert metadata["labels"]["app"] == "train"
    assert metadata["annotations"] == {"note": "x"}
    assert body.value["spec"]["tolerations"] == TOLERATIONS
    assert body.own_kind
    assert {
        "metadata.name",
        "metadata.generateName",
        "request.name",
        "spec.hostname",
        "spec.subdomain",
    } <= body.doubtful


def test_what_an_operator_adds_to_pods_is_not_counted() -> None:
    body = pods_of(PYTORCH)
    assert {"env", "annotations", "volumes", "volumeMounts", "ports"} <= body.counted
    assert not body.own_kind
    assert not {"env", "volumes"} & pods_of(JOB).counted


@pytest.mark.parametrize(
    ("written", "doubtful", "counted"),
    [
        ("metadata: {name: '${NAME}', namespace: ml}", {"name"}, set()),
        ("metadata: {name: a, namespace: ml, labels: {team: '${TEAM}'}}", {"team"}, {"labels"}),
        ("metadata: {name: a, namespace: ml, labels: {'${KEY}': b}}", {"${KEY}"}, {"labels"}),
        ("metadata: {name: a, namespace: ml, labels: {team: b}}", set(), set()),
    ],
)
def test_placeholders_are_not_known(written: str, doubtful: set[str], counted: set[str]) -> None:
    body = object_of(JOB.replace("metadata: {name: train, namespace: ml}", written))
    assert (body.doubtful, body.counted) == (doubtful, counted)


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("object.metadata.labels.team == 'a'", "team"),
        ("object.metadata.labels['team'] == 'a'", "team"),
        ("object.metadata.labels.teams == 'a'", ""),
        ("object.metadata.labels['my-team'] == 'a'", ""),
        ("has(object.metadata.labels)", ""),
        ("object.metadata.labels.all(k, k != 'x')", "labels"),
        ("object.spec.list.exists(k, k != 'x')", ""),
    ],
)
def test_an_expression_that_looks_at_what_is_not_known(text: str, doubt: str) -> None:
    body = Body({}, read(JOB).objects[0].field, frozenset({"team"}), frozenset({"labels"}))
    assert body.doubt(text) == doubt


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("object.spec.parallelism > 1", ("spec", "parallelism")),
        ("has(object.spec.absent) && object.spec.parallelism > 1", ("spec", "parallelism")),
        ("object.metadata.?labels['x']", ("metadata",)),
        ("object.spec.template.metadata.labels['app']", ("spec", "template", "metadata", "labels", "app")),
        ("object.spec.?template[?'metadata'].x", ("spec", "template", "metadata")),
        ("object.spec || object.metadata.name", ("metadata", "name")),
        ("oldObject.spec.parallelism", ()),
    ],
)
def test_the_deepest_place_that_an_expression_names(text: str, path: tuple[str, ...]) -> None:
    assert object_of(JOB).place(text) == path


@pytest.mark.parametrize(
    ("text", "later"),
    [
        ("object.spec.suspend", "suspend"),
        ("object.spec.?runPolicy.x", "runPolicy"),
        ("object.spec.pytorchReplicaSpecs.Worker.replicas", ""),  # it is written
        ("object.spec.replicas()", ""),
        ("object.spec.other", ""),
    ],
)
def test_what_an_operator_may_set(text: str, later: str) -> None:
    assert object_of(PYTORCH).set_later(text) == later
    assert object_of(JOB).set_later(text) == ""


def test_a_large_object_weighs_more() -> None:
    env = ", ".join(f"{{name: E{number}, value: '{number}'}}" for number in range(100))
    assert object_of(JOB.replace("name: a,", f"name: a, env: [{env}],")).weight == 4
    assert object_of(JOB.replace("note: 'x'", f"note: '{'x' * 10_000}'")).weight == 2
