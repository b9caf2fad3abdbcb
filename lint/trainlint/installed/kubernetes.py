"""The version of Kubernetes, where what makes the cluster says it (S 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from trainlint.installed.statement import StatedSetting
from trainlint.installed.version import image_version, stated_version
from trainlint.kube.meta import Meta
from trainlint.source.document import Field
from trainlint.source.node_files import TALOS_CONFIG

__all__ = ["of_cluster"]

NAME: Final = "kubernetes"


def of_cluster(meta: Meta, item: Field) -> Iterator[StatedSetting]:
    """What an object that makes a cluster, or a node of it, states."""
    read = _READERS.get((meta.api_group, meta.kind))
    if read is None:
        return
    by = f"{meta.kind} {meta.name}".strip()
    for at, version in read(item):
        if version:
            yield StatedSetting(NAME, version, by, at)


def _eksctl(item: Field) -> Iterator[tuple[Field, str]]:
    at = item.down("metadata", "version")
    yield at, stated_version(at.scalar or "")


def _kubeadm(item: Field) -> Iterator[tuple[Field, str]]:
    at = item["kubernetesVersion"]
    yield at, stated_version(at.scalar or "")


def _kind(item: Field) -> Iterator[tuple[Field, str]]:
    for node in item["nodes"].elements():
        yield node["image"], image_version(node["image"].scalar or "")


def _control_plane(item: Field) -> Iterator[tuple[Field, str]]:
    for path in (("spec", "version"), ("spec", "topology", "version")):
        at = item.down(*path)
        yield at, stated_version(at.scalar or "")


def _talos(item: Field) -> Iterator[tuple[Field, str]]:
    for path in (("cluster", "apiServer", "image"), ("machine", "kubelet", "image")):
        at = item.down(*path)
        yield at, image_version(at.scalar or "")


_READERS: Final[dict[tuple[str, str], Callable[[Field], Iterator[tuple[Field, str]]]]] = {
    ("eksctl.io", "ClusterConfig"): _eksctl,
    ("kubeadm.k8s.io", "ClusterConfiguration"): _kubeadm,
    ("kind.x-k8s.io", "Cluster"): _kind,
    ("cluster.x-k8s.io", "Cluster"): _control_plane,
    ("controlplane.cluster.x-k8s.io", "KubeadmControlPlane"): _control_plane,
    ("upgrade.cattle.io", "Plan"): _control_plane,
    ("", TALOS_CONFIG): _talos,
}
