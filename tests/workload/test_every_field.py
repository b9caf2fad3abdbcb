"""Every field that decides which pods an object makes is read by its name in the CRD of its kind (W 1 to 12).

Each manifest holds the fields of its kind that the readers need, with other values than their defaults: without any one
of them, other pods, groups, services or gangs are read, or Kueue makes other pod sets.
"""

from __future__ import annotations

import pytest
from tests.fields import field, unread

from trainlint.kube.meta import read_meta
from trainlint.model.settings import Settings
from trainlint.source.document import Field
from trainlint.workload import read_workloads
from trainlint.workload.expansion import Context
from trainlint.workload.expansion_memo import reference
from trainlint.workload.kueue_jobs import queued_pods


def read(item: Field, *others: Field) -> object:
    """Everything that is read of an object, beside others."""
    found = read_workloads([item, *others], Settings())
    meta = read_meta(item)
    context = Context(Settings(), {reference(read_meta(each)): each for each in others})
    return (
        found.pod_sets,
        found.groups,
        found.services,
        found.objects,
        found.gangs,
        found.unknowns,
        [each.value for each in found.policies],
        list(queued_pods(item, meta, reference(meta), context) or ()),
    )


def template(container: str = "main", more: str = "", metadata: str = "labels: {part: train}") -> str:
    """A pod template that computes on accelerators."""
    command = "command: [torchrun, --nnodes=2, train.py]"
    gpus = "resources: {limits: {nvidia.com/gpu: 8}}"
    return f"{{metadata: {{{metadata}}}, spec: {{containers: [{{name: {container}, {command}, {gpus}}}]{more}}}}}"


def roles(*names: str, container: str) -> str:
    return ", ".join(f"{name}: {{replicas: 2, template: {template(container)}}}" for name in names)


KINDS = {
    "Pod": """
apiVersion: v1
kind: Pod
metadata: {name: train, namespace: ml, labels: {kueue.x-k8s.io/queue-name: q}}
spec: {hostname: h, subdomain: s, containers: [{name: main, resources: {limits: {nvidia.com/gpu: 8}}}]}
""",
    "Job": f"""
apiVersion: batch/v1
kind: Job
metadata:
  name: train
  namespace: ml
  labels: {{kueue.x-k8s.io/queue-name: q}}
  annotations: {{kueue.x-k8s.io/job-min-parallelism: "1"}}
spec: {{parallelism: 3, completions: 2, completionMode: Indexed, template: {template()}}}
""",
    "CronJob": f"""
apiVersion: batch/v1
kind: CronJob
metadata: {{name: train, namespace: ml}}
spec: {{jobTemplate: {{spec: {{parallelism: 2, template: {template()}}}}}}}
""",
    "Deployment": f"""
apiVersion: apps/v1
kind: Deployment
metadata: {{name: train, namespace: ml}}
spec: {{replicas: 2, template: {template()}}}
""",
    "StatefulSet": f"""
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: train, namespace: ml}}
spec:
  replicas: 2
  serviceName: nodes
  template: {template()}
  volumeClaimTemplates: [{{metadata: {{name: data}}, spec: {{storageClassName: fast}}}}]
""",
    "JobSet": f"""
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: train
  namespace: ml
  labels: {{kueue.x-k8s.io/queue-name: q}}
  annotations: {{alpha.jobset.sigs.k8s.io/exclusive-topology: zone}}
spec:
  coordinator: {{replicatedJob: first, jobIndex: 1, podIndex: 1}}
  network: {{subdomain: nodes, publishNotReadyAddresses: false}}
  replicatedJobs:
    - name: first
      groupName: lead
      replicas: 2
      template: {{spec: {{parallelism: 3, completions: 2, completionMode: NonIndexed, template: {template()}}}}}
    - name: second
      dependsOn: [{{name: first, status: Complete}}]
      template: {{spec: {{template: {template()}}}}}
""",
    "JobSet without names in DNS": f"""
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: train, namespace: ml}}
spec:
  network: {{enableDNSHostnames: false}}
  replicatedJobs: [{{name: all, replicas: 2, template: {{spec: {{template: {template()}}}}}}}]
""",
    "PyTorchJob": f"""
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: train, namespace: ml, labels: {{kueue.x-k8s.io/queue-name: q}}}}
spec:
  runPolicy: {{schedulingPolicy: {{minAvailable: 3}}}}
  pytorchReplicaSpecs: {{{roles("Master", "Worker", container="pytorch")}}}
""",
    "PyTorchJob elastic": f"""
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: train, namespace: ml}}
spec:
  elasticPolicy: {{minReplicas: 1, maxReplicas: 4, rdzvHost: other, rdzvPort: 1234, rdzvBackend: etcd, nProcPerNode: 4}}
  pytorchReplicaSpecs: {{{roles("Worker", container="pytorch")}}}
""",
    "TFJob": f"""
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {{name: train, namespace: ml}}
spec: {{tfReplicaSpecs: {{{roles("Chief", "PS", "Worker", "Evaluator", container="tensorflow")}}}}}
""",
    "JAXJob": f"""
apiVersion: kubeflow.org/v1
kind: JAXJob
metadata: {{name: train, namespace: ml}}
spec: {{jaxReplicaSpecs: {{{roles("Worker", container="jax")}}}}}
""",
    "MPIJob": f"""
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {{name: train, namespace: ml, labels: {{kueue.x-k8s.io/queue-name: q}}}}
spec:
  slotsPerWorker: 4
  runLauncherAsWorker: true
  mpiImplementation: Intel
  runPolicy: {{schedulingPolicy: {{minAvailable: 2}}}}
  mpiReplicaSpecs:
    Launcher: {{template: {template()}}}
    Worker: {{replicas: 2, template: {template()}}}
""",
    "RayCluster": f"""
apiVersion: ray.io/v1
kind: RayCluster
metadata: {{name: train, namespace: ml, labels: {{kueue.x-k8s.io/queue-name: q}}}}
spec:
  headGroupSpec:
    rayStartParams: {{port: "6380", min-worker-port: "20000", max-worker-port: "20100"}}
    headService: {{metadata: {{name: head}}}}
    template: {template("head")}
  workerGroupSpecs:
    - groupName: gpus
      replicas: 2
      maxReplicas: 1
      numOfHosts: 2
      template: {template("worker")}
""",
    "RayCluster that grows": f"""
apiVersion: ray.io/v1
kind: RayCluster
metadata: {{name: train, namespace: ml}}
spec:
  enableInTreeAutoscaling: true
  autoscalerOptions: {{version: v2, resources: {{requests: {{cpu: "3"}}, limits: {{memory: 3Gi}}}}}}
  gcsFaultToleranceOptions: {{redisAddress: "redis:6379"}}
  authOptions: {{mode: token}}
  headGroupSpec: {{serviceType: NodePort, template: {template("head")}}}
  workerGroupSpecs: [{{groupName: gpus, replicas: 2, minReplicas: 3, maxReplicas: 4, template: {template("worker")}}}]
""",
    "RayJob": f"""
apiVersion: ray.io/v1
kind: RayJob
metadata: {{name: train, namespace: ml}}
spec:
  submitterPodTemplate: {template("submitter")}
  rayClusterSpec:
    headGroupSpec: {{template: {template("head")}}}
    workerGroupSpecs: [{{groupName: gpus, replicas: 2, template: {template("worker")}}}]
""",
    "RayJob with a sidecar": f"""
apiVersion: ray.io/v1
kind: RayJob
metadata: {{name: train, namespace: ml}}
spec:
  submissionMode: SidecarMode
  rayClusterSpec: {{headGroupSpec: {{template: {template("head")}}}}}
""",
    "RayService": f"""
apiVersion: ray.io/v1
kind: RayService
metadata: {{name: serve, namespace: ml}}
spec:
  excludeHeadPodFromServeSvc: true
  serveService: {{metadata: {{name: mine}}}}
  rayClusterConfig:
    headGroupSpec: {{template: {template("head")}}}
    workerGroupSpecs: [{{groupName: gpus, replicas: 2, template: {template("worker")}}}]
""",
    "Volcano Job": f"""
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: train, namespace: ml}}
spec:
  minAvailable: 2
  queue: q
  schedulerName: other
  plugins: {{svc: [--disable-network-policy=true], ssh: [], pytorch: [--master=first, --worker=second, --port=1234]}}
  tasks:
    - {{name: first, replicas: 1, minAvailable: 1, template: {template()}}}
    - {{name: second, replicas: 4, minAvailable: 2, template: {template()}}}
""",
    "LeaderWorkerSet": f"""
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: train
  namespace: ml
  annotations:
    leaderworkerset.sigs.k8s.io/exclusive-topology: zone
    leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology: rack
spec:
  replicas: 2
  networkConfig: {{subdomainPolicy: UniquePerReplica}}
  leaderWorkerTemplate:
    size: 5
    subGroupPolicy: {{subGroupSize: 2, subGroupPolicyType: LeaderExcluded}}
    leaderTemplate: {template("leader")}
    workerTemplate: {template("worker")}
""",
    "MPIJob whose launcher waits": f"""
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {{name: train, namespace: ml}}
spec:
  launcherCreationPolicy: WaitForWorkersReady
  mpiReplicaSpecs: {{Launcher: {{template: {template()}}}, Worker: {{replicas: 2, template: {template()}}}}}
""",
    "LeaderWorkerSet whose workers wait": f"""
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: train, namespace: ml}}
spec:
  startupPolicy: LeaderReady
  leaderWorkerTemplate: {{size: 2, leaderTemplate: {template("leader")}, workerTemplate: {template("worker")}}}
""",
    "JobSet in order": f"""
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: train, namespace: ml}}
spec:
  startupPolicy: {{startupPolicyOrder: InOrder}}
  replicatedJobs:
    - name: first
      template:
        metadata: {{annotations: {{alpha.jobset.sigs.k8s.io/exclusive-topology: zone}}}}
        spec: {{template: {template()}}}
    - name: second
      template:
        spec:
          template: {template(metadata="annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: rack}")}
""",
    "JobSet on labelled nodes": f"""
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: train
  namespace: ml
  annotations:
    alpha.jobset.sigs.k8s.io/exclusive-topology: zone
    alpha.jobset.sigs.k8s.io/node-selector: "true"
spec: {{replicatedJobs: [{{name: all, replicas: 2, template: {{spec: {{template: {template()}}}}}}}]}}
""",
    "Volcano Job with an order and a topology": f"""
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: train, namespace: ml}}
spec:
  minAvailable: 2
  networkTopology: {{highestTierAllowed: 2}}
  tasks:
    - {{name: first, replicas: 1, template: {template()}}}
    - {{name: second, replicas: 1, template: {template()}}}
    - name: third
      replicas: 4
      dependsOn: {{name: [first, second], iteration: any}}
      partitionPolicy: {{partitionSize: 2, networkTopology: {{highestTierName: rack}}}}
      template: {template()}
""",
    "Volcano CronJob": f"""
apiVersion: batch.volcano.sh/v1alpha1
kind: CronJob
metadata: {{name: train, namespace: ml}}
spec: {{jobTemplate: {{spec: {{tasks: [{{name: first, replicas: 2, template: {template()}}}]}}}}}}
""",
    "RayCluster with a tier": f"""
apiVersion: ray.io/v1
kind: RayCluster
metadata:
  name: train
  namespace: ml
  labels: {{volcano.sh/network-topology-highest-tier-allowed: "2"}}
spec:
  headGroupSpec: {{template: {template("head")}}}
  workerGroupSpecs: [{{groupName: gpus, replicas: 2, template: {template("worker")}}}]
""",
    "Job in a topology of Kueue": """
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml, labels: {kueue.x-k8s.io/queue-name: q}}
spec:
  parallelism: 4
  template:
    metadata:
      annotations:
        kueue.x-k8s.io/podset-required-topology: block
        kueue.x-k8s.io/podset-slice-required-topology: rack
        kueue.x-k8s.io/podset-slice-size: "2"
        kueue.x-k8s.io/podset-group-name: together
    spec: {containers: [{name: main, resources: {limits: {nvidia.com/gpu: 8}}}]}
""",
    "Job in a topology of KAI": f"""
apiVersion: batch/v1
kind: Job
metadata: {{name: train, namespace: ml, annotations: {{kai.scheduler/topology-required-placement: rack}}}}
spec: {{parallelism: 4, template: {template(more=", schedulerName: kai-scheduler")}}}
""",
    "HyperPodPyTorchJob": f"""
apiVersion: sagemaker.amazonaws.com/v1
kind: HyperPodPyTorchJob
metadata: {{name: train, namespace: ml}}
spec: {{replicaSpecs: [{{name: pods, replicas: 2, template: {template()}}}]}}
""",
    "AppWrapper": f"""
apiVersion: workload.codeflare.dev/v1beta2
kind: AppWrapper
metadata: {{name: wrapper, namespace: ml}}
spec:
  components:
    - template:
        apiVersion: batch/v1
        kind: Job
        metadata: {{name: train}}
        spec: {{parallelism: 2, template: {template()}}}
""",
    "AppWrapper v1beta1": f"""
apiVersion: mcad.ibm.com/v1beta1
kind: AppWrapper
metadata: {{name: wrapper, namespace: ml}}
spec:
  resources:
    GenericItems:
      - generictemplate:
          apiVersion: batch/v1
          kind: Job
          metadata: {{name: train}}
          spec: {{parallelism: 2, template: {template()}}}
""",
}


TOGETHER = {
    "TrainJob with torch": """
- apiVersion: trainer.kubeflow.org/v1alpha1
  kind: TrainJob
  metadata: {name: train, namespace: ml}
  spec:
    runtimeRef: {name: mine, kind: TrainingRuntime}
    initializer:
      dataset: {storageUri: "hf://data", env: [{name: A, value: b}]}
      model: {storageUri: "hf://model", env: [{name: A, value: b}]}
    trainer:
      numNodes: 2
      numProcPerNode: 4
      image: mine
      command: [torchrun]
      args: [train.py]
      env: [{name: A, value: b}]
      resourcesPerNode: {limits: {nvidia.com/gpu: 4}, requests: {cpu: "4"}}
    runtimePatches:
      - trainingRuntimeSpec:
          template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: {hostname: h}}}}}]}}
- apiVersion: trainer.kubeflow.org/v1alpha1
  kind: TrainingRuntime
  metadata: {name: mine, namespace: ml}
  spec:
    mlPolicy: {torch: {}}
    podGroupPolicy: {coscheduling: {}}
    template:
      spec:
        replicatedJobs:
          - name: data
            template:
              metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: dataset-initializer}}
              spec: {template: {spec: {containers: [{name: dataset-initializer}]}}}
          - name: model
            template:
              metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: model-initializer}}
              spec: {template: {spec: {containers: [{name: model-initializer}]}}}
          - name: node
            dependsOn: [{name: data, status: Complete}]
            template:
              metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
              spec: {template: {spec: {containers: [{name: node}]}}}
""",
    "TrainJob with a policy of its runtime": """
- apiVersion: trainer.kubeflow.org/v1alpha1
  kind: TrainJob
  metadata: {name: train, namespace: ml}
  spec: {runtimeRef: {name: mine}, trainer: {image: mine}}
- apiVersion: trainer.kubeflow.org/v1alpha1
  kind: ClusterTrainingRuntime
  metadata: {name: mine}
  spec:
    mlPolicy: {numNodes: 3, xgboost: {}}
    podGroupPolicy: {volcano: {networkTopology: {highestTierAllowed: 2}}}
    template:
      spec:
        network: {subdomain: nodes}
        replicatedJobs:
          - name: node
            template:
              metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
              spec:
                template:
                  spec:
                    schedulerName: volcano
                    containers: [{name: node, resources: {limits: {nvidia.com/gpu: 8}}}]
""",
    "TrainJob with MPI": """
- apiVersion: trainer.kubeflow.org/v1alpha1
  kind: TrainJob
  metadata: {name: train, namespace: ml}
  spec: {runtimeRef: {name: mine}, trainer: {numNodes: 4, env: [{name: A, value: b}]}}
- apiVersion: trainer.kubeflow.org/v1alpha1
  kind: ClusterTrainingRuntime
  metadata: {name: mine}
  spec:
    mlPolicy: {mpi: {mpiImplementation: Intel, runLauncherAsNode: true}}
    template:
      spec:
        replicatedJobs:
          - name: node
            template:
              spec:
                template:
                  spec: {containers: [{name: node, command: [/usr/sbin/sshd, -f, mpiuser/.sshd_config]}]}
          - name: launcher
            template:
              metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
              spec: {template: {spec: {containers: [{name: node}]}}}
""",
    "PodGroup of Volcano": """
- apiVersion: batch/v1
  kind: Job
  metadata: {name: train, namespace: ml}
  spec:
    parallelism: 4
    template:
      metadata: {annotations: {scheduling.k8s.io/group-name: gang}}
      spec: {schedulerName: volcano, containers: [{name: main}]}
- apiVersion: scheduling.volcano.sh/v1beta1
  kind: PodGroup
  metadata: {name: gang, namespace: ml}
  spec:
    minMember: 3
    networkTopology: {highestTierAllowed: 2}
    subGroupPolicy: [{subGroupSize: 2, networkTopology: {highestTierName: rack}}]
""",
    "PodGroup of scheduler-plugins": """
- apiVersion: batch/v1
  kind: Job
  metadata: {name: train, namespace: ml}
  spec:
    parallelism: 4
    template:
      metadata: {labels: {scheduling.x-k8s.io/pod-group: gang}}
      spec: {containers: [{name: main}]}
- apiVersion: scheduling.x-k8s.io/v1alpha1
  kind: PodGroup
  metadata: {name: gang, namespace: ml}
  spec: {minMember: 3}
""",
    "PodGroup of KAI": """
- apiVersion: batch/v1
  kind: Job
  metadata: {name: train, namespace: ml}
  spec:
    parallelism: 4
    template:
      metadata: {annotations: {pod-group-name: gang}}
      spec: {containers: [{name: main}]}
- apiVersion: scheduling.run.ai/v2alpha2
  kind: PodGroup
  metadata: {name: gang, namespace: ml}
  spec: {minMember: 3}
""",
    "PodGroup of Kubernetes": """
- apiVersion: batch/v1
  kind: Job
  metadata: {name: train, namespace: ml}
  spec:
    parallelism: 4
    template: {spec: {schedulingGroup: {podGroupName: gang}, containers: [{name: main}]}}
- apiVersion: scheduling.k8s.io/v1alpha2
  kind: PodGroup
  metadata: {name: gang, namespace: ml}
  spec: {schedulingPolicy: {gang: {minCount: 3}}, schedulingConstraints: {topology: [{key: rack}]}}
""",
    "Workload of Kubernetes": """
- apiVersion: batch/v1
  kind: Job
  metadata: {name: train, namespace: ml}
  spec:
    parallelism: 4
    template: {spec: {workloadRef: {name: gang, podGroup: all}, containers: [{name: main}]}}
- apiVersion: scheduling.k8s.io/v1alpha1
  kind: Workload
  metadata: {name: gang, namespace: ml}
  spec: {podGroups: [{name: all, policy: {gang: {minCount: 3}}}]}
""",
    "gang of Koordinator": """
- apiVersion: batch/v1
  kind: Job
  metadata: {name: train, namespace: ml}
  spec:
    parallelism: 4
    template:
      metadata:
        annotations: {gang.scheduling.koordinator.sh/name: gang, gang.scheduling.koordinator.sh/min-available: "3"}
      spec: {containers: [{name: main}]}
""",
    "pod group of Kueue": """
- apiVersion: v1
  kind: Pod
  metadata:
    name: train
    namespace: ml
    labels: {kueue.x-k8s.io/queue-name: q, kueue.x-k8s.io/pod-group-name: gang}
    annotations: {kueue.x-k8s.io/pod-group-total-count: "3"}
  spec: {containers: [{name: main}]}
""",
    "claims": """
- apiVersion: batch/v1
  kind: Job
  metadata: {name: train, namespace: ml}
  spec:
    parallelism: 4
    template:
      spec:
        resourceClaims:
          - {name: a, resourceClaimTemplateName: gpus}
          - {name: b, resourceClaimName: shared}
          - {name: c, resourceClaimTemplateName: channel}
        containers: [{name: main, resources: {claims: [{name: a, request: one}, {name: b}, {name: c}]}}]
- apiVersion: resource.k8s.io/v1
  kind: ResourceClaimTemplate
  metadata: {name: gpus, namespace: ml}
  spec: {spec: {devices: {requests: [{name: one, exactly: {deviceClassName: mine, count: 4}}]}}}
- apiVersion: resource.k8s.io/v1
  kind: ResourceClaim
  metadata: {name: shared, namespace: ml}
  spec:
    devices:
      requests:
        - {deviceClassName: gpu.nvidia.com}
        - {exactly: {deviceClassName: by-name}}
        - {exactly: {deviceClassName: gpu.nvidia.com, adminAccess: true}}
        - {firstAvailable: [{deviceClassName: gpu.nvidia.com}, {deviceClassName: by-name}]}
- apiVersion: resource.k8s.io/v1
  kind: DeviceClass
  metadata: {name: mine}
  spec: {selectors: [{cel: {expression: "device.driver == 'gpu.nvidia.com'"}}]}
- apiVersion: resource.k8s.io/v1
  kind: DeviceClass
  metadata: {name: by-name}
  spec: {extendedResourceName: nvidia.com/gpu}
- apiVersion: resource.nvidia.com/v1beta1
  kind: ComputeDomain
  metadata: {name: domain, namespace: ml}
  spec: {channel: {resourceClaimTemplate: {name: channel}}}
""",
    "claim on all devices": """
- apiVersion: batch/v1
  kind: Job
  metadata: {name: train, namespace: ml}
  spec:
    template:
      spec:
        resourceClaims: [{name: a, resourceClaimTemplateName: gpus}]
        containers: [{name: main, resources: {claims: [{name: a}]}}]
- apiVersion: resource.k8s.io/v1
  kind: ResourceClaimTemplate
  metadata: {name: gpus, namespace: ml}
  spec: {spec: {devices: {requests: [{exactly: {deviceClassName: gpu.nvidia.com, allocationMode: All}}]}}}
""",
    "TrainJob with MPI of OpenMPI": """
- apiVersion: trainer.kubeflow.org/v1alpha1
  kind: TrainJob
  metadata: {name: train, namespace: ml}
  spec: {runtimeRef: {name: mine}}
- apiVersion: trainer.kubeflow.org/v1alpha1
  kind: ClusterTrainingRuntime
  metadata: {name: mine}
  spec:
    mlPolicy: {numNodes: 2, mpi: {numProcPerNode: 2}}
    template:
      spec:
        replicatedJobs:
          - {name: node, template: {spec: {template: {spec: {containers: [{name: node}]}}}}}
          - name: launcher
            template:
              metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
              spec: {template: {spec: {containers: [{name: node}]}}}
""",
    "sources of containers": """
- apiVersion: batch/v1
  kind: Job
  metadata: {name: train, namespace: ml}
  spec:
    template:
      metadata: {labels: {part: train}, annotations: {note: text}}
      spec:
        volumes:
          - {name: all, configMap: {name: files}}
          - {name: one, configMap: {name: files, items: [{key: run.sh, path: start.sh}]}}
        containers:
          - name: main
            env:
              - {name: A, valueFrom: {configMapKeyRef: {name: env, key: ADDRESS}}}
              - {name: B, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
              - {name: C, valueFrom: {fieldRef: {fieldPath: "metadata.labels['part']"}}}
              - {name: D, valueFrom: {fieldRef: {fieldPath: "metadata.annotations['note']"}}}
              - {name: E, value: "$(A):1"}
            envFrom:
              - {prefix: OF_, configMapRef: {name: env}}
              - {configMapRef: {name: lost}}
              - {secretRef: {name: hidden}}
            volumeMounts:
              - {name: all, mountPath: /all}
              - {name: one, mountPath: /one}
              - {name: all, mountPath: /run.sh, subPath: run.sh}
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: env, namespace: ml}
  data: {ADDRESS: train-0.train}
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: files, namespace: ml}
  data: {run.sh: "torchrun x.py", other.sh: "true"}
""",
    "RayCluster with policies": f"""
- apiVersion: ray.io/v1
  kind: RayCluster
  metadata: {{name: train, namespace: ml}}
  spec:
    networkPolicy:
      mode: DenyAllIngress
      head: {{ingressRules: [{{ports: [{{port: 1}}]}}]}}
      worker: {{ingressRules: [{{ports: [{{port: 2}}]}}]}}
      workerGroups: [{{groupName: cpus, ingressRules: [{{ports: [{{port: 3}}]}}]}}]
    headGroupSpec: {{template: {template("head")}}}
    workerGroupSpecs:
      - groupName: gpus
        replicas: 2
        rayStartParams:
          {{node-manager-port: "6380", object-manager-port: "6381", min-worker-port: "7000", max-worker-port: "7100"}}
        template: {template("worker")}
      - {{groupName: cpus, replicas: 1, template: {template("worker")}}}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {{name: kuberay-operator, namespace: ray}}
  spec: {{template: {{spec: {{containers: [{{name: c, image: "quay.io/kuberay/operator:v1.7.0"}}]}}}}}}
""",
    "RayJob with policies": f"""
- apiVersion: ray.io/v1
  kind: RayJob
  metadata: {{name: train, namespace: ml}}
  spec:
    rayClusterSpec:
      networkPolicy: {{mode: DenyAllEgress, head: {{egressRules: [{{ports: [{{port: 1}}]}}]}}}}
      headGroupSpec: {{template: {template("head")}}}
      workerGroupSpecs: [{{groupName: gpus, replicas: 2, template: {template("worker")}}}]
""",
    "DisaggregatedSet": f"""
- apiVersion: disaggregatedset.x-k8s.io/v1
  kind: DisaggregatedSet
  metadata: {{name: serve, namespace: ml}}
  spec:
    slices: 2
    placementPolicy: {{type: ExclusiveSlice, topology: rack}}
    roles:
      - name: prefill
        spec: {{replicas: 2, leaderWorkerTemplate: {{size: 2, workerTemplate: {template("worker")}}}}}
      - name: decode
        scaling: {{mode: External}}
        metadata: {{labels: {{kueue.x-k8s.io/queue-name: q}}}}
        spec: {{leaderWorkerTemplate: {{size: 3, workerTemplate: {template("worker")}}}}}
""",
}
"""Lists of objects of which one decides about the pods of another."""


def read_all(objects: Field) -> object:
    """Everything that is read of the first of some objects beside the others."""
    first, *others = (field(each) for each in objects.value)
    return read(first, *others)


SILENT = {
    "AppWrapper v1beta1": ["apiVersion", "metadata.name"],
    "claims": ["5.metadata.name"],
}
"""What has no say: a wrapper of either API is known by its kind and gives what it holds no name, and the template of a
ComputeDomain is found by its own.
"""


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_read_by_its_name(kind: str) -> None:
    assert unread(read, KINDS[kind]) == SILENT.get(kind, [])


@pytest.mark.parametrize("objects", TOGETHER)
def test_every_field_of_objects_beside_is_read_by_its_name(objects: str) -> None:
    found = unread(read_all, TOGETHER[objects])
    # an object beside is known by its kind and name in every version of its API
    assert [path for path in found if not path.endswith(".apiVersion")] == SILENT.get(objects, [])
