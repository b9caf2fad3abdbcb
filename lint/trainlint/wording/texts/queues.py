"""Why Kueue, Volcano or KAI never lets a job in, or does not see it; what each place is to that."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from trainlint.queues.ground import MissedGround, QueueGround, QueueRole
from trainlint.scheduling.kueue.ground import FlavorGround, InactiveGround
from trainlint.scheduling.kueue.match import KueueCode
from trainlint.workload.queue_names import QueueDoubt

__all__ = ["QUEUES"]

_KUEUE: Final[Mapping[Enum, tuple[str, str]]] = {
    QueueGround.LOCAL_STOPPED: ("the LocalQueue's stopPolicy is {}", "let it run"),
    QueueGround.NO_CLUSTER_QUEUE: (
        "the LocalQueue names the ClusterQueue {}, which is not there[; there is {}]",
        "[name {1}|name one that is]",
    ),
    QueueGround.NO_LOCAL_QUEUE: (
        "there is no LocalQueue {} in namespace {}[; there is {}]",
        "[name {2}|name one of {3}|add the LocalQueue]",
    ),
    QueueGround.OTHER_NAMESPACE: (
        "the LocalQueue {} stands in namespace {}, and the job in {}",
        "let both stand in {3}",
    ),
    QueueGround.INACTIVE: ("the ClusterQueue {} is not active, as {}[; there is {}]", "[name {2}|{1!}]"),
    QueueGround.NO_SELECTOR: (
        "the ClusterQueue {} has no namespaceSelector, and without one no namespace may use it",
        "write namespaceSelector: {{}} to admit all namespaces",
    ),
    QueueGround.NOT_SELECTED: (
        "the namespaceSelector of the ClusterQueue {} does not match namespace {}",
        "label the namespace, or widen the selector",
    ),
    QueueGround.UNCOVERED: (
        "{} requests {}, which no resource group of {} covers",
        "add {1} to coveredResources, with a quota",
    ),
    QueueGround.BEYOND_QUOTA: (
        "together its pods request {} {}, and the ClusterQueue {} can give {} at most",
        "raise the quota, or ask for less",
    ),
    QueueGround.NO_FLAVOR: (
        "no flavor takes {} ({})",
        "let the pods fit a flavor: its labels in nodeSelector, tolerations in the pod or in the flavor",
    ),
    QueueGround.FLAVOR: ("{}: {}", ""),
    QueueGround.NO_COMBINATION: (
        "no flavors of the ClusterQueue {} hold all pod sets together: {}",
        "[{1!}|raise the quota of a flavor that takes them, or let the pods fit another one]",
    ),
    QueueGround.NOT_FOUND: (
        (
            "its flavors hold the job ({} together), and Kueue does not find that out: it goes on behind the flavor "
            "at which it stopped ({})"
        ),
        "let one flavor hold all pod sets, or put the flavors into another order",
    ),
    QueueGround.NO_NAME: (
        "it names no queue, and Kueue suspends such objects too (manageJobsWithoutQueueName)",
        "label it kueue.x-k8s.io/queue-name: [{0}|QUEUE]",
    ),
    QueueGround.NO_WORKER: ("{}", "{0!}"),
    QueueGround.NO_REMOTE: ("there is no MultiKueueCluster {}", "define it"),
    QueueGround.OWN_COPY: (
        "the worker cluster {} has a {} of its own, so the copy is never made there",
        "take the job out of {0}, or name it otherwise",
    ),
    QueueGround.NO_QUEUE_THERE: (
        "the worker cluster {} has no LocalQueue {} in namespace {}, which the copy names",
        "add the LocalQueue to {0}",
    ),
    QueueGround.REFUSED_THERE: ("in the worker cluster {} {}", "{1!}"),
    FlavorGround.TAINT: ("the pods do not tolerate its taint {}", ""),
    FlavorGround.REQUIREMENT: ("they require {}", ""),
    FlavorGround.NO_TERM: ("no term of their node affinity matches", ""),
    FlavorGround.NO_TOPOLOGY: ("the pods require a topology, and the flavor {} has none", ""),
    FlavorGround.NO_LEVEL: ("{} is no level of its topology {}", ""),
    InactiveGround.STOPPED: ("its stopPolicy is {}", "let it run"),
    InactiveGround.NO_FLAVOR: ("its flavor {} does not exist", "define it"),
    InactiveGround.NO_TOPOLOGY: ("the Topology {} of its flavor {} does not exist", "define it"),
    InactiveGround.CIRCLE: ("its cohorts are in a circle of parents ({})", "take one of the parents out"),
    InactiveGround.NO_CHECK: ("its AdmissionCheck {} does not exist", "define it"),
    InactiveGround.INACTIVE_CHECK: ("its AdmissionCheck {} is not active", "see why its controller refuses it"),
    InactiveGround.SEVERAL_MULTIKUEUE_CHECKS: (
        "it has {} MultiKueue checks ({}), and may have one",
        "keep one of them",
    ),
    InactiveGround.MULTIKUEUE_AND_PROVISIONING: (
        "it has a MultiKueue check ({}) and a ProvisioningRequest check ({})",
        "keep one of them",
    ),
    InactiveGround.MULTIKUEUE_FOR_SOME_FLAVORS: (
        "its MultiKueue check {} counts for some flavors only, and must count for all",
        "take onFlavors out",
    ),
    InactiveGround.NO_MULTIKUEUE_CONFIG: ("the MultiKueueConfig {} of its check {} does not exist", "define it"),
    InactiveGround.NO_MULTIKUEUE_CLUSTER: (
        "no MultiKueueCluster of its check {} exists ([{}|none is named])",
        "define the clusters",
    ),
}
_CODES: Final[Mapping[Enum, tuple[str, str]]] = {
    KueueCode.AFFINITY: ("their node selectors do not match the labels of a flavor", ""),
    KueueCode.AFFINITY_INVALID: ("their node affinity cannot be read", ""),
    KueueCode.FLAVOR_NOT_TAS: (
        "they ask for a topology, and a flavor has none",
        "let the flavors of one resource group have topologies, all of them",
    ),
    KueueCode.FLAVOR_ONLY_TAS: (
        "they ask for no topology, and a flavor takes only pods that do",
        "let all flavors of the queue have a topology, or let the pods ask for one",
    ),
    KueueCode.LEVEL_MISSING: (
        "the level that they ask for is none of a flavor's topology",
        "name a level of the flavor's topology",
    ),
    KueueCode.NO_TAS_FLAVOR: (
        "a pod set requests nothing, so that it gets no flavor whose topology would place it",
        "let every pod set request something that the queue covers",
    ),
    KueueCode.NO_LONGER_FITS: ("a leader requests nothing", ""),
    KueueCode.QUOTA: ("a flavor has too little quota for them", ""),
    KueueCode.SEVERAL_TAS_FLAVORS: (
        "a pod set would get two flavors with a topology",
        "put the resources into one resource group",
    ),
    KueueCode.TAINT: ("they do not tolerate the taint of a flavor", ""),
    KueueCode.TOPOLOGY: ("no domain of a flavor's topology has room for them", ""),
    KueueCode.UNCOVERED: ("a resource is covered by no group", ""),
}
_SCHEDULERS: Final[Mapping[Enum, tuple[str, str]]] = {
    QueueGround.ROOT: ("root is the parent of all queues and takes no jobs", "name a queue below it"),
    QueueGround.CLOSED: ("the queue {} is {}", "open it, or name another one"),
    QueueGround.NO_QUEUE: (
        "there is no queue {} of {}; Git has [{}|{}]",
        "[name {2}, or add the queue|name one that is there, or add the queue]",
    ),
    QueueGround.PARENT: (
        "the queue {} is the parent of {}, and jobs belong into queues without children",
        "name [{2?}one of ]{1}",
    ),
    QueueGround.NO_PARENT: (
        "the parent of the queue {}, {}, is not there[; Git has {}]",
        "[name {2} as its parent|name a parent that is there]",
    ),
    QueueGround.TOO_SMALL: (
        (
            "[the {0} pods that start together|single pods] need {1} {2} at once, and the {3} of the queue {4}[, "
            "which is above {5},] is {6}[{8?}, as none is written (-1 is no limit)]"
            "[{7?} (its jobs cannot be preempted, so they stay within the quota)]"
        ),
        "raise the {3} to {1}, or ask for less",
    ),
    QueueGround.GUARANTEED: (
        (
            "[the {0} pods that start together|single pods] need {1} {2} at once; of the capability of the queue {3}, "
            "which is above theirs ({4}), {5} is guaranteed to {6} and kept free for them"
        ),
        "raise the capability of {3}, lower the guarantee of {6}, or ask for less",
    ),
    QueueGround.BEYOND_NODES: (
        "its minResources asks for {0} {1} before any pod starts, and all nodes together have {2}",
        "ask for at most {2} {1}, or add nodes",
    ),
}
_MISSED: Final[Mapping[Enum, tuple[str, str]]] = {
    MissedGround.KIND_LEFT_OUT: (
        "its configuration enables [{}|nothing], and not {}, so nothing queues them",
        "add {1} to integrations.frameworks of Kueue",
    ),
    MissedGround.NAMESPACE_LEFT_OUT: (
        (
            "namespace {} does not match its managedJobsNamespaceSelector ({}), so its controller leaves the job "
            "alone: it is suspended and never resumed"
        ),
        "label namespace {0} as the selector asks",
    ),
    MissedGround.DEFAULT_LEFT_OUT: (
        (
            "namespace {} does not match its managedJobsNamespaceSelector ({}): its LocalQueue {} does not take the "
            "job, and a version that suspends it all the same never resumes it"
        ),
        "label namespace {0} as the selector asks",
    ),
    MissedGround.ANNOTATION: (
        "{} is an annotation here, and Kueue reads the label, so nothing queues the job",
        "make {0} a label",
    ),
    MissedGround.MISSPELT: ("the label {} is none that it reads, so nothing queues the job", "write {1}"),
    MissedGround.ON_TEMPLATE: (
        "{} stands on the pod template, and it reads the label of the {}: nothing queues the job as one",
        "label the {1} itself",
    ),
    MissedGround.ON_MAKER: (
        "{} stands on the {}, which does not hand it on to the Jobs that it makes: nothing queues them",
        "label its jobTemplate",
    ),
    MissedGround.SUSPENDED: (
        "it is suspended in Git and names no queue that would resume it",
        "label it {0}: [{1}|QUEUE], or take suspend: true out",
    ),
    MissedGround.KAI_SCHEDULER: (
        (
            "the label {} names the queue {}, and the pods of {} do not name the scheduler {}: the default scheduler "
            "places them one by one, past queue and gang"
        ),
        "write schedulerName: {3} in its pod template",
    ),
    MissedGround.KAI_ANNOTATION: (
        "{} is an annotation here, and KAI reads the label: its pods go to the default queue, not to {}",
        "make {0} a label",
    ),
    MissedGround.KAI_MISSPELT: (
        "the label {} is none that KAI reads, so its pods go to the default queue",
        "write {1}",
    ),
    MissedGround.VOLCANO_SCHEDULER: (
        (
            "the annotation {} names the queue {}, and no pod names Volcano's scheduler: the default scheduler "
            "places them one by one, past the queue"
        ),
        "write schedulerName: volcano in its pod template",
    ),
    MissedGround.VOLCANO_LABEL: (
        "{} is a label here, and Volcano reads the annotation of the pods",
        "make it an annotation",
    ),
    MissedGround.VOLCANO_JOB: (
        "Volcano takes the queue of a Job from spec.queue, not from {}: it goes to default",
        "write spec.queue: {1}",
    ),
}
_GROUPS: Final[Mapping[Enum, tuple[str, str]]] = {
    MissedGround.NO_SCHEDULER: (
        "its pods name the scheduler {}, and none of that name is known: they stay Pending without an event",
        "write {1}",
    ),
    MissedGround.POD_GROUP_SCHEDULER: (
        (
            "its pods name the PodGroup {}, and the default scheduler, which places {}, does not read it: they start "
            "one by one"
        ),
        "write schedulerName: {2} in the pod template",
    ),
}
_BESIDE: Final[Mapping[Enum, str]] = {
    MissedGround.WITHOUT_PLUGIN: "that the default scheduler does not run the plugin Coscheduling",
    MissedGround.SINCE: "Kueue {} or later",
    QueueDoubt.GANG_SCHEDULER: "that the operator makes PodGroups for Volcano: its Deployment is not in Git",
    QueueDoubt.NAMESPACE: "that the namespace {}, which is not in Git, names no queue of its own",
    QueueRole.NAMES_QUEUE: "names the queue",
    QueueRole.REASON: "is why",
    QueueRole.CLUSTER_QUEUE: "never admits them",
    QueueRole.LOCAL_QUEUE: "is their queue",
    QueueRole.QUOTA: "is all there is",
    QueueRole.FLAVOR: "does not take them",
    QueueRole.COPY: "is there already",
    QueueRole.HANDS_ON: "hands the job on",
    QueueRole.SUSPENDS: "makes Kueue suspend it",
    QueueRole.CLOSED: "is not open",
    QueueRole.OTHER_QUEUE: "is there",
    QueueRole.CHILD: "is its child",
    QueueRole.NAMES_PARENT: "names its parent",
    QueueRole.LIMIT: "is the limit",
    QueueRole.GUARANTEE: "is kept free for it",
    QueueRole.OTHER_SCHEDULER: "names no {} ({})",
    QueueRole.LEFT_OUT: "is left out too",
    QueueRole.MANAGED_KINDS: "says which kinds it manages",
    QueueRole.NAMESPACE_SELECTOR: "leaves the namespace out",
    QueueRole.NAMESPACE: "is the namespace",
}
QUEUES: Final[Mapping[Enum, str | tuple[str, str]]] = {
    **_KUEUE,
    **_CODES,
    **_SCHEDULERS,
    **_MISSED,
    **_GROUPS,
    **_BESIDE,
}
