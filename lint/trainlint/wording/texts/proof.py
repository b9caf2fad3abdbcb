"""What is not known about a group, what a filter cannot tell, and notes about placements."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from trainlint.proof.ground import NoteGround, ProofGround
from trainlint.scheduling.refusal import DoubtGround

__all__ = ["PROOF"]

_GROUP: Final[Mapping[Enum, str]] = {
    ProofGround.REPLICAS: "how many pods {} has: {}",
    ProofGround.CONNECTION: "{}",
    ProofGround.SAME_NODE: "whether the pods of {} share a node: policies permit {} on [{2?}one node|two nodes] only",
    ProofGround.STAYS_ON_NODE: "whether {} stays on one node: the answer of the policies depends on it",
    ProofGround.ACROSS_ZONES: "whether every connection between zones is permitted",
    ProofGround.PLACED_BY: "where {} lets the pods of {} go",
    ProofGround.TIED_VOLUME: "where the volume of claim {}, which pods share, is made",
    ProofGround.NAMESPACE_POLICIES: (
        "the namespace of {}: none is written, and in {} policies decide otherwise about it"
    ),
    ProofGround.NAMESPACE_QUOTAS: "the namespace of {}: none is written, and in {} quotas or limits refuse its pods",
    ProofGround.VALUE: "{}",
    ProofGround.TOO_MANY_UNITS: "{0} has more than {1} units that are placed one by one",
    ProofGround.NO_UNIT_SIZE: "{} has no size",
    ProofGround.TWO_KINDS_OF_PARTS: "where the parts of {} go: it has parts of two kinds",
    ProofGround.TOO_MANY_PARTS: "where the {0} parts of {1} go: there are too many placements to try",
}
_PLACES: Final[Mapping[Enum, str | tuple[str, str]]] = {
    ProofGround.NO_INVENTORY: (
        "the nodes: there is no inventory",
        "write the nodes into the repository: kubectl get nodes -o yaml | trainlint inventory - > inventory.yaml",
    ),
    ProofGround.SEVERAL_INVENTORIES: "which of {} inventories counts: {}",
    ProofGround.OTHER_NODES: "which other nodes there are: [{}|the inventory says that it is not complete]",
    ProofGround.KUBELETS: "how much the kubelets leave to pods: the answer depends on it, and tables only bound it",
    ProofGround.BUDGET: "how the nodes of {} are divided: its zones and types share one limit",
    ProofGround.ROOM: "the nodes: whether the pods that are placed first leave room where the others must be",
    ProofGround.DOMAINS: "how many domains of {} there are",
    ProofGround.ALL_DOMAINS: "how many domains there are",
    ProofGround.KINDS_OF_NODES: "which of many kinds of nodes there are",
    ProofGround.WAYS: "which of more than {} ways to choose nodes holds",
    ProofGround.HOST_NAMES: "which host names the nodes have",
    ProofGround.FITS_IN: "whether all pods fit in {}",
    ProofGround.REACHABLE: "which placements can be reached: there are too many to tell",
    ProofGround.EVERY_ORDER: "whether every order of placement finds room for all pods",
    ProofGround.FOLLOW: "whether all pods of one role may land where the others cannot follow",
    ProofGround.NO_LABEL: "in which zone the nodes without the label {} are",
    ProofGround.MEETINGS: "which pods may meet where: there are too many placements to try",
    ProofGround.NEAR_NONE: "which pods {} is required to be near: none is in Git",
    ProofGround.SELECTS: "whether the pod affinity of {} selects the pods of {}",
    ProofGround.TOO_MANY_PLACEMENTS: "what {} allows: too many placements to try",
    ProofGround.OTHER_SIZES: "what {} allows at other sizes of the pools",
    ProofGround.AFFINITY: "the pod affinity of {} on {}",
    ProofGround.SPREAD: "the topology spread of {} on {}",
    ProofGround.PICKED_DOMAINS: "which domains {} picks for the parts of the group",
    ProofGround.GANG_ORDER: "whether {} finds room for all pods in every order",
    ProofGround.HOSTS: "on which hosts {} puts the pods: the nodes of a pool are not told apart",
}
_AROUND: Final[Mapping[Enum, str]] = {
    ProofGround.HANDED_ON: "whether it runs where it is handed on to: worker clusters of MultiKueue[ ({})]",
    ProofGround.KUSTOMIZATION: "what the kustomization {} makes of it: it was not rendered",
    ProofGround.TOO_MANY_CONNECTIONS: (
        "whether its connections are permitted: {0}"
        "[{1?}{2?} between {1} zones that policies tell apart|{1?} in {1} zones] are more than can be looked at"
    ),
    ProofGround.TOO_MANY_GROUPS: (
        "whether it can run: the proofs of one run are limited, and those of {} groups took all of it"
    ),
    ProofGround.DOUBTED_GANG: "what becomes of {0}: its gang is never complete, provided {1}",
    ProofGround.REFERENCE: "[the key {2} of ]{0}, to which {1} refers: it is not in Git",
    ProofGround.LEFT_OUT: (
        "what {0} in {1}[ and {2} more files] does to it: [{3?}it belongs|they belong] to other alternatives, which "
        "are left out here"
    ),
    ProofGround.CHANGED: "what {} changes in its pods",
    ProofGround.LET_IN: "whether {} lets its pods in",
    ProofGround.TAKEN: "whether {} takes {}: {}",
    ProofGround.CLOSED_OPERATOR: "what the operator of {}, whose source is closed, makes of it",
    ProofGround.FIELD: "whether the API server takes {}, which has no field {}",
    ProofGround.STARTED: "whether {} is started: {}",
    ProofGround.ALTHOUGH: "whether it trains although {}",
    ProofGround.EMPTIED: "whether it trains although {} replaces {} in {}",
    ProofGround.CUT_OFF: "whether it trains although {} cannot reach {} on {}",
    ProofGround.MESH_OBJECT: "what {} of the service mesh lets through",
    ProofGround.AMBIENT_MESH: "what the service mesh lets through in namespace {}, which is in its ambient mode",
    ProofGround.MESH_DENIAL: "whether the service mesh lets {} reach {} on TCP port {}",
    NoteGround.DEAD_END: "pods may be placed so that the rest finds no room: {}",
    NoteGround.UNLUCKY_ORDER: "an unlucky order of placement fills the nodes so that the last pods find no room",
    NoteGround.MUST_GROW: "it does not fit at today's size of the pools: {} must grow first",
    NoteGround.FITS_IN_SOME: "which of {} described clusters counts is not in Git: it can run in {} of them[ ({})]",
}
_FILTERS: Final[Mapping[Enum, str]] = {
    DoubtGround.VALUE: "{}",
    DoubtGround.NODE_NAME: "nodeName is the placeholder {}",
    DoubtGround.HIDDEN_NODES: "a placeholder hides which nodes are selected",
    DoubtGround.ALLOCATABLE: "the allocatable resources of {} are not known",
    DoubtGround.NOT_IN_GIT: "{} is not among the manifests",
    DoubtGround.DEVICES: "which nodes have the devices of {} is published at run time ({})",
    DoubtGround.WHICH_DEVICES: "whether a node has the devices of {}: {}",
    DoubtGround.SHARED_DEVICES: "on which nodes the devices of claim {} can be used, which several pods share",
    DoubtGround.DEVICES_TOGETHER: "which devices the pods take from each other where they share a node",
    DoubtGround.TOLERATIONS: "the tolerations hold placeholders",
    DoubtGround.COMPUTE_CLASS: "whether {} is the default ComputeClass, whose taint {} GKE tolerates",
    DoubtGround.EXTENDED_RESOURCES: (
        "whether ExtendedResourceToleration is on (as on GKE, EKS, AKS and OKE), which tolerates the taint {}"
    ),
    DoubtGround.HIDDEN_TOLERATION: "a placeholder hides whether the taint {} is tolerated",
    DoubtGround.NO_VOLUME_YET: "claim {} has no volume yet",
    DoubtGround.REACH: "it is not known whether the nodes reach volume {}",
    DoubtGround.DEFAULT_CLASS: "claim {} names no StorageClass and the default one is not known",
    DoubtGround.ZONE_OF_VOLUME: "the volume of claim {} is made before its pod is placed, in an unknown zone",
    DoubtGround.WHICH_VOLUME: "it is not known which volume claim {} will be bound to",
    DoubtGround.VOLUMES_OF_CLASS: "the volumes of class {} are not among the manifests",
    DoubtGround.CLASS_REACH: "it is not known whether class {} makes volumes there",
    DoubtGround.CLASS_ROOM: "how much room class {} has is published at run time",
    DoubtGround.PLACED_SELECTED: "it is not known whether a selector matches some of the pods that are placed",
    DoubtGround.SELECTED: "it is not known whether a selector matches some of the pods",
    DoubtGround.AFFINITY_PLACEHOLDERS: "{} holds placeholders",
    DoubtGround.OWN_AFFINITY: "it is not known whether the pod matches its own affinity terms",
    DoubtGround.SPREAD_PLACEHOLDERS: "topologySpreadConstraints hold placeholders",
    DoubtGround.SPREAD_DOMAINS: "it is not known which nodes are domains of {}",
    DoubtGround.OWN_SPREAD: "it is not known whether the constraint's selector matches the pod itself",
    DoubtGround.UNREAD_CONTAINERS: "{} of {} are not read",
    DoubtGround.TEMPLATE: "{} of {} holds a placeholder",
    DoubtGround.KUEUE_TOLERATIONS: "which tolerations Kueue adds to {} (queue {})",
    DoubtGround.KUEUE_FLAVORS: "which flavors Kueue gives to {} (queue {})",
    DoubtGround.NAMESPACE_PLUGINS: "what {} makes of {} in {}: [{3}|what its annotations say]",
    DoubtGround.RUNTIME_CLASS: (
        "what RuntimeClass {} adds to {}: [{2?}it holds placeholders|it is not among the manifests]"
    ),
    DoubtGround.SEVERAL: "{}",
}
PROOF: Final[Mapping[Enum, str | tuple[str, str]]] = {**_GROUP, **_PLACES, **_AROUND, **_FILTERS}
