"""The registry of kinds: what every reader declares, which kinds are read, and which belong to no namespace.

A reader declares its kinds beside its code (``KINDS``) and stands in ``READERS``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from trainlint.deploy.kinds import KINDS as DEPLOYMENT
from trainlint.installed.definitions import GROUPS
from trainlint.installed.kinds import CONFIG_MAPS
from trainlint.installed.kinds import KINDS as INSTALLED
from trainlint.inventory.kinds import KINDS as INVENTORY
from trainlint.kube import admission, kueue, mesh, network, policies, scheduler_queue, storage, webhooks
from trainlint.model.api_kind import ApiKind, Registry, declared, names
from trainlint.source.podtemplates import POD_OWNERS
from trainlint.source.prefilter import CONSTRAINTS, DEFINITION, DEFINITIONS
from trainlint.workload.kinds import KINDS as WORKLOADS

__all__ = ["HYPERNODE_KINDS", "READERS", "READ_KINDS", "REFERENCED_KINDS", "REGISTRY"]

_HYPERNODES: Final = declared("topology.volcano.sh", cluster="HyperNode")
HYPERNODE_KINDS: Final = names(_HYPERNODES)
"""How Volcano is told which nodes are near each other."""

_CLUSTER: Final = (
    *_HYPERNODES,
    *declared("", cluster="Namespace"),
    *declared("apps", namespaced="DaemonSet"),
    *declared("kubescheduler.config.k8s.io", files="KubeSchedulerConfiguration"),
    *declared("monitoring.coreos.com", namespaced="PrometheusRule"),
    *declared("operator.victoriametrics.com", namespaced="VMRule"),
)
"""What the cluster's own manifests say beside nodes and policies."""

_SECRETS: Final = (
    *declared("", namespaced="Secret"),
    *declared("bitnami.com", namespaced="SealedSecret"),
    *declared("cert-manager.io", namespaced="Certificate"),
    *declared("isindir.github.com", namespaced="SopsSecret"),
    *declared("k8s.bitwarden.com", namespaced="BitwardenSecret"),
    *declared("objectbucket.io", namespaced="ObjectBucketClaim"),
    *declared("ricoberger.de", namespaced="VaultSecret"),
    *declared("secrets-store.csi.x-k8s.io", namespaced="SecretProviderClass"),
    *declared("secrets.doppler.com", namespaced="DopplerSecret"),
    *declared("spv.no", namespaced="AzureKeyVaultSecret"),
    *declared("external-secrets.io", namespaced="ExternalSecret", cluster="ClusterExternalSecret"),
    *declared("onepassword.com", namespaced="OnePasswordItem"),
    *declared(
        "secrets.hashicorp.com", namespaced="HCPVaultSecretsApp VaultDynamicSecret VaultPKISecret VaultStaticSecret"
    ),
    *declared("secrets.infisical.com", namespaced="InfisicalSecret"),
    *declared("trust.cert-manager.io", cluster="Bundle"),
)
"""Secrets, and what makes them in the cluster."""
_REFERENCED: Final = (
    *_SECRETS,
    *declared("", namespaced="ServiceAccount"),
    *declared("resource.k8s.io", namespaced="ResourceClaim ResourceClaimTemplate"),
    *declared("scheduling.k8s.io", cluster="PriorityClass"),
)
REFERENCED_KINDS: Final = names(_REFERENCED)
"""Kinds of which only the names and keys matter, to pods that refer to them."""

READERS: Final[Mapping[str, tuple[ApiKind, ...]]] = {
    "admission": admission.KINDS,
    "cluster": _CLUSTER,
    "deploy": DEPLOYMENT,
    "installed": INSTALLED,
    "inventory": INVENTORY,
    "kueue": kueue.KINDS,
    "mesh": mesh.KINDS,
    "networks": network.KINDS,
    "policy": policies.KINDS,
    "queues": scheduler_queue.KINDS,
    "references": _REFERENCED,
    "storage": storage.KINDS,
    "webhooks": webhooks.KINDS,
    "workload": WORKLOADS,
}

READ_KINDS: Final = (
    names(each for kinds in READERS.values() for each in kinds)
    | CONFIG_MAPS
    | {CONSTRAINTS, POD_OWNERS}
    | {f"{DEFINITIONS}{group}" for group in GROUPS}
)
"""The kinds that are read, and what stands for others; documents without any of them are skipped."""

_UNREAD: Final = (
    *declared("apiextensions.k8s.io", cluster=DEFINITION),
    *declared("autoscaling", namespaced="HorizontalPodAutoscaler"),
    *declared("cert-manager.io", namespaced="Issuer"),
    *declared("external-secrets.io", namespaced="SecretStore"),
    *declared("gateway.networking.k8s.io", namespaced="Gateway HTTPRoute"),
    *declared("kueue.x-k8s.io", cluster="ProvisioningRequestConfig WorkloadPriorityClass"),
    *declared("monitoring.coreos.com", namespaced="PodMonitor ServiceMonitor"),
    *declared("networking.k8s.io", namespaced="Ingress"),
    *declared("policy", namespaced="PodDisruptionBudget"),
    *declared("rbac.authorization.k8s.io", namespaced="Role RoleBinding"),
)
"""Kinds of which only their place is known, so that those that name no namespace where one is needed are told."""

REGISTRY: Final = Registry({**READERS, "place": _UNREAD})
