"""Beside what is refused stands what is taken: each fault of a pod with the nearest state that the API server takes."""

from __future__ import annotations

from typing import Any

import pytest

from trainlint.admission.refusals import problems
from trainlint.source.document import Document

BARE: dict[str, Any] = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "registry.example/train:1"}]}
MOUNT = {"volumes": [{"name": "v", "emptyDir": {}}]}


def refused(spec: dict[str, Any], container: dict[str, Any] | None = None) -> list[str]:
    made = {**BARE, **spec}
    made["containers"] = [{**BARE["containers"][0], **(container or {})}]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": made}
    return ["/".join(map(str, each.at)) for each in problems(Document("a.yaml", 0, 1, "", pod).root, "1.36")]


OF_PODS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"dnsPolicy": "None"}, {"dnsPolicy": "None", "dnsConfig": {"nameservers": ["10.0.0.10"]}}, "dnsPolicy"),
    (
        {"shareProcessNamespace": True, "hostPID": True},
        {"shareProcessNamespace": True, "hostPID": False},
        "shareProcessNamespace",
    ),
    ({"restartPolicy": "never"}, {"restartPolicy": "OnFailure"}, "restartPolicy"),
    ({"dnsPolicy": "clusterFirst"}, {"dnsPolicy": "ClusterFirstWithHostNet"}, "dnsPolicy"),
    ({"tolerations": [{"operator": "Equal", "value": "x"}]}, {"tolerations": [{"operator": "Exists"}]}, "tolerations"),
    (
        {"tolerations": [{"key": "a", "operator": "Exists", "value": "x"}]},
        {"tolerations": [{"key": "a", "operator": "Exists"}]},
        "tolerations",
    ),
    ({"activeDeadlineSeconds": 0}, {"activeDeadlineSeconds": 1}, "activeDeadlineSeconds"),
]
OF_CONTAINERS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"ports": [{"containerPort": 65536}]}, {"ports": [{"containerPort": 65535}]}, "ports"),
    ({"ports": [{"containerPort": 0}]}, {"ports": [{"containerPort": 1}]}, "ports"),
    (
        {"resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}},
        {"resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "1"}}},
        "resources",
    ),
    (
        {"volumeMounts": [{"name": "w", "mountPath": "/w"}]},
        {"volumeMounts": [{"name": "v", "mountPath": "/w"}]},
        "volumeMounts",
    ),
    (
        {"volumeMounts": [{"name": "v", "mountPath": "/w"}, {"name": "v", "mountPath": "/w"}]},
        {"volumeMounts": [{"name": "v", "mountPath": "/w"}, {"name": "v", "mountPath": "/x"}]},
        "volumeMounts",
    ),
    ({"imagePullPolicy": "always"}, {"imagePullPolicy": "Always"}, "imagePullPolicy"),
    ({"env": [{"name": "A=B", "value": "1"}]}, {"env": [{"name": "A_B", "value": "1"}]}, "env"),
]


@pytest.mark.parametrize(("bad", "good", "field"), OF_PODS)
def test_of_a_pod(bad: dict[str, Any], good: dict[str, Any], field: str) -> None:
    assert [each for each in refused(bad) if f"spec/{field}" in each], refused(bad)
    assert refused(good) == []


@pytest.mark.parametrize(("bad", "good", "field"), OF_CONTAINERS)
def test_of_a_container(bad: dict[str, Any], good: dict[str, Any], field: str) -> None:
    assert [each for each in refused(MOUNT, bad) if f"containers/0/{field}" in each], refused(MOUNT, bad)
    assert refused(MOUNT, good) == []
