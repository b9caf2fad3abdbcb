"""The platform of a cluster as its manifests show it: by what makes nodes, by labels, selectors and charts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from trainlint.deploy.deployment import Release
from trainlint.kube.meta import Meta
from trainlint.kube.values import read_text
from trainlint.source.document import Field
from trainlint.source.node_files import RANCHER_CONFIG, TALOS_CONFIG
from trainlint.source.podtemplates import pod_templates

__all__ = ["platform_of"]

_BY_KIND: Final = {
    ("eksctl.io", "ClusterConfig"): "eks",
    ("karpenter.k8s.aws", "EC2NodeClass"): "eks",
    ("eks.amazonaws.com", "NodeClass"): "eks",
    ("karpenter.azure.com", "AKSNodeClass"): "aks",
    ("karpenter.k8s.gcp", "GCENodeClass"): "gke",
    ("cloud.google.com", "ComputeClass"): "gke",
    ("oci.oraclecloud.com", "OCINodeClass"): "oke",
    ("kind.x-k8s.io", "Cluster"): "kind",
    ("kubeadm.k8s.io", "InitConfiguration"): "generic",
    ("kubeadm.k8s.io", "JoinConfiguration"): "generic",
    ("kubeadm.k8s.io", "ClusterConfiguration"): "generic",
    ("controlplane.cluster.x-k8s.io", "KubeadmControlPlane"): "generic",
    ("", TALOS_CONFIG): "generic",
    ("", RANCHER_CONFIG): "generic",
}
_BY_CLASS: Final = {
    "karpenter.k8s.aws": "eks",
    "eks.amazonaws.com": "eks",
    "karpenter.azure.com": "aks",
    "karpenter.k8s.gcp": "gke",
    "oci.oraclecloud.com": "oke",
}
_BY_LABEL: Final = (
    ("alpha.eksctl.io/", "eks"),
    ("eks.amazonaws.com/", "eks"),
    ("k8s.amazonaws.com/", "eks"),
    ("karpenter.k8s.aws/", "eks"),
    ("sagemaker.amazonaws.com/", "eks"),
    ("cloud.google.com/", "gke"),
    ("kubernetes.azure.com/", "aks"),
    ("karpenter.azure.com/", "aks"),
    ("oci.oraclecloud.com/", "oke"),
)
_BY_CHART: Final = {
    "aws-efa-k8s-device-plugin": "eks",
    "aws-load-balancer-controller": "eks",
    "aws-vpc-cni": "eks",
}
_BY_PROVIDER: Final = {"aws": "eks", "gke": "gke", "oci-oke": "oke"}
"""What ``cloudProvider`` says of charts that work on the machines of the cluster's own cloud (cluster-autoscaler).
Elsewhere than at AWS it is set for clusters that people run themselves: GKE and AKS scale their own. A setting called
``provider`` is none: it names where DNS records or backups go.
"""
_BY_FLAG: Final = (
    (("aksbyocni", "enabled"), "aks"),  # Cilium
    (("gke", "enabled"), "gke"),  # Cilium
    (("providers", "aks", "enabled"), "aks"),  # Datadog
    (("providers", "gke", "autopilot"), "gke"),  # Datadog
    (("settings", "eksControlPlane"), "eks"),  # Karpenter
)
"""Settings of charts that are switched on for one managed service, and for no cluster of another kind."""
_CLOUDS: Final = {"eks": ("aws", "eks-hybrid"), "gke": ("gce",), "aks": ("azure",), "oke": ("oci",)}
"""How the nodes of a platform begin their providerID (``gce://project/zone/name``)."""


def platform_of(objects: Iterable[tuple[Meta, Field]], releases: Iterable[Release]) -> tuple[str, str] | None:
    """The profile that everything in Git agrees on, and the first sign of it; ``None`` where there is no sign, or where
    two contradict each other. What the nodes themselves show counts before what is meant for other clusters too,
    nodes of another cloud contradict the rest, and where nodes are written down, a kind cluster is another one.
    """
    objects = tuple(objects)
    nodes = [pair for pair in objects if pair[0].kind == "Node"]
    described = any(meta.kind in {"Node", "Inventory"} for meta, _ in objects)
    for signs in (_of_objects(nodes), (*_of_releases(releases), *_of_objects(objects))):
        found: dict[str, str] = {}
        for profile, sign in signs:
            if not (described and profile == "kind"):
                found.setdefault(profile, sign)
        if len(found) > 1:
            return None
        for profile, sign in found.items():
            clouds = _CLOUDS.get(profile)
            stranger = clouds is not None and any(cloud not in clouds for cloud in _clouds(nodes))
            return None if stranger else (profile, sign)
    return None


def _of_objects(objects: Iterable[tuple[Meta, Field]]) -> Iterator[tuple[str, str]]:
    for pair in objects:
        yield from _of_object(*pair)


def _clouds(nodes: Iterable[tuple[Meta, Field]]) -> Iterator[str]:
    """The clouds of the nodes, as their providerIDs begin; one of another form says nothing."""
    for _, item in nodes:
        cloud, found, _ = read_text(item.down("spec", "providerID")).partition("://")
        if found:
            yield cloud


def _of_object(meta: Meta, item: Field) -> Iterator[tuple[str, str]]:
    name = f"{meta.kind} {meta.name}".strip()
    profile = _BY_KIND.get((meta.api_group, meta.kind))
    if profile is not None:
        yield profile, name
    elif meta.kind == "NodePool":
        group = read_text(item.down("spec", "template", "spec", "nodeClassRef", "group"))
        if group in _BY_CLASS:
            yield _BY_CLASS[group], name
    yield from ((profile, f"the label {key} of {name}") for key, profile in _labelled(_keys(meta, item)))


def _keys(meta: Meta, item: Field) -> Iterator[str]:
    """The keys of node labels that an object writes or selects."""
    if meta.kind == "Node":
        yield from meta.labels
    elif meta.kind == "Inventory":
        for pool in item["pools"].elements():
            yield from (key for key, _ in pool["labels"].items())
    elif meta.kind == "ResourceFlavor":
        yield from (key for key, _ in item.down("spec", "nodeLabels").items())
    for template in pod_templates(item):
        spec = template["spec"] if template["spec"].present else template
        yield from (key for key, _ in spec["nodeSelector"].items())
        required = spec.down("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
        for term in required["nodeSelectorTerms"].elements():
            yield from (read_text(each["key"]) for each in term["matchExpressions"].elements())


def _labelled(keys: Iterable[str]) -> Iterator[tuple[str, str]]:
    for key in keys:
        yield from ((key, profile) for prefix, profile in _BY_LABEL if key.startswith(prefix))


def _of_releases(releases: Iterable[Release]) -> Iterator[tuple[str, str]]:
    for release in releases:
        if release.chart in _BY_CHART:
            yield _BY_CHART[release.chart], f"the chart {release.chart}"
        for layer in release.values:
            if layer.field is not None:
                yield from _of_values(layer.field, release.chart)


def _of_values(values: Field, chart: str) -> Iterator[tuple[str, str]]:
    provider = read_text(values["cloudProvider"])
    if provider in _BY_PROVIDER:
        yield _BY_PROVIDER[provider], f"cloudProvider {provider} of the chart {chart}"
    for steps, profile in _BY_FLAG:
        if values.down(*steps).value is True:
            yield profile, f"{'.'.join(steps)} of the chart {chart}"
