"""Why values are not known, in words."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from trainlint.fabric.ground import AttachmentGround, NetworkGround
from trainlint.inventory.ground import PoolGround
from trainlint.kube.ground import FieldGround
from trainlint.launch.ground import VariableGround
from trainlint.model.ground import ValueGround
from trainlint.policy.ground import PolicyGround
from trainlint.scheduling.ground import NodeGround
from trainlint.workload.ground import PodGround

__all__ = ["VALUES"]

_OF_NODES: Final[Mapping[Enum, str]] = {
    ValueGround.KUBELET_LABEL: "the value of {0}, which every kubelet sets, in pool {1}",
    ValueGround.PLATFORM_LABEL: "the platform may put {0} on the nodes of pool {1}",
    ValueGround.EACH_POD: "each pod has a value of its own",
    ValueGround.FIRST_POD: "only the pod with index 0 has it",
    ValueGround.LANDING_ZONE: "the zone that the pod lands in",
    ValueGround.NO_INVENTORY: "no node inventory",
    ValueGround.NO_ZONE: "no zone is given",
    ValueGround.ZONE_REGION: "the region of the zone is not known",
    ValueGround.MIXED_DOMAIN: "the nodes of one domain differ in {}",
    ValueGround.IDEAL_REGION: "in which region the nodes are",
    PoolGround.ATTRIBUTE: "the value of {} of the devices of {}",
    PoolGround.MACHINE_AMOUNT: "how much {0} a {1} offers: its disks and its image decide",
    PoolGround.MACHINE_PLUGIN: "whether the device plugin for {0} runs on a {1}",
    PoolGround.POOL_AMOUNT: "how much {0} pool {1} offers",
    PoolGround.NOT_WRITTEN: "how much {} the nodes offer: none is written",
    PoolGround.CLASS_PODS: "how many pods a node of the ComputeClass takes",
    PoolGround.NODE_COUNT: "how many nodes there are is a placeholder",
    PoolGround.KUBELET_LABEL: "the value of {}, which every kubelet sets",
    PoolGround.NEW_NODE_LABEL: "the value of {0} on new nodes of {1}",
    PoolGround.CLASS_MACHINE: "the ComputeClass leaves the machine type to GKE",
    PoolGround.LABEL_PLACEHOLDER: "its label {} is a placeholder",
    PoolGround.GROUP_ZONES: "the zones of node group {}: the file does not name them",
    PoolGround.INSTANCE_SELECTOR: "its instance types are chosen by instanceSelector",
    PoolGround.LAUNCH_TEMPLATE: "its launch template names the instance type",
    PoolGround.TYPE_PLACEHOLDER: "its instance type is a placeholder",
    PoolGround.NODE_POOL_PLACEHOLDER: "{} of the NodePool holds a placeholder",
    PoolGround.NODE_POOL_OPEN: "the NodePool fixes no value of {0} ({1})",
    PoolGround.NODE_POOL_LABEL: "the label {} of the NodePool is a placeholder",
    PoolGround.SEVERAL_VALUES: "{0} of pool {1} is one of {2}",
    PoolGround.NO_PLACE: "the {0} of pool {1} is not written",
    NodeGround.NO_TIER_TREE: (
        "which nodes share a HyperNode of tier {}: no HyperNode is in Git; kubectl get hypernodes -o yaml > "
        "hypernodes.yaml writes them down"
    ),
    NodeGround.TIER_NAME: "which tier {} is: no HyperNode has this tierName",
    NodeGround.TWO_HYPERNODES: "in which of {0} the nodes of pool {1} are: a node is in one of each tier",
    NodeGround.IN_HYPERNODE: "whether the nodes of pool {0} are in HyperNode {1}",
    NodeGround.NO_ALLOCATABLE: "the allocatable resources of {} are not known",
    NodeGround.KUBELET_SHARE: "how much {0} the kubelet leaves to pods in pool {1}",
    NodeGround.LIMIT_RANGES: "several LimitRanges give {} different defaults",
    NodeGround.NO_NAMES: "the nodes of pool {} have no names yet",
    NodeGround.DEVICE_PLUGIN: "whether a device plugin offers {0} in pool {1}",
    NodeGround.QUANTITY: "{0}: {1}",
}
_OF_PODS: Final[Mapping[Enum, str]] = {
    FieldGround.NO_NUMBER: "{} is no number",
    FieldGround.NO_QUANTITY: "{} is no quantity",
    FieldGround.NOT_WHOLE: "{0} is {1}, not a whole number",
    FieldGround.PLACEHOLDER: "{0} is the placeholder {1}",
    FieldGround.NOT_PLAIN: "{} is not a plain value",
    FieldGround.EMPTY: "{} is empty",
    FieldGround.NO_SOURCE: "from a source that is not in the file",
    FieldGround.POD_FIELD: "from the pod's own field {}",
    FieldGround.CONTAINER_FIELD: "from the container's own {}",
    FieldGround.CONFIG_KEY: "from {0} {1}, key {2}",
    FieldGround.ELEMENT: "an element that is no plain value",
    PodGround.RANKS_OF_CLASS: "how many ranks the devices of class {} take is not known",
    PodGround.RANKS_OF_MODEL: "how many ranks one {} takes depends on its model",
    PodGround.AMOUNT: "{0} is {1}",
    PodGround.VOLCANO_CONFIG_MAP: "it stands in a ConfigMap that Volcano makes",
    PodGround.VOLCANO_ADDRESSES: "Volcano writes the addresses of all tasks",
    PodGround.NO_TIER: "no highestTierAllowed is written: older Volcano takes tier 1, newer ones set no limit",
    PodGround.JOB_NAME: "the Job's name is made in the cluster",
    PodGround.OBJECT_NAME: "it holds the name of the object, which is made in the cluster",
    PodGround.PADDLE_MASTER: "worker 0 meets at its own address, the others at its name",
    PodGround.POD_ADDRESS: "it is the address of the pod",
    PodGround.OPERATOR_ADDRESSES: "the operator writes the addresses of all pods",
    PodGround.TORCH_POLICY: "Trainer reads numProcPerNode of a runtime's torch policy up to 2.1",
    PodGround.JOB_UID: "the Job's uid is made in the cluster",
    PodGround.POD_FIELD: "it is read from the pod",
    PodGround.RAY_SECRET: "it stands in a Secret that KubeRay makes",
    PodGround.RAY_COMMAND: "KubeRay makes the command line",
    PodGround.RAY_RELEASE: "it names KubeRay's release",
    PodGround.RAY_CLUSTER_NAME: "it holds the name of the cluster, which is made",
    PodGround.MADE: "it is made in the cluster",
    PodGround.RAY_UID: "it is the cluster's uid unless the manifest says more",
    PodGround.NO_NUMBER: "{0} is {1}, no number",
    PodGround.RESTARTS: "it counts the restarts",
    PodGround.JOBSET_UID: "the JobSet's uid is made in the cluster",
    PodGround.PRIORITY: "it is the value of the PriorityClass",
    PodGround.DEVICE_CLASSES: "the scheduler chooses among several device classes",
    PodGround.ALL_DEVICES: "the claim takes all devices of a node",
    PodGround.SHARED_CLAIM: "the pods share the devices of one claim",
    PodGround.NO_CLAIM: "no document defines the resource claim {}",
    PodGround.PLACEHOLDER: "{0} is the placeholder {1}",
    PodGround.CPU_QUANTITY: "the number of CPUs is no quantity",
    PodGround.PROCESSES: "how many processes a node has is not known",
    PodGround.REVISION_NAME: "the name holds a hash of the revision, which is computed in the cluster",
    PodGround.AUTOSCALED: "an autoscaler sets the number of replicas",
    PodGround.RAY_SUFFIX: "the RayCluster's name gets a random suffix",
    PodGround.SLICE_HOSTS: "it depends on the hosts of the slice",
    PodGround.TEMPLATE_HASH: "the hash of the template is computed in the cluster",
    PodGround.REVISION_HASH: "the hash of the revision is computed in the cluster",
    PodGround.POD_TEMPLATE_HASH: "the hash of the pod template is computed in the cluster",
    VariableGround.REFERENCE: "it refers to {}, which is not known",
    VariableGround.COMPUTED: "the script computes it: {}",
    VariableGround.TOO_LONG: "with its references filled in it is longer than {} KiB",
    VariableGround.TOO_MUCH: "with their references filled in the variables are longer than {} KiB",
    AttachmentGround.ANNOTATION_PLACEHOLDER: "{0} is the placeholder {1}",
    AttachmentGround.UNREADABLE: "{} cannot be read",
    AttachmentGround.PLACEHOLDER: "{} is a placeholder",
    AttachmentGround.NO_QUANTITY: "it is no quantity",
    NetworkGround.HOST_NETWORK: "hostNetwork: the pods have the node's interfaces",
    NetworkGround.HOST_NETWORK_PLACEHOLDER: "hostNetwork is a placeholder",
    NetworkGround.PRIMARY_NETWORK: "a user-defined network of OVN may be the primary one of the namespace",
    NetworkGround.MULTUS_DEFAULTS: "Multus adds default networks to every pod",
    NetworkGround.CLAIM: "the resource claim {} may bring network devices",
    NetworkGround.NO_ANNOTATION: "{} is asked for, and the annotation that names its interface is not here",
    NetworkGround.ANNOTATION: "the annotation {} changes the pods' networks",
    PolicyGround.CLUSTER_NAME: "the name of the cluster (the option cluster-name of Cilium) is not in Git",
    PolicyGround.PLACEHOLDER: "it is the placeholder {}",
    PolicyGround.NAMED_PORTS: "the agent encodes the pod's named ports in this label",
    PolicyGround.NODE_MAY_DIFFER: "the template sets {}, and the node may have another value",
    PolicyGround.NODE_DIFFERS: "the template sets {}, and the node has another value",
}
VALUES: Final[Mapping[Enum, str]] = {**_OF_NODES, **_OF_PODS}
