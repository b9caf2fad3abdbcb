"""What the API server refuses of a pod (kubernetes:pkg/apis/core/validation/validation.go)."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from trainlint.admission.refusals import problems
from trainlint.source.document import Document
from trainlint.wording.because import because_text

POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "train", "labels": {"app": "train"}},
    "spec": {
        "restartPolicy": "Never",
        "volumes": [{"name": "scratch", "emptyDir": {}}, {"name": "none"}],
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "topologySpreadConstraints": [
            {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}
        ],
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [{"matchExpressions": [{"key": "gpu", "operator": "In", "values": ["h100"]}]}]
                }
            },
            "podAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {"weight": 10, "podAffinityTerm": {"topologyKey": "rack"}}
                ]
            },
        },
        "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one"}],
        "containers": [
            {
                "name": "main",
                "image": "registry.example/train:1",
                "ports": [{"name": "rdzv", "containerPort": 29500}],
                "env": [
                    {"name": "RANK", "value": "0"},
                    {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
                ],
                "volumeMounts": [{"name": "scratch", "mountPath": "/scratch"}],
                "readinessProbe": {"tcpSocket": {"port": 29500}},
                "resources": {
                    "requests": {"cpu": "2", "memory": "4Gi", "hugepages-2Mi": "4Mi"},
                    "limits": {"cpu": "4", "memory": "4Gi", "hugepages-2Mi": "4Mi"},
                    "claims": [{"name": "gpu"}],
                },
            }
        ],
    },
}
MAIN = ("spec", "containers", 0)


def changed(path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    pod = copy.deepcopy(POD)
    holder: Any = pod
    for step in path[:-1]:
        holder = holder[step]
    if value is None:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return pod


def said(pod: dict[str, Any], kubernetes: str = "1.36") -> list[str]:
    return [because_text(each.why) for each in problems(Document("pod.yaml", 0, 1, "", pod).root, kubernetes)]


def test_a_valid_pod_is_taken() -> None:
    assert said(POD) == []


REFUSED = [
    ((*MAIN, "name"), "Main_1", "no name of a container"),
    ((*MAIN, "ports", 0, "name"), "rendezvous-of-the-job", "15 are allowed"),
    ((*MAIN, "ports", 0, "name"), "12345", "no name of a port"),
    ((*MAIN, "ports", 0, "containerPort"), 70000, "no port"),
    ((*MAIN, "ports", 0, "protocol"), "tcp", "none of TCP"),
    ((*MAIN, "ports", 0, "containerPort"), None, "no containerPort"),
    ((*MAIN, "env", 0, "valueFrom"), {"fieldRef": {"fieldPath": "status.podIP"}}, "a value and a valueFrom"),
    ((*MAIN, "env", 1, "valueFrom"), {}, "names no source"),
    ((*MAIN, "env", 1, "valueFrom"), {"configMapKeyRef": {"name": "x"}}, "names no key"),
    ((*MAIN, "volumeMounts", 0, "name"), "scrach", "none of this name: it has scratch"),
    ((*MAIN, "volumeMounts", 0, "mountPath"), None, "has no mountPath"),
    ((*MAIN, "volumeMounts", 0, "subPath"), "../x", "must be relative"),
    ((*MAIN, "readinessProbe"), {"periodSeconds": 3}, "does none"),
    ((*MAIN, "startupProbe"), {"tcpSocket": {"port": 1}, "successThreshold": 2}, "must be 1"),
    ((*MAIN, "args"), ["--lr", 0.1], "must be text"),
    ((*MAIN, "imagePullPolicy"), "ifnotpresent", "must be one of Always, IfNotPresent, Never"),
    ((*MAIN, "resources", "requests", "cpu"), "20", "requests 20 cpu, and its limit is 4"),
    ((*MAIN, "resources", "requests", "hugepages-2Mi"), "2Mi", "cannot be overcommitted"),
    ((*MAIN, "resources"), {"limits": {"hugepages-2Mi": "4Mi"}}, "neither cpu nor memory"),
    ((*MAIN, "resources"), {"limits": {"cpu": 1, "hugepages-2Mi": "5120"}}, "no multiple of the page size"),
    ((*MAIN, "resources"), {"requests": {"cpu": 1, "hugepages-2Mi": "4Mi"}}, "without a limit"),
    ((*MAIN, "resources"), {"limits": {"gpu": 1}}, "no resource of a container"),
    ((*MAIN, "resources"), {"limits": {"memory": "16GB"}}, "no quantity"),
    ((*MAIN, "resources"), {"claims": [{"name": "gpus"}]}, "the pod has none of this name"),
    ((*MAIN, "securityContext"), {"privileged": True, "allowPrivilegeEscalation": False}, "contradict each other"),
    (("spec", "volumes", 1), {"name": "scratch", "emptyDir": {}}, "two volumes are called scratch"),
    (("spec", "volumes", 0), {"name": "scratch", "emptyDir": {}, "hostPath": {"path": "/x"}}, "2 sources"),
    (("spec", "volumes", 1), {"name": "none", "persistentVolumeClaim": {}}, "names no claimName"),
    (("spec", "restartPolicy"), "Once", "must be one of Always"),
    (("spec", "hostname"), "a.b", "no hostname"),
    (("spec", "dnsPolicy"), "None", "needs a nameserver"),
    (("spec", "tolerations", 0, "operator"), "Exits", "no operator of a toleration"),
    (("spec", "tolerations", 0, "value"), "present", "which excludes it"),
    (("spec", "tolerations", 0, "effect"), "NoExec", "no effect of a taint"),
    (("spec", "tolerations", 0, "tolerationSeconds"), 60, "only the effect NoExecute"),
    (("spec", "topologySpreadConstraints", 0, "whenUnsatisfiable"), None, "is missing"),
    (("spec", "topologySpreadConstraints", 0, "maxSkew"), 0, "must be 1 or more"),
    (("spec", "nodeSelector"), {"gpu": "a b"}, "no value of a label"),
    (("spec", "resourceClaims", 0, "resourceClaimName"), "two", "exactly one of the two"),
    (("spec", "resourceClaims", 0, "resourceClaimTemplateName"), None, "has neither"),
    (("metadata", "name"), "bad_name", "no name of an object"),
    (("metadata", "labels"), {"app": "-x"}, "no value of the label"),
    (("spec", "hostNetwork"), "yes", "must be true or false"),
]


@pytest.mark.parametrize(("path", "value", "words"), REFUSED, ids=lambda each: str(each)[:60])
def test_one_change_is_refused_once_and_says_why(path: tuple[str | int, ...], value: Any, words: str) -> None:
    (only,) = said(changed(path, value))
    assert words in only


TAKEN = [
    ((*MAIN, "volumeMounts", 0, "name"), "${VOLUME}"),
    (("metadata", "name"), "train-JOB_NAME"),
    (("metadata", "name"), "{{ name }}"),
    ((*MAIN, "resources", "requests", "cpu"), "${CPUS}"),
    ((*MAIN, "resources"), {"limits": {"cpu": 4, "memory": 16e9}}),
    ((*MAIN, "args"), ["${ARGS}"]),
    ((*MAIN, "ports", 0, "containerPort"), "PORT"),
    (("spec", "volumes", 1), {"name": "PV_NAME"}),
    (("spec", "tolerations", 0), {"operator": "Exists"}),
    (("spec", "hostNetwork"), True),
    (("spec", "volumes", 1), {"name": "none", "projected": {"sources": []}}),
    ((*MAIN, "image"), "registry.example/{{ tag }}"),
]


@pytest.mark.parametrize(("path", "value"), TAKEN, ids=lambda each: str(each)[:60])
def test_placeholders_and_what_the_api_server_takes_are_silent(path: tuple[str | int, ...], value: Any) -> None:
    assert said(changed(path, value)) == []


def test_claims_are_read_in_the_older_way_before_kubernetes_1_31() -> None:
    pod = changed(("spec", "resourceClaims", 0), {"name": "gpu", "source": {"resourceClaimTemplateName": "one"}})
    assert said(pod, "1.29") == []


def test_an_object_without_images_may_be_a_patch() -> None:
    assert said(changed((*MAIN, "image"), None) | {"spec": {"containers": [{"name": "x", "volumeMounts": [{}]}]}}) == []


def test_what_a_template_leaves_empty_is_said_by_the_values_of_an_installation() -> None:
    empty = changed((*MAIN, "volumeMounts"), [{"name": None, "mountPath": None}])
    assert said(empty) == []
    rendered = Document(
        "chart", 0, 1, "", changed((*MAIN, "volumeMounts", 0, "mountPath"), ""), origin=lambda path: None
    )  # type: ignore[arg-type, return-value]
    assert problems(rendered.root, "1.36") == ()
    assert len(said(changed((*MAIN, "volumeMounts", 0, "mountPath"), ""))) == 1


def test_a_name_of_which_an_empty_value_of_a_chart_is_a_part_is_left_open() -> None:
    cut = changed((*MAIN, "env", 0), {"name": "A", "valueFrom": {"secretKeyRef": {"name": "app-", "key": "k"}}})
    rendered = Document("chart", 0, 1, "", cut, origin=lambda path: None)  # type: ignore[arg-type, return-value]
    assert problems(rendered.root, "1.36") == ()
    assert len(said(cut)) == 1
