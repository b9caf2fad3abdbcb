"""The pod sets that Kueue makes of a manifest, in the form of the recordings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from trainlint.kube.admission import read_limit_range, read_runtime_class
from trainlint.kube.meta import Meta, read_meta
from trainlint.model.queued import QueuedPods, TopologyRequest
from trainlint.model.settings import Settings
from trainlint.model.workload import ObjectRef
from trainlint.scheduling.kueue.requested import adjusted, per_pod
from trainlint.source.document import Field
from trainlint.workload.expansion import Context
from trainlint.workload.kueue_jobs import queued_pods
from trainlint.workload.kueue_pod_sets import TopologyError

__all__ = ["pod_sets"]

_GROUP = "kueue.x-k8s.io/pod-group-"


def pod_sets(record: Field) -> dict[str, Any]:
    """``podSets`` of the manifest, or of the pods of a group; none where Kueue makes no workload."""
    try:
        found = list(_of_pods(record["pods"]) if record["pods"].present else _of_manifest(record))
    except TopologyError as error:
        return {"podSets": [], "error": str(error)}
    ranges = [read_limit_range(each, read_meta(each).namespace) for each in record["limitRanges"].elements()]
    classes = {read_meta(each).name: read_runtime_class(each) for each in record["runtimeClasses"].elements()}
    return {"podSets": [_shown(each, ranges, classes) for each in found]}


def _of_manifest(record: Field) -> Iterable[QueuedPods]:
    item = record["manifest"]
    runtimes = {_reference(read_meta(each)): each for each in record["runtimes"].elements()}
    meta = read_meta(item)
    return queued_pods(item, meta, _reference(meta), Context(Settings(), runtimes)) or ()


def _reference(meta: Meta) -> ObjectRef:
    namespace = "" if meta.kind.startswith("Cluster") else meta.namespace or "default"
    return ObjectRef(meta.kind, namespace, meta.name)


def _of_pods(pods: Field) -> Iterator[QueuedPods]:
    """The roles of a group of pods, named by a hash over their shape."""
    roles: dict[str, list[Field]] = {}
    for each in pods.elements():
        roles.setdefault(_shape(each["spec"]), []).append(each)
    for name, members in sorted(roles.items()):
        meta = read_meta(members[0])
        (made,) = queued_pods(members[0], meta, _reference(meta), Context(Settings(), {})) or ()
        grouped = f"{_GROUP}name" in meta.labels
        fast = meta.annotations.get(f"{_GROUP}fast-admission") == "true"
        count = int(meta.annotations[f"{_GROUP}total-count"]) if grouped and fast else len(members)
        yield QueuedPods(name if grouped else "main", count, made.spec, made.topology)


def _shape(spec: Field) -> str:
    """Eight digits of a hash over what of a pod matters for admission, as Go writes it in JSON."""
    parts = ("nodeSelector", "affinity", "tolerations", "runtimeClassName", "priority", "topologySpreadConstraints")
    shape: dict[str, Any] = {name: spec[name].value if spec[name].present else None for name in parts}
    shape |= {name: spec[name].value if spec[name].present else None for name in ("overhead", "resourceClaims")}
    shape |= {name: _containers(spec[name]) for name in ("initContainers", "containers")}
    text = json.dumps({"spec": shape}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _containers(field: Field) -> list[dict[str, Any]] | None:
    found = [
        {
            "resources": {"requests": _requests(each["resources"])},
            "ports": each["ports"].value if each["ports"].present else None,
        }
        for each in field.elements()
    ]
    return found or None


def _requests(resources: Field) -> dict[str, str] | None:
    """Requests after the API server made limits of which there is no request into one."""
    written = {**(resources["limits"].mapping or {}), **(resources["requests"].mapping or {})}
    return {name: str(amount) for name, amount in written.items()} or None


def _shown(found: QueuedPods, ranges: list[Any], classes: Mapping[str, Any]) -> dict[str, Any]:
    assert isinstance(found.count, int)
    spec = adjusted(found.spec, ranges, classes)
    requests = per_pod(spec) or {}
    shown: dict[str, Any] = {"name": found.name, "count": found.count}
    if found.least is not None:
        shown["minCount"] = found.least
    if found.topology is not None:
        shown["topologyRequest"] = _request(found.topology)
    selector = {each.key: each.values[0] for each in spec.node_selector}
    if selector:
        shown["nodeSelector"] = selector
    shown["requestsPerPod"] = requests
    shown["requestsTotal"] = {name: amount * found.count for name, amount in requests.items()}
    return shown


def _request(request: TopologyRequest) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "required": request.required,
        "preferred": request.preferred,
        "unconstrained": request.unconstrained,
        "podIndexLabel": request.index_label or None,
        "subGroupIndexLabel": request.subgroup_label or None,
        "subGroupCount": request.subgroups,
        "podSetGroupName": request.group,
    }
    if request.layers:
        key = "podsetSliceRequiredTopologyConstraints"
        shown[key] = [{"topology": each.level, "size": each.size} for each in request.slices]
    elif request.slices:
        shown["podSetSliceRequiredTopology"] = request.slices[0].level
        shown["podSetSliceSize"] = request.slices[0].size
    return {name: value for name, value in shown.items() if value is not None}
