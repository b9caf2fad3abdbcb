"""What the API server refuses of a field, whatever kind it belongs to, and what would end it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from trainlint.admission.field_flaws import FieldFlaw, FieldPlace

__all__ = ["FIELDS"]

FIELDS: Final[Mapping[Enum, str | tuple[str, str]]] = {
    FieldFlaw.NAME: ("{0} is {1}, which is no valid name: {2}", "correct it"),
    FieldFlaw.RANGE: ("{0} is {1}, and must be {2} to {3}", "write a number of this range"),
    FieldFlaw.MISSING: ("{0} has no {1}", "set {1}"),
    FieldFlaw.TWICE: ("{0} names {1} twice", "remove one of the two"),
    FieldFlaw.EXCLUDES: ("{0} and {1} exclude each other", "keep one of the two"),
    FieldFlaw.NEEDS: ("{0} needs {1}", "add {1}, or remove {0}"),
    FieldFlaw.TOO_MANY: ("{0} has {1} {3}, and {2} are allowed", "keep {2} at most"),
    FieldFlaw.SEVERAL: ("{0} has [{1}|nothing], and exactly one of {2} is allowed", "write one of them"),
    FieldFlaw.PATH: ("{0} is {1}, and must be [{2?}relative and ]without ..", "write a path without .."),
    FieldFlaw.UPWARD: ("{0} is {1}, and must not begin with ..", "write another path"),
    FieldFlaw.ABSOLUTE: ("{0} is {1}, and must begin with /", "write the whole path"),
    FieldFlaw.ADDRESS: ("{0} is {1}, which is no IP address", "write an IP address"),
    FieldFlaw.BELONGS: ("{0} is allowed {1} only", "remove it"),
    FieldFlaw.UNKNOWN: ("{0} names {1}, and the pod has no {2} of this name[: it has {3}]", "correct the name"),
    FieldFlaw.SLEEP: (
        "the hook sleeps {0} seconds, and terminationGracePeriodSeconds allows 0 to {1}",
        "sleep shorter, or raise terminationGracePeriodSeconds",
    ),
    FieldFlaw.WHOLE: ("{0} is {1}, and must be a whole number", "write a whole number"),
    FieldFlaw.ABOVE: ("{0} is {1}, which is more than {2} ({3})", "let {0} be {3} at most"),
    FieldFlaw.AT_LEAST: ("{0} is {1}, and must be {2} or more", "write {2} or more"),
    FieldFlaw.RESERVED: ("the name {0} begins with {1}, which Kubernetes keeps for itself", "take another name"),
    FieldFlaw.DIFFERS: ("{0} is {1}, and {2} is {3}: the two must be equal", "write the same amount in both"),
    FieldFlaw.POD_TOTAL: (
        "the containers ask for {1} {0} together, and the pod for {2}",
        "let the pod ask for {1} {0} or more",
    ),
    FieldFlaw.HOST_PORT_TWICE: (
        (
            "two ports of the pod are {1} {0} of the host"
            "[{2?}: on the host network each containerPort is a port of the host]"
        ),
        "change one of the two",
    ),
    FieldFlaw.EMPTY_DIR: ("fileKeyRef names the volume {0}, which is no emptyDir", "use an emptyDir"),
    FieldFlaw.BLOCK: (
        "container {0} uses {1} as a block device, which only a persistentVolumeClaim or an ephemeral volume is",
        "mount it with volumeMounts",
    ),
    FieldFlaw.PRIVILEGED: (
        "container {0} mounts with Bidirectional propagation, which only privileged containers may",
        "write HostToContainer, or set securityContext.privileged",
    ),
    FieldFlaw.PADDED: ("{0} begins or ends with a blank", "remove the blank"),
    FieldFlaw.KEY_OF_DATA: ("{0} is no key of data: {1}", "correct the key"),
    FieldFlaw.TOTAL_SIZE: ("{0} has {1} bytes, and {2} are allowed", "move a part into another object"),
    FieldFlaw.QUANTITY: ("{0} is {1}, which is no quantity", "write a number with a unit such as 500m or 16Gi"),
    FieldFlaw.NEGATIVE: ("{0} is {1}, and must not be negative", "write 0 or more"),
    FieldFlaw.POSITIVE: ("{0} is {1}, and must be more than 0", "write a positive amount"),
    FieldFlaw.RESOURCE: ("{0} names {1}, which is no resource there", "write a resource that is one"),
    FieldFlaw.SCOPE: ("scope {0} does not go with {1}", "remove one of the two"),
    FieldFlaw.SELECTED_KEY: ("matchLabelKeys names {0}, which {1} has too", "remove it from one of the two"),
    FieldPlace.RESTARTING: "in containers that restart",
    FieldPlace.ENDING: "in pods that end",
    FieldPlace.RUNNING: "in pods that run already",
    FieldPlace.INIT_CONTAINER: "in init containers",
    FieldPlace.CONTAINER: "in a container",
    FieldPlace.LINUX: "in a pod for Linux",
    FieldPlace.WINDOWS: "in a pod for Windows",
    FieldPlace.LOCALHOST: "with the type Localhost",
    FieldPlace.LOAD_BALANCER: "with the type LoadBalancer",
    FieldPlace.NODE_PORT: "with the types NodePort and LoadBalancer",
}
