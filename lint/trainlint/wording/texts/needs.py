"""What a cluster must have beside nodes and objects, in words."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from trainlint.model.needs import NeedGround

__all__ = ["NEEDS"]

NEEDS: Final[Mapping[Enum, str]] = {
    NeedGround.OBJECT: "{}",
    NeedGround.DEVICES: "the devices of {}",
    NeedGround.VOLUME: "a volume for claim {}",
    NeedGround.VOLUME_FOR_ALL: "a volume for claim {} that all its pods reach",
    NeedGround.DEFAULT_CLASS: "a default StorageClass, for claim {}",
    NeedGround.CLASS_ROOM: "room in class {} for claim {}",
    NeedGround.CHANGED: "pods that {} leaves fit to run",
    NeedGround.LET_IN: "pods that {} lets in",
    NeedGround.AMOUNT: "as much {} on one node as a pod asks for: {}",
    NeedGround.SELECTED: "nodes that are selected where a placeholder stands",
    NeedGround.LABELS: "nodes with the value of {} for which a placeholder stands",
    NeedGround.TEMPLATE: "{} of {} with which its pods run, where a placeholder stands",
    NeedGround.UNLABELLED: "nodes without the label {}: where they have it, the pods cannot share a value of it",
    NeedGround.ONE_DOMAIN: (
        "room in one domain of [{0}|the HyperNodes] for [{1?}each block|all pods] of {2}: {3} asks for it"
    ),
    NeedGround.PLACED: "room where {} puts the pods of {}",
    NeedGround.MARGIN: (
        "{0} {1} left to pods on a {2}, for {3}, which may not fit: the machine has {4}, and about {5} are sure to be "
        "left"
    ),
}
