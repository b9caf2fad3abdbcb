"""What the API server refuses of pods."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from trainlint.admission.flaws import PodFlaw

__all__ = ["PODS"]

PODS: Final[Mapping[Enum, tuple[str, str]]] = {
    PodFlaw.NO_CONTAINER_NAME: ("a container has no name", "give it one"),
    PodFlaw.CONTAINER_NAME: ("{0} is no name of a container: {1}", "give the container a valid name"),
    PodFlaw.CONTAINER_TWICE: ("two containers of the pod are called {0}", "rename one of the two"),
    PodFlaw.IMAGE_BLANK: ("the image of container {0} begins or ends with a blank", "remove the blank"),
    PodFlaw.PORT_NAME: ("{0} is no name of a port (container {1}): {2}", "shorten the name of the port"),
    PodFlaw.PORT_TWICE: ("two ports of container {0} are called {1}", "rename one of the two"),
    PodFlaw.NO_CONTAINER_PORT: ("a port of container {0} has no containerPort", "set it"),
    PodFlaw.PORT_NUMBER: ("{0} {1} of container {2} is no port: ports are 1 to {3}", "write a port in this range"),
    PodFlaw.HOST_PORT: (
        "container {0} is on the host network, where hostPort ({1}) must equal containerPort ({2})",
        "remove hostPort",
    ),
    PodFlaw.PROTOCOL: ("protocol {0} of a port of container {1} is none of {2}", "write it in capitals"),
    PodFlaw.NO_VARIABLE_NAME: ("a variable of container {0} has no name", "set name"),
    PodFlaw.VARIABLE_NAME: ("{0} is no name of a variable (container {1}): {2}", "correct the name"),
    PodFlaw.VALUE_AND_SOURCE: ("variable {0} of container {1} has a value and a valueFrom", "keep one of the two"),
    PodFlaw.SEVERAL_SOURCES: (
        "variable {0} of container {1} has {2} sources ({3}), one is allowed",
        "keep one of them",
    ),
    PodFlaw.NO_SOURCE: ("valueFrom of variable {0} in container {1} names no source", "add one of {2}"),
    PodFlaw.NO_SOURCE_KEY: ("{0} of variable {1} in container {2} names no key", "set key"),
    PodFlaw.INIT_PROBE: (
        "init container {0} has a {1}, which only those with restartPolicy Always may have",
        "remove {1}",
    ),
    PodFlaw.HANDLERS: ("the {0} of container {1} must do one of {2}, and does {3}", "let it do one of them"),
    PodFlaw.SUCCESS_THRESHOLD: ("successThreshold of the {0} of container {1} is {2}, and must be 1", "remove it"),
    PodFlaw.ESCALATION: (
        (
            "container {0} [{1?}is privileged|has the capability SYS_ADMIN], and allowPrivilegeEscalation is false: "
            "the two contradict each other"
        ),
        "decide for one of the two",
    ),
    PodFlaw.LABEL_KEY_IN: ("{0} in {1} is no key of a label: {2}", "correct the key"),
    PodFlaw.LABEL_VALUE_IN: ("{0} in {1} is no value of a label: {2}", "correct the value"),
    PodFlaw.TOLERATION_OPERATOR: (
        "{0} is no operator of a toleration: there are Exists and Equal",
        "write Exists, or Equal with a value",
    ),
    PodFlaw.TOLERATION_KEY: ("a toleration without a key must have the operator Exists", "name the key"),
    PodFlaw.TOLERATION_VALUE: (
        "the toleration of [{0}|every taint] has the operator Exists and the value {1}, which excludes it",
        "remove the value, or write the operator Equal",
    ),
    PodFlaw.TAINT_KEY: ("{0} is no key of a taint: {1}", "correct the key"),
    PodFlaw.TAINT_VALUE: ("{0} is no value of a taint: {1}", "correct the value"),
    PodFlaw.TAINT_EFFECT: ("{0} is no effect of a taint: there are {1}", "write one of them"),
    PodFlaw.TOLERATION_SECONDS: (
        "the toleration of {0} has tolerationSeconds, which only the effect NoExecute may have",
        "remove it, or write the effect NoExecute",
    ),
    PodFlaw.NO_SPREAD_KEY: ("a topologySpreadConstraint has no topologyKey", "name the label"),
    PodFlaw.WHEN_UNSATISFIABLE: (
        "whenUnsatisfiable of the spread over {0} [is {1}|is missing], and must be {2}",
        "write one of the two",
    ),
    PodFlaw.MAX_SKEW: ("maxSkew of the spread over {0} [{1?}is missing|is {2}], and must be 1 or more", "set it to 1"),
    PodFlaw.MIN_DOMAINS: (
        "minDomains of the spread over {0} is {1}, and [{2?}must be 1 or more|goes with DoNotSchedule only]",
        "remove it",
    ),
    PodFlaw.SPREAD_TWICE: ("two spread constraints are over {0} with {1}", "keep one of them"),
    PodFlaw.NO_NODE_TERMS: ("nodeAffinity requires nodeSelectorTerms in {0}", "add a term, or remove the block"),
    PodFlaw.WEIGHT: ("the weight of a preferred term is {0}, and must be 1 to 100", "set a weight of 1 to 100"),
    PodFlaw.NO_TERM_KEY: ("a term of {0} has no topologyKey", "name the node label of the domain"),
    PodFlaw.KEY: ("{0} is no key of a label: {1}", "correct it"),
    PodFlaw.NO_REQUIREMENT_KEY: ("a requirement on labels names no key", "set key"),
    PodFlaw.OPERATOR: ("[{0}|no operator] on {1}: the operators are {2}", "write one of them"),
    PodFlaw.NO_VALUES: ("{0} on {1} has no values", "list the values"),
    PodFlaw.NEEDLESS_VALUES: ("{0} on {1} has values, which it must not have", "remove them, or write In"),
    PodFlaw.ONE_NUMBER: ("{0} on {1} needs exactly one value", "write one number"),
    PodFlaw.RESOURCE_DOMAIN: (
        "{0} in the {1} of {2} is no resource of a container: device names have a domain",
        "write the name that the device plugin announces, such as nvidia.com/gpu",
    ),
    PodFlaw.RESOURCE_NAME: ("{0} is no name of a resource: {1}", "correct it"),
    PodFlaw.QUANTITY: (
        "{0}.{1} of {2} is {3}, which is no quantity",
        "write a number with a unit such as 500m or 16Gi",
    ),
    PodFlaw.NEGATIVE_AMOUNT: ("{0}.{1} of {2} is {3}, and amounts are not negative", "write a positive amount"),
    PodFlaw.HUGE_PAGES_LIMIT: (
        "{0} requests {1} {2} without a limit, and huge pages cannot be overcommitted",
        "set limits.{2} to {1}",
    ),
    PodFlaw.HUGE_PAGES_EQUAL: (
        "{0} requests {1} {2} and is limited to {3}: huge pages cannot be overcommitted",
        "set both to the same amount",
    ),
    PodFlaw.ABOVE_LIMIT: (
        "{0} requests {1} {2}, and its limit is {3}",
        "raise limits.{2} to {1} or more, or request at most {3}",
    ),
    PodFlaw.HUGE_PAGES_ALONE: (
        "{0} asks for {1} and for neither cpu nor memory, one of which huge pages need beside them",
        "add cpu and memory",
    ),
    PodFlaw.HUGE_PAGE_SIZE: (
        "{0} asks for {1}: {2}, which is no multiple of the page size",
        "write the size of all pages together, in bytes or with a unit such as 5120Mi",
    ),
    PodFlaw.WORD: ("{0} is {1}, and must be one of {2}", "[write {3}|write one of them]"),
    PodFlaw.HOST_NAME: ("{0} is no {1}: {2}", "correct it"),
    PodFlaw.POD_DEADLINE: ("activeDeadlineSeconds of the pod is {0}, and must be 1 or more", "remove it"),
    PodFlaw.PROCESS_NAMESPACE: ("shareProcessNamespace and hostPID exclude each other", "keep one of the two"),
    PodFlaw.DNS_POLICY: ("dnsPolicy None needs a nameserver in dnsConfig", "add dnsConfig.nameservers"),
    PodFlaw.CLAIM_TWICE: (
        "resource claim {0} has {1} and {2}, and exactly one of the two is allowed",
        "keep {1} for a claim that pods share, {2} for one for each pod",
    ),
    PodFlaw.NO_CLAIM: ("resource claim {0} has neither {1} nor {2}", "name the claim or its template"),
    PodFlaw.UNKNOWN_CLAIM: (
        "container {0} uses the resource claim {1}, and the pod has none of this name",
        "[did you mean {2}?|add it to resourceClaims of the pod]",
    ),
    PodFlaw.LABEL_KEY: ("{0} is no key of a label: {1}", "correct the key"),
    PodFlaw.LABEL_VALUE: ("{0} is no value of the label {1}: {2}", "correct the value"),
    PodFlaw.ANNOTATION_KEY: ("{0} is no key of an annotation: {1}", "correct the key"),
    PodFlaw.NO_VOLUME_NAME: ("a volume has no name", "give it one"),
    PodFlaw.VOLUME_NAME: (
        "{0} is no name of a volume: {1}",
        "give the volume a valid name, here and where it is mounted",
    ),
    PodFlaw.VOLUME_TWICE: ("two volumes are called {0}", "remove one of the two, or rename it"),
    PodFlaw.VOLUME_SOURCES: ("volume {0} has {1} sources ({2}), and one is allowed", "keep one of them"),
    PodFlaw.VOLUME_SOURCE: ("volume {0} names no {1} in {2}", "set {1}"),
    PodFlaw.DEVICE_AND_MOUNT: ("container {0} has a device and a mount at {1}", "move one of the two"),
    PodFlaw.NO_MOUNTED_VOLUME: ("the mount at {0} of container {1} names no volume", "set name"),
    PodFlaw.UNKNOWN_VOLUME: (
        "container {0} mounts the volume {1}, and the pod has none of this name[: it has {2}]",
        "[{2?}mount {2}, or add a volume called {1}|add a volume called {1}]",
    ),
    PodFlaw.NO_MOUNT_PATH: (
        "the mount of {0} in container {1} has no mountPath",
        "set mountPath to the directory where the volume is to appear",
    ),
    PodFlaw.MOUNTED_TWICE: ("container {0} mounts two volumes at {1}", "remove one of the two mounts, or move it"),
    PodFlaw.PROBE_NUMBER: ("{0} of the {1} of {2} is {3}, and must be {4} or more", "raise it to {4}"),
    PodFlaw.PROBE_GRACE: ("the readinessProbe of {0} has terminationGracePeriodSeconds, and ends nothing", "remove it"),
    PodFlaw.NAMESERVERS: ("dnsConfig has {0} nameservers, and 3 are allowed", "keep 3 of them"),
    PodFlaw.GATE_TWICE: ("the scheduling gate {0} is there twice", "remove one"),
    PodFlaw.SUB_PATHS: ("the mount at {0} has subPath and subPathExpr", "keep one of them"),
    PodFlaw.SUB_PATH: (
        "subPath {0} of the mount at {1} must be relative and without ..",
        "write a path below the volume's root",
    ),
}
