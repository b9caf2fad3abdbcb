"""LeaderWorkerSet: both controllers, and the webhook of pods (W 6)."""

from __future__ import annotations

import hashlib
from typing import Any, Final

from trainlint.operators.apps import stateful_set_pods
from trainlint.operators.cluster import MadeObjects
from trainlint.operators.lws_tpu import LEADER_HAS_TPUS, add_tpu_env, has_tpus
from trainlint.operators.manifest import (
    ANY,
    Manifest,
    annotations_of,
    below,
    copied,
    count,
    every_container,
    items,
    labels_of,
    mapping,
    name_of,
    namespace_of,
    object_of,
    own_of,
    text,
)
from trainlint.operators.quantities import pod_requests, total_of

__all__ = ["PREFIX", "group_key", "run_leader_worker_set"]

PREFIX: Final = "leaderworkerset.sigs.k8s.io/"
_EXCLUSIVE: Final = f"{PREFIX}exclusive-topology"
_SUBGROUP_EXCLUSIVE: Final = f"{PREFIX}subgroup-exclusive-topology"
_SUBGROUP_SIZE: Final = f"{PREFIX}subgroup-size"
_SUBGROUP_TYPE: Final = f"{PREFIX}subgroup-policy-type"
_SUBGROUP_INDEX: Final = f"{PREFIX}subgroup-index"
_GROUP_NAME: Final = "scheduling.k8s.io/group-name"
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"


def run_leader_worker_set(cluster: MadeObjects, item: Manifest) -> None:
    """The leaders, and for each of them its PodGroup and its workers."""
    groups = _template(item).get("subGroupPolicy")
    if isinstance(groups, dict) and count(groups.get("subGroupSize"), 0) < 1:
        return  # the webhook panics
    shared = _policy(item) == "Shared"
    leaders = _leaders(item)
    made = cluster.create(leaders)
    if shared:
        cluster.create(_service(item, name_of(item), {f"{PREFIX}name": name_of(item)}))
    if not made:
        return
    for leader in map(_admitted, stateful_set_pods(leaders)):
        if leader is None or not cluster.create(leader):
            continue
        index = labels_of(leader)[f"{PREFIX}group-index"]
        if not shared:
            selector = {f"{PREFIX}name": name_of(item), f"{PREFIX}group-index": index}
            cluster.create(_service(item, name_of(leader), selector))
        _make_group(cluster, item, leader)


def _make_group(cluster: MadeObjects, item: Manifest, leader: Manifest) -> None:
    if cluster.options.gang_scheduler == "volcano":
        cluster.create(_pod_group(item, leader))
    if _size(item) == 1:
        return
    workers = _workers(item, leader, cluster.options.domain)
    if cluster.create(workers):
        for pod in map(_admitted, stateful_set_pods(workers)):
            if pod is not None:
                cluster.create(pod)


def _template(item: Manifest) -> Manifest:
    return mapping(below(item, "spec", "leaderWorkerTemplate"))


def _size(item: Manifest) -> int:
    return count(_template(item).get("size"), 1)


def _policy(item: Manifest) -> str:
    return text(below(item, "spec", "networkConfig", "subdomainPolicy")) or "Shared"


def _service(item: Manifest, name: str, selector: dict[str, str]) -> Manifest:
    spec = {"clusterIP": "None", "selector": selector, "publishNotReadyAddresses": True}
    labels = {f"{PREFIX}name": name_of(item)}
    return object_of("v1", "Service", name, namespace_of(item), labels=labels, spec=spec)


def _annotations(item: Manifest) -> dict[str, str]:
    found = {f"{PREFIX}size": str(_size(item))}
    own = annotations_of(item)
    if own.get(_EXCLUSIVE):
        found[_EXCLUSIVE] = own[_EXCLUSIVE]
    policy = _template(item).get("subGroupPolicy")
    if isinstance(policy, dict):
        found[_SUBGROUP_TYPE] = text(policy.get("subGroupPolicyType")) or "LeaderWorker"
        found[_SUBGROUP_SIZE] = str(policy.get("subGroupSize"))
        if own.get(_SUBGROUP_EXCLUSIVE):
            found[_SUBGROUP_EXCLUSIVE] = own[_SUBGROUP_EXCLUSIVE]
    return found


def _stateful_set(item: Manifest, name: str, spec: Manifest, template: Manifest, extra: dict[str, str]) -> Manifest:
    """A StatefulSet whose template carries the labels that select it and ``extra`` annotations."""
    metadata = own_of(template, "metadata")
    own_of(metadata, "labels").update({**spec["selector"]["matchLabels"], f"{PREFIX}template-revision-hash": ANY})
    own_of(metadata, "annotations").update(extra)
    pod = own_of(template, "spec")
    pod["restartPolicy"] = pod.get("restartPolicy") or "Always"
    labels = {**labels_of(item), f"{PREFIX}name": name_of(item)}
    spec = {**spec, "podManagementPolicy": "Parallel", "template": template}
    return object_of("apps/v1", "StatefulSet", name, namespace_of(item), labels=labels, spec=spec)


def _leaders(item: Manifest) -> Manifest:
    own = _template(item)
    template = copied(mapping(own.get("leaderTemplate") or own.get("workerTemplate")))
    annotations = _annotations(item)
    if _policy(item) == "UniquePerReplica":
        annotations[f"{PREFIX}subdomainPolicy"] = "UniquePerReplica"
    selector = {f"{PREFIX}name": name_of(item), f"{PREFIX}worker-index": "0"}
    spec = {
        "serviceName": name_of(item),
        "replicas": count(below(item, "spec", "replicas"), 1),
        "selector": {"matchLabels": selector},
    }
    return _stateful_set(item, name_of(item), spec, template, annotations)


def _workers(item: Manifest, leader: Manifest, domain: str) -> Manifest:
    template = copied(mapping(_template(item).get("workerTemplate")))
    annotations = {**_annotations(item), f"{PREFIX}leader-name": name_of(leader)}
    if has_tpus(leader["spec"]):
        annotations[LEADER_HAS_TPUS] = "true"
    keys = ("group-index", "group-key")
    selector = {f"{PREFIX}{key}": labels_of(leader)[f"{PREFIX}{key}"] for key in keys} | {
        f"{PREFIX}name": name_of(item)
    }
    spec = {
        "serviceName": name_of(item) if _policy(item) == "Shared" else name_of(leader),
        "replicas": _size(item) - 1,
        "ordinals": {"start": 1},
        "selector": {"matchLabels": selector},
    }
    if _EXCLUSIVE in annotations_of(item):
        own_of(own_of(template, "spec"), "nodeSelector")[annotations_of(item)[_EXCLUSIVE]] = domain
    return _stateful_set(item, name_of(leader), spec, template, annotations)


def _pod_group(item: Manifest, leader: Manifest) -> Manifest:
    own = _template(item)
    pods = [mapping(below(own.get("leaderTemplate") or own.get("workerTemplate"), "spec"))]
    pods += [mapping(below(own.get("workerTemplate"), "spec"))] * (_size(item) - 1)
    ready = below(item, "spec", "startupPolicy") == "LeaderReady"
    annotations = annotations_of(item)
    spec = {
        "minMember": 1 if ready else _size(item),
        "minResources": total_of(map(pod_requests, pods)),
        "queue": annotations.get("scheduling.volcano.sh/queue-name"),
    }
    keys = ("name", "group-index", "template-revision-hash")
    index = labels_of(leader)[f"{PREFIX}group-index"]
    return object_of(
        "scheduling.volcano.sh/v1beta1",
        "PodGroup",
        f"{name_of(item)}-{index}-{ANY}",
        namespace_of(item),
        labels={f"{PREFIX}{key}": labels_of(leader)[f"{PREFIX}{key}"] for key in keys},
        annotations={key: value for key, value in annotations.items() if key.startswith("volcano.sh/")},
        spec={key: each for key, each in spec.items() if each is not None},
    )


def group_key(*parts: str) -> str:
    """The hash by which the pods of a group or of a subgroup find each other."""
    if any(ANY in each for each in parts):
        return ANY
    return hashlib.sha1("/".join(parts).encode(), usedforsecurity=False).hexdigest()


def _admitted(pod: Manifest) -> Manifest | None:
    """A pod as the webhook leaves it; ``None`` where the webhook fails."""
    labels, annotations = labels_of(pod), annotations_of(pod)
    size = int(annotations[f"{PREFIX}size"])
    if labels.get(f"{PREFIX}worker-index") == "0":
        _lead(pod, labels, annotations)
    else:
        _follow(pod, labels, annotations, size)
    if has_tpus(pod["spec"]):
        if _SUBGROUP_SIZE in annotations and _SUBGROUP_INDEX not in labels:
            return None
        add_tpu_env(pod, size)
    address = (
        f"{labels[f'{PREFIX}name']}-{labels[f'{PREFIX}group-index']}.{pod['spec']['subdomain']}.{namespace_of(pod)}"
    )
    entries = {
        "LWS_LEADER_ADDRESS": address,
        "LWS_GROUP_SIZE": str(size),
        "LWS_WORKER_INDEX": labels[f"{PREFIX}worker-index"],
    }
    for container in every_container(pod["spec"]):
        _put_first(container, entries)
    return pod


def _put_first(container: Manifest, entries: dict[str, Any]) -> None:
    """Variables before the user's, of which the first of each other name stays."""
    found = {name: {"name": name, "value": value} for name, value in entries.items()}
    for each in items(container.get("env")):
        found.setdefault(text(each.get("name")), each)
    container["env"] = list(found.values())


def _lead(pod: Manifest, labels: Manifest, annotations: Manifest) -> None:
    labels.setdefault(f"{PREFIX}group-index", name_of(pod).rpartition("-")[2])
    if annotations.get(f"{PREFIX}subdomainPolicy") == "UniquePerReplica":
        pod["spec"]["subdomain"] = name_of(pod)
    key = labels.setdefault(f"{PREFIX}group-key", group_key(namespace_of(pod), name_of(pod)))
    if _EXCLUSIVE in annotations:
        _keep_apart(pod["spec"], f"{PREFIX}group-key", key, annotations[_EXCLUSIVE])
    excluded = annotations.get(_SUBGROUP_TYPE) == "LeaderExcluded"
    if _SUBGROUP_SIZE in annotations and not labels.get(_SUBGROUP_INDEX) and not excluded:
        _join(pod, labels, annotations, name_of(pod), "0")


def _follow(pod: Manifest, labels: Manifest, annotations: Manifest, size: int) -> None:
    index = int(name_of(pod).rpartition("-")[2])
    labels[f"{PREFIX}worker-index"] = str(index)
    if _SUBGROUP_SIZE in annotations and not labels.get(_SUBGROUP_INDEX):
        each = int(annotations[_SUBGROUP_SIZE])
        alone = (size - 1) % each == 0 and size % each != 0
        group = (index - 1) // each if alone else index // each
        _join(pod, labels, annotations, annotations[f"{PREFIX}leader-name"], str(group))


def _join(pod: Manifest, labels: Manifest, annotations: Manifest, leader: str, index: str) -> None:
    """Make a pod a member of a subgroup."""
    labels[_SUBGROUP_INDEX] = index
    key = labels[f"{PREFIX}subgroup-key"] = group_key(leader, index)
    if _SUBGROUP_EXCLUSIVE in annotations:
        _keep_apart(pod["spec"], f"{PREFIX}subgroup-key", key, annotations[_SUBGROUP_EXCLUSIVE])


def _keep_apart(spec: Manifest, label: str, key: str, topology: str) -> None:
    """Keep the pods of one key in a domain where no others are."""
    affinity = mapping(spec.get("affinity"))
    terms = [items(mapping(affinity.get(kind)).get(_REQUIRED)) for kind in ("podAffinity", "podAntiAffinity")]
    if all(any(each.get("topologyKey") == topology for each in there) for there in terms):
        return
    same = [{"key": label, "operator": "In", "values": [key]}]
    others = [{"key": label, "operator": "Exists"}, {"key": label, "operator": "NotIn", "values": [key]}]
    for kind, expressions in (("podAffinity", same), ("podAntiAffinity", others)):
        own = own_of(own_of(spec, "affinity"), kind)
        term = {"labelSelector": {"matchExpressions": expressions}, "topologyKey": topology}
        own[_REQUIRED] = [*items(own.get(_REQUIRED)), term]
