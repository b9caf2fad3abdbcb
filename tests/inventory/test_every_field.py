"""Every field that describes nodes is read by its name in the CRD or configuration of its source (S 3).

Each manifest holds the fields of its kind that the readers need, with other values than their defaults: without any one
of them, other nodes are read.
"""

from __future__ import annotations

import pytest
import yaml
from tests.fields import unread
from tests.inventory.reading import inventories

from trainlint.finding import UsageError
from trainlint.source.document import Field

SOURCES = {
    "Node": """
- apiVersion: v1
  kind: Node
  metadata: {name: n1, labels: {pool: gpu}}
  spec: {unschedulable: true, taints: [{key: a, value: b, effect: NoSchedule}]}
  status: {allocatable: {cpu: "8", memory: 8Gi, pods: "20"}}
""",
    "eksctl": """
- apiVersion: eksctl.io/v1alpha5
  kind: ClusterConfig
  metadata: {name: prod, region: us-west-2}
  managedNodeGroups:
    - name: gpu
      instanceTypes: [p4d.24xlarge]
      availabilityZones: [us-west-2a]
      minSize: 1
      maxSize: 8
      spot: true
      labels: {pool: gpu}
      taints: [{key: a, value: b, effect: NoSchedule}]
      maxPodsPerNode: 20
  nodeGroups:
    - name: own
      instancesDistribution: {instanceTypes: [g5.xlarge]}
      desiredCapacity: 3
      taints: {c: "d:NoSchedule"}
""",
    "eksctl with subnets": """
- apiVersion: eksctl.io/v1alpha5
  kind: ClusterConfig
  metadata: {name: prod}
  vpc:
    subnets:
      private: {us-west-2a: {id: subnet-1}, mine: {id: subnet-2, az: us-west-2b}}
      public: {other: {id: subnet-3, az: us-west-2c}, us-west-2d: {id: subnet-4}}
  managedNodeGroups:
    - {name: one, instanceType: m5.xlarge, subnets: [subnet-1, subnet-2, subnet-3, subnet-4]}
    - {name: two, subnets: [mine]}
""",
    "eksctl with private nodes": """
- apiVersion: eksctl.io/v1alpha5
  kind: ClusterConfig
  metadata: {name: prod}
  vpc: {subnets: {private: {us-west-2a: {}}, public: {us-west-2b: {}}}}
  managedNodeGroups: [{name: one, privateNetworking: true}, {name: two}]
""",
    "Karpenter": """
- apiVersion: karpenter.sh/v1
  kind: NodePool
  metadata: {name: gpu}
  spec:
    limits: {nodes: 4}
    template:
      metadata: {labels: {pool: gpu}}
      spec:
        nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: mine}
        taints: [{key: a, value: b, effect: NoSchedule}]
        requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [p4d.24xlarge]}]
- apiVersion: karpenter.k8s.aws/v1
  kind: EC2NodeClass
  metadata: {name: mine}
  spec: {kubelet: {maxPods: 30}}
""",
    "Karpenter on Azure": """
- apiVersion: karpenter.sh/v1
  kind: NodePool
  metadata: {name: gpu}
  spec:
    limits: {cpu: 200}
    template:
      spec:
        nodeClassRef: {group: karpenter.azure.com, kind: AKSNodeClass, name: mine}
        requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [Standard_ND96asr_v4]}]
- apiVersion: karpenter.azure.com/v1beta1
  kind: AKSNodeClass
  metadata: {name: mine}
  spec: {maxPods: 30}
""",
    "Cluster API": """
- apiVersion: cluster.x-k8s.io/v1beta1
  kind: MachineDeployment
  metadata:
    name: gpu
    namespace: ml
    annotations:
      cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size: "2"
      cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size: "8"
      capacity.cluster-autoscaler.kubernetes.io/cpu: "8"
      capacity.cluster-autoscaler.kubernetes.io/memory: 8Gi
      capacity.cluster-autoscaler.kubernetes.io/maxPods: "20"
      capacity.cluster-autoscaler.kubernetes.io/gpu-count: "4"
      capacity.cluster-autoscaler.kubernetes.io/gpu-type: amd.com/gpu
      capacity.cluster-autoscaler.kubernetes.io/ephemeral-disk: 100Gi
      capacity.cluster-autoscaler.kubernetes.io/labels: a=b
      capacity.cluster-autoscaler.kubernetes.io/taints: c=d:NoSchedule
  spec:
    clusterName: prod
    template:
      metadata:
        labels:
          node-role.kubernetes.io/gpu: "1"
          node-restriction.kubernetes.io/pool: gpu
          node.cluster.x-k8s.io/pool: gpu
      spec:
        failureDomain: us-west-2a
        bootstrap: {configRef: {name: mine}}
        taints: [{key: e, value: f, effect: NoSchedule}]
- apiVersion: cluster.x-k8s.io/v1beta1
  kind: MachinePool
  metadata: {name: pool, namespace: ml}
  spec: {clusterName: prod, replicas: 3, failureDomains: [us-west-2b]}
- apiVersion: cluster.x-k8s.io/v1beta1
  kind: Cluster
  metadata: {name: prod}
  spec: {controlPlaneRef: {kind: KubeadmControlPlane, name: head}}
- apiVersion: controlplane.cluster.x-k8s.io/v1beta1
  kind: KubeadmControlPlane
  metadata: {name: head}
  spec:
    replicas: 3
    kubeadmConfigSpec:
      joinConfiguration:
        nodeRegistration: {kubeletExtraArgs: {node-labels: "i=j"}, taints: [{key: k, effect: NoSchedule}]}
- apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
  kind: KubeadmConfigTemplate
  metadata: {name: mine, namespace: ml}
  spec:
    template:
      spec:
        joinConfiguration:
          nodeRegistration:
            taints: [{key: g, effect: NoSchedule}]
            kubeletExtraArgs: [{name: node-labels, value: g=h}, {name: register-with-taints, value: "x=y:NoSchedule"}]
""",
    "kubeadm": """
- apiVersion: kubeadm.k8s.io/v1beta4
  kind: JoinConfiguration
  controlPlane: {localAPIEndpoint: {}}
  nodeRegistration:
    name: n1
    taints: [{key: a, value: b, effect: NoSchedule}]
    kubeletExtraArgs: [{name: node-labels, value: a=b}]
""",
    "kind": """
- apiVersion: kind.x-k8s.io/v1alpha4
  kind: Cluster
  name: try
  kubeadmConfigPatches: ["nodeRegistration: {kubeletExtraArgs: {node-labels: a=b}}"]
  nodes:
    - {}
    - role: worker
      labels: {pool: gpu}
      kubeadmConfigPatches: ["nodeRegistration: {taints: [{key: a, effect: NoSchedule}]}"]
""",
    "ComputeClass": """
- apiVersion: cloud.google.com/v1
  kind: ComputeClass
  metadata: {name: gpus}
  spec:
    nodePoolConfig: {nodeLabels: {pool: gpu}, taints: [{key: a, value: b, effect: NoSchedule}]}
    priorityDefaults: {location: {zones: [us-central1-a]}}
    priorities:
      - {machineType: a3-highgpu-8g, gpu: {type: nvidia-h100-80gb}}
      - {machineType: a2-highgpu-8g, location: {zones: [us-central1-b]}}
""",
    "trainlint": """
- apiVersion: trainlint.io/v1alpha1
  kind: Inventory
  metadata: {name: today}
  complete: false
  pools:
    - name: gpu
      count: 4
      zone: us-west-2a
      region: us-west-2
      labels: {pool: gpu}
      allocatable: {cpu: "8"}
      unschedulable: true
    - {name: cpu, min: 1, max: 3}
""",
}
SILENT = {
    "Karpenter": ["1.apiVersion"],
    "Karpenter on Azure": ["1.apiVersion"],
    "Cluster API": ["1.metadata.namespace", "3.apiVersion"],
}
"""What names no node: an object beside is known by its kind and name."""


def read(objects: Field) -> object:
    text = "---\n".join(yaml.safe_dump(each) for each in objects.value)
    try:
        found = inventories({"cluster.yaml": text})
    except UsageError as error:
        return str(error)
    return found, [(pool.bound, pool.budget) for each in found for pool in each.pools]


@pytest.mark.parametrize("source", SOURCES)
def test_every_field_is_read_by_its_name(source: str) -> None:
    assert unread(read, SOURCES[source]) == SILENT.get(source, [])
