"""What the API server adds to pods and templates before admission policies see them (kubernetes:pkg/apis/core/v1).

Fields of Go that are left out where they are empty or false are left out here too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["as_pod", "with_defaults", "without_nulls"]

_OMITTED: Final = frozenset({"hostIPC", "hostNetwork", "hostPID", "readOnly", "stdin", "stdinOnce", "tty"})
"""Fields that are left out where they are false."""
_AMOUNTS: Final = frozenset({"capacity", "hard", "limits", "overhead", "requests"})
_LISTS: Final = ("initContainers", "containers")
_SPEC: Final = {
    "restartPolicy": "Always",
    "dnsPolicy": "ClusterFirst",
    "schedulerName": "default-scheduler",
    "terminationGracePeriodSeconds": 30,
    "securityContext": {},
}
_CONTAINER: Final = {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}
_TOLERATED: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_TOKEN: Final = "kube-api-access"  # noqa: S105 (the name of a volume)
_TEMPLATES: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("", "ReplicationController"): ("template",),
    ("apps", "Deployment"): ("template",),
    ("apps", "ReplicaSet"): ("template",),
    ("apps", "StatefulSet"): ("template",),
    ("batch", "CronJob"): ("jobTemplate", "spec", "template"),
    ("batch", "Job"): ("template",),
}
_WORKLOADS: Final[Mapping[tuple[str, str], Mapping[str, Any]]] = {
    ("apps", "Deployment"): {"replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600},
    ("apps", "ReplicaSet"): {"replicas": 1},
    ("apps", "StatefulSet"): {"replicas": 1, "podManagementPolicy": "OrderedReady", "revisionHistoryLimit": 10},
    ("batch", "CronJob"): {"concurrencyPolicy": "Allow", "suspend": False},
    ("batch", "Job"): {"backoffLimit": 6, "completionMode": "NonIndexed", "suspend": False},
}


def without_nulls(value: Any) -> Any:
    """A copy without entries that are null, which the API server drops."""
    if isinstance(value, dict):
        return {key: without_nulls(each) for key, each in value.items() if each is not None}
    return [without_nulls(each) for each in value] if isinstance(value, list) else value


def with_defaults(group: str, kind: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """An object of Kubernetes' own kinds as it is stored; one of any other kind as it is."""
    found = dict(value)
    spec = found.get("spec")
    if not isinstance(spec, dict):
        return found
    if (group, kind) == ("", "Pod"):
        return _omitted({**found, "spec": _pod(spec)})
    steps = _TEMPLATES.get((group, kind))
    if steps is None:
        return found
    found["spec"] = _at(spec, steps, group, kind)
    return _omitted(found)


def _at(spec: dict[str, Any], steps: tuple[str, ...], group: str, kind: str) -> dict[str, Any]:
    defaults = dict(_WORKLOADS.get((group, kind), {}))
    if kind == "Job" and "parallelism" not in spec:
        defaults["parallelism"] = 1
        if "completions" not in spec:
            defaults["completions"] = 1
    made: dict[str, Any] = {**defaults, **spec}
    below = made.get(steps[0])
    if not isinstance(below, dict):
        return made
    if len(steps) == 1:
        inner = below.get("spec")
        made[steps[0]] = {**below, "spec": _pod(inner)} if isinstance(inner, dict) else below
    else:
        inner = below.get("spec")
        made[steps[0]] = {**below, "spec": _at(inner, steps[2:], "batch", "Job")} if isinstance(inner, dict) else below
    return made


def _pod(spec: Mapping[str, Any]) -> dict[str, Any]:
    found = {**_SPEC, **spec}
    for key in _LISTS:
        if isinstance(found.get(key), list):
            found[key] = [_container(each) if isinstance(each, dict) else each for each in found[key]]
    if "serviceAccountName" in found:
        found.setdefault("serviceAccount", found["serviceAccountName"])
    return found


def _container(written: Mapping[str, Any]) -> dict[str, Any]:
    found = {**_CONTAINER, "resources": {}, **written}
    found.setdefault("imagePullPolicy", "Always" if _is_latest(str(found.get("image", ""))) else "IfNotPresent")
    if isinstance(found.get("ports"), list):
        found["ports"] = [{"protocol": "TCP", **each} if isinstance(each, dict) else each for each in found["ports"]]
    resources = found["resources"]
    if isinstance(resources, dict) and isinstance(resources.get("limits"), dict):
        requests = resources.get("requests")
        found["resources"] = {
            **resources,
            "requests": {**resources["limits"], **(requests if isinstance(requests, dict) else {})},
        }
    return found


def _is_latest(image: str) -> bool:
    """Whether an image has the tag ``latest``, which one without a tag and a digest has, too."""
    name, _, digest = image.partition("@")
    tag = name.rpartition("/")[2].partition(":")[2]
    return tag == "latest" or bool(image and not tag and not digest)


def as_pod(pod: Mapping[str, Any]) -> dict[str, Any]:
    """A pod with what the built-in admission plugins add: its account, the volume of its token, two tolerations."""
    spec = dict(pod["spec"])
    spec.setdefault("serviceAccountName", "default")
    spec.setdefault("serviceAccount", spec["serviceAccountName"])
    spec.setdefault("enableServiceLinks", True)
    tolerations = list(spec.get("tolerations") or [])
    for key in _TOLERATED:
        if not any(isinstance(each, dict) and each.get("key") in (key, None) for each in tolerations):
            more = {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
            tolerations.append(more)
    spec["tolerations"] = tolerations
    if spec.get("automountServiceAccountToken") is not False:
        sources = [{"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}}]
        token = {"name": _TOKEN, "projected": {"sources": sources, "defaultMode": 420}}
        spec["volumes"] = [*(spec.get("volumes") or []), token]
        mount = {"name": _TOKEN, "readOnly": True, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}
        for key in _LISTS:
            if isinstance(spec.get(key), list):
                spec[key] = [
                    {**each, "volumeMounts": [*(each.get("volumeMounts") or []), mount]}
                    if isinstance(each, dict)
                    else each
                    for each in spec[key]
                ]
    return {**pod, "spec": spec}


def _omitted(value: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: _kept(each, name) for name, each in value.items()}
    return {name: each for name, each in found.items() if not _is_left_out(name, each)}


def _kept(value: Any, key: str = "") -> Any:
    if isinstance(value, dict) and key in _AMOUNTS:
        return {name: str(each) if isinstance(each, (int, float)) else each for name, each in value.items()}
    if isinstance(value, dict):
        return _omitted(value)
    return [_kept(each) for each in value] if isinstance(value, list) else value


def _is_left_out(name: str, value: Any) -> bool:
    return value in ("", []) or (value is False and name in _OMITTED)
