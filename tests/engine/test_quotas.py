"""Quotas over what overlays and clusters make of them: rendered trees, several clusters (S 1.11)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.deploy.deployers import flux, sync
from tests.engine.test_deployed import TRAIN
from tests.engine.worlds import by_rule, lint

pytestmark = pytest.mark.needs("kustomize")

QUOTA = """apiVersion: v1
kind: ResourceQuota
metadata: {name: gpus, namespace: ml}
spec:
  hard:
    requests.nvidia.com/gpu: "16"
"""

BASE = {
    "base/kustomization.yaml": "resources: [train.yaml, quota.yaml]\n",
    "base/train.yaml": TRAIN,
    "base/quota.yaml": QUOTA,
}

FEWER = """resources: [../base]
patches:
  - target: {kind: ResourceQuota}
    patch: |
      - op: replace
        path: /spec/hard/requests.nvidia.com~1gpu
        value: "8"
"""

MORE = """resources: [../base]
patches:
  - path: more.yaml
"""

REPLICAS = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 3
"""


def test_two_pods_of_eight_fit_under_sixteen(tmp_path: Path) -> None:
    assert [each.finding.rule for each in lint(tmp_path, BASE).findings] == []


@pytest.mark.parametrize(
    ("overlay", "place", "message"),
    [
        ({"prod/kustomization.yaml": FEWER}, ("prod/kustomization.yaml", "base/train.yaml"), "16 needed, 8 allowed"),
        (
            {"prod/kustomization.yaml": MORE, "prod/more.yaml": REPLICAS},
            ("base/quota.yaml", "base/train.yaml"),
            "24 needed, 16 allowed",
        ),
    ],
    ids=["less quota", "more replicas"],
)
def test_an_overlay_that_lowers_the_quota_or_raises_the_pods_is_refused(
    tmp_path: Path, overlay: dict[str, str], place: tuple[str, str], message: str
) -> None:
    only = by_rule(lint(tmp_path, BASE | overlay), "quota-never-admits")
    assert only.finding.snapshots == (".",)
    files = {only.finding.at.file, *(each.at.file for each in only.finding.places)}
    assert files.issuperset(place)
    assert message in only.finding.message


def test_each_overlay_is_judged_with_its_own_quota(tmp_path: Path) -> None:
    overlays = {"low/kustomization.yaml": FEWER, "same/kustomization.yaml": "resources: [../base]\nnamespace: ml\n"}
    assert by_rule(lint(tmp_path, BASE | overlays), "quota-never-admits").finding.snapshots == ("low",)


def test_a_quota_counts_only_in_the_cluster_that_has_it(tmp_path: Path) -> None:
    files = {
        "clusters/east/flux-system/gotk-sync.yaml": sync("clusters/east"),
        "clusters/east/apps.yaml": flux("apps", "apps"),
        "clusters/east/quota.yaml": QUOTA.replace('"16"', '"8"'),
        "clusters/west/flux-system/gotk-sync.yaml": sync("clusters/west"),
        "clusters/west/apps.yaml": flux("apps", "apps"),
        "clusters/west/quota.yaml": QUOTA,
        "apps/train.yaml": TRAIN,
    }
    only = by_rule(lint(tmp_path, files), "quota-never-admits")
    assert only.finding.snapshots == ("east",)


def test_a_quota_counts_in_the_namespace_that_the_deployer_gives(tmp_path: Path) -> None:
    # the job is moved to the namespace of the quota by the cluster's targetNamespace, in one cluster only
    files = {
        "clusters/east/flux-system/gotk-sync.yaml": sync("clusters/east"),
        "clusters/east/apps.yaml": flux("apps", "apps", "  targetNamespace: tight\n"),
        "clusters/west/flux-system/gotk-sync.yaml": sync("clusters/west"),
        "clusters/west/apps.yaml": flux("apps", "apps"),
        "apps/train.yaml": TRAIN,
    }
    for name in ("east", "west"):
        files[f"clusters/{name}/quota.yaml"] = QUOTA.replace('"16"', '"8"').replace("ml", "tight")
    assert by_rule(lint(tmp_path, files), "quota-never-admits").finding.snapshots == ("east",)
