"""The StatefulSet and Deployment controllers of kube-controller-manager (W 10)."""

from __future__ import annotations

from typing import Final

from trainlint.operators.cluster import MadeObjects
from trainlint.operators.manifest import (
    ANY,
    Manifest,
    annotations_of,
    below,
    copied,
    count,
    drop_empty,
    generated_name,
    labels_of,
    mapping,
    name_of,
    namespace_of,
    text,
)

__all__ = ["run_deployment", "run_stateful_set", "stateful_set_pods"]

_HASH: Final = "controller-revision-hash"


def run_stateful_set(cluster: MadeObjects, item: Manifest) -> None:
    """The pods of a StatefulSet, in order: the first that is refused keeps later ones away, unless Parallel."""
    parallel = below(item, "spec", "podManagementPolicy") == "Parallel"
    for pod in stateful_set_pods(item):
        if not cluster.create(pod) and not parallel:
            return


def stateful_set_pods(item: Manifest) -> list[Manifest]:
    """The pods of a StatefulSet, each with its name as host name."""
    spec = mapping(item.get("spec"))
    first = count(below(spec, "ordinals", "start"), 0)
    return [_numbered(item, spec, first + number) for number in range(count(spec.get("replicas"), 1))]


def _numbered(item: Manifest, spec: Manifest, number: int) -> Manifest:
    template, own = mapping(spec.get("template")), name_of(item)
    name = f"{own}-{number}"
    pod_spec = copied(mapping(template.get("spec")))
    pod_spec["hostname"] = name
    pod_spec["subdomain"] = text(spec.get("serviceName"))
    labels = {
        **labels_of(template),
        "statefulset.kubernetes.io/pod-name": name,
        "apps.kubernetes.io/pod-index": str(number),
        _HASH: f"{own}-{ANY}",
    }
    metadata = {
        "name": name,
        "namespace": namespace_of(item),
        "labels": labels,
        "annotations": annotations_of(template),
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": drop_empty(metadata), "spec": pod_spec}


def run_deployment(cluster: MadeObjects, item: Manifest) -> None:
    """The pods of a Deployment's one ReplicaSet."""
    spec = mapping(item.get("spec"))
    template = mapping(spec.get("template"))
    metadata = {
        "name": generated_name(f"{name_of(item)}-{ANY}-"),
        "namespace": namespace_of(item),
        "labels": {**labels_of(template), "pod-template-hash": ANY},
        "annotations": annotations_of(template),
    }
    for _ in range(count(spec.get("replicas"), 1)):
        pod_spec = copied(mapping(template.get("spec")))
        cluster.create({"apiVersion": "v1", "kind": "Pod", "metadata": drop_empty(metadata), "spec": pod_spec})
