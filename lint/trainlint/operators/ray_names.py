"""Labels, names and defaults that KubeRay uses in several places (W 7)."""

from __future__ import annotations

from typing import Final

from trainlint.operators.cluster import OperatorOptions
from trainlint.operators.manifest import (
    Manifest,
    annotations_of,
    below,
    count,
    cut_open,
    cut_start,
    expanded_length,
    items,
    mapping,
    name_of,
    namespace_of,
    text,
)

__all__ = [
    "CLUSTER",
    "CREATED_BY",
    "GROUP",
    "IDENTIFIER",
    "NODE_TYPE",
    "OPERATOR",
    "ORIGIN",
    "ORIGIN_KIND",
    "RAY",
    "SERVE",
    "VERSION",
    "address_of",
    "checked_label",
    "checked_name",
    "desired_workers",
    "enabled",
    "head_port",
    "head_service_name",
    "login_shell",
    "overwritten",
    "own_pod_name",
    "params_of",
    "port_named",
]

RAY: Final = "ray.io/"
CLUSTER: Final = f"{RAY}cluster"
NODE_TYPE: Final = f"{RAY}node-type"
GROUP: Final = f"{RAY}group"
IDENTIFIER: Final = f"{RAY}identifier"
SERVE: Final = f"{RAY}serve"
ORIGIN: Final = f"{RAY}originated-from-cr-name"
ORIGIN_KIND: Final = f"{RAY}originated-from-crd"
CREATED_BY: Final = "app.kubernetes.io/created-by"
OPERATOR: Final = "kuberay-operator"
VERSION: Final = "v1.7.0"
"""The release of KubeRay that is described here."""

_GATES: Final = {"RayMultiHostIndexing": True}
"""Feature gates that are on by default."""
_LONGEST_NAME: Final = 50
_LONGEST_LABEL: Final = 63


def enabled(options: OperatorOptions, gate: str) -> bool:
    """Whether a feature gate is on."""
    return options.gates.get(gate, _GATES.get(gate, False))


def checked_name(name: str) -> str:
    """A name cut from the front to fit, which begins with a letter."""
    if expanded_length(name) > _LONGEST_NAME:
        name = cut_start(name, _LONGEST_NAME)
    return f"r{name[1:]}" if name[:1].isdigit() or name[:1] in "-." else name


def checked_label(value: str) -> str:
    """A label's value cut from the front to fit."""
    if expanded_length(value) > _LONGEST_LABEL:
        value = cut_start(value, _LONGEST_LABEL)
    return f"r{value[1:]}" if value[:1] in {"-", ".", "_"} else value


def own_pod_name(prefix: str, node_type: str) -> str:
    """What the API server makes the names of pods from."""
    return f"{cut_open(prefix, _LONGEST_NAME)}-{node_type}-".lower()


def head_service_name(cluster: Manifest) -> str:
    """The name of the head's Service."""
    own = text(below(cluster, "spec", "headGroupSpec", "headService", "metadata", "name"))
    return own or f"{name_of(cluster)}-head-svc"


def address_of(cluster: Manifest) -> str:
    """The full name of the head's Service in DNS."""
    return f"{head_service_name(cluster)}.{namespace_of(cluster)}.svc.cluster.local"


def params_of(group: Manifest) -> dict[str, str]:
    """The parameters of ``ray start`` that a group sets."""
    return {key: str(value) for key, value in mapping(group.get("rayStartParams")).items()}


def head_port(cluster: Manifest) -> str:
    """The port of the GCS."""
    return params_of(mapping(below(cluster, "spec", "headGroupSpec"))).get("port", "6379")


def port_named(container: Manifest, name: str, default: int) -> int:
    """The port of a container by its name."""
    for port in items(container.get("ports")):
        if port.get("name") == name:
            return count(port.get("containerPort"), default)
    return default


def desired_workers(group: Manifest) -> int:
    """How many pods a worker group has: replicas within their limits, times the hosts of each."""
    if group.get("suspend") is True:
        return 0
    least = count(group.get("minReplicas"), 0)
    replicas = count(group.get("replicas"), least)
    replicas = max(least, min(replicas, count(group.get("maxReplicas"), 2**31 - 1)))
    return replicas * count(group.get("numOfHosts"), 1)


def login_shell(options: OperatorOptions, flags: str = "") -> list[str]:
    """The shell that runs what KubeRay generates."""
    login = "l" if options.environment.get("ENABLE_LOGIN_SHELL", "").lower() == "true" else ""
    return ["/bin/bash", f"-c{flags}{login}", "--"]


def overwritten(cluster: Manifest) -> bool:
    """Whether the user's own command stays."""
    return text(annotations_of(cluster).get(f"{RAY}overwrite-container-cmd")).lower() == "true"
