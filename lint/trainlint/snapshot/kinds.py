"""The kinds of objects that are read."""

from __future__ import annotations

from trainlint.deploy.kinds import DEPLOYER_KINDS, SOURCE_KINDS
from trainlint.installed.kinds import ADMISSION_POLICY_KINDS, CONFIG_MAPS, INSTALLED_KINDS
from trainlint.inventory.kinds import INVENTORY_KINDS
from trainlint.kube.kueue import KUEUE_KINDS
from trainlint.kube.mesh import MESH_KINDS
from trainlint.kube.network import NETWORK_KINDS
from trainlint.kube.policies import POLICY_READ_KINDS
from trainlint.kube.scheduler_queue import QUEUE_KINDS
from trainlint.kube.webhooks import WEBHOOK_KINDS
from trainlint.snapshot.platform import ADMISSION_KINDS, REFERENCED_KINDS, STORAGE_KINDS
from trainlint.source.podtemplates import POD_OWNERS
from trainlint.workload.kinds import WORKLOAD_KINDS

__all__ = ["HYPERNODE_KINDS", "READ_KINDS"]

HYPERNODE_KINDS = frozenset({"HyperNode"})
"""How Volcano is told which nodes are near each other."""

CLUSTER_KINDS = HYPERNODE_KINDS | frozenset(
    {
        "ClusterConfiguration",
        "ComputeDomain",
        "DaemonSet",
        "KubeSchedulerConfiguration",
        "Namespace",
        "PrometheusRule",
        "VMRule",
    }
)
"""What the cluster's own manifests say beside nodes and policies."""

READ_KINDS = (
    INVENTORY_KINDS
    | KUEUE_KINDS
    | POLICY_READ_KINDS
    | QUEUE_KINDS
    | WORKLOAD_KINDS
    | ADMISSION_KINDS
    | REFERENCED_KINDS
    | STORAGE_KINDS
    | NETWORK_KINDS
    | {kind for _, kind in DEPLOYER_KINDS | SOURCE_KINDS}
    | CLUSTER_KINDS
    | ADMISSION_POLICY_KINDS
    | WEBHOOK_KINDS
    | MESH_KINDS
    | CONFIG_MAPS
    | INSTALLED_KINDS
    | {POD_OWNERS}
)
"""The kinds that are read; documents without any of them are skipped."""
