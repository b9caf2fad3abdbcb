"""policy-selects-nothing: what a policy may select elsewhere, and who speaks instead (decision 5)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rules.policy.repositories import CILIUM, JOB, cnp, deployment, knp, places, told

from trainlint.finding import Certainty

RULE = "policy-selects-nothing"
TYPO = cnp("  endpointSelector: {matchLabels: {app: trian}}\n  ingress: [{fromEndpoints: [{}]}]\n")
TRAIN = deployment("train", "app: train")


def test_a_letter_off_is_told_with_the_label_that_there_is(tmp_path: Path) -> None:
    (found,) = told(tmp_path, RULE, {"p.yaml": TYPO, "train.yaml": TRAIN})
    assert places([found]) == ["p.yaml:5"]
    assert found.finding.remedy == "did you mean app=train?"
    assert found.finding.certainty is Certainty.LIKELY


def test_a_network_policy_is_told_alike(tmp_path: Path) -> None:
    text = knp("  podSelector: {matchLabels: {app: trian}}\n  ingress: []\n")
    assert places(told(tmp_path, RULE, {"p.yaml": text, "train.yaml": TRAIN})) == ["p.yaml:5"]


@pytest.mark.parametrize(
    "selector",
    [
        "{}",
        "{matchLabels: {app: train}}",
        "{matchExpressions: [{key: app, operator: In, values: [other, train]}]}",
        "{matchExpressions: [{key: app, operator: NotIn, values: [other]}]}",
        "{matchExpressions: [{key: missing, operator: DoesNotExist}]}",
        "{matchLabels: {app: '${APP}'}}",
        "{matchLabels: {k8s:io.kubernetes.pod.namespace: ml}}",
        "{matchLabels: {reserved:health: ''}}",
    ],
)
def test_a_selector_that_selects_a_pod_or_names_none_is_silent(tmp_path: Path, selector: str) -> None:
    text = cnp(f"  endpointSelector: {selector}\n  ingress: [{{fromEndpoints: [{{}}]}}]\n")
    assert told(tmp_path, RULE, {"p.yaml": text, "train.yaml": TRAIN}) == []


def test_labels_that_an_operator_adds_count(tmp_path: Path) -> None:
    job = "{matchLabels: {training.kubeflow.org/job-name: train}}"
    text = cnp(f"  endpointSelector: {job}\n  ingress: [{{fromEndpoints: [{{}}]}}]\n")
    assert told(tmp_path, RULE, {"p.yaml": text, "job.yaml": JOB}) == []


def opener(api: str, kind: str, namespace: str, spec: str = "{}") -> str:
    return f"apiVersion: {api}\nkind: {kind}\nmetadata: {{name: o, namespace: {namespace}}}\nspec: {spec}\n"


FLUX, ARGO = "helm.toolkit.fluxcd.io/v2", "argoproj.io/v1alpha1"


@pytest.mark.parametrize(
    "text",
    [
        opener(FLUX, "HelmRelease", "ml"),
        opener(FLUX, "HelmRelease", "flux", "{targetNamespace: ml}"),
        opener(ARGO, "Application", "argocd", "{destination: {namespace: ml}}"),
        opener(ARGO, "Application", "argocd"),
        opener(ARGO, "ApplicationSet", "argocd"),
        opener("kustomize.toolkit.fluxcd.io/v1", "Kustomization", "flux", "{path: ./elsewhere}"),
    ],
)
def test_a_namespace_that_something_may_add_pods_to_is_silent(tmp_path: Path, text: str) -> None:
    assert told(tmp_path, RULE, {"p.yaml": TYPO, "train.yaml": TRAIN, "opener.yaml": text}) == []


def test_a_release_for_another_namespace_opens_only_that_one(tmp_path: Path) -> None:
    release = opener(FLUX, "HelmRelease", "web")
    assert places(told(tmp_path, RULE, {"p.yaml": TYPO, "train.yaml": TRAIN, "opener.yaml": release})) == ["p.yaml:5"]


def test_a_cluster_wide_policy_is_silent_if_any_namespace_is_open(tmp_path: Path) -> None:
    text = TYPO.replace("CiliumNetworkPolicy", "CiliumClusterwideNetworkPolicy").replace(", namespace: ml", "")
    release = opener(FLUX, "HelmRelease", "web")
    assert places(told(tmp_path, RULE, {"p.yaml": text, "train.yaml": TRAIN})) == ["p.yaml:5"]
    assert told(tmp_path, RULE, {"opener.yaml": release}) == []


def test_a_namespace_without_any_workload_in_git_is_silent(tmp_path: Path) -> None:
    elsewhere = TYPO.replace("namespace: ml", "namespace: web")
    assert told(tmp_path, RULE, {"p.yaml": elsewhere, "train.yaml": TRAIN}) == []


def test_a_template_that_was_not_rendered_may_make_the_pods(tmp_path: Path) -> None:
    chart = {
        "chart/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
        "chart/templates/d.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: {{ .Values.name }}}\n",
    }
    assert told(tmp_path, RULE, {"p.yaml": TYPO, "train.yaml": TRAIN, **chart}) == []


def test_a_policy_that_selects_a_pod_in_another_state_is_silent(tmp_path: Path) -> None:
    files = {
        "p.yaml": TYPO,
        "before/train.yaml": deployment("train", "app: train"),
        "after/train.yaml": deployment("train", "app: trian"),
    }
    assert told(tmp_path, RULE, files) == []


def test_a_dropped_label_and_the_host_network_have_rules_of_their_own(tmp_path: Path) -> None:
    dropped = cnp("  endpointSelector: {matchLabels: {pod-template-hash: x}}\n  ingress: [{}]\n")
    host = cnp("  endpointSelector: {matchLabels: {app: head}}\n  ingress: [{}]\n", name="q")
    head = deployment("head", "app: head", spec=", hostNetwork: true")
    files = {"p.yaml": dropped, "q.yaml": host, "train.yaml": TRAIN + head, "trainlint.yaml": CILIUM}
    assert told(tmp_path, RULE, files) == []


def test_one_selector_among_several_that_selects_a_pod_is_enough(tmp_path: Path) -> None:
    text = (
        "apiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: p, namespace: ml}\nspecs:\n"
        "  - endpointSelector: {matchLabels: {app: trian}}\n    ingress: [{}]\n"
        "  - endpointSelector: {matchLabels: {app: train}}\n    ingress: [{}]\n"
    )
    assert told(tmp_path, RULE, {"p.yaml": text, "train.yaml": TRAIN}) == []


def test_pods_scaled_to_none_are_no_pods(tmp_path: Path) -> None:
    files = {
        "p.yaml": TYPO,
        "t.yaml": deployment("trian", "app: trian", replicas=0) + deployment("train", "app: train"),
    }
    assert places(told(tmp_path, RULE, files)) == ["p.yaml:5"]
