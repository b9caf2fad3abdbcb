"""Why a filter of the scheduler refuses a pod."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from trainlint.scheduling.devices.outcome import DeviceGround
from trainlint.scheduling.refusal import Ground

__all__ = ["REFUSALS"]

REFUSALS: Final[Mapping[Enum, str]] = {
    Ground.TAINT: "it does not tolerate the taint {}",
    Ground.REQUIREMENT: "it requires {}",
    Ground.NO_COMMON_NODE: "its terms name no node that all of them allow",
    Ground.NO_TERM: "no term of its node affinity can match",
    Ground.NODE_NAME: "the pod names the node {}",
    Ground.CORDON: "the node is cordoned",
    Ground.HOST_PORT: "a host port is in use",
    Ground.DISK: "the disk of volume {} is in use here",
    Ground.SINGLE_POD_CLAIM: "another pod uses a claim that only one pod may use",
    Ground.DRIVER: "driver {} takes no more volumes here",
    Ground.ABSENT: "{} does not exist",
    Ground.LOST: "the volume of claim {} is lost",
    Ground.DELETED: "claim {} is being deleted",
    Ground.FOREIGN_CLAIM: "claim {} is not this pod's own",
    Ground.OUT_OF_REACH: "volume {} of claim {} is only where {}",
    Ground.UNBOUND: "claim {} is not bound, and does not wait for a pod to be bound",
    Ground.CLASS_ELSEWHERE: "class {} of claim {} makes volumes only where {}",
    Ground.PROVISIONED_ELSEWHERE: "claim {} is being provisioned for node {}",
    Ground.NO_VOLUME: "no volume of class {} that the node reaches fits claim {}",
    Ground.NO_CAPACITY: "no published capacity of class {} near the node is enough for claim {}",
    Ground.NO_VOLUME_YET: "claim {} has no volume yet",
    Ground.VOLUME_ZONE: "volume {} of claim {} is in {}",
    Ground.TOLERATION: "namespace {} does not allow its toleration of [{}|every taint]",
    Ground.OVERHEAD: "its overhead is another than that of RuntimeClass {}",
    Ground.NODE_SELECTOR: "its nodeSelector {}={} conflicts with {}, which wants {}",
    Ground.LIMIT_DEFAULT: "container {} requests {} {}, and the limit that a LimitRange gives it is {}",
    Ground.TOO_LITTLE: "[container {}|the pod] has a {} of {} {}, at least {} is asked",
    Ground.NO_REQUEST: "[container {}|the pod] requests no {}, at least {} is asked",
    Ground.TOO_MUCH: "[container {}|the pod] has a {} of {} {}, at most {} is allowed",
    Ground.NO_LIMIT: "[container {}|the pod] has no limit for {}, at most {} is allowed",
    Ground.RATIO: "[container {}|the pod] has a limit of {} {}, more than {} times its request {}",
    Ground.DEVICES: "the nodes of {1} do not have the devices of {0}",
    Ground.SHARED_CLAIM: "its devices bind the {2} pods that share {0} to one node, and none of {1} takes all of them",
    Ground.DEVICE_SELECTION: "the scheduler fails at the devices of {}: {}",
    Ground.UNCOUNTED: "container {} does not set {}, which the quota counts",
    Ground.SHORTAGES: "{}",
    DeviceGround.EXPRESSION: "{}",
    DeviceGround.COST: "a selector costs more than Kubernetes allows",
    DeviceGround.NO_BOOLEAN: "a selector comes to no boolean",
    DeviceGround.BROKEN_ATTRIBUTE: "the attribute {} of device {} is no value of its type",
    DeviceGround.UNDECLARED: "it is not declared whether the devices have {}",
    DeviceGround.STEPS: "more than {} steps are needed to try all devices",
    DeviceGround.COUNT: "{}",
    DeviceGround.NO_CLASS: "request {} of claim {} names no class",
    DeviceGround.NODE_SELECTOR: "a node selector is malformed: {}",
    DeviceGround.SEVERAL_TERMS: "slice {} has a node selector of several terms",
    DeviceGround.TOO_MANY: "claim {} asks for more than {} devices",
    DeviceGround.EMPTY_CONSTRAINT: "a constraint of claim {} is empty",
    DeviceGround.MODE: "{} is no allocation mode",
    DeviceGround.INCOMPLETE: "all devices are asked for, and pool {} is incomplete",
    DeviceGround.INVALID: "all devices are asked for, and pool {} is invalid",
    DeviceGround.ELSEWHERE: "devices that several nodes share may do",
    DeviceGround.EXCLUDED: "all devices are asked for, and a constraint of claim {} excludes some",
}
