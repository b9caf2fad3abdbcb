"""The kinds that tell what is installed on a cluster and how it is set."""

from __future__ import annotations

from typing import Final

from trainlint.kube.meta import Meta
from trainlint.source.kindless import TALOS_CONFIG
from trainlint.source.prefilter import CONSTRAINTS

__all__ = [
    "ADMISSION_POLICY_KINDS",
    "CILIUM_CONFIG",
    "CONFIG_MAPS",
    "ENFORCE",
    "EVIDENT_KINDS",
    "INSTALLED_KINDS",
    "KUEUE_CONFIG",
    "enforces",
    "may_admit",
]

INSTALLED_KINDS: Final = frozenset({"Configuration", "Plan"})
"""Kueue's own configuration; that by which k3s and RKE2 are upgraded, which says their version."""

CILIUM_CONFIG: Final = "cilium-config"
KUEUE_CONFIG: Final = "kueue-manager-config"
CONFIG_MAPS: Final = frozenset({f"ConfigMap/{CILIUM_CONFIG}", f"ConfigMap/{KUEUE_CONFIG}"})

ENFORCE: Final = "pod-security.kubernetes.io/enforce"
"""The label of a Namespace that says which level of Pod Security is enforced in it."""

ADMISSION_POLICY_KINDS: Final = frozenset(
    {"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "MutatingWebhookConfiguration"}
    | {"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration"}
    | {"ClusterPolicy", "Policy"}
    | {"ImageValidatingPolicy", "MutatingPolicy", "ValidatingPolicy"}
    | {"NamespacedImageValidatingPolicy", "NamespacedMutatingPolicy", "NamespacedValidatingPolicy"}
    | {"Assign", "AssignImage", "AssignMetadata", "Config", "ModifySet", CONSTRAINTS}
)
"""What changes or refuses objects when they are created: Kubernetes' own, Kyverno's and Gatekeeper's."""


def may_admit(meta: Meta) -> bool:
    """Whether an object may be one of those."""
    return meta.kind in ADMISSION_POLICY_KINDS or meta.api_version.startswith(CONSTRAINTS)


def enforces(meta: Meta) -> bool:
    """Whether an object is a Namespace that enforces a level of Pod Security."""
    return meta.kind == "Namespace" and ENFORCE in meta.labels


EVIDENT_KINDS: Final = INSTALLED_KINDS | {
    "Cluster",
    "ClusterConfig",
    "ClusterConfiguration",
    "ConfigMap",
    "DaemonSet",
    "Deployment",
    "KubeadmControlPlane",
    TALOS_CONFIG,
}
"""Kinds of objects that may state a setting."""
