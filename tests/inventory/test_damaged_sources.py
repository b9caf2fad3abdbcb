"""Whatever is wrong with a description of nodes or queues, it is read as far as it goes, and nothing breaks."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.engine.worlds import write
from tests.inventory.reading import inventories
from tests.mutations import damage_bytes, damage_structure

from trainlint.engine import check
from trainlint.finding import UsageError
from trainlint.model.known import Answer
from trainlint.source.events import TooDeepError, YamlError

SOURCES = {
    "karpenter.yaml": """
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  replicas: 3
  limits: {nodes: 4, cpu: 400, memory: 9Ti, nvidia.com/gpu: "32"}
  template:
    metadata: {labels: {team: ml}}
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: x}
      requirements:
        - {key: node.kubernetes.io/instance-type, operator: In, values: [p5.48xlarge, p4d.24xlarge]}
        - {key: topology.kubernetes.io/zone, operator: In, values: [us-west-2a, us-west-2b]}
        - {key: karpenter.sh/capacity-type, operator: NotIn, values: [spot]}
      taints: [{key: gpu, value: a, effect: NoSchedule}]
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: x}
spec: {kubelet: {maxPods: 42}}
""",
    "eksctl.yaml": """
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: prod, region: us-west-2}
availabilityZones: [us-west-2a, us-west-2b]
vpc: {subnets: {private: {us-west-2b: {id: subnet-1, az: us-west-2b}}}}
fargateProfiles: [{name: f}]
managedNodeGroups:
  - {name: a, instanceTypes: [g5.xlarge], minSize: 1, desiredCapacity: 2, maxSize: 3, subnets: [subnet-1]}
  - {name: b, instanceType: p5.48xlarge, efaEnabled: true, labels: {a: b}, taints: [{key: a, effect: NoExecute}]}
nodeGroups: [{name: c, taints: {gpu: "a:NoSchedule"}, instancesDistribution: {instanceTypes: [m5.large]}}]
""",
    "kind.yaml": """
kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
name: lab
kubeadmConfigPatches: ["kind: InitConfiguration\\nnodeRegistration: {taints: []}\\n"]
nodes:
  - {role: control-plane}
  - role: worker
    labels: {gpu: "true"}
    kubeadmConfigPatches: ["kind: JoinConfiguration\\nnodeRegistration: {kubeletExtraArgs: {node-labels: 'a=b'}}\\n"]
""",
    "capi.yaml": """
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata:
  name: gpu
  annotations:
    cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size: "0"
    cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size: "4"
    capacity.cluster-autoscaler.kubernetes.io/cpu: "96"
    capacity.cluster-autoscaler.kubernetes.io/memory: 768Gi
    capacity.cluster-autoscaler.kubernetes.io/taints: "dedicated=gpu:NoSchedule"
spec:
  clusterName: prod
  template: {spec: {failureDomain: zone-a, bootstrap: {configRef: {name: gpu}}, taints: [{key: a}]}}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: prod}
spec: {controlPlaneRef: {kind: KubeadmControlPlane, name: head}}
---
apiVersion: controlplane.cluster.x-k8s.io/v1beta2
kind: KubeadmControlPlane
metadata: {name: head}
spec: {replicas: 3, kubeadmConfigSpec: {joinConfiguration: {nodeRegistration: {taints: []}}}}
""",
    "k3s/config.yaml": "node-name: n1\nnode-label: [a=b, 'c=${D}']\nnode-taint: ['a=b:NoSchedule']\n",
    "talos.yaml": "machine: {type: worker, nodeLabels: {a: b}, nodeTaints: {a: 'b:NoSchedule'}}\ncluster: {}\n",
    "class.yaml": """
apiVersion: cloud.google.com/v1
kind: ComputeClass
metadata: {name: train}
spec:
  nodePoolConfig: {nodeLabels: {a: b}, taints: [{key: a, effect: NoSchedule}]}
  priorities: [{machineType: a3-highgpu-8g, gpu: {type: x}, location: {zones: [us-central1-a]}}]
""",
    "queues.yaml": """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: gpu}
spec: {nodeLabels: {team: ml}, nodeTaints: [{key: gpu, value: a, effect: NoSchedule}], topologyName: t}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: t}
spec: {levels: [{nodeLabel: topology.kubernetes.io/zone}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cq}
spec:
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ml}}
  cohortName: c
  resourceGroups:
    - coveredResources: [nvidia.com/gpu]
      flavors: [{name: gpu, resources: [{name: nvidia.com/gpu, nominalQuota: 99, borrowingLimit: 1, lendingLimit: 2}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: lq, namespace: ml}
spec: {clusterQueue: cq}
""",
    "job.yaml": """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml, labels: {kueue.x-k8s.io/queue-name: lq}}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: topology.kubernetes.io/zone}}
        spec:
          tolerations: [{key: gpu, operator: Exists}]
          containers: [{name: pytorch, image: i, resources: {limits: {nvidia.com/gpu: "8", memory: 1950Gi}}}]
""",
    "platform.yaml": """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{plugins: {filter: {disabled: [{name: "*"}]}}, pluginConfig: [{name: NodeResourcesFit, args: {}}]}]
---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: a}
spec: {groups: [{rules: [{alert: A, expr: up}]}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: nvidia-device-plugin}
spec: {template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: i}]}}}
""",
}


def test_every_source_is_read_where_it_is_whole() -> None:
    described = {
        each.at.file
        for each in inventories({name: text for name, text in SOURCES.items() if "job" not in name})
        if each.at
    }
    assert len(described) >= 5  # those of one directory that name no cluster are one


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_source_gives_pools_or_a_plain_complaint(seed: int) -> None:
    rng = random.Random(seed)
    for name, text in SOURCES.items():
        try:
            found = inventories({name: damage_structure(text, rng)})
        except (YamlError, TooDeepError, UsageError):
            continue
        for pool in (pool for each in found for pool in each.pools):
            assert pool.maximum is None or pool.maximum >= 0
            assert isinstance(pool.name, str)


@pytest.mark.parametrize("seed", range(12))
def test_a_repository_with_damaged_sources_is_judged_without_a_fault_of_ours(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    files = {
        name: damage_bytes(text.encode(), rng) if rng.random() < 0.1 else damage_structure(text, rng).encode()
        for name, text in SOURCES.items()
        if rng.random() < 0.7 or name == "job.yaml"
    }
    result = check([write(tmp_path, files)])
    assert result.failures == ()
    for group in result.groups:
        assert group.exists is not Answer.UNKNOWN or group.for_all is Answer.UNKNOWN
        assert group.exists is not Answer.REFUTED or group.for_all is Answer.REFUTED
