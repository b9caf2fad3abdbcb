"""Directories as their deployer builds them, through a whole run with the real kustomize."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.deploy.deployers import flux, sync
from tests.engine.worlds import lint

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


def test_what_nobody_deploys_may_not(tmp_path: Path) -> None:
    result = lint(tmp_path, SHARED)
    assert "ml/a-train" not in {each.name for each in result.groups}
    assert any("is not in or below" in each.missing for each in result.unknowns)
