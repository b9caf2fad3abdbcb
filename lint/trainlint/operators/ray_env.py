"""Variables that KubeRay adds to the containers of Ray (W 7)."""

from __future__ import annotations

from trainlint.operators.manifest import (
    ANY,
    Manifest,
    annotations_of,
    below,
    copied,
    items,
    mapping,
    name_of,
    set_env,
    text,
)
from trainlint.operators.ray_names import CLUSTER, GROUP, RAY, VERSION, address_of, checked_name, head_port

__all__ = ["container_env", "fault_tolerance", "set_token"]


def _add_missing(container: Manifest, name: str, value: str) -> None:
    """Add a variable, unless one of its name is there."""
    if all(each.get("name") != name for each in items(container.get("env"))):
        set_env(container, {"name": name, "value": value})


def _field(name: str, path: str) -> Manifest:
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}


def container_env(cluster: Manifest, ray: Manifest, command: str, *, origin: str, head: bool) -> None:
    """The variables of the Ray container; ``origin`` is the kind that the cluster belongs to."""
    address, port = address_of(cluster), head_port(cluster)
    if not head:
        name = address.partition(".")[0]
        set_env(ray, {"name": "FQ_RAY_IP", "value": address}, {"name": "RAY_IP", "value": name})
    set_env(
        ray,
        _field("RAY_CLUSTER_NAME", f"metadata.labels['{CLUSTER}']"),
        _field("RAY_CLUSTER_NAMESPACE", "metadata.namespace"),
        _field("RAY_CLOUD_INSTANCE_ID", "metadata.name"),
        _field("RAY_NODE_TYPE_NAME", f"metadata.labels['{GROUP}']"),
        {"name": "KUBERAY_GEN_RAY_START_CMD", "value": command},
    )
    _add_missing(ray, "RAY_PORT", port)
    if origin == "RayService":
        _add_missing(ray, "RAY_timeout_ms_task_wait_for_death_info", "0")
        _add_missing(ray, "RAY_gcs_server_request_timeout_seconds", "5")
        _add_missing(ray, "RAY_SERVE_KV_TIMEOUT_S", "5")
    _add_missing(ray, "RAY_ADDRESS", f"{'127.0.0.1' if head else address}:{port}")
    _add_missing(ray, "RAY_USAGE_STATS_KUBERAY_IN_USE", "1")
    if head:
        tags = f"kuberay_version={VERSION};kuberay_crd={origin}"
        set_env(ray, {"name": "RAY_USAGE_STATS_EXTRA_TAGS", "value": tags})
    _add_missing(ray, "RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE", "1")


def set_token(cluster: Manifest, container: Manifest, auth: Manifest) -> None:
    """The variables of token authentication."""
    _add_missing(container, "RAY_AUTH_MODE", "token")
    if auth.get("enableK8sTokenAuth") is True:
        _add_missing(container, "RAY_ENABLE_K8S_TOKEN_AUTH", "true")
    elif all(each.get("name") != "RAY_AUTH_TOKEN" for each in items(container.get("env"))):
        secret = text(auth.get("secretName")) or checked_name(name_of(cluster))
        source = {"secretKeyRef": {"name": secret, "key": "auth_token"}}
        set_env(container, {"name": "RAY_AUTH_TOKEN", "valueFrom": source})


def fault_tolerance(cluster: Manifest, ray: Manifest, params: dict[str, str], *, head: bool) -> None:
    """Variables and parameters of a GCS that keeps its state elsewhere."""
    options = below(cluster, "spec", "gcsFaultToleranceOptions")
    annotated = text(annotations_of(cluster).get(f"{RAY}ft-enabled")).lower() == "true"
    if not annotated and not isinstance(options, dict):
        return
    if not head:
        _add_missing(ray, "RAY_gcs_rpc_server_reconnect_timeout_s", "600")
    elif text(mapping(options).get("backend")) == "rocksdb":
        _embedded(ray)
    else:
        _redis(cluster, ray, params, options if isinstance(options, dict) else None)


def _embedded(ray: Manifest) -> None:
    _add_missing(ray, "RAY_gcs_storage", "rocksdb")
    _add_missing(ray, "RAY_gcs_storage_path", "/data/gcs")


def _redis(cluster: Manifest, ray: Manifest, params: dict[str, str], options: Manifest | None) -> None:
    own = text(annotations_of(cluster).get(f"{RAY}external-storage-namespace")) or ANY
    namespace = text(mapping(options).get("externalStorageNamespace")) or own
    _add_missing(ray, "RAY_external_storage_namespace", namespace)
    if options is None:
        if "redis-password" in params:
            _add_missing(ray, "REDIS_PASSWORD", params["redis-password"])
        return
    set_env(ray, {"name": "RAY_REDIS_ADDRESS", "value": text(options.get("redisAddress"))})
    for key, name in (("redisUsername", "REDIS_USERNAME"), ("redisPassword", "REDIS_PASSWORD")):
        given = options.get(key)
        if isinstance(given, dict):
            params[name.lower().replace("_", "-")] = f"${name}"
            set_env(
                ray, {"name": name, **{part: copied(given[part]) for part in ("value", "valueFrom") if part in given}}
            )
