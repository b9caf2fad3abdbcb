"""Random pods that the API server takes: every part is valid, which parts there are is left to chance.

All have the volumes ``scratch`` (emptyDir) and ``claim``, the resource claim ``gpu`` and the container ``main``.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from random import Random
from typing import Any, Final

__all__ = ["valid_pod"]

Part = tuple[Any, ...]
_PROBE: Final[Part] = (
    {"exec": {"command": ["true"]}},
    {"httpGet": {"port": 8080, "path": "/healthz", "scheme": "HTTPS", "httpHeaders": [{"name": "X-A", "value": "b"}]}},
    {"tcpSocket": {"port": "metrics"}, "periodSeconds": 5, "failureThreshold": 3},
    {"grpc": {"port": 50051}, "initialDelaySeconds": 0},
)
_CONTAINER: Final[Mapping[str, Part]] = {
    "imagePullPolicy": ("Always", "IfNotPresent", "Never"),
    "terminationMessagePolicy": ("File", "FallbackToLogsOnError"),
    "ports": (
        [{"containerPort": 29500}],
        [{"name": "rdzv", "containerPort": 29500}, {"name": "metrics", "containerPort": 9100, "protocol": "UDP"}],
    ),
    "env": (
        [{"name": "A", "value": "b"}, {"name": "A", "value": ""}],
        [{"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}],
        [{"name": "L", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['app']"}}}],
        [{"name": "K", "valueFrom": {"secretKeyRef": {"name": "s", "key": "K_1.a-b", "optional": True}}}],
        [{"name": "M", "valueFrom": {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Mi"}}}],
    ),
    "envFrom": ([{"configMapRef": {"name": "c"}}], [{"prefix": "P_", "secretRef": {"name": "s", "optional": True}}]),
    "volumeMounts": (
        [{"name": "scratch", "mountPath": "/scratch"}],
        [{"name": "scratch", "mountPath": "/a", "subPath": "a/..b"}, {"name": "scratch", "mountPath": "/b"}],
        [{"name": "scratch", "mountPath": "/a", "subPathExpr": "$(POD)/a", "mountPropagation": "HostToContainer"}],
        [{"name": "scratch", "mountPath": "/a", "readOnly": True, "recursiveReadOnly": "Enabled"}],
    ),
    "livenessProbe": _PROBE,
    "readinessProbe": (*_PROBE, {"exec": {"command": ["true"]}, "successThreshold": 3}),
    "startupProbe": _PROBE,
    "lifecycle": (
        {"preStop": {"exec": {"command": ["true"]}}},
        {"preStop": {"sleep": {"seconds": 30}}, "postStart": {"httpGet": {"port": 80}}},
    ),
    "securityContext": (
        {"runAsUser": 0, "runAsGroup": 2147483647, "capabilities": {"add": ["IPC_LOCK", "SYS_ADMIN"]}},
        {"privileged": True},
        {"allowPrivilegeEscalation": False, "seccompProfile": {"type": "Localhost", "localhostProfile": "a/b"}},
    ),
    "resources": (
        {"requests": {"cpu": "500m", "memory": "1Gi"}, "limits": {"memory": "1Gi"}},
        {"limits": {"cpu": 4, "hugepages-2Mi": "8Mi", "nvidia.com/gpu": "8", "example.com/rdma": 1}},
        {"claims": [{"name": "gpu", "request": "a"}, {"name": "gpu", "request": "b"}]},
    ),
    "resizePolicy": ([{"resourceName": "cpu", "restartPolicy": "NotRequired"}],),
}
_INIT: Final[Mapping[str, Part]] = {
    key: _CONTAINER[key] for key in ("env", "volumeMounts", "securityContext", "resources", "imagePullPolicy")
}
_SELECTOR: Final[Part] = (
    {"matchLabels": {"app": "train"}},
    {"matchExpressions": [{"key": "app", "operator": "In", "values": ["a", "b"]}]},
    {"matchExpressions": [{"key": "example.com/app", "operator": "Exists"}]},
)
_SPEC: Final[Mapping[str, Part]] = {
    "dnsPolicy": ("ClusterFirst", "ClusterFirstWithHostNet", "Default"),
    "dnsConfig": (
        {"nameservers": ["10.0.0.10", "fd00::a"], "searches": ["a.svc", "b."], "options": [{"name": "ndots"}]},
    ),
    "hostAliases": ([{"ip": "10.0.0.1", "hostnames": ["a", "b.example"]}],),
    "hostname": ("a",),
    "subdomain": ("train",),
    "serviceAccountName": ("me", "me.too"),
    "priorityClassName": ("system-node-critical", "high"),
    "runtimeClassName": ("nvidia",),
    "preemptionPolicy": ("Never", "PreemptLowerPriority"),
    "schedulingGates": ([{"name": "example.com/a"}, {"name": "b"}],),
    "readinessGates": ([{"conditionType": "example.com/Ready"}],),
    "activeDeadlineSeconds": (1, 3600),
    "securityContext": (
        {"fsGroup": 1000, "supplementalGroups": [0, 5], "fsGroupChangePolicy": "OnRootMismatch"},
        {"seccompProfile": {"type": "RuntimeDefault"}, "appArmorProfile": {"type": "Unconfined"}},
        {"sysctls": [{"name": "net.core.somaxconn", "value": "1024"}], "seLinuxChangePolicy": "Recursive"},
    ),
    "nodeSelector": ({"example.com/pool": "gpu", "zone": ""},),
    "tolerations": (
        [{"operator": "Exists"}],
        [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}],
        [{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}],
    ),
    "overhead": ({"cpu": "250m", "memory": "120Mi"},),
    "os": ({"name": "linux"},),
    "setHostnameAsFQDN": (False,),
    "hostIPC": (True,),
    "shareProcessNamespace": (True,),
}
_MORE_VOLUMES: Final[Part] = (
    {"hostPath": {"path": "/data", "type": "DirectoryOrCreate"}},
    {"secret": {"secretName": "s", "defaultMode": 0o400, "items": [{"key": "k", "path": "a/b", "mode": 0o777}]}},
    {"configMap": {"name": "c", "optional": True}},
    {"nfs": {"server": "nfs.example", "path": "/"}},
    {"csi": {"driver": "secrets.csi.example", "readOnly": True}},
    {"downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
    {
        "projected": {
            "sources": [
                {"serviceAccountToken": {"path": "token", "expirationSeconds": 3607}},
                {"configMap": {"name": "c", "items": [{"key": "ca", "path": "ca.crt"}]}},
            ]
        }
    },
    {
        "ephemeral": {
            "volumeClaimTemplate": {
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Ti"}}}
            }
        }
    },
    {},
)


def _some(random: Random, parts: Mapping[str, Part]) -> dict[str, Any]:
    chosen = random.sample(sorted(parts), random.randint(0, len(parts) // 2))
    return {key: copy.deepcopy(random.choice(parts[key])) for key in chosen}


def valid_pod(random: Random) -> dict[str, Any]:
    """A pod that is valid."""
    volumes = [{"name": "scratch", "emptyDir": {}}, {"name": "claim", "persistentVolumeClaim": {"claimName": "c"}}]
    volumes += [
        {"name": f"v{index}", **copy.deepcopy(random.choice(_MORE_VOLUMES))} for index in range(random.randint(0, 3))
    ]
    spec = {
        "restartPolicy": "Never",
        **_some(random, _SPEC),
        "volumes": volumes,
        "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one"}],
        "containers": [{"name": "main", "image": "registry.example/train:1", **_some(random, _CONTAINER)}],
    }
    if random.random() < 0.3:
        spec["initContainers"] = [{"name": "before", "image": "registry.example/i:1", **_some(random, _INIT)}]
    if random.random() < 0.4:
        spec["affinity"] = _affinity(random)
    if random.random() < 0.4:
        spec["topologySpreadConstraints"] = _spread(random)
    metadata: dict[str, Any] = {"name": "p", "labels": {"app": "train", "example.com/a": ""}}
    metadata["annotations"] = random.choice(({}, {"Example.com/A": "anything at all"}))
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _affinity(random: Random) -> dict[str, Any]:
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": copy.deepcopy(random.choice(_SELECTOR))}
    node = {"matchExpressions": [{"key": "gpu", "operator": "Gt", "values": ["4"]}]}
    name = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    ignored = "DuringSchedulingIgnoredDuringExecution"
    both = {
        f"required{ignored}": [{**term, "namespaces": ["ml"], "mismatchLabelKeys": ["lane"]}],
        f"preferred{ignored}": [{"weight": 100, "podAffinityTerm": {**term, "matchLabelKeys": ["hash"]}}],
    }
    kinds = {
        "nodeAffinity": {
            f"required{ignored}": {"nodeSelectorTerms": [node, name]},
            f"preferred{ignored}": [{"weight": 1, "preference": node}],
        },
        "podAffinity": both,
        "podAntiAffinity": both,
    }
    return {key: copy.deepcopy(kinds[key]) for key in random.sample(sorted(kinds), random.randint(1, 3))}


def _spread(random: Random) -> list[dict[str, Any]]:
    ways = [(key, way) for key in ("zone", "rack") for way in ("DoNotSchedule", "ScheduleAnyway")]
    found = []
    for key, way in random.sample(ways, random.randint(1, 3)):
        constraint = {"maxSkew": random.randint(1, 3), "topologyKey": key, "whenUnsatisfiable": way}
        constraint["labelSelector"] = copy.deepcopy(random.choice(_SELECTOR))
        if way == "DoNotSchedule" and random.random() < 0.5:
            constraint |= {"minDomains": 2, "nodeTaintsPolicy": "Honor", "matchLabelKeys": ["hash"]}
        found.append(constraint)
    return found
