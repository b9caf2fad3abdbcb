"""The kinds that say something about nodes, and the module that reads each."""

from __future__ import annotations

from typing import Final

from trainlint.model.api_kind import declared, names
from trainlint.source.node_files import RANCHER_CONFIG, TALOS_CONFIG

__all__ = ["CONFIGURATION_KINDS", "INVENTORY_KINDS", "KINDS", "NODE_CLASSES", "SOURCES"]

_NODE_CLASSES: Final = (
    *declared("eks.amazonaws.com", cluster="NodeClass"),
    *declared("karpenter.azure.com", cluster="AKSNodeClass"),
    *declared("karpenter.k8s.aws", cluster="EC2NodeClass"),
    *declared("karpenter.k8s.gcp", cluster="GCENodeClass"),
    *declared("oci.oraclecloud.com", cluster="OCINodeClass"),
)
NODE_CLASSES: Final = names(_NODE_CLASSES)
"""What a NodePool of Karpenter refers to, one kind for each cloud."""

_DECLARED: Final = {
    "cluster_api": (
        *declared("cluster.x-k8s.io", namespaced="Cluster MachineDeployment MachinePool MachineSet"),
        *declared("bootstrap.cluster.x-k8s.io", namespaced="KubeadmConfigTemplate"),
        *declared("controlplane.cluster.x-k8s.io", namespaced="KubeadmControlPlane"),
    ),
    "compute_class": declared("cloud.google.com", cluster="ComputeClass"),
    "eksctl": declared("eksctl.io", files="ClusterConfig"),
    "karpenter": (*_NODE_CLASSES, *declared("karpenter.sh", cluster="NodeOverlay NodePool")),
    "kind": declared("kind.x-k8s.io", files="Cluster"),
    "kubeadm": declared("kubeadm.k8s.io", files="InitConfiguration JoinConfiguration"),
    "rancher": declared("", files=RANCHER_CONFIG),
    "talos": declared("", files=TALOS_CONFIG),
}
SOURCES: Final = {module: names(kinds) for module, kinds in _DECLARED.items()}
"""Modules of this package, each with the kinds that it reads."""

KINDS: Final = (
    *(each for kinds in _DECLARED.values() for each in kinds),
    *declared("", cluster="Node"),
    *declared("resource.k8s.io", cluster="ResourceSlice"),
    *declared("trainlint.io", cluster="Inventory"),
)
INVENTORY_KINDS: Final = names(KINDS)

CONFIGURATION_KINDS: Final = names(each for each in KINDS if each.namespaced is None) - names(
    each for each in KINDS if each.namespaced is not None
)
"""Files for programs, which no API server ever sees: two of one name are not one object."""
