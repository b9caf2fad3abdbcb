"""A cluster of 500 nodes with 8 devices each, and 100 groups: with claims of devices, and with an extended resource."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

__all__ = ["DEVICES", "GROUPS", "NODES", "build_devices"]

NODES: Final = 500
DEVICES: Final = 8
GROUPS: Final = 100
_ZONES: Final = ("a", "b", "c", "d")
_DRIVER: Final = "gpu.nvidia.com"


def build_devices(root: Path, *, claims: bool) -> None:
    """Write the repository: nodes, their ResourceSlices where there are claims, and a Job for each group."""
    nodes = [_node(number, gpus=not claims) for number in range(NODES)]
    slices = [_slice(number) for number in range(NODES)] if claims else []
    root.mkdir(parents=True, exist_ok=True)
    (root / "nodes.json").write_text(json.dumps(_list(nodes + slices)), encoding="utf-8")
    groups = [each for number in range(GROUPS) for each in _group(number, claims=claims)]
    (root / "groups.json").write_text(json.dumps(_list(groups)), encoding="utf-8")


def _list(items: list[dict[str, Any]]) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "List", "items": items}


def _node(number: int, *, gpus: bool) -> dict[str, Any]:
    name = f"node-{number}"
    labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": _ZONES[number % len(_ZONES)]}
    allocatable = {"cpu": "96", "memory": "900Gi", "pods": "110", **({"nvidia.com/gpu": "8"} if gpus else {})}
    metadata = {"name": name, "labels": labels}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": {"allocatable": allocatable}}


def _slice(number: int) -> dict[str, Any]:
    name = f"node-{number}"
    devices = [
        {
            "name": f"gpu-{index}",
            "attributes": {
                "type": {"string": "gpu"},
                "productName": {"string": "NVIDIA H100 80GB HBM3"},
                "uuid": {"string": f"GPU-{number}-{index}"},
                "index": {"int": index},
            },
            "capacity": {"memory": {"value": "81559Mi"}},
        }
        for index in range(DEVICES)
    ]
    pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": f"{name}-gpu"},
        "spec": {"driver": _DRIVER, "nodeName": name, "pool": pool, "devices": devices},
    }


def _group(number: int, *, claims: bool) -> Iterator[dict[str, Any]]:
    name, namespace = f"train-{number}", "ml"
    count = (1, 2, 4, 8)[number % 4]
    container: dict[str, Any] = {"name": "rank", "image": "registry.example/train:1"}
    spec: dict[str, Any] = {"restartPolicy": "Never", "containers": [container]}
    if claims:
        spec["resourceClaims"] = [{"name": "gpus", "resourceClaimTemplateName": name}]
        container["resources"] = {"requests": {"cpu": "8"}, "claims": [{"name": "gpus"}]}
        exactly = {"deviceClassName": _DRIVER, "count": count}
        yield {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaimTemplate",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"spec": {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}}},
        }
    else:
        container["resources"] = {"requests": {"cpu": "8"}, "limits": {"nvidia.com/gpu": str(count)}}
    job = {"parallelism": 4, "completions": 4, "completionMode": "Indexed", "backoffLimit": 0}
    yield {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {**job, "template": {"metadata": {"labels": {"app": name}}, "spec": spec}},
    }
