"""The kinds that say something about nodes, and the module that reads each."""

from __future__ import annotations

from typing import Final

from trainlint.source.kindless import RANCHER_CONFIG, TALOS_CONFIG

__all__ = ["CONFIGURATION_KINDS", "INVENTORY_KINDS", "NODE_CLASSES", "SOURCES"]

NODE_CLASSES: Final = frozenset({"AKSNodeClass", "EC2NodeClass", "GCENodeClass", "NodeClass", "OCINodeClass"})
"""What a NodePool of Karpenter refers to, one kind for each cloud."""

SOURCES: Final = {
    "cluster_api": frozenset(
        {"Cluster", "KubeadmConfigTemplate", "KubeadmControlPlane", "MachineDeployment", "MachinePool", "MachineSet"}
    ),
    "compute_class": frozenset({"ComputeClass"}),
    "eksctl": frozenset({"ClusterConfig"}),
    "karpenter": NODE_CLASSES | {"NodeOverlay", "NodePool"},
    "kind": frozenset({"Cluster"}),
    "kubeadm": frozenset({"InitConfiguration", "JoinConfiguration"}),
    "rancher": frozenset({RANCHER_CONFIG}),
    "talos": frozenset({TALOS_CONFIG}),
}
"""Modules of this package, each with the kinds that it reads."""

CONFIGURATION_KINDS: Final = SOURCES["eksctl"] | SOURCES["kubeadm"] | SOURCES["rancher"] | SOURCES["talos"]
"""Files for programs, which no API server ever sees: two of one name are not one object."""

INVENTORY_KINDS: Final = frozenset({"Inventory", "Node"}).union(*SOURCES.values())
