"""The head and worker pods of a RayCluster (W 7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from trainlint.operators.cluster import OperatorOptions
from trainlint.operators.manifest import (
    ANY,
    Manifest,
    annotations_of,
    below,
    containers_of,
    copied,
    drop_empty,
    generated_name,
    items,
    labels_of,
    mapping,
    name_of,
    namespace_of,
    set_env,
    text,
)
from trainlint.operators.ray_env import container_env, fault_tolerance, set_token
from trainlint.operators.ray_names import (
    CLUSTER,
    CREATED_BY,
    GROUP,
    IDENTIFIER,
    NODE_TYPE,
    OPERATOR,
    ORIGIN_KIND,
    RAY,
    SERVE,
    address_of,
    checked_label,
    checked_name,
    enabled,
    head_port,
    login_shell,
    overwritten,
    own_pod_name,
    params_of,
)
from trainlint.operators.ray_start import group_params, start_command

__all__ = ["head_pod", "worker_pod"]

_HEAD_GROUP: Final = "headgroup"
_METRICS: Final = {"name": "metrics", "containerPort": 8080}
_DEFAULT_PARAMS: Final = {"metrics-export-port": "8080", "dashboard-agent-listen-port": "52365"}
_EVERY_ADDRESS: Final = "0.0.0.0"  # noqa: S104 (what KubeRay writes; nothing is bound here)
_SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108 (a mount in the pod)
_ULIMIT: Final = "ulimit -n ${RAY_START_ULIMIT_OPEN_FILES:-65536}"
_NEVER_CHANGED: Final = frozenset({NODE_TYPE, GROUP, CLUSTER})


def head_pod(cluster: Manifest, options: OperatorOptions) -> Manifest:
    """The head, with the autoscaler beside it where that is on."""
    group = mapping(below(cluster, "spec", "headGroupSpec"))
    template = copied(mapping(group.get("template")))
    spec = mapping(template.get("spec"))
    params = {
        "dashboard-host": _EVERY_ADDRESS,
        **_DEFAULT_PARAMS,
        **params_of(group),
        **group_params(group),
        "block": "true",
    }
    if _autoscales(cluster):
        params["no-monitor"] = "true"
        _add_autoscaler(cluster, spec, options)
    ray = containers_of(spec)[0]
    fault_tolerance(cluster, ray, params, head=True)
    labels = _labels(cluster, group, template, "head", _HEAD_GROUP)
    if _origin(cluster) == "RayService":
        labels[SERVE] = "false"
    _finish(cluster, spec, params, options, head=True)
    return _pod(own_pod_name(name_of(cluster), "head"), cluster, template, labels, spec)


def worker_pod(cluster: Manifest, group: Manifest, options: OperatorOptions, replica: int, host: int) -> Manifest:
    """A worker of a group, which waits for the GCS."""
    template = copied(mapping(group.get("template")))
    spec = mapping(template.get("spec"))
    address = f"{address_of(cluster)}:{head_port(cluster)}"
    name = text(group.get("groupName"))
    params = {"address": address, **_DEFAULT_PARAMS, **params_of(group), **group_params(group), "block": "true"}
    ray = containers_of(spec)[0]
    if options.environment.get("ENABLE_INIT_CONTAINER_INJECTION", "").lower() != "false":
        spec["initContainers"] = [*items(spec.get("initContainers")), _waiting(ray, address, options)]
    fault_tolerance(cluster, ray, params, head=False)
    labels = _labels(cluster, group, template, "worker", name)
    if enabled(options, "RayMultiHostIndexing"):
        labels[f"{RAY}worker-group-replica-index"] = str(replica)
        if _hosts(group) > 1:
            labels[f"{RAY}worker-group-replica-name"] = f"{name}-{ANY}"
            labels[f"{RAY}replica-host-index"] = str(host)
    if _autoscales(cluster) and _autoscaler_version(cluster) == "v2":
        spec["restartPolicy"] = "Never"
    if _origin(cluster) == "RayService":
        labels[SERVE] = "true"
    _finish(cluster, spec, params, options, head=False)
    return _pod(own_pod_name(f"{name_of(cluster)}-{name}", "worker"), cluster, template, labels, spec)


def _hosts(group: Manifest) -> int:
    hosts = group.get("numOfHosts")
    return hosts if isinstance(hosts, int) else 1


def _origin(cluster: Manifest) -> str:
    return text(labels_of(cluster).get(ORIGIN_KIND)) or "RayCluster"


def _autoscales(cluster: Manifest) -> bool:
    return below(cluster, "spec", "enableInTreeAutoscaling") is True


def _autoscaler_version(cluster: Manifest) -> str:
    return text(below(cluster, "spec", "autoscalerOptions", "version"))


def _pod(base: str, cluster: Manifest, template: Manifest, labels: Manifest, spec: Manifest) -> Manifest:
    metadata = {
        "name": generated_name(base),
        "namespace": namespace_of(cluster),
        "labels": labels,
        "annotations": {**annotations_of(template)},
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": drop_empty(metadata), "spec": spec}


def _labels(cluster: Manifest, group: Manifest, template: Manifest, node_type: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        f"{RAY}is-ray-node": "yes",
        CLUSTER: name_of(cluster),
        NODE_TYPE: node_type,
        GROUP: name,
        IDENTIFIER: checked_label(f"{name_of(cluster)}-{node_type}"),
        "app.kubernetes.io/name": "kuberay",
        CREATED_BY: OPERATOR,
    }
    own = {**labels_of(template), **mapping(group.get("labels"))}
    return found | {key: value for key, value in own.items() if key not in _NEVER_CHANGED}


def _finish(
    cluster: Manifest, spec: Manifest, params: Mapping[str, str], options: OperatorOptions, *, head: bool
) -> None:
    """Ports, tokens, volumes, command and variables, in the order in which KubeRay adds them."""
    ray = containers_of(spec)[0]
    if all(each.get("name") != "metrics" for each in items(ray.get("ports"))):
        ray["ports"] = [*items(ray.get("ports")), dict(_METRICS)]
    auth = mapping(below(cluster, "spec", "authOptions"))
    if auth.get("mode") == "token":
        set_token(cluster, ray, auth)
        for each in items(spec.get("initContainers")):
            if each.get("name") == "wait-gcs-ready":
                set_token(cluster, each, auth)
    _add_memory(spec, ray, params)
    command = start_command(params, ray, head=head)
    own = [*_words(ray.get("command")), *_words(ray.get("args"))]
    given = "".join(f" {word} " for word in own)
    if not overwritten(cluster) and "ray start" not in given:
        generated = f"{_ULIMIT}; {command}"
        ray["command"] = login_shell(options)
        ray["args"] = [f"{given} && {generated}" if given else generated]
    address = address_of(cluster)
    for each in items(spec.get("initContainers")):
        name = address.partition(".")[0]
        set_env(each, {"name": "FQ_RAY_IP", "value": address}, {"name": "RAY_IP", "value": name})
    container_env(cluster, ray, command, origin=_origin(cluster), head=head)


def _words(value: Any) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else []


def _add_memory(spec: Manifest, ray: Manifest, params: Mapping[str, str]) -> None:
    """Shared memory for the object store, unless another directory is set."""
    mounts = items(ray.get("volumeMounts"))
    if "plasma-directory" in params or any(each.get("mountPath") == _SHARED_MEMORY for each in mounts):
        return
    volumes = items(spec.get("volumes"))
    if all(each.get("name") != "shared-mem" for each in volumes):
        resources = mapping(ray.get("resources"))
        memory = mapping(resources.get("limits")).get("memory") or mapping(resources.get("requests")).get("memory")
        spec["volumes"] = [
            *volumes,
            {"name": "shared-mem", "emptyDir": drop_empty({"medium": "Memory", "sizeLimit": memory})},
        ]
    ray["volumeMounts"] = [*mounts, {"name": "shared-mem", "mountPath": _SHARED_MEMORY}]


def _waiting(ray: Manifest, address: str, options: OperatorOptions) -> Manifest:
    """The init container of workers, which waits for the GCS."""
    container = {
        "name": "wait-gcs-ready",
        "image": ray.get("image"),
        "command": login_shell(options),
        "args": [_SCRIPT.replace("ADDRESS", address)],
        "env": copied(ray.get("env")),
        "volumeMounts": copied(ray.get("volumeMounts")),
        "resources": {
            "limits": {"cpu": "200m", "memory": "256Mi"},
            "requests": {"cpu": "200m", "memory": "256Mi"},
        },
    }
    return drop_empty(container)


_T: Final = "\t"
_STILL: Final = (
    "Still waiting for GCS to be ready. For troubleshooting, refer to the FAQ at "
    "https://docs.ray.io/en/master/cluster/kubernetes/troubleshooting.html."
)
_LINES: Final = (
    (5, "SECONDS=0"),
    (5, "while true; do"),
    (6, "if (( SECONDS <= 120 )); then"),
    (7, "if ray health-check --address ADDRESS > /dev/null 2>&1; then"),
    (8, 'echo "GCS is ready."'),
    (8, "break"),
    (7, "fi"),
    (7, 'echo "$SECONDS seconds elapsed: Waiting for GCS to be ready."'),
    (6, "else"),
    (7, "if ray health-check --address ADDRESS; then"),
    (8, 'echo "GCS is ready. Any error messages above can be safely ignored."'),
    (8, "break"),
    (7, "fi"),
    (
        7,
        f'echo "$SECONDS seconds elapsed: {_STILL}"',
    ),
    (6, "fi"),
    (6, "sleep 5"),
    (5, "done"),
)
_SCRIPT: Final = "\n" + "".join(f"{_T * depth}{line}\n" for depth, line in _LINES) + _T * 4
"""What the init container runs, as it stands in the pod, by depth and line."""


def _add_autoscaler(cluster: Manifest, spec: Manifest, options: OperatorOptions) -> None:
    spec["serviceAccountName"] = checked_name(text(spec.get("serviceAccountName")) or name_of(cluster))
    ray = containers_of(spec)[0]
    command = "ray kuberay-autoscaler --cluster-name $(RAY_CLUSTER_NAME) --cluster-namespace $(RAY_CLUSTER_NAMESPACE)"
    amounts = {"cpu": "500m", "memory": "512Mi"}
    container: Manifest = {
        "name": "autoscaler",
        "image": ray.get("image"),
        "command": login_shell(options),
        "args": [command],
        "env": [
            _field("RAY_CLUSTER_NAME", f"metadata.labels['{CLUSTER}']"),
            _field("RAY_CLUSTER_NAMESPACE", "metadata.namespace"),
            _field("RAY_HEAD_POD_NAME", "metadata.name"),
            {"name": "KUBERAY_CRD_VER", "value": "v1"},
            {"name": "KUBERAY_GEN_AUTOSCALER_START_CMD", "value": command},
        ],
        "resources": {"limits": dict(amounts), "requests": dict(amounts)},
    }
    auth = mapping(below(cluster, "spec", "authOptions"))
    if auth.get("mode") == "token":
        set_token(cluster, container, auth)
    own = mapping(below(cluster, "spec", "autoscalerOptions"))
    container |= {key: copied(own[key]) for key in ("resources", "image", "command", "args") if own.get(key)}
    if own.get("resources") is not None:
        container["resources"] = copied(own["resources"])
    for key in ("env", "envFrom", "volumeMounts"):
        if items(own.get(key)):
            container[key] = [*items(container.get(key)), *copied(items(own[key]))]
    spec["containers"] = [*containers_of(spec), container]
    version = _autoscaler_version(cluster)
    if version in {"v1", "v2"}:
        set_env(ray, {"name": "RAY_enable_autoscaler_v2", "value": "true" if version == "v2" else "false"})
    if version == "v2":
        spec["restartPolicy"] = "Never"


def _field(name: str, path: str) -> Manifest:
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}
