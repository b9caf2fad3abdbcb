"""What rests on a version or an option of Cilium that Git does not state is likely, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rules.policy.repositories import cni, cnp

from trainlint.engine import check
from trainlint.finding import Certainty

ZONE = "topology.kubernetes.io/zone"
JOB = f"""\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: train, namespace: ml}}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        metadata: {{labels: {{app: train, {ZONE}: a}}}}
        spec:
          nodeSelector: {{{ZONE}: a}}
          containers:
            - {{name: pytorch, image: "registry.example/train:1", resources: {{limits: {{nvidia.com/gpu: "8"}}}}}}
"""
BY_ZONE = (
    "  endpointSelector: {matchLabels: {app: train}}\n"
    f"  ingress: [{{fromEndpoints: [{{matchLabels: {{{ZONE}: a}}}}]}}]\n"
)
BY_APP = (
    "  endpointSelector: {matchLabels: {app: train}}\n  ingress: [{fromEndpoints: [{matchLabels: {app: serve}}]}]\n"
)
BY_INDEX = (
    "  endpointSelector: {matchLabels: {app: train}}\n"
    "  ingress: [{fromEndpoints: [{matchLabels: {batch.kubernetes.io/job-completion-index: '0'}}]}]\n"
)


def said(root: Path, policy: str, config: str = "") -> tuple[Certainty, tuple[str, ...]]:
    """Certainty and assumptions of what is said about the group's connections."""
    for name, text in {"job.yaml": JOB, "policy.yaml": cnp(policy), "trainlint.yaml": config}.items():
        if text:
            (root / name).write_text(text, encoding="utf-8")
    (found,) = check([root], select=frozenset({"flow-denied"})).findings
    return found.finding.certainty, found.finding.assumes


def test_a_zone_label_that_only_newer_cilium_leaves_out_makes_the_denial_likely(tmp_path: Path) -> None:
    certainty, assumes = said(tmp_path, BY_ZONE)
    assert certainty is Certainty.LIKELY
    assert any("Cilium" in each and "version" in each for each in assumes)


def test_with_the_version_stated_it_is_proven(tmp_path: Path) -> None:
    assert said(tmp_path, BY_ZONE, cni("cilium", "1.20")) == (Certainty.PROVEN, ())


@pytest.mark.parametrize("policy", [BY_APP, BY_INDEX])
def test_what_no_cilium_would_admit_is_proven_without_a_version(tmp_path: Path, policy: str) -> None:
    assert said(tmp_path, policy) == (Certainty.PROVEN, ())
