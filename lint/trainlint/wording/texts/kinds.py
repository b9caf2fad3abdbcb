"""What the API server, webhooks and operators refuse of jobs of each kind."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from trainlint.admission.flaws import KindFlaw

__all__ = ["KINDS"]

KINDS: Final[Mapping[Enum, tuple[str, str]]] = {
    KindFlaw.INDEXED_WITHOUT_COMPLETIONS: (
        "the Job is Indexed and has no completions, which says how many indices there are",
        "set completions to {0}, as parallelism",
    ),
    KindFlaw.INDEXED_ONLY: ("{0} goes with completionMode Indexed only", "set completionMode: Indexed, or remove {0}"),
    KindFlaw.FAILED_INDEXES: ("maxFailedIndexes needs backoffLimitPerIndex", "set backoffLimitPerIndex"),
    KindFlaw.MANAGED_BY: ("managedBy is {0}, and must be a path below a domain", "write it as example.com/controller"),
    KindFlaw.JOB_SELECTOR: ("a Job makes its selector itself, and refuses one that is written", "remove the selector"),
    KindFlaw.FAILURE_POLICY_RESTART: (
        "podFailurePolicy goes with restartPolicy Never only, and the template has {0}",
        "write Never",
    ),
    KindFlaw.FAILURE_POLICY_REPLACEMENT: (
        "podFailurePolicy goes with podReplacementPolicy Failed only, and it is {0}",
        "write Failed, or remove it",
    ),
    KindFlaw.NO_SELECTOR: ("it has no selector", "select the labels of the template"),
    KindFlaw.SELECTOR_DIFFERS: (
        (
            "the selector asks for {0}={1}, and the pod template has other labels: {0}, [{3?}which is {2} "
            "there|which it does not have]"
        ),
        "let the selector and the labels of the pod template agree",
    ),
    KindFlaw.SUBDOMAIN: ("{0} is no subdomain: {1}", "correct it"),
    KindFlaw.JOB_NAME: ("{0} is no name of a {1}: {2}", "correct the name"),
    KindFlaw.FIRST_DEPENDS: (
        "{0} is the first replicated job, which depends on none",
        "remove dependsOn, or move the job down",
    ),
    KindFlaw.DEPENDS_ON_ITSELF: ("{0} depends on itself, so that it never starts", "name another replicated job"),
    KindFlaw.DEPENDS_ON_LATER: (
        "{0} depends on {1}, [{2?}which stands after it|and there is none of this name]: before it there is {3}",
        "[did you mean {4}?|name a job that stands before it]",
    ),
    KindFlaw.JOB_TWICE: (
        "there is a replicated job {0} before it, whose Jobs have the names of this one's: it gets no pods",
        "rename one of the two",
    ),
    KindFlaw.NO_FIRST_POD: (
        "{0} has {1} for itself, which is where its pod 0 is, and a NonIndexed Job has no pod 0",
        "write completionMode Indexed, and set completions",
    ),
    KindFlaw.NO_TARGET_JOB: (
        "{0} names the replicated job {1}, and there is none: there is {2}",
        "[did you mean {3}?|name one that is there]",
    ),
    KindFlaw.COORDINATOR_JOB: (
        "the coordinator is in the replicated job [{0}|of no name], and there is none of this name",
        "[did you mean {1}?|name one that is there]",
    ),
    KindFlaw.COORDINATOR_INDEXED: (
        "the coordinator is a pod of {0}, whose Job must be Indexed and have completions",
        "set completions of {0}",
    ),
    KindFlaw.COORDINATOR_INDEX: (
        "{0} of the coordinator is {1}, and {2} has {3}, counted from 0",
        "write a number below {3}",
    ),
    KindFlaw.RULE_TWICE: ("two rules of failurePolicy are called {0}", "rename one of the two"),
    KindFlaw.ORDER_AND_DEPENDS: ("startupPolicyOrder InOrder and dependsOn exclude each other", "keep one of the two"),
    KindFlaw.NO_ROLES: ("an MPIJob needs roles", "add a Launcher and Workers"),
    KindFlaw.NO_XGBOOST_MASTER: ("an XGBoostJob needs a Master, where its tracker runs", "add the role"),
    KindFlaw.NO_LAUNCHER_ROLE: ("an MPIJob needs a Launcher", "add the role"),
    KindFlaw.CHIEF_AND_MASTER: (
        "a TFJob has a Chief or a Master, which are one role by two names, and this one has both",
        "keep one of the two",
    ),
    KindFlaw.ONE_MASTER: (
        "a {0} has exactly one Master, and its [{2?}replicas is {1}|replicas is missing]",
        "set replicas of Master to 1",
    ),
    KindFlaw.ONE_LAUNCHER: (
        "an MPIJob has exactly one Launcher, and its replicas is {0}",
        "set replicas of Launcher to 1",
    ),
    KindFlaw.NO_WORKERS: (
        "replicas of Worker is {0}, and must be 1 or more where there is a Worker",
        "leave the role Worker out for a job without workers",
    ),
    KindFlaw.NO_REPLICAS: (
        "replicas of {0} is {1}: the operator makes and deletes a pod of it in turn, without end",
        "leave the role {0} out",
    ),
    KindFlaw.EMPTY_EXCLUSIVE: (
        "{0} is empty, and the workers get a node selector on no label",
        "name the node label of the domain, or remove the annotation",
    ),
    KindFlaw.NO_ROLLOUT: (
        "maxUnavailable and maxSurge are both 0, so that no update could ever begin",
        "set maxUnavailable to 1",
    ),
    KindFlaw.NO_SUBGROUP_SIZE: (
        "{0} is set, and there is no subGroupSize",
        "set subGroupPolicy.subGroupSize, or remove the annotation",
    ),
    KindFlaw.SUBGROUP_SIZE: ("subGroupSize is {0}, and must be 1 or more", "write 1 or more"),
    KindFlaw.NO_LAUNCHER: ("an MPIJob needs a Launcher", "add the role Launcher"),
    KindFlaw.WORKERS: (
        "replicas of Worker [{1?}is {0}|is missing, and counts as 0], and must be 1 or more where there is a Worker",
        "set it to the number of workers, or leave the role Worker out",
    ),
    KindFlaw.RESOURCES_TWICE: (
        "{0} has resources and rayStartParams.{1}, and one of the two is allowed",
        "keep one of the two",
    ),
    KindFlaw.START_LABELS: ("rayStartParams.labels of {0} is not supported", "write labels beside rayStartParams"),
    KindFlaw.GROUP_NAME: (
        (
            "the name of worker group {0} [{3?}has {1} characters, and {2} are allowed|has an underscore]: its pods "
            "and a label of theirs are named after it"
        ),
        "choose a name of lower case letters and dashes",
    ),
    KindFlaw.NEGATIVE: ("{0} of {1} is {2}, and must not be negative", "write 0 or more"),
    KindFlaw.GROUP_TWICE: (
        "a worker group before it is called {0} too, and KubeRay counts the pods of both by the name",
        "rename one of the two",
    ),
    KindFlaw.IDLE_TIMEOUT: ("idleTimeoutSeconds is {0}, and must not be negative", "write 0 or more"),
    KindFlaw.SUSPENDED_GROUP: ("worker group {0} is suspended, and the autoscaler is on", "switch one of the two off"),
    KindFlaw.AUTOSCALER_RESTART: (
        "restartPolicy is {0}, and with version v2 of the autoscaler it must be Never, or not written",
        "remove restartPolicy",
    ),
    KindFlaw.FREE_DIRECTION: (
        "{0} stand in networkPolicy, and its mode {1} does not restrict that direction",
        "remove them, or change the mode",
    ),
    KindFlaw.NO_WORKER_GROUP: (
        "networkPolicy names the worker group {0}, and there is [{1}|none]",
        "name a group that is there",
    ),
    KindFlaw.FAULT_TOLERANCE_TWICE: (
        "the annotation {0} and gcsFaultToleranceOptions are both set",
        "remove the annotation",
    ),
    KindFlaw.REDIS_ADDRESS: (
        "the head has RAY_REDIS_ADDRESS, which needs gcsFaultToleranceOptions",
        "write redisAddress of gcsFaultToleranceOptions instead",
    ),
    KindFlaw.REDIS_VARIABLE: (
        "the head has {0}, and gcsFaultToleranceOptions is set",
        "write gcsFaultToleranceOptions.{1} instead",
    ),
    KindFlaw.NO_CLUSTER: ("it has neither rayClusterSpec nor clusterSelector", "add one of them"),
    KindFlaw.SUSPENDED_SELECTION: (
        "suspend stops the cluster of the job, and clusterSelector names one that is not its own",
        "remove suspend, or write rayClusterSpec",
    ),
    KindFlaw.SIDECAR_TEMPLATE: (
        "in SidecarMode there is no submitter pod, and submitterPodTemplate is set",
        "remove it",
    ),
    KindFlaw.SIDECAR_CONFIG: ("in SidecarMode there is no submitter Job, and submitterConfig is set", "remove it"),
    KindFlaw.SIDECAR_SELECTION: (
        "SidecarMode adds a container to the head of its own cluster, and clusterSelector names another one",
        "use another submissionMode",
    ),
    KindFlaw.INTERACTIVE_BACKOFF: ("backoffLimit must be 0 or left out in InteractiveMode", "remove it"),
    KindFlaw.SUSPENDED_KEPT: (
        "suspend is true and shutdownAfterJobFinishes is not: a job that keeps its cluster cannot be suspended",
        "set shutdownAfterJobFinishes: true",
    ),
    KindFlaw.KEPT_TTL: (
        "ttlSecondsAfterFinished is {0}, and without shutdownAfterJobFinishes the cluster never ends",
        "set shutdownAfterJobFinishes: true",
    ),
    KindFlaw.QUEUED_KEPT: (
        (
            "the RayJob is queued in {0} and does not end its cluster (shutdownAfterJobFinishes is not true), so "
            "that its quota would never be free again"
        ),
        "set shutdownAfterJobFinishes: true",
    ),
    KindFlaw.QUEUED_SELECTION: (
        "the RayJob is queued in {0} and runs on a cluster that is already there (clusterSelector)",
        "write rayClusterSpec, or remove the queue",
    ),
    KindFlaw.HEAD_SERVICE_NAME: (
        "the head Service of a RayService is named by KubeRay, and headService gives it a name",
        "remove the name",
    ),
    KindFlaw.PROCESSES: ("numProcPerNode is {0}, and must be a whole number", "write the number, or leave it out"),
    KindFlaw.NO_RUNTIME: ("it names no runtime in runtimeRef", "name the runtime"),
    KindFlaw.RESERVED_VARIABLE: (
        "{0} is set by Trainer, and must not be in the env of a TrainJob",
        "remove it; numNodes and numProcPerNode set it",
    ),
    KindFlaw.NO_INITIALIZER_JOB: (
        "the TrainJob has an initializer of its {0}, and its runtime has no job of the step {1}",
        "choose a runtime with that job, or remove it",
    ),
    KindFlaw.NO_INITIALIZER_MOUNT: (
        "container {0} of the runtime has no mount called initializer, where the {1} would go",
        "add the mount to the runtime",
    ),
    KindFlaw.LAUNCHER_AS_NODE: (
        (
            "numNodes is {0}, and the runtime, whose launcher is a node (runLauncherAsNode), has not both jobs "
            "launcher and node"
        ),
        "add the job to the runtime, or set numNodes to 1",
    ),
    KindFlaw.PATCHED_VARIABLES: (
        "a patch of the runtime sets variables of the container {0}",
        "[{1?}set them in trainer.env|remove them]",
    ),
    KindFlaw.SEVERAL_POLICIES: ("mlPolicy has {0}, and one is allowed", "keep one of them"),
    KindFlaw.STEP_REPLICAS: (
        "replicas of {0} is {1}: a job with the label {2} has exactly 1, and its nodes are numNodes of the TrainJob",
        "set replicas to 1",
    ),
    KindFlaw.TASK_NAME: ("{0} is no name of a task: {1}", "correct the name"),
    KindFlaw.TASK_TWICE: ("two tasks are called {0}", "rename one of the two"),
    KindFlaw.NO_MOUNT_PATH: ("a volume of the job has no mountPath", "set it"),
    KindFlaw.NO_VOLUME_CLAIM: ("a volume of the job has neither volumeClaim nor volumeClaimName", "name the claim"),
    KindFlaw.EXIT_CODE_ZERO: ("a policy is for exit code 0, which is no failure", "remove the policy"),
    KindFlaw.EVENT_AND_EXIT_CODE: (
        "a policy has an event and an exitCode, and one of the two is allowed",
        "write two policies",
    ),
    KindFlaw.PARTITIONS: (
        "{0} partitions of {1} pods are {2}, and replicas is {3}",
        "let replicas be totalPartitions times partitionSize",
    ),
    KindFlaw.NO_TASK: (
        "task {0} depends on {1}, and there is no such task",
        "[did you mean {2}?|name a task that is there]",
    ),
    KindFlaw.TASK_CIRCLE: ("the tasks {0} depend on each other in a circle", "remove one of the dependencies"),
    KindFlaw.NO_PLUGIN: ("{0} is no plugin of Volcano", "[did you mean {1}?|there are {2}]"),
    KindFlaw.MPI_MASTER: (
        "the mpi plugin looks for the task {0}, and there is {1}",
        "call the launcher's task {0}, or write --master=NAME",
    ),
    KindFlaw.SUBGROUP_TOO_LARGE: (
        "subGroupSize is {0}, and the group has only {1} pods",
        "choose a subGroupSize that divides the number of pods",
    ),
    KindFlaw.SUBGROUPS_OF_WORKERS: (
        "subgroups of {0} do not divide the {1} workers of a group (LeaderExcluded)",
        "choose a subGroupSize that divides the number of pods",
    ),
    KindFlaw.SUBGROUPS: (
        "subgroups of {0} divide neither the {1} pods of a group nor its {2} workers",
        "choose a subGroupSize that divides the number of pods",
    ),
    KindFlaw.OWN_LABEL: (
        "the label {0} of a Job's pods is set by the API server, and the template has {1}",
        "remove the label",
    ),
    KindFlaw.RUNTIME_ENVIRONMENT: ("runtimeEnvYAML is no YAML: {0}", "correct the text"),
    KindFlaw.WHOLE_CPUS: (
        "topologyPolicy {0} goes with whole CPUs, and {1} requests [{2}|none]",
        "request whole CPUs for each container, or remove topologyPolicy",
    ),
}
