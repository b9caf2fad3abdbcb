"""Where the fault of a job stands that webhooks, operators or the API server refuse, beside what they take.

Each row changes a job that is taken: ``path: value; path: value``. The rules are those of the sources that the
modules of ``admission/kinds`` name.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml
from tests.admission.lawful import check_laws

from trainlint.admission.refusals import problems
from trainlint.source.document import Document
from trainlint.wording.because import because_text, remedy_for

POD = {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "registry.example/x:1"}]}}}


def _object(version: str, kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "a"}, "spec": spec}


def _replicated(name: str, **job: Any) -> dict[str, Any]:
    return {"name": name, "template": {"spec": {"completions": 2, "parallelism": 2, **POD, **job}}}


TAKEN: dict[str, dict[str, Any]] = {
    "Job": _object("batch/v1", "Job", {**POD}),
    "CronJob": _object("batch/v1", "CronJob", {"schedule": "0 * * * *", "jobTemplate": {"spec": {**POD}}}),
    "Deployment": _object(
        "apps/v1",
        "Deployment",
        {
            "selector": {"matchLabels": {"app": "a"}},
            "template": {
                "metadata": {"labels": {"app": "a"}},
                "spec": {"containers": [{"name": "c", "image": "registry.example/x:1"}]},
            },
        },
    ),
    "JobSet": _object(
        "jobset.x-k8s.io/v1alpha2",
        "JobSet",
        {"replicatedJobs": [_replicated("first"), _replicated("second"), _replicated("third")]},
    ),
    "PyTorchJob": _object(
        "kubeflow.org/v1",
        "PyTorchJob",
        {"pytorchReplicaSpecs": {"Master": {"replicas": 1, **POD}, "Worker": {"replicas": 2, **POD}}},
    ),
    "XGBoostJob": _object(
        "kubeflow.org/v1",
        "XGBoostJob",
        {"xgbReplicaSpecs": {"Master": {"replicas": 1, **POD}, "Worker": {"replicas": 2, **POD}}},
    ),
    "TFJob": _object(
        "kubeflow.org/v1",
        "TFJob",
        {"tfReplicaSpecs": {"Chief": {"replicas": 1, **POD}, "Worker": {"replicas": 2, **POD}}},
    ),
    "MPIJob v1": _object(
        "kubeflow.org/v1",
        "MPIJob",
        {"mpiReplicaSpecs": {"Launcher": {"replicas": 1, **POD}, "Worker": {"replicas": 2, **POD}}},
    ),
    "MPIJob": _object(
        "kubeflow.org/v2beta1",
        "MPIJob",
        {"mpiReplicaSpecs": {"Launcher": {"replicas": 1, **POD}, "Worker": {"replicas": 2, **POD}}},
    ),
    "LeaderWorkerSet": _object(
        "leaderworkerset.x-k8s.io/v1",
        "LeaderWorkerSet",
        {
            "leaderWorkerTemplate": {
                "size": 5,
                "workerTemplate": {"spec": {"containers": [{"name": "c", "image": "registry.example/x:1"}]}},
            }
        },
    ),
    "RayCluster": _object(
        "ray.io/v1",
        "RayCluster",
        {
            "headGroupSpec": {"rayStartParams": {}, **POD},
            "workerGroupSpecs": [{"groupName": "w", "replicas": 1, "rayStartParams": {}, **POD}],
        },
    ),
    "Volcano": _object(
        "batch.volcano.sh/v1alpha1",
        "Job",
        {"tasks": [{"name": "a", "replicas": 2, **POD}, {"name": "b", "replicas": 2, **POD}]},
    ),
}
TAKEN["StatefulSet"] = {**TAKEN["Deployment"], "kind": "StatefulSet"}
TAKEN["RayJob"] = _object("ray.io/v1", "RayJob", {"entrypoint": "x", "rayClusterSpec": TAKEN["RayCluster"]["spec"]})
TAKEN["RayService"] = _object("ray.io/v1", "RayService", {"rayClusterConfig": TAKEN["RayCluster"]["spec"]})
JOBS, SIZE = "spec.replicatedJobs", "spec.leaderWorkerTemplate"
HEAD, WORKERS = "spec.headGroupSpec", "spec.workerGroupSpecs.0"
AUTOSCALED, QUEUED = "spec.enableInTreeAutoscaling: true", "metadata.labels: {kueue.x-k8s.io/queue-name: q}"
FIRST_TASK = "spec.tasks.0.template.spec"
CPUS = "topologyPolicy: %s, template: {spec: {containers: [{name: c, image: 'i:1', resources: {%s}}]}}"
DEPENDS = "{dependsOn: {name: [%s]}}"


def refused(kind: str, changes: str) -> list[str]:
    made = copy.deepcopy(TAKEN[kind])
    for change in changes.split("; ") if changes else ():
        path, _, value = change.partition(": ")
        *above, last = path.split(".")
        here: Any = made
        for step in above:
            here = here[int(step)] if isinstance(here, list) else here.setdefault(step, {})
        if value == "GONE":
            del here[last]
        elif isinstance(here, list):
            here[int(last)] = {**here[int(last)], **yaml.safe_load(value)}
        else:
            here[last] = yaml.safe_load(value)
    found = list(problems(Document("a.yaml", 0, 1, "", made).root, "1.36"))
    check_laws(made, found)
    assert all(because_text(each.why) and remedy_for(each.why) for each in found)
    return [".".join(map(str, each.at)) for each in found]


ENDED = "{onSuccess: {policy: DeleteSelf}, onFailure: {policy: DeleteSelf}}"
ROWS = [
    *((kind, "", "") for kind in TAKEN),
    # Kubernetes
    ("Job", "spec.completionMode: indexed", "spec.completionMode"),
    ("Job", "spec.podReplacementPolicy: Failed", ""),
    ("Job", "spec.podReplacementPolicy: Always", "spec.podReplacementPolicy"),
    *(
        ("Job", f"spec.{key}: {number}", f"spec.{key}" if number < 0 else "")
        for key in ("parallelism", "completions", "backoffLimit", "activeDeadlineSeconds", "ttlSecondsAfterFinished")
        for number in (0, -1)
    ),
    ("Job", "spec.completionMode: Indexed; spec.parallelism: 2", "spec"),
    ("Job", "spec.completionMode: Indexed; spec.parallelism: 2; spec.completions: 2", ""),
    ("Job", "spec.completionMode: NonIndexed; spec.parallelism: 2", ""),
    ("Job", "spec.backoffLimitPerIndex: 1", "spec.backoffLimitPerIndex"),
    ("Job", "spec.successPolicy: {rules: []}", "spec.successPolicy"),
    ("Job", "spec.completionMode: Indexed; spec.completions: 2; spec.backoffLimitPerIndex: 1", ""),
    ("Job", "spec.completionMode: Indexed; spec.completions: 2; spec.maxFailedIndexes: 1", "spec"),
    (
        "Job",
        "spec.completionMode: Indexed; spec.completions: 2; spec.maxFailedIndexes: 1; spec.backoffLimitPerIndex: 1",
        "",
    ),
    ("Job", "spec.podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}", ""),
    (
        "Job",
        (
            "spec.podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}; "
            "spec.template.spec.restartPolicy: OnFailure"
        ),
        "spec.template.spec.restartPolicy",
    ),
    (
        "Job",
        (
            "spec.podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}; "
            "spec.podReplacementPolicy: TerminatingOrFailed"
        ),
        "spec.podReplacementPolicy",
    ),
    ("Job", "spec.managedBy: kueue.x-k8s.io/multikueue", ""),
    ("Job", "spec.managedBy: multikueue", "spec.managedBy"),
    ("Job", "spec.selector: {matchLabels: {a: b}}", "spec.selector"),
    ("Job", "spec.selector: {matchLabels: {a: b}}; spec.manualSelector: true", "spec.selector.matchLabels.a"),
    (
        "Job",
        "spec.selector: {matchLabels: {a: b}}; spec.manualSelector: true; spec.template.metadata.labels: {a: b}",
        "",
    ),
    ("Job", "spec.template.metadata.labels: {job-name: other}", "spec.template.metadata.labels.job-name"),
    ("CronJob", "spec.concurrencyPolicy: Forbid", ""),
    ("CronJob", "spec.concurrencyPolicy: Never", "spec.concurrencyPolicy"),
    ("CronJob", "spec.jobTemplate.spec.backoffLimit: -1", "spec.jobTemplate.spec.backoffLimit"),
    ("Deployment", "spec.replicas: 0", ""),
    ("Deployment", "spec.replicas: -1", "spec.replicas"),
    ("Deployment", "spec.strategy: {type: Recreate}", ""),
    ("Deployment", "spec.strategy: {type: OnDelete}", "spec.strategy.type"),
    ("Deployment", "spec.selector: {matchLabels: {app: b}}", "spec.selector.matchLabels.app"),
    ("Deployment", "spec.selector: {matchLabels: {app: '${APP}'}}", ""),
    # JobSet
    ("JobSet", "spec.startupPolicy: {startupPolicyOrder: InOrder}", ""),
    ("JobSet", "spec.startupPolicy: {startupPolicyOrder: inOrder}", "spec.startupPolicy.startupPolicyOrder"),
    ("JobSet", "spec.successPolicy: {operator: any}", "spec.successPolicy.operator"),
    ("JobSet", "spec.successPolicy: {operator: Any, targetReplicatedJobs: [first, third]}", ""),
    (
        "JobSet",
        "spec.successPolicy: {operator: Any, targetReplicatedJobs: [first, other]}",
        "spec.successPolicy.targetReplicatedJobs.1",
    ),
    ("JobSet", "spec.failurePolicy: {rules: [{action: RestartJob}]}", ""),
    ("JobSet", "spec.failurePolicy: {rules: [{action: Restart}]}", "spec.failurePolicy.rules.0.action"),
    (
        "JobSet",
        "spec.failurePolicy: {rules: [{name: a, action: RestartJob}, {name: a, action: FailJobSet}]}",
        "spec.failurePolicy.rules.1.name",
    ),
    ("JobSet", "spec.failurePolicy: {rules: [{action: FailJobSet}, {action: FailJobSet}]}", ""),
    (
        "JobSet",
        "spec.failurePolicy: {rules: [{action: FailJobSet, targetReplicatedJobs: [none]}]}",
        "spec.failurePolicy.rules.0.targetReplicatedJobs.0",
    ),
    (
        "JobSet",
        "spec.failurePolicy: {rules: [{action: FailJobSet, onJobFailureReasons: [FailedIndexes, Failed]}]}",
        "spec.failurePolicy.rules.0.onJobFailureReasons.1",
    ),
    ("JobSet", "spec.network: {subdomain: a1}", ""),
    ("JobSet", "spec.network: {subdomain: 1a}", "spec.network.subdomain"),
    ("JobSet", f"{JOBS}.0.name: 1a", ""),
    ("JobSet", f"{JOBS}.0.name: A", f"{JOBS}.0.name"),
    ("JobSet", f"{JOBS}.0.groupName: 1a", f"{JOBS}.0.groupName"),
    ("JobSet", f"{JOBS}.1.replicas: 0", ""),
    ("JobSet", f"{JOBS}.1.replicas: -1", f"{JOBS}.1.replicas"),
    ("JobSet", f"{JOBS}.1.template.spec.parallelism: -1", f"{JOBS}.1.template.spec.parallelism"),
    ("JobSet", f"{JOBS}.1.template.spec.completions: GONE", f"{JOBS}.1.template.spec"),  # Indexed is the default here
    ("JobSet", f"{JOBS}.1.template.spec.backoffLimitPerIndex: 1", ""),
    ("JobSet", f"{JOBS}.1.dependsOn: [{{name: first, status: Ready}}]", ""),
    ("JobSet", f"{JOBS}.2.dependsOn: [{{name: first, status: Complete}}, {{name: second, status: Ready}}]", ""),
    ("JobSet", f"{JOBS}.1.dependsOn: [{{name: first, status: Running}}]", f"{JOBS}.1.dependsOn.0.status"),
    ("JobSet", f"{JOBS}.0.dependsOn: [{{name: second, status: Ready}}]", f"{JOBS}.0.dependsOn"),
    ("JobSet", f"{JOBS}.1.dependsOn: [{{name: second, status: Ready}}]", f"{JOBS}.1.dependsOn.0.name"),
    ("JobSet", f"{JOBS}.1.dependsOn: [{{name: third, status: Ready}}]", f"{JOBS}.1.dependsOn.0.name"),
    ("JobSet", f"{JOBS}.1.dependsOn: [{{name: fist, status: Ready}}]", f"{JOBS}.1.dependsOn.0.name"),
    (
        "JobSet",
        f"{JOBS}.1.dependsOn: [{{name: first, status: Ready}}]; spec.startupPolicy: {{startupPolicyOrder: InOrder}}",
        f"{JOBS}.1.dependsOn",
    ),
    ("JobSet", "spec.coordinator: {replicatedJob: first, jobIndex: 0, podIndex: 1}", ""),
    ("JobSet", "spec.coordinator: {replicatedJob: first, jobIndex: 0, podIndex: 2}", "spec.coordinator.podIndex"),
    ("JobSet", "spec.coordinator: {replicatedJob: first, jobIndex: 1, podIndex: 0}", "spec.coordinator.jobIndex"),
    ("JobSet", "spec.coordinator: {replicatedJob: first, jobIndex: -1, podIndex: 0}", "spec.coordinator.jobIndex"),
    ("JobSet", f"spec.coordinator: {{replicatedJob: first, jobIndex: 1}}; {JOBS}.0.replicas: 2", ""),
    ("JobSet", "spec.coordinator: {replicatedJob: other}", "spec.coordinator.replicatedJob"),
    ("JobSet", "spec.coordinator: {}", "spec.coordinator"),
    (
        "JobSet",
        f"spec.coordinator: {{replicatedJob: first}}; {JOBS}.0.template.spec.completionMode: NonIndexed",
        "spec.coordinator.replicatedJob",
    ),
    # the training operator
    ("PyTorchJob", "spec.runPolicy: {managedBy: kubeflow.org/training-operator}", ""),
    ("PyTorchJob", "spec.runPolicy: {managedBy: kubeflow.org/mpi-operator}", "spec.runPolicy.managedBy"),
    ("MPIJob v1", "spec.runPolicy: {managedBy: kubeflow.org/mpi-operator}", ""),
    ("PyTorchJob", "spec.pytorchReplicaSpecs.Worker.restartPolicy: ExitCode", ""),
    (
        "PyTorchJob",
        "spec.pytorchReplicaSpecs.Worker.restartPolicy: exitCode",
        "spec.pytorchReplicaSpecs.Worker.restartPolicy",
    ),
    ("PyTorchJob", "spec.nprocPerNode: '8'", ""),
    ("PyTorchJob", "spec.nprocPerNode: 8", "spec.nprocPerNode"),
    ("TFJob", "spec.nprocPerNode: 8", ""),
    ("PyTorchJob", "spec.pytorchReplicaSpecs.Master.replicas: 2", "spec.pytorchReplicaSpecs.Master.replicas"),
    ("PyTorchJob", "spec.pytorchReplicaSpecs.Master.replicas: 0", "spec.pytorchReplicaSpecs.Master.replicas"),
    ("PyTorchJob", "spec.pytorchReplicaSpecs.Master.replicas: GONE", "spec.pytorchReplicaSpecs.Master"),
    ("PyTorchJob", "spec.pytorchReplicaSpecs.Master.replicas: '${N}'", ""),
    ("PyTorchJob", "spec.pytorchReplicaSpecs.Worker.replicas: 1", ""),
    ("PyTorchJob", "spec.pytorchReplicaSpecs.Worker.replicas: 0", "spec.pytorchReplicaSpecs.Worker.replicas"),
    ("PyTorchJob", "spec.pytorchReplicaSpecs.Worker.replicas: GONE", ""),
    ("XGBoostJob", "spec.xgbReplicaSpecs.Master: GONE", "spec.xgbReplicaSpecs"),
    ("XGBoostJob", "spec.xgbReplicaSpecs.Worker.replicas: 0", "spec.xgbReplicaSpecs.Worker.replicas"),
    ("TFJob", "spec.tfReplicaSpecs.Master: {replicas: 1}", "spec.tfReplicaSpecs"),
    ("TFJob", "spec.tfReplicaSpecs.Chief.replicas: 0", ""),
    ("TFJob", "spec.tfReplicaSpecs.Worker.replicas: 0", "spec.tfReplicaSpecs.Worker.replicas"),
    ("MPIJob v1", "spec.mpiReplicaSpecs.Launcher.replicas: 2", "spec.mpiReplicaSpecs.Launcher.replicas"),
    ("MPIJob v1", "spec.mpiReplicaSpecs.Launcher: GONE", "spec.mpiReplicaSpecs"),
    ("MPIJob v1", "spec.mpiReplicaSpecs: {}", "spec.mpiReplicaSpecs"),
    ("MPIJob v1", "spec.mpiReplicaSpecs.Worker.replicas: 0", ""),
    # the MPI operator
    ("MPIJob", "spec.mpiReplicaSpecs.Launcher: GONE", "spec.mpiReplicaSpecs"),
    ("MPIJob", "spec.mpiReplicaSpecs.Launcher.replicas: 2", "spec.mpiReplicaSpecs.Launcher.replicas"),
    ("MPIJob", "spec.mpiReplicaSpecs.Worker.replicas: 0", "spec.mpiReplicaSpecs.Worker.replicas"),
    ("MPIJob", "spec.mpiReplicaSpecs.Worker.replicas: 1", ""),
    ("MPIJob", "spec.mpiReplicaSpecs.Worker.replicas: GONE", "spec.mpiReplicaSpecs.Worker"),
    ("MPIJob", "spec.mpiReplicaSpecs.Worker: GONE", ""),
    ("MPIJob", "spec.mpiReplicaSpecs.Worker.restartPolicy: OnFailure", ""),
    ("MPIJob", "spec.mpiReplicaSpecs.Worker.restartPolicy: Always", "spec.mpiReplicaSpecs.Worker.restartPolicy"),
    ("MPIJob", "spec.mpiReplicaSpecs.Launcher.restartPolicy: Always", "spec.mpiReplicaSpecs.Launcher.restartPolicy"),
    ("MPIJob", "spec.runPolicy: {cleanPodPolicy: Running}", ""),
    ("MPIJob", "spec.runPolicy: {cleanPodPolicy: running}", "spec.runPolicy.cleanPodPolicy"),
    ("MPIJob", "spec.mpiImplementation: MPICH", ""),
    ("MPIJob", "spec.mpiImplementation: mpich", "spec.mpiImplementation"),
    ("MPIJob", "spec.runPolicy: {managedBy: kubeflow.org/mpi-operator}", ""),
    ("MPIJob", "spec.runPolicy: {managedBy: kubeflow.org/training-operator}", "spec.runPolicy.managedBy"),
    ("MPIJob", "spec.slotsPerWorker: 0", ""),
    ("MPIJob", "spec.slotsPerWorker: -1", "spec.slotsPerWorker"),
    *(
        ("MPIJob", f"spec.runPolicy: {{{key}: {number}}}", f"spec.runPolicy.{key}" if number < 0 else "")
        for key in ("backoffLimit", "ttlSecondsAfterFinished", "activeDeadlineSeconds")
        for number in (0, -1)
    ),
    # LeaderWorkerSet: groups of five pods, a leader and four workers
    ("LeaderWorkerSet", "spec.replicas: 0", ""),
    ("LeaderWorkerSet", "spec.replicas: -1", "spec.replicas"),
    ("LeaderWorkerSet", "spec.replicas: 1000000", ""),
    ("LeaderWorkerSet", "spec.replicas: 1000001", "spec.replicas"),
    ("LeaderWorkerSet", f"{SIZE}.size: 1", ""),
    ("LeaderWorkerSet", f"{SIZE}.size: 0", f"{SIZE}.size"),
    ("LeaderWorkerSet", "spec.startupPolicy: LeaderReady", ""),
    ("LeaderWorkerSet", "spec.startupPolicy: Ready", "spec.startupPolicy"),
    ("LeaderWorkerSet", f"{SIZE}.restartPolicy: RecreateGroupAfterStart", ""),
    ("LeaderWorkerSet", f"{SIZE}.restartPolicy: Never", f"{SIZE}.restartPolicy"),
    ("LeaderWorkerSet", "spec.networkConfig: {subdomainPolicy: UniquePerReplica}", ""),
    ("LeaderWorkerSet", "spec.networkConfig: {subdomainPolicy: Unique}", "spec.networkConfig.subdomainPolicy"),
    *(
        ("LeaderWorkerSet", f"{SIZE}.subGroupPolicy: {{{policy}}}", found and f"{SIZE}.subGroupPolicy.{found}")
        for policy, found in (
            ("subGroupSize: 5", ""),
            ("subGroupSize: 1", ""),
            ("subGroupSize: 4", ""),  # divides the workers
            ("subGroupSize: 2", ""),
            ("subGroupSize: 3", "subGroupSize"),
            ("subGroupSize: 6", "subGroupSize"),
            ("subGroupSize: 0", "subGroupSize"),
            ("subGroupSize: 4, subGroupPolicyType: LeaderExcluded", ""),
            ("subGroupSize: 5, subGroupPolicyType: LeaderExcluded", "subGroupSize"),
            ("subGroupSize: 5, subGroupPolicyType: LeaderWorker", ""),
            ("subGroupSize: 5, subGroupPolicyType: Leader", "subGroupPolicyType"),
        )
    ),
    (
        "LeaderWorkerSet",
        f"{SIZE}.subGroupPolicy: {{subGroupSize: 2}}; {SIZE}.size: GONE",
        f"{SIZE}.subGroupPolicy.subGroupSize",
    ),
    *(
        ("LeaderWorkerSet", f"metadata.annotations: {{leaderworkerset.sigs.k8s.io/{key}: {value}}}{more}", found)
        for key, value, more, found in (
            ("exclusive-topology", "rack", "", ""),
            ("exclusive-topology", "''", "", "metadata.annotations.leaderworkerset.sigs.k8s.io/exclusive-topology"),
            ("exclusive-topology", "''", f"; {SIZE}.size: 1", ""),
            (
                "subgroup-exclusive-topology",
                "rack",
                "",
                "metadata.annotations.leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology",
            ),
            ("subgroup-exclusive-topology", "rack", f"; {SIZE}.subGroupPolicy: {{subGroupSize: 5}}", ""),
        )
    ),
    *(
        (
            "LeaderWorkerSet",
            f"spec.rolloutStrategy: {{rollingUpdateConfiguration: {{{update}}}}}",
            "spec.rolloutStrategy.rollingUpdateConfiguration.maxUnavailable" if found else "",
        )
        for update, found in (
            ("maxUnavailable: 0", True),
            ("maxUnavailable: 0%, maxSurge: '0'", True),
            ("maxUnavailable: 0, maxSurge: 1", False),
            ("maxUnavailable: 1", False),
            ("maxSurge: 0", False),
        )
    ),
    # KubeRay
    ("RayCluster", "spec.managedBy: ray.io/kuberay-operator", ""),
    ("RayCluster", "spec.managedBy: kuberay", "spec.managedBy"),
    ("RayCluster", f"{HEAD}.resources: {{CPU: '1'}}", ""),
    ("RayCluster", f"{HEAD}.resources: {{CPU: '1'}}; {HEAD}.rayStartParams: {{num-cpus: '1'}}", f"{HEAD}.resources"),
    ("RayCluster", f"{HEAD}.resources: {{CPU: '1'}}; {HEAD}.rayStartParams: {{num-cpus: ''}}", ""),
    ("RayCluster", f"{WORKERS}: {{resources: {{CPU: '1'}}, rayStartParams: {{memory: '1'}}}}", f"{WORKERS}.resources"),
    ("RayCluster", f"{HEAD}.rayStartParams: {{labels: a=b}}", f"{HEAD}.rayStartParams.labels"),
    ("RayCluster", f"{WORKERS}: {{numOfHosts: 0}}", ""),
    ("RayCluster", f"{WORKERS}: {{numOfHosts: -1}}", f"{WORKERS}.numOfHosts"),
    ("RayCluster", f"{WORKERS}: {{groupName: a_b}}", f"{WORKERS}.groupName"),
    ("RayCluster", f"{WORKERS}: {{groupName: {'b' * 64}}}", f"{WORKERS}.groupName"),
    ("RayCluster", f"{WORKERS}: {{groupName: '{{{{ x_y }}}}'}}", ""),
    ("RayCluster", f"{WORKERS}: {{minReplicas: 0, maxReplicas: 0}}", ""),
    ("RayCluster", f"{WORKERS}: {{minReplicas: -1}}", f"{WORKERS}.minReplicas"),
    ("RayCluster", f"{WORKERS}: {{maxReplicas: -1}}", f"{WORKERS}.maxReplicas"),
    ("RayCluster", "spec.autoscalerOptions: {version: v2, idleTimeoutSeconds: 0}", ""),
    ("RayCluster", "spec.autoscalerOptions: {version: v3}", "spec.autoscalerOptions.version"),
    ("RayCluster", "spec.autoscalerOptions: {idleTimeoutSeconds: -1}", "spec.autoscalerOptions.idleTimeoutSeconds"),
    ("RayCluster", f"{WORKERS}: {{suspend: true}}", ""),
    ("RayCluster", f"{WORKERS}: {{suspend: true}}; spec.enableInTreeAutoscaling: true", f"{WORKERS}.suspend"),
    ("RayCluster", f"{HEAD}.template.spec.restartPolicy: Always; spec.autoscalerOptions: {{version: v2}}", ""),
    (
        "RayCluster",
        f"{HEAD}.template.spec.restartPolicy: Always; spec.autoscalerOptions: {{version: v2}}; {AUTOSCALED}",
        f"{HEAD}.template.spec.restartPolicy",
    ),
    (
        "RayCluster",
        f"{HEAD}.template.spec.restartPolicy: Always; spec.autoscalerOptions: {{version: v1}}; {AUTOSCALED}",
        "",
    ),
    ("RayCluster", "spec.networkPolicy: {mode: DenyAllIngress}", ""),
    ("RayCluster", "spec.networkPolicy: {mode: Deny}", "spec.networkPolicy.mode"),
    (
        "RayCluster",
        "spec.networkPolicy: {mode: DenyAllIngress, head: {egressRules: [{}]}}",
        "spec.networkPolicy.head.egressRules",
    ),
    ("RayCluster", "spec.networkPolicy: {mode: DenyAllIngress, head: {ingressRules: [{}]}}", ""),
    (
        "RayCluster",
        "spec.networkPolicy: {mode: DenyAllEgress, worker: {ingressRules: [{}]}}",
        "spec.networkPolicy.worker.ingressRules",
    ),
    ("RayCluster", "spec.networkPolicy: {workerGroups: [{groupName: w}]}", ""),
    (
        "RayCluster",
        "spec.networkPolicy: {workerGroups: [{groupName: v}]}",
        "spec.networkPolicy.workerGroups.0.groupName",
    ),
    ("RayCluster", "spec.gcsFaultToleranceOptions: {redisAddress: r}", ""),
    (
        "RayCluster",
        "spec.gcsFaultToleranceOptions: {redisAddress: r}; metadata.annotations: {ray.io/ft-enabled: 'true'}",
        "spec.gcsFaultToleranceOptions",
    ),
    *(
        (
            "RayCluster",
            f"{HEAD}.template.spec.containers.0: {{env: [{{name: {name}, value: r}}]}}{more}",
            f"{HEAD}.template.spec.containers.0.env" if found else "",
        )
        for name, more, found in (
            ("RAY_REDIS_ADDRESS", "", True),
            ("RAY_REDIS_ADDRESS", "; metadata.annotations: {ray.io/ft-enabled: 'true'}", False),
            ("RAY_REDIS_ADDRESS", "; spec.gcsFaultToleranceOptions: {redisAddress: r}", True),
            ("REDIS_PASSWORD", "; spec.gcsFaultToleranceOptions: {redisAddress: r}", True),
            ("REDIS_PASSWORD", "", False),
        )
    ),
    ("RayJob", "spec.rayClusterSpec: GONE", "spec"),
    ("RayJob", "spec.rayClusterSpec: GONE; spec.clusterSelector: {ray.io/cluster: c}", ""),
    (
        "RayJob",
        (
            "spec.rayClusterSpec: GONE; spec.clusterSelector: {a: b}; spec.suspend: true; "
            "spec.shutdownAfterJobFinishes: true"
        ),
        "spec.suspend",
    ),
    ("RayJob", "spec.suspend: true", "spec.suspend"),
    ("RayJob", "spec.suspend: true; spec.shutdownAfterJobFinishes: true", ""),
    ("RayJob", "spec.ttlSecondsAfterFinished: 60", "spec.ttlSecondsAfterFinished"),
    ("RayJob", "spec.ttlSecondsAfterFinished: 0", ""),
    ("RayJob", "spec.ttlSecondsAfterFinished: 60; spec.shutdownAfterJobFinishes: true", ""),
    (
        "RayJob",
        f"spec.ttlSecondsAfterFinished: 60; spec.deletionStrategy: {ENDED}",
        "",
    ),
    ("RayJob", "spec.submissionMode: SidecarMode", ""),
    ("RayJob", "spec.submissionMode: SidecarMode; spec.submitterPodTemplate: {}", "spec.submitterPodTemplate"),
    ("RayJob", "spec.submissionMode: SidecarMode; spec.submitterConfig: {backoffLimit: 1}", "spec.submitterConfig"),
    ("RayJob", "spec.submissionMode: SidecarMode; spec.clusterSelector: {ray.io/cluster: c}", "spec.clusterSelector"),
    ("RayJob", "spec.submissionMode: InteractiveMode; spec.backoffLimit: 1", "spec.backoffLimit"),
    ("RayJob", "spec.submissionMode: InteractiveMode; spec.backoffLimit: 0", ""),
    ("RayJob", "spec.backoffLimit: -1", "spec.backoffLimit"),
    ("RayJob", "spec.activeDeadlineSeconds: 1", ""),
    ("RayJob", "spec.activeDeadlineSeconds: 0", "spec.activeDeadlineSeconds"),
    ("RayJob", "metadata.labels: {kueue.x-k8s.io/queue-name: q}", "spec"),
    ("RayJob", "metadata.labels: {kueue.x-k8s.io/queue-name: q}; spec.shutdownAfterJobFinishes: true", ""),
    (
        "RayJob",
        f"{QUEUED}; spec.shutdownAfterJobFinishes: true; spec.clusterSelector: {{a: b}}",
        "spec.clusterSelector",
    ),
    ("RayService", "spec.upgradeStrategy: {type: NewCluster}", ""),
    ("RayService", "spec.upgradeStrategy: {type: Rolling}", "spec.upgradeStrategy.type"),
    (
        "RayService",
        "spec.rayClusterConfig.headGroupSpec.headService: {metadata: {name: h}}",
        "spec.rayClusterConfig.headGroupSpec.headService.metadata.name",
    ),
    # Volcano
    ("Volcano", "spec.minAvailable: 0", ""),
    ("Volcano", "spec.minAvailable: -1", "spec.minAvailable"),
    ("Volcano", "spec.networkTopology: {mode: hard}", ""),
    ("Volcano", "spec.networkTopology: {mode: strict}", "spec.networkTopology.mode"),
    ("Volcano", "spec.tasks.0: {replicas: -1}", "spec.tasks.0.replicas"),
    ("Volcano", "spec.tasks.1: {minAvailable: -1}", "spec.tasks.1.minAvailable"),
    ("Volcano", "spec.tasks.1: {name: a}", "spec.tasks.1.name"),
    ("Volcano", "spec.tasks.1: {name: B}", "spec.tasks.1.name"),
    ("Volcano", "spec.tasks.0: {partitionPolicy: {totalPartitions: 1, partitionSize: 2}}", ""),
    ("Volcano", "spec.tasks.0: {partitionPolicy: {totalPartitions: 2, partitionSize: 2}}", "spec.tasks.0.replicas"),
    *(
        ("Volcano", f"{at}policies: [{policy}]" + ("}" if "{" in at else ""), found and f"{place}policies.0{found[1:]}")
        for at, place in (("spec.", "spec."), ("spec.tasks.1: {", "spec.tasks.1."))
        for policy, found in (
            ("{event: PodFailed, action: RestartJob}", ""),
            ("{event: TaskFailed, action: RestartJob}", ""),
            ("{event: podFailed, action: RestartJob}", "..event"),
            ("{exitCode: 0, action: RestartJob}", "..exitCode"),
            ("{exitCode: 3, action: RestartJob}", ""),
            ("{exitCode: 3, event: PodFailed, action: RestartJob}", "."),
            ("{exitCode: 3, events: [PodFailed], action: RestartJob}", "."),
        )
    ),
    *(
        (
            "Volcano",
            f"spec.tasks.0: {{{CPUS % (policy, asked)}}}",
            at and f"spec.tasks.0.template.spec.containers.0{at}",
        )
        for policy, asked, at in (
            ("none", "requests: {cpu: 500m}", ""),
            ("'${POLICY}'", "requests: {cpu: 500m}", ""),
            ("best-effort", "requests: {cpu: 2}", ""),
            ("best-effort", "limits: {cpu: '2'}", ""),
            ("best-effort", "limits: {cpu: 1}, requests: {cpu: 500m}", ".resources"),
            ("restricted", "requests: {cpu: 2500m}", ".resources"),
            ("restricted", "requests: {cpu: 2000m}", ""),
            ("restricted", "requests: {cpu: '${CPU}'}", ""),
            ("single-numa-node", "requests: {cpu: 0}", ".resources"),
            ("single-numa-node", "requests: {memory: 1Gi}", ".resources"),
        )
    ),
    ("Volcano", f"spec.tasks.1: {DEPENDS % 'a'}", ""),
    ("Volcano", f"spec.tasks.1: {DEPENDS % 'a, other'}", "spec.tasks.1.dependsOn.name.1"),
    ("Volcano", f"spec.tasks.1: {DEPENDS % 'b'}", "spec.tasks.1.dependsOn"),
    ("Volcano", f"spec.tasks.0: {DEPENDS % 'b'}; spec.tasks.1: {DEPENDS % 'a'}", "spec.tasks.0.dependsOn"),
    ("Volcano", "spec.plugins: {ssh: [], svc: [], env: []}", ""),
    ("Volcano", "spec.plugins: {sshd: []}", "spec.plugins.sshd"),
    ("Volcano", "spec.plugins: {mpi: ['--master=a', '--worker=b']}", ""),
    ("Volcano", "spec.plugins: {mpi: ['--master', 'a']}", ""),
    ("Volcano", "spec.plugins: {mpi: ['--master=c']}", "spec.plugins.mpi"),
    ("Volcano", "spec.plugins: {mpi: []}", "spec.plugins.mpi"),
    ("Volcano", "spec.plugins: {mpi: []}; spec.tasks.0: {name: master}", ""),
    ("Volcano", "spec.volumes: [{mountPath: /a, volumeClaimName: c}]", ""),
    ("Volcano", "spec.volumes: [{mountPath: /a, volumeClaim: {}}]", ""),
    ("Volcano", "spec.volumes: [{volumeClaimName: c}]", "spec.volumes.0"),
    ("Volcano", "spec.volumes: [{mountPath: /a}]", "spec.volumes.0"),
]


@pytest.mark.parametrize(("kind", "changes", "place"), ROWS, ids=[f"{kind} {changes}" for kind, changes, _ in ROWS])
def test_what_is_refused_has_its_place(kind: str, changes: str, place: str) -> None:
    assert refused(kind, changes) == ([place] if place else [])
