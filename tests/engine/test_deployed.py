"""Directories as their deployer builds them, through a whole run with the real kustomize."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.deploy.deployers import flux, sync
from tests.engine.worlds import by_rule, lint

from trainlint.finding import Severity

pytestmark = pytest.mark.needs("kustomize")

TRAIN = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        metadata: {labels: {app: train}}
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              resources: {limits: {nvidia.com/gpu: "8"}}
"""

SHARED = {
    "apps/train/kustomization.yaml": "namePrefix: a-\nresources: [../../shared/job.yaml]\n",
    "shared/job.yaml": TRAIN,
}


def test_what_flux_deploys_may_read_files_beside_its_directory(tmp_path: Path) -> None:
    # kustomize-controller builds with LoadRestrictionsNone (its generator's secure file system is the source's root)
    cluster = {"clusters/c/flux-system/gotk-sync.yaml": sync("clusters/c"), "clusters/c/a.yaml": flux("a", "apps")}
    assert "ml/a-train" in {each.name for each in lint(tmp_path, SHARED | cluster).groups}


def test_what_no_deployer_brings_may_too_and_that_is_an_assumption(tmp_path: Path) -> None:
    result = lint(tmp_path, SHARED)
    assert "ml/a-train" in {each.name for each in result.groups}
    assert any("LoadRestrictionsNone" in each for each in result.assumptions)


POLICY = """apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed, namespace: ml}
spec:
  podSelector: {}
  policyTypes: [%s]
"""

TWICE = {
    "clusters/c/flux-system/gotk-sync.yaml": sync("clusters/c"),
    "clusters/c/a.yaml": flux("a", "a"),
    "clusters/c/b.yaml": flux("b", "b"),
    "a/policy.yaml": POLICY % "Ingress",
    "b/policy.yaml": POLICY % "Egress",
}

EQUAL = {"b/policy.yaml": POLICY % "Ingress"}
SUSPENDED = {"clusters/c/b.yaml": flux("b", "b", "  suspend: true\n")}
ELSEWHERE = {"clusters/c/b.yaml": flux("b", "b", "  kubeConfig: {secretRef: {name: other}}\n")}
IN_ANOTHER_NAMESPACE = {"clusters/c/b.yaml": flux("b", "b", "  targetNamespace: other\n")}
LEFT_ALONE = {
    "b/policy.yaml": POLICY.replace(
        "namespace: ml", "namespace: ml, annotations: {kustomize.toolkit.fluxcd.io/ssa: IfNotPresent}"
    )
    % "Egress"
}
FILLED_IN = {"b/policy.yaml": POLICY % "$${WHICH}".replace("$$", "$")}


def test_two_deployers_that_apply_one_object_differently_undo_each_other(tmp_path: Path) -> None:
    only = by_rule(lint(tmp_path, TWICE), "duplicate-object")
    assert (only.finding.at.file, only.span.line) == ("b/policy.yaml", 6)
    assert only.finding.severity is Severity.ERROR
    assert "by Kustomization flux-system/a and by Kustomization flux-system/b" in only.finding.message
    assert [each.at.file for each in only.finding.places] == [
        "a/policy.yaml",
        "clusters/c/a.yaml",
        "clusters/c/b.yaml",
    ]


@pytest.mark.parametrize("change", [EQUAL, SUSPENDED, ELSEWHERE, IN_ANOTHER_NAMESPACE, LEFT_ALONE, FILLED_IN], ids=str)
def test_deployers_that_agree_or_never_meet_do_not(tmp_path: Path, change: dict[str, str]) -> None:
    assert "duplicate-object" not in {each.finding.rule for each in lint(tmp_path, TWICE | change).findings}


def test_applications_of_argo_fight_over_an_object_as_well(tmp_path: Path) -> None:
    application = """apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {0}, namespace: argocd}}
spec:
  project: default
  source: {{repoURL: https://git.example/team/fleet, path: {0}}}
  destination: {{server: https://kubernetes.default.svc, namespace: ml}}
"""
    files = {"a.yaml": application.format("a"), "b.yaml": application.format("b")}
    files |= {name: text for name, text in TWICE.items() if name.endswith("policy.yaml")}
    assert (
        "by Application argocd/a and by Application argocd/b"
        in by_rule(lint(tmp_path, files), "duplicate-object").finding.message
    )


NAMELESS = TRAIN.replace(", namespace: ml", "")
CLOSED = POLICY.replace(", namespace: ml", "") % "Ingress, Egress"


def _from_elsewhere(name: str) -> str:
    return f"""apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: {name}, namespace: flux-system}}
spec: {{path: ./{name}, targetNamespace: {name}, sourceRef: {{kind: GitRepository, name: elsewhere}}}}
"""


def test_policies_of_another_application_deny_nothing_where_unfollowed_deployers_give_namespaces(
    tmp_path: Path,
) -> None:
    # neither says where it goes, and Kustomizations do, of a source that is not in Git: not known is not no
    ks = {"ks/train.yaml": _from_elsewhere("train"), "ks/other.yaml": _from_elsewhere("other")}
    result = lint(tmp_path / "a", {"apps/train/job.yaml": NAMELESS, "apps/other/policy.yaml": CLOSED, **ks})
    (group,) = result.groups
    assert (group.exists, group.for_all) == ("unknown", "unknown")
    assert "flow-denied" not in {each.finding.rule for each in result.findings}
    assert any("namespace" in each.missing for each in result.unknowns)


def test_what_is_deployed_with_the_group_denies_wherever_it_goes(tmp_path: Path) -> None:
    ks = {"ks/train.yaml": _from_elsewhere("train")}
    result = lint(tmp_path / "b", {"apps/train/job.yaml": NAMELESS, "apps/train/policy.yaml": CLOSED, **ks})
    assert "flow-denied" in {each.finding.rule for each in result.findings}
