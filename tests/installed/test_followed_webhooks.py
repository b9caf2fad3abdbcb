"""A webhook is an operator's where its name, its Service and the object that holds it agree; else it may do anything.

The names are those that the manifests and charts of the operators write (kubernetes-sigs/kueue, jobset and lws,
ray-project/kuberay, kubeflow/trainer and training-operator, volcano-sh/volcano, NVIDIA/KAI-Scheduler, istio, linkerd,
kuma, consul, gatekeeper, kyverno, katib, opentelemetry, vault, amazon-eks-pod-identity-webhook).
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from trainlint.installed.gates.known_software import FOLLOWED, is_followed
from trainlint.kube.meta import Meta
from trainlint.source.document import Document
from trainlint.workload.kinds import WORKLOADS


def followed(
    configuration: str,
    name: str,
    service: str = "",
    labels: Mapping[str, str] | None = None,
    url: str = "",
    group: str = "",
) -> bool:
    namespace, _, called = service.partition("/")
    client: dict[str, object] = {"url": url} if url else {"service": {"namespace": namespace, "name": called}}
    written = {"name": name, "clientConfig": client, "rules": [{"apiGroups": [group], "resources": ["*"]}]}
    webhook = Document("w.yaml", 0, 1, "", written).root
    return is_followed(Meta("MutatingWebhookConfiguration", name=configuration, labels=labels or {}), webhook)


NAME = "app.kubernetes.io/name"
OWN = [
    ("kueue-mutating-webhook-configuration", "mpod.kb.io", "kueue-system/kueue-webhook-service", {NAME: "kueue"}),
    ("kueue-validating-webhook-configuration", "vjob.kb.io", "kueue-system/kueue-webhook-service", {}),
    ("kueue-mutating-webhook-configuration", "mjob.kb.io", "batch/kueue-webhook-service", {}),
    ("prod-kueue-mutating-webhook-configuration", "mjob.kb.io", "q/prod-kueue-webhook-service", {NAME: "kueue"}),
    ("kueue-eu-mutating-webhook-configuration", "mjob.kb.io", "q/kueue-eu-webhook-service", {NAME: "kueue"}),
    ("jobset-validating-webhook-configuration", "vjobset.kb.io", "jobset-system/jobset-webhook-service", {}),
    ("jobset-mutating-webhook-configuration", "mutate--v1-pod.x-k8s.io", "js/a-jobset-webhook-service", {}),
    ("jobset-mutating-webhook-configuration", "mpod.kb.io", "kubeflow-system/jobset-webhook-service", {}),
    ("lws-mutating-webhook-configuration", "mpod.kb.io", "lws-system/lws-webhook-service", {NAME: "lws"}),
    ("lws-validating-webhook-configuration", "vdisaggregatedset.kb.io", "serving/lws-webhook-service", {}),
    (
        "kuberay-validating-webhook-configuration",
        "vraycluster.kb.io",
        "ray-system/kuberay-webhook-service",
        {NAME: "validatingwebhookconfiguration", "app.kubernetes.io/part-of": "kuberay-operator"},
    ),
    (
        "validator.training-operator.kubeflow.org",
        "validator.pytorchjob.training-operator.kubeflow.org",
        "kubeflow/training-operator",
        {"control-plane": "kubeflow-training-operator"},
    ),
    (
        "defaulter.trainer.kubeflow.org",
        "defaulter.trainjob.trainer.kubeflow.org",
        "kubeflow/kubeflow-trainer-controller-manager",
        {},
    ),
    ("volcano-admission-service-jobs-mutate", "mutatejob.volcano.sh", "volcano-system/volcano-admission-service", {}),
    ("volcano-admission-service-pods-validate", "validatepod.volcano.sh", "batch/prod-admission-service", {}),
    ("mutating-kai-admission", "admission.kai-scheduler.svc", "kai-scheduler/admission", {"app": "admission"}),
    ("istio-sidecar-injector", "namespace.sidecar-injector.istio.io", "istio-system/istiod", {}),
    ("istio-sidecar-injector-1-30-5", "rev.object.sidecar-injector.istio.io", "mesh/istiod-1-30-5", {}),
    ("istio-revision-tag-default", "object.sidecar-injector.istio.io", "istio-system/istiod", {}),
    ("linkerd-proxy-injector-webhook-config", "linkerd-proxy-injector.linkerd.io", "l/linkerd-proxy-injector", {}),
    (
        "kuma-admission-mutating-webhook-configuration",
        "mesh.defaulter.kuma-admission.kuma.io",
        "kong-mesh-system/kuma-control-plane",
        {},
    ),
    (
        "consul-connect-injector",
        "consul-connect-injector.consul.hashicorp.com",
        "consul/consul-connect-injector",
        {"app": "consul"},
    ),
    (
        "gatekeeper-validating-webhook-configuration",
        "validation.gatekeeper.sh",
        "gatekeeper-system/gatekeeper-webhook-service",
        {},
    ),
    ("kyverno-resource-validating-webhook-cfg", "validate.kyverno.svc-fail", "kyverno/kyverno-svc", {}),
    ("katib.kubeflow.org", "mutator.pod.katib.kubeflow.org", "kubeflow/katib-controller", {}),
    (
        "opentelemetry-operator-mutating-webhook-configuration",
        "mpod.kb.io",
        "opentelemetry-operator-system/opentelemetry-operator-webhook-service",
        {},
    ),
    ("otel-mutation", "mpod.kb.io", "o/otel-opentelemetry-operator-webhook", {NAME: "opentelemetry-operator"}),
    ("pod-identity-webhook", "pod-identity-webhook.amazonaws.com", "default/pod-identity-webhook", {}),
    ("vault-agent-injector-cfg", "vault.hashicorp.com", "vault/vault-agent-injector-svc", {}),
    ("v-agent-injector-cfg", "vault.hashicorp.com", "s/v-agent-injector-svc", {NAME: "vault-agent-injector"}),
]


@pytest.mark.parametrize(("configuration", "name", "service", "labels"), OWN)
def test_webhooks_of_operators_are_known(
    configuration: str, name: str, service: str, labels: Mapping[str, str]
) -> None:
    assert followed(configuration, name, service, labels)


@pytest.mark.parametrize(
    ("configuration", "name", "service", "labels"),
    [
        pytest.param("kueue-guard", "guard.kueue.example.com", "kueue-system/kueue-guard", {}, id="named after it"),
        pytest.param(
            "kueue-guard-mutating-webhook-configuration",
            "mpod.kb.io",
            "kueue-guard-system/kueue-guard-webhook-service",
            {NAME: "kueue-guard", "app.kubernetes.io/part-of": "kueue"},
            id="made with controller-gen",
        ),
        pytest.param("kueue-mutating-webhook-configuration", "mpod.kb.io", "ml/guard", {}, id="another Service"),
        pytest.param(
            "kueue-mutating-webhook-configuration",
            "owner.example.com",
            "kueue-system/kueue-webhook-service",
            {},
            id="another webhook in its object",
        ),
        pytest.param("guard", "mpod.kb.io", "ml/kueue-webhook-service", {}, id="a Service in another namespace"),
        pytest.param("guard", "mpod.kb.io", "kueue-system/guard", {NAME: "kueue"}, id="its label alone"),
        pytest.param("guard", "mpod.kb.io", "kueue-system/guard-webhook-service", {}, id="its namespace alone"),
        pytest.param(
            "slice-controller-mutating-webhook-configuration",
            "mjobset.kb.io",
            "slice-controller-system/slice-controller-webhook-service",
            {},
            id="another controller for the same kind",
        ),
        pytest.param("istio-sidecar-injector", "a.example.com", "istio-system/istiod", {}, id="name of a webhook"),
        pytest.param("overtrainer", "a.trainer.example.com", "kubeflow/overtrainer", {}, id="a part of a name"),
        pytest.param("volcano-guard", "guard.volcano.sh", "volcano-system/volcano-guard", {}, id="domain alone"),
        pytest.param("validator.trainer.kubeflow.org", "a.trainer.kubeflow.org", "", {}, id="no Service"),
    ],
)
def test_a_webhook_that_only_looks_like_an_operators_is_not_its_own(
    configuration: str, name: str, service: str, labels: Mapping[str, str]
) -> None:
    assert not followed(configuration, name, service, labels)


@pytest.mark.parametrize(
    ("group", "service", "expected"),
    [
        ("jobset.x-k8s.io", "jobs/jobset-webhook-service", True),
        ("batch", "jobs/jobset-webhook-service", False),
        ("*", "jobs/jobset-webhook-service", False),
        ("jobset.x-k8s.io", "jobs/guard-webhook-service", False),
    ],
)
def test_a_webhook_of_the_own_kind_is_known_by_its_service(group: str, service: str, expected: bool) -> None:
    """The manifests of JobSet under another prefix and in another namespace."""
    assert followed("own-mutating", "mjobset.kb.io", service, group=group) is expected


def test_a_webhook_outside_the_cluster_is_not_followed() -> None:
    assert not followed("istio-sidecar-injector", "a.sidecar-injector.istio.io", url="https://istio.example.com/inject")


def test_the_operators_of_all_kinds_are_followed_each_once() -> None:
    declared = {each.operator for each in WORKLOADS if each.operator is not None}
    assert declared <= set(FOLLOWED)
    assert len({each.name for each in FOLLOWED}) == len(FOLLOWED)


def test_the_services_of_two_operators_differ() -> None:
    """Names such as ``mpod.kb.io`` are alike everywhere, so that the Service has to tell operators apart."""
    assert len({(each.services[0], each.namespace) for each in FOLLOWED}) == len(FOLLOWED)
