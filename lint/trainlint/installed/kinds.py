"""The kinds that tell what is installed on a cluster and how it is set."""

from __future__ import annotations

from typing import Final

from trainlint.kube.meta import Meta
from trainlint.model.api_kind import declared, names
from trainlint.source.node_files import TALOS_CONFIG
from trainlint.source.prefilter import CONSTRAINTS, DEFINITION

__all__ = [
    "ADMISSION_POLICY_KINDS",
    "CILIUM_CONFIG",
    "CONFIG_MAPS",
    "ENFORCE",
    "EVIDENT_KINDS",
    "INSTALLED_KINDS",
    "KINDS",
    "KUEUE_CONFIG",
    "enforces",
    "may_admit",
]

_INSTALLED: Final = (
    *declared("config.kueue.x-k8s.io", files="Configuration"),
    *declared("operator.tigera.io", cluster="Installation"),
    *declared("upgrade.cattle.io", namespaced="Plan"),
)
INSTALLED_KINDS: Final = names(_INSTALLED)
"""Kueue's own configuration; what Calico is installed by; that by which k3s and RKE2 are upgraded, with a version."""

CILIUM_CONFIG: Final = "cilium-config"
KUEUE_CONFIG: Final = "kueue-manager-config"
CONFIG_MAPS: Final = frozenset({f"ConfigMap/{CILIUM_CONFIG}", f"ConfigMap/{KUEUE_CONFIG}"})

ENFORCE: Final = "pod-security.kubernetes.io/enforce"
"""The label of a Namespace that says which level of Pod Security is enforced in it."""

_ADMISSION_POLICIES: Final = (
    *declared(
        "admissionregistration.k8s.io",
        cluster="MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration "
        "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration",
    ),
    *declared("config.gatekeeper.sh", namespaced="Config"),
    *declared("kyverno.io", namespaced="Policy", cluster="ClusterPolicy"),
    *declared("mutations.gatekeeper.sh", cluster="Assign AssignImage AssignMetadata ModifySet"),
    *declared(
        "policies.kyverno.io",
        namespaced="NamespacedImageValidatingPolicy NamespacedMutatingPolicy NamespacedValidatingPolicy",
        cluster="ImageValidatingPolicy MutatingPolicy ValidatingPolicy",
    ),
)
ADMISSION_POLICY_KINDS: Final = names(_ADMISSION_POLICIES) | {CONSTRAINTS}
"""What changes or refuses objects when they are created: Kubernetes' own, Kyverno's and Gatekeeper's."""


def may_admit(meta: Meta) -> bool:
    """Whether an object may be one of those."""
    return meta.kind in ADMISSION_POLICY_KINDS or meta.api_version.startswith(CONSTRAINTS)


def enforces(meta: Meta) -> bool:
    """Whether an object is a Namespace that enforces a level of Pod Security."""
    return meta.kind == "Namespace" and ENFORCE in meta.labels


KINDS: Final = (*_INSTALLED, *_ADMISSION_POLICIES, *declared("kubeadm.k8s.io", files="ClusterConfiguration"))

EVIDENT_KINDS: Final = INSTALLED_KINDS | {
    "Cluster",
    "ClusterConfig",
    "ClusterConfiguration",
    "ConfigMap",
    DEFINITION,
    "DaemonSet",
    "Deployment",
    "KubeadmControlPlane",
    TALOS_CONFIG,
}
"""Kinds of objects that may state a setting."""
