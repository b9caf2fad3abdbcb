"""What is taken for granted where Git does not say it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from trainlint.admission.ground import AdmissionGround
from trainlint.checks.ground import GroupGround, PluginGround
from trainlint.control_plane.ground import ControlPlaneGround
from trainlint.deploy.ground import DeployGround
from trainlint.installed.ground import InstalledGround
from trainlint.proof.ground import ClosureGround
from trainlint.snapshot.ground import SnapshotGround

__all__ = ["ASSUMPTIONS"]

ASSUMPTIONS: Final[Mapping[Enum, str]] = {
    AdmissionGround.RELEASE: "{} is {} or newer",
    AdmissionGround.KUBERNETES: "the cluster runs Kubernetes {} or newer",
    AdmissionGround.TRAINING_WEBHOOK: "the training operator is 1.8 or newer, which has a webhook",
    AdmissionGround.MANAGED_RAY_JOBS: "Kueue manages RayJobs here, as it does unless its configuration says otherwise",
    AdmissionGround.VOLCANO_PLUGINS: "no plugin of your own is built into Volcano",
    AdmissionGround.RELAXED_NAMES: "the feature gate RelaxedServiceNameValidation is off, as it is by default",
    AdmissionGround.HOST_NETWORK_GATE: (
        "the feature gate UserNamespacesHostNetworkSupport is off, as it is by default"
    ),
    AdmissionGround.CLUSTER_DOMAIN: "the cluster's domain is {}",
    AdmissionGround.NAMESPACE: "the namespace is {}",
    AdmissionGround.DEFINED_KIND: "the cluster has {} as Git defines it",
    ClosureGround.NODE_POOLS: "the NodePools of the cluster are those that Git describes",
    ClosureGround.LABEL: "the nodes that have the label {} are those that Git describes",
    ClosureGround.DEVICE: "the nodes that have {} are those that Git describes",
    ClosureGround.MEANT_DEVICE: "{} is meant, and the nodes that have it are those that Git describes",
    GroupGround.STRICT_FIELDS: (
        "what applies it checks fields, as kubectl does: else the field is dropped, and the pods start one by one"
    ),
    GroupGround.QUEUE_DEPTH: "Volcano 1.15 or later, with the default of --max-queue-depth",
    GroupGround.QUEUE_TREES: (
        "Volcano 1.14 or later; before, a scheduler with hierarchical queues starts nothing at all"
    ),
    PluginGround.CILIUM_VERSION: "Cilium {}: nothing in Git states its version",
    PluginGround.LOCAL_REDIRECT: "Cilium follows {}: no manifest shows enable-local-redirect-policy",
    ControlPlaneGround.API_SERVER_ELSEWHERE: "the API server does not run on the node of these pods",
    ControlPlaneGround.PODS_IN_GIT: "no pods outside Git answer for the Service",
    InstalledGround.CILIUM_DEFAULTS: "Cilium has its default options: {}, with which {} installs it, is not in Git",
    InstalledGround.POLICY_UNCHANGED: "{} does not change what the policy looks at",
    InstalledGround.NO_DEFAULT: "no default sets {}",
    DeployGround.SUSPENDED: "{} is suspended: what it deployed last is what is written",
    DeployGround.NAMED_SOURCE: "the {} is this repository: what is deployed from it exists here",
    DeployGround.UNNAMED_SOURCE: (
        "the source that other manifests give to Kustomizations is this repository: "
        "what is deployed from it exists here"
    ),
    DeployGround.ARCHIVE: "the {} is made of the directory {}: what is deployed from it exists there",
    DeployGround.NO_REMOTE: (
        "[{0}|a source without address] is this repository, which has no remote to compare with: "
        "what is deployed from there exists here"
    ),
    DeployGround.FORK: "this repository is a fork of {}",
    SnapshotGround.CILIUM_VERSION: "Cilium {}: its version is not stated",
    SnapshotGround.CILIUM_IN_USE: "Cilium {}: its policies are in use, its version is not stated",
    SnapshotGround.NETWORK_PLUGIN: "a network plugin that follows the NetworkPolicy specification: none is stated",
    SnapshotGround.KUBERNETES_VERSION: "Kubernetes {}: no version is stated",
    SnapshotGround.RULES_HOLD: "the rules in CEL that the CRDs of {} have hold: {}",
    SnapshotGround.DEFAULT_NAMESPACE: 'namespace "default" for objects that name none',
    SnapshotGround.EXAMPLE_NODES: "{0} are an example: they count for what lies in {1} only",
    SnapshotGround.PROFILE: "profile {}: {} shows it",
}
