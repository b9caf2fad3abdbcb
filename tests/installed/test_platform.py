"""Which settings of charts name the platform of the cluster, and which only a service of the same cloud."""

from __future__ import annotations

import pytest

from trainlint.deploy.deployment import Release, Values
from trainlint.installed.platform import platform_of
from trainlint.source.document import Document


def release(chart: str, values: object) -> Release:
    """A chart that is installed with these values."""
    return Release(chart, "kube-system", chart, values=(Values(Document("hr.yaml", 0, 1, "", values).root),))


@pytest.mark.parametrize(
    ("chart", "values", "profile"),
    [
        # cluster-autoscaler works on the cluster's own machines; EKS has it installed by its users
        ("cluster-autoscaler", {"cloudProvider": "aws"}, "eks"),
        ("cluster-autoscaler", {"cloudProvider": "oci-oke"}, "oke"),
        # values.yaml of cilium (gke, aksbyocni), of karpenter (an EKS control plane), of datadog (providers)
        ("cilium", {"gke": {"enabled": True}}, "gke"),
        ("cilium", {"aksbyocni": {"enabled": True}}, "aks"),
        ("karpenter", {"settings": {"eksControlPlane": True}}, "eks"),
        ("datadog", {"providers": {"gke": {"autopilot": True}}}, "gke"),
        ("cilium", {"gke": {"enabled": False}}, None),
        # machines of Azure or Google that people join to a cluster of their own: AKS and GKE scale theirs
        ("cluster-autoscaler", {"cloudProvider": "azure"}, None),
        ("cluster-autoscaler", {"cloudProvider": "gce"}, None),
        # where DNS records and backups go
        ("external-dns", {"provider": "aws"}, None),
        ("velero", {"provider": "gcp"}, None),
    ],
)
def test_the_platform_of_a_setting(chart: str, values: object, profile: str | None) -> None:
    shown = platform_of([], [release(chart, values)])
    assert (shown[0] if shown else None) == profile


def test_settings_that_contradict_each_other_show_nothing() -> None:
    both = [release("cluster-autoscaler", {"cloudProvider": "aws"}), release("cilium", {"gke": {"enabled": True}})]
    assert platform_of([], both) is None
