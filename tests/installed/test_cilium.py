"""What is read of Cilium from whatever installs it (P 0.1; cilium/cilium:install/kubernetes/cilium/values.yaml)."""

from __future__ import annotations

import pytest
from tests.deploy.deployers import URL, snapshots

from trainlint.installed.version import image_version, stated_version
from trainlint.model.settings import Cni, Settings
from trainlint.wording.because import texts_of

VALUES = """policyEnforcementMode: Always
policyCIDRMatchMode: [nodes]
labels: "k8s:app k8s:io\\\\.kubernetes"
nodeSelectorLabels: true
hostFirewall: {enabled: true}
cluster: {name: east}
extraConfig: {allow-localhost: policy, unrelated: "1"}
"""
OPTIONS = {
    "enable-policy": "always",
    "policy-cidr-match-mode": "nodes",
    "labels": "k8s:app k8s:io\\.kubernetes",
    "enable-node-selector-labels": "true",
    "enable-host-firewall": "true",
    "cluster-name": "east",
    "allow-localhost": "policy",
    "enable-local-redirect-policy": "false",
}


def indented(text: str, by: int) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in text.splitlines())


def helm_release(values: str = VALUES, version: str = "1.17.3", extra: str = "") -> str:
    return f"""apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: cilium, namespace: kube-system}}
spec:
  chart: {{spec: {{chart: cilium, version: "{version}", sourceRef: {{kind: HelmRepository, name: cilium}}}}}}
{extra}  values:
{indented(values, 4)}"""


POLICY = """apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: open, namespace: ml}
spec: {endpointSelector: {}, ingress: [{fromEntities: [all]}]}
"""


def cni(files: dict[str, str], *settings: Settings) -> Cni:
    (made,) = snapshots({"policy.yaml": POLICY, **files}, *settings).values()
    return made.settings.cni


APPLICATION = f"""apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: cilium, namespace: argocd}}
spec:
  destination: {{name: in-cluster}}
  source:
    repoURL: https://helm.cilium.io
    chart: cilium
    targetRevision: 1.17.3
    helm:
      values: |
{indented(VALUES, 8)}"""

HELM_CHART = f"""apiVersion: helm.cattle.io/v1
kind: HelmChart
metadata: {{name: cilium, namespace: kube-system}}
spec:
  chart: cilium
  version: v1.17.3
  repo: https://helm.cilium.io
  valuesContent: |
{indented(VALUES, 4)}"""

KUSTOMIZATION = """helmCharts:
- {name: cilium, version: 1.17.3, repo: "https://helm.cilium.io", valuesFile: values.yaml}
"""


@pytest.mark.parametrize(
    "files",
    [
        {"hr.yaml": helm_release()},
        {"app.yaml": APPLICATION},
        {"chart.yaml": HELM_CHART},
        {"cni/kustomization.yaml": KUSTOMIZATION, "cni/values.yaml": VALUES},
    ],
    ids=["HelmRelease", "Application", "HelmChart", "kustomization"],
)
def test_version_and_options_come_from_what_installs_the_chart(files: dict[str, str]) -> None:
    found = cni(files)
    assert (found.name, found.version, dict(found.options)) == ("cilium", "1.17.3", OPTIONS)
    assert found.stated
    assert found.version_stated


def test_a_values_file_beside_an_application_counts() -> None:
    text = f"""apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: cilium, namespace: argocd}}
spec:
  destination: {{name: in-cluster}}
  sources:
  - repoURL: https://helm.cilium.io
    chart: cilium
    targetRevision: 1.17.3
    helm: {{valueFiles: [$own/cni/values.yaml]}}
  - {{repoURL: {URL}, ref: own}}
"""
    assert cni({"app.yaml": text, "cni/values.yaml": VALUES}).options == OPTIONS


def test_values_from_a_generated_config_map_count_below_those_in_place() -> None:
    files = {
        "cni/kustomization.yaml": "resources: [hr.yaml]\n"
        "configMapGenerator: [{name: cilium-values, files: [values.yaml=./values.yaml]}]\n",
        "cni/values.yaml": VALUES,
        "cni/hr.yaml": helm_release(
            "cluster: {name: west}\n", extra="  valuesFrom: [{kind: ConfigMap, name: cilium-values}]\n"
        ),
    }
    assert cni(files).options == {**OPTIONS, "cluster-name": "west"}


def test_options_that_a_secret_may_set_are_not_certain_and_that_is_said() -> None:
    text = helm_release(extra="  valuesFrom: [{kind: Secret, name: more}]\n")
    (made,) = snapshots({"hr.yaml": text}).values()
    assert dict(made.settings.cni.options) == {}
    assert made.settings.cni.version == "1.17.3"
    assert any("Secret more" in text for text in texts_of(made.settings.assumptions))


def test_cilium_config_counts_by_itself() -> None:
    text = """apiVersion: v1
kind: ConfigMap
metadata: {name: cilium-config, namespace: kube-system}
data: {enable-policy: always, policy-cidr-match-mode: nodes, tunnel: vxlan}
"""
    found = cni({"config.yaml": text})
    # What the configuration leaves out has the agent's default.
    stated = {"enable-policy": "always", "policy-cidr-match-mode": "nodes", "cluster-name": "default"}
    assert dict(found.options) == {**stated, "enable-local-redirect-policy": "false"}


@pytest.mark.parametrize("values", ["localRedirectPolicy: true\n", "localRedirectPolicies: {enabled: true}\n"])
def test_local_redirects_are_switched_on_by_either_value(values: str) -> None:
    found = cni({"hr.yaml": helm_release(values)})
    assert found.options["enable-local-redirect-policy"] == "true"


def test_the_version_is_that_of_the_agent() -> None:
    agent = """apiVersion: apps/v1
kind: DaemonSet
metadata: {name: cilium, namespace: kube-system}
spec: {template: {spec: {containers: [{name: cilium-agent, image: "quay.io/cilium/cilium:v1.16.4@sha256:00"}]}}}
"""
    found = cni({"agent.yaml": agent})
    assert found.version == "1.16.4"


def test_what_trainlint_yaml_states_wins() -> None:
    stated = Settings(
        cni=Cni("cilium", "1.14", {"enable-policy": "never"}, stated=True, version_stated=True),
    )
    found = cni({"hr.yaml": helm_release()}, stated)
    assert (found.version, found.options["enable-policy"], found.options["cluster-name"]) == ("1.14", "never", "east")
    other = Settings(cni=Cni("calico", "3.28", stated=True, version_stated=True))
    assert cni({"hr.yaml": helm_release()}, other).name == "calico"


def test_two_that_contradict_each_other_are_an_unknown_with_both_places() -> None:
    files = {"a.yaml": helm_release("{}\n"), "z.yaml": HELM_CHART.replace("v1.17.3", "v1.16.0")}
    (made,) = snapshots(files).values()
    (unknown,) = (each for each in made.unknowns if "cni.version" in each.subject)
    assert "a.yaml:5" in unknown.missing
    assert "z.yaml:6" in unknown.missing
    assert not made.settings.cni.version_stated


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("1.16.3", "1.16.3"),
        ("v1.16.3", "1.16.3"),
        ("1.16.x", "1.16"),
        ("~1.16.2", "1.16"),
        ("1.16", "1.16"),
        ("1.17.0-rc.1", "1.17.0"),
        (">=1.15.0", ""),
        ("^1.16.0", ""),
        ("*", ""),
        ("", ""),
    ],
)
def test_a_range_is_a_version_where_it_stays_within_a_minor_one(text: str, version: str) -> None:
    assert stated_version(text) == version


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("kindest/node:v1.30.0", "1.30.0"),
        ("kindest/node:v1.30.0@sha256:0a1", "1.30.0"),
        ("localhost:5000/node:v1.31.2", "1.31.2"),
        ("ghcr.io/siderolabs/kubelet:v1.31.1", "1.31.1"),
        ("kindest/node:latest", ""),
        ("node@sha256:0a1", ""),
    ],
)
def test_the_tag_of_an_image_begins_with_its_version(image: str, version: str) -> None:
    assert image_version(image) == version
