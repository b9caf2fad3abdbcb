"""What may change or refuse pods is named, as far as it could concern those of a group."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import lint

JOB = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        metadata: {labels: {app: train}}
        spec: {containers: [{name: pytorch, image: "r.example/a:1", resources: {limits: {nvidia.com/gpu: "1"}}}]}
"""
NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: ml, labels: {team: vision}}\n"


def webhook(rule: str = "", more: str = "", name: str = "defaults") -> str:
    rule = rule or "{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}"
    return f"""apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {{name: {name}}}
webhooks:
- name: a.example.com
  rules: [{rule}]
{more}"""


def kyverno(rule: str, match: str = "{any: [{resources: {kinds: [Pod]}}]}", action: str = "Enforce") -> str:
    return f"""apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {{name: p}}
spec:
  validationFailureAction: {action}
  rules:
  - name: r
    match: {match}
    {rule}
"""


def native(kind: str, resources: str = "pods") -> str:
    return f"""apiVersion: admissionregistration.k8s.io/v1
kind: {kind}
metadata: {{name: n}}
spec:
  matchConstraints:
    resourceRules: [{{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [{resources}]}}]
"""


def named(root: Path, text: str) -> list[str]:
    result = lint(root, {"job.yaml": JOB, "namespace.yaml": NAMESPACE, "policy.yaml": text})
    return [each.missing for each in result.unknowns if each.file == "policy.yaml"]


MUTATE, VALIDATE = "mutate: {patchStrategicMerge: {}}", "validate: {pattern: {}}"
CHANGES, GATES = ["what it changes in the pods of ml/train"], ["whether it lets the pods of ml/train in"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (webhook(), CHANGES),
        (webhook("{apiGroups: ['*'], operations: ['*'], resources: ['*/*']}"), CHANGES),
        (webhook("{apiGroups: [apps], operations: [CREATE], resources: [deployments]}"), []),
        (webhook("{apiGroups: [''], operations: [UPDATE], resources: [pods]}"), []),
        (webhook(more="  namespaceSelector: {matchLabels: {team: vision}}\n"), CHANGES),
        (webhook(more="  objectSelector: {matchLabels: {app: other}}\n"), []),
        (webhook(more="  objectSelector: {matchLabels: {app: train}}\n"), CHANGES),
        (webhook(more="  namespaceSelector: {matchLabels: {team: other}}\n"), []),
        (webhook(name="istio-sidecar-injector"), []),  # mesh-sidecar-on-training speaks of it
        (native("MutatingAdmissionPolicy"), CHANGES),
        (native("ValidatingAdmissionPolicy"), GATES),
        (native("ValidatingAdmissionPolicy", "services"), []),
        (kyverno(MUTATE), CHANGES),
        (kyverno(VALIDATE), GATES),
        (kyverno(VALIDATE, action="Audit"), []),
        (kyverno(MUTATE, "{any: [{resources: {kinds: [Service]}}]}"), []),
        (kyverno(MUTATE, "{any: [{resources: {kinds: [Pod], namespaces: [m*]}}]}"), CHANGES),
        (kyverno(MUTATE, "{any: [{resources: {kinds: [Pod], namespaces: [web]}}]}"), []),
        (kyverno(MUTATE, "{any: [{resources: {kinds: [kubeflow.org/v1/PyTorchJob]}}]}"), CHANGES),
        (kyverno("exclude: {any: [{resources: {namespaces: [ml]}}]}\n    " + MUTATE), []),
    ],
)
def test_it_is_named_where_it_could_concern_a_group(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert named(tmp_path, text) == expected


def test_without_groups_nothing_is_said(tmp_path: Path) -> None:
    assert lint(tmp_path, {"policy.yaml": webhook()}).unknowns == ()


def test_a_cluster_policy_of_nvidia_is_none_of_these(tmp_path: Path) -> None:
    text = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: gpu}\nspec: {driver: {enabled: true}}\n"
    assert named(tmp_path, text) == []
