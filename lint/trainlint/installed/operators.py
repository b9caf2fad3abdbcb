"""Which release of each operator is installed: by the images of its Deployments, its chart, and labels of CRDs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from trainlint.deploy.deployment import Release
from trainlint.installed.version import image_version, stated_version
from trainlint.kube.definitions import defined_kind
from trainlint.kube.meta import Meta
from trainlint.kube.values import read_text
from trainlint.source.document import Field
from trainlint.source.prefilter import DEFINITION

__all__ = ["operator_releases"]

_IMAGES: Final = {
    "jobset/jobset": "JobSet",
    "kuberay/operator": "KubeRay",
    "kubeflow/training-operator": "the Training Operator",
    "kueue/kueue": "Kueue",
    "lws/lws": "LeaderWorkerSet",
    "mpioperator/mpi-operator": "the MPI Operator",
    "trainer/trainer-controller-manager": "Trainer",
    "volcanosh/vc-controller-manager": "Volcano",
    "volcanosh/vc-webhook-manager": "Volcano",
}
"""The last two parts of the names of images."""
_CHARTS: Final = {
    "jobset": "JobSet",
    "kubeflow-trainer": "Trainer",
    "kuberay-operator": "KubeRay",
    "kueue": "Kueue",
    "lws": "LeaderWorkerSet",
    "mpi-operator": "the MPI Operator",
    "volcano": "Volcano",
}
"""Charts that have the version of the operator."""

_GROUPS: Final = {
    "batch.volcano.sh": "Volcano",
    "jobset.x-k8s.io": "JobSet",
    "kueue.x-k8s.io": "Kueue",
    "leaderworkerset.x-k8s.io": "LeaderWorkerSet",
    "ray.io": "KubeRay",
    "scheduling.volcano.sh": "Volcano",
    "topology.volcano.sh": "Volcano",
    "trainer.kubeflow.org": "Trainer",
}


def operator_releases(
    objects: Iterable[tuple[Meta, Field]], releases: Iterable[Release]
) -> Mapping[str, tuple[int, int]]:
    """Major and minor of each operator, by its name; of several that are stated, none counts."""
    found: dict[str, set[tuple[int, int]]] = {}
    listed = list(objects)
    for operator, version in (*_of_images(listed), *_of_charts(releases), *_of_definitions(listed)):
        numbers = version.split(".")[:2]
        if len(numbers) == 2:
            found.setdefault(operator, set()).add((int(numbers[0]), int(numbers[1])))
    return {operator: next(iter(versions)) for operator, versions in found.items() if len(versions) == 1}


def _of_images(objects: Iterable[tuple[Meta, Field]]) -> Iterator[tuple[str, str]]:
    for meta, item in objects:
        if meta.kind == "Deployment":
            for container in item.down("spec", "template", "spec", "containers").elements():
                image = read_text(container["image"])
                name = "/".join(image.partition("@")[0].rpartition(":")[0].split("/")[-2:])
                if name in _IMAGES:
                    yield _IMAGES[name], image_version(image)


def _of_charts(releases: Iterable[Release]) -> Iterator[tuple[str, str]]:
    for release in releases:
        if release.chart in _CHARTS:
            yield _CHARTS[release.chart], stated_version(release.version)


def _of_definitions(objects: Iterable[tuple[Meta, Field]]) -> Iterator[tuple[str, str]]:
    """What the labels of CRDs say: which release they are of, or which chart brought them."""
    for meta, item in objects:
        if meta.kind == DEFINITION and (operator := _operator(*defined_kind(item))):
            chart = meta.labels.get("helm.sh/chart", "").rpartition("-")[2]
            for text in (meta.labels.get("app.kubernetes.io/version", ""), chart):
                if version := stated_version(text):
                    yield operator, version


def _operator(group: str, kind: str) -> str:
    """The operator of a kind; empty where several define it."""
    if group == "kubeflow.org":
        return "the Training Operator" if kind.endswith("Job") and kind != "MPIJob" else ""
    return _GROUPS.get(group, "")
