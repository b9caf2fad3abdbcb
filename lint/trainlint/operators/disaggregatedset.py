"""DisaggregatedSet (lws:pkg/controllers/disaggregatedset; W 6): a LeaderWorkerSet for each role of each slice.

The revision in their names is a hash of the templates as the API server stores them, so ``*`` stands for it.
"""

from __future__ import annotations

from typing import Any, Final

from trainlint.operators.cluster import MadeObjects
from trainlint.operators.lws import run_leader_worker_set
from trainlint.operators.manifest import (
    ANY,
    Manifest,
    below,
    copied,
    count,
    items,
    labels_of,
    mapping,
    name_of,
    namespace_of,
    object_of,
    own_of,
    text,
)

__all__ = ["run_disaggregated_set"]

PREFIX: Final = "disaggregatedset.x-k8s.io/"
_NAME: Final = f"{PREFIX}name"
_SLICE: Final = f"{PREFIX}slice"
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"


def run_disaggregated_set(cluster: MadeObjects, item: Manifest) -> None:
    """The LeaderWorkerSets with all that comes of them, and a headless Service for each."""
    spec = mapping(item.get("spec"))
    for number in range(count(spec.get("slices"), 1)):
        made = [_leader_worker_set(item, role, number) for role in items(spec.get("roles"))]
        for each in made:
            if cluster.create(each):
                run_leader_worker_set(cluster, each)
        for each in made:  # once all roles are ready
            cluster.create(_service(item, each))


def _leader_worker_set(item: Manifest, role: Manifest, number: int) -> Manifest:
    name = text(role.get("name"))
    labels = {
        "app": f"{name_of(item)}-{number}-{name}",
        f"{PREFIX}role": name,
        _SLICE: str(number),
        _NAME: name_of(item),
        f"{PREFIX}revision": ANY,
    }
    spec = copied(mapping(role.get("spec")))
    spec["replicas"] = count(spec.get("replicas"), 1)
    templates = own_of(spec, "leaderWorkerTemplate")
    for key in ("workerTemplate", "leaderTemplate"):
        if isinstance(templates.get(key), dict):
            metadata = own_of(templates[key], "metadata")
            metadata["labels"] = {**mapping(metadata.get("labels")), **labels}
            _place(own_of(templates[key], "spec"), item, str(number))
    return object_of(
        "leaderworkerset.x-k8s.io/v1",
        "LeaderWorkerSet",
        f"{name_of(item)}-{number}-{ANY}-{name}",
        namespace_of(item),
        labels={**mapping(below(role, "metadata", "labels")), **labels},
        annotations=dict(mapping(below(role, "metadata", "annotations"))),
        spec=spec,
    )


def _place(pod: Manifest, item: Manifest, number: str) -> None:
    """The affinity of a placement policy: a slice in one domain, and in no other slice's."""
    policy = mapping(below(item, "spec", "placementPolicy"))
    kind, key = text(policy.get("type")), text(policy.get("topology"))
    if kind in ("", "None") or not key:
        return
    affinity = own_of(pod, "affinity")
    own = _wants(_NAME, "In", name_of(item))
    _append(own_of(affinity, "podAffinity"), key, [own, _wants(_SLICE, "In", number)])
    apart = own_of(affinity, "podAntiAffinity")
    exists = [_wants(_SLICE, "Exists")] if number == "0" else []
    _append(apart, key, [own, *exists, _wants(_SLICE, "NotIn", number)])
    if kind == "ExclusiveTopology":
        others = [_wants(_NAME, "Exists"), _wants(_NAME, "NotIn", name_of(item)), _wants(_SLICE, "Exists")]
        _append(apart, key, others)


def _wants(key: str, operator: str, *values: str) -> Manifest:
    wanted: Manifest = {"key": key, "operator": operator}
    return {**wanted, "values": list(values)} if values else wanted


def _append(affinity: Manifest, key: str, expressions: list[Manifest]) -> None:
    term: dict[str, Any] = {"labelSelector": {"matchExpressions": expressions}, "topologyKey": key}
    affinity[_REQUIRED] = [*items(affinity.get(_REQUIRED)), term]


def _service(item: Manifest, made: Manifest) -> Manifest:
    selector = {key: value for key, value in labels_of(made).items() if key.startswith(PREFIX)}
    spec = {"clusterIP": "None", "selector": selector}
    return object_of("v1", "Service", f"{name_of(made)}-prv", namespace_of(item), labels=dict(selector), spec=spec)
