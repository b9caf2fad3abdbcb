"""Every field that decides about pods is read by its name in the API (kubernetes.io: API reference; CRDs of others).

Each manifest holds the fields of its kind that the readers need, each with a value other than its default: without any
one of them, something else is read.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.fields import field, unread

from trainlint.kube import admission, hypernode, kueue, mesh, node, pod, scheduler_queue, storage, volumes, webhooks
from trainlint.kube.meta import read_meta
from trainlint.source.document import Field

POD = """
containers:
  - name: main
    image: train:1
    command: [python]
    args: [train.py]
    env:
      - {name: A, value: b}
      - {name: B, valueFrom: {configMapKeyRef: {name: c, key: d}}}
      - {name: C, valueFrom: {secretKeyRef: {name: c, key: d}}}
      - {name: D, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
      - {name: E, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}
    ports: [{containerPort: 1, name: rdzv, protocol: UDP, hostPort: 2, hostIP: 10.0.0.1}]
    resources: {requests: {cpu: "1"}, limits: {nvidia.com/gpu: 8}, claims: [{name: gpu, request: one}]}
    restartPolicy: Always
    volumeMounts: [{name: data, mountPath: /data, subPath: a}]
    securityContext: {privileged: true, runAsUser: 7, capabilities: {add: [IPC_LOCK]}}
initContainers: [{name: first}]
nodeName: n1
nodeSelector: {pool: gpu}
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
        - matchExpressions: [{key: a, operator: In, values: [b]}]
          matchFields: [{key: metadata.name, operator: In, values: [n1]}]
    preferredDuringSchedulingIgnoredDuringExecution:
      - preference: {matchExpressions: [{key: a, operator: Exists}]}
  podAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: zone
        labelSelector: {matchLabels: {a: b}, matchExpressions: [{key: a, operator: In, values: [b]}]}
        namespaces: [ml]
        namespaceSelector: {matchLabels: {a: b}}
        matchLabelKeys: [a]
        mismatchLabelKeys: [b]
    preferredDuringSchedulingIgnoredDuringExecution:
      - podAffinityTerm: {topologyKey: rack}
  podAntiAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: kubernetes.io/hostname}
topologySpreadConstraints:
  - topologyKey: zone
    maxSkew: 2
    whenUnsatisfiable: ScheduleAnyway
    labelSelector: {matchLabels: {a: b}}
    minDomains: 3
    nodeAffinityPolicy: Ignore
    nodeTaintsPolicy: Honor
    matchLabelKeys: [a]
tolerations: [{key: a, operator: Equal, value: b, effect: NoSchedule}]
overhead: {cpu: 250m}
resources: {requests: {cpu: "2"}, limits: {memory: 1Gi}}
hostNetwork: true
hostname: h
subdomain: s
serviceAccountName: robot
schedulerName: volcano
schedulingGates: [{name: gate}]
priorityClassName: high
runtimeClassName: kata
volumes:
  - {name: a, persistentVolumeClaim: {claimName: data, readOnly: true}}
  - {name: b, ephemeral: {volumeClaimTemplate: {spec: {storageClassName: fast, accessModes: [ReadWriteOnce]}}}}
  - {name: c, emptyDir: {medium: Memory, sizeLimit: 1Gi}}
  - {name: d, gcePersistentDisk: {pdName: disk, readOnly: true}}
  - {name: e, awsElasticBlockStore: {volumeID: disk}}
  - {name: f, azureDisk: {diskName: disk}}
  - {name: g, iscsi: {iqn: disk}}
  - {name: h, rbd: {image: disk, pool: other, monitors: [one]}}
  - {name: i, csi: {driver: efs}}
  - {name: j, hostPath: {path: /data}}
  - {name: k, nfs: {server: fs, path: /data}}
resourceClaims: [{name: gpu, resourceClaimTemplateName: t}, {name: other, resourceClaimName: c}]
activeDeadlineSeconds: 60
dnsPolicy: None
hostIPC: true
securityContext: {sysctls: [{name: net.ipv4.ip_local_port_range, value: "1024 2048"}]}
"""
NODE = """
metadata: {name: n1, labels: {pool: gpu}}
spec: {unschedulable: true, taints: [{key: a, value: b, effect: NoSchedule}]}
status: {allocatable: {cpu: "8"}}
"""
LIMIT_RANGE = """
metadata: {name: limits}
spec:
  limits:
    - type: Container
      default: {cpu: "1"}
      defaultRequest: {cpu: "2"}
      min: {cpu: "3"}
      max: {cpu: "4"}
      maxLimitRequestRatio: {cpu: "5"}
"""
QUOTA = """
metadata: {name: quota}
spec:
  hard: {pods: "4"}
  scopes: [NotTerminating]
  scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [high]}]}
"""
RUNTIME_CLASS = """
metadata: {name: kata}
overhead: {podFixed: {cpu: 250m}}
scheduling: {nodeSelector: {pool: gpu}, tolerations: [{key: a, operator: Exists, effect: NoSchedule}]}
"""
NAMESPACE = """
metadata:
  annotations:
    scheduler.alpha.kubernetes.io/node-selector: pool=gpu
    scheduler.alpha.kubernetes.io/defaultTolerations: '[{"key": "a"}]'
    scheduler.alpha.kubernetes.io/tolerationsWhitelist: '[{"key": "b"}]'
"""
HYPERNODE = """
metadata: {name: rack}
spec:
  tier: 1
  tierName: rack
  members:
    - {type: HyperNode, selector: {exactMatch: {name: n1}}}
    - {selector: {regexMatch: {pattern: n.*}}}
    - {selector: {labelMatch: {matchLabels: {a: b}}}}
"""
LOCAL_QUEUE = "{metadata: {name: q}, spec: {clusterQueue: c, stopPolicy: Hold}}"
GROUP = """
  resourceGroups:
    - coveredResources: [cpu]
      flavors: [{name: f, resources: [{name: cpu, nominalQuota: 4, borrowingLimit: 2, lendingLimit: 1}]}]
"""
CLUSTER_QUEUE = f"""
metadata: {{name: c}}
spec:
  cohortName: team
  namespaceSelector: {{matchLabels: {{a: b}}}}
  stopPolicy: HoldAndDrain
  admissionChecks: [one]
  admissionChecksStrategy: {{admissionChecks: [{{name: two, onFlavors: [f]}}]}}
  flavorFungibility: {{whenCanBorrow: TryNextFlavor}}{GROUP}"""
FLAVOR = """
metadata: {name: f}
spec:
  nodeLabels: {pool: gpu}
  nodeTaints: [{key: a, value: b, effect: NoSchedule}]
  tolerations: [{key: a, operator: Equal, value: b, effect: NoSchedule}]
  topologyName: racks
"""
CHECK = """
metadata: {name: check}
spec: {controllerName: kueue.x-k8s.io/multikueue, parameters: {kind: MultiKueueConfig, name: all}}
status: {conditions: [{type: Active, status: "True"}]}
"""
PEERS = """
apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: strict, namespace: ml}
spec: {selector: {matchLabels: {a: b}}, mtls: {mode: STRICT}, portLevelMtls: {29500: {mode: DISABLE}}}
"""
VOLCANO_QUEUE = """
apiVersion: scheduling.volcano.sh/v1beta1
metadata: {name: q}
spec: {parent: root, capability: {cpu: "4", nvidia.com/gpu: 8}, state: Closed}
"""
KAI_QUEUE = """
apiVersion: scheduling.run.ai/v2
metadata: {name: q}
spec:
  parentQueue: root
  resources: {gpu: {limit: 8, quota: 4}, cpu: {limit: 4000, quota: 2000}, memory: {limit: 8000, quota: 4000}}
"""
VOLUME = """
metadata: {name: v, labels: {a: b}, deletionTimestamp: now}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: fast
  volumeMode: Block
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}
  claimRef: {namespace: ml, name: data}
  csi: {driver: ebs, volumeHandle: vol-1}
status: {phase: Bound}
"""
CLAIM = """
metadata:
  namespace: ml
  name: data
  annotations: {pv.kubernetes.io/bind-completed: "yes", volume.kubernetes.io/selected-node: n1}
  deletionTimestamp: now
  ownerReferences: [{name: pod}]
spec:
  accessModes: [ReadWriteMany]
  storageClassName: fast
  volumeName: v
  selector: {matchLabels: {a: b}}
  resources: {requests: {storage: 1Gi}}
  volumeMode: Block
status: {phase: Bound}
"""
STORAGE_CLASS = """
metadata: {name: fast, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: ebs.csi.aws.com
volumeBindingMode: WaitForFirstConsumer
allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [a]}]}]
"""
CSI_NODE = "{metadata: {name: n1}, spec: {drivers: [{name: ebs, allocatable: {count: 25}}]}}"
CAPACITY = """
storageClassName: fast
nodeTopology: {matchLabels: {zone: a}}
capacity: 1Ti
maximumVolumeSize: 1Gi
"""
WEBHOOKS = """
metadata: {name: hooks}
webhooks:
  - name: pods.example.com
    clientConfig: {service: {namespace: system, name: hook, port: 8443}}
    rules: [{apiGroups: [batch], resources: [jobs], operations: [CREATE]}]
    failurePolicy: Ignore
    matchConditions: [a]
    namespaceSelector: {matchLabels: {a: b}}
    objectSelector: {matchLabels: {c: d}}
"""
META = """
kind: Job
apiVersion: batch/v1
metadata: {namespace: ml, name: train, labels: {a: b}, annotations: {c: d}}
"""
CLAIM_TEMPLATE = "[{metadata: {name: data}, spec: {storageClassName: fast, accessModes: [ReadWriteOnce]}}]"

READERS: dict[str, tuple[Callable[[Field], object], str]] = {
    "pod": (pod.read_pod_spec, POD),
    "node": (node.read_node, NODE),
    "metadata": (read_meta, META),
    "LimitRange": (lambda item: admission.read_limit_range(item, "ml"), LIMIT_RANGE),
    "ResourceQuota": (lambda item: admission.read_resource_quota(item, "ml"), QUOTA),
    "RuntimeClass": (admission.read_runtime_class, RUNTIME_CLASS),
    "Namespace": (admission.read_namespace_defaults, NAMESPACE),
    "HyperNode": (hypernode.read_hypernode, HYPERNODE),
    "LocalQueue": (lambda item: kueue.read_local_queue(item, "ml"), LOCAL_QUEUE),
    "ClusterQueue": (kueue.read_cluster_queue, CLUSTER_QUEUE),
    "ClusterQueue v1beta1": (kueue.read_cluster_queue, CLUSTER_QUEUE.replace("cohortName", "cohort")),
    "Cohort": (kueue.read_cohort, f"metadata: {{name: c}}\nspec:\n  parentName: root{GROUP}"),
    "Cohort v1alpha1": (kueue.read_cohort, f"metadata: {{name: c}}\nspec:\n  parent: root{GROUP}"),
    "ResourceFlavor": (kueue.read_flavor, FLAVOR),
    "AdmissionCheck": (kueue.read_admission_check, CHECK),
    "MultiKueueConfig": (kueue.read_multikueue_config, "{metadata: {name: m}, spec: {clusters: [a, b]}}"),
    "Topology": (kueue.read_levels, "{spec: {levels: [{nodeLabel: block}, {nodeLabel: rack}]}}"),
    "PeerAuthentication": (mesh.read_peer_authentication, PEERS),
    "Queue of Volcano": (scheduler_queue.read_queue, VOLCANO_QUEUE),
    "Queue of KAI": (scheduler_queue.read_queue, KAI_QUEUE),
    "PersistentVolume": (storage.read_persistent_volume, VOLUME),
    "PersistentVolumeClaim": (storage.read_claim, CLAIM),
    "StorageClass": (storage.read_storage_class, STORAGE_CLASS),
    "StorageClass beta": (storage.read_storage_class, STORAGE_CLASS.replace("storageclass.k", "storageclass.beta.k")),
    "CSINode": (storage.read_csi_node, CSI_NODE),
    "CSIStorageCapacity": (storage.read_storage_capacity, CAPACITY),
    "webhooks": (lambda item: list(webhooks.read_webhooks(item)), WEBHOOKS),
    "volumeClaimTemplates": (volumes.read_claim_templates, CLAIM_TEMPLATE),
}


@pytest.mark.parametrize("kind", READERS)
def test_every_field_is_read_by_its_name(kind: str) -> None:
    assert unread(*READERS[kind]) == []


def test_what_no_reader_needs_is_found() -> None:
    assert unread(read_meta, META.replace("name: train", "name: train, uid: u")) == ["metadata.uid"]
    assert read_meta(field(META)).name == "train"
