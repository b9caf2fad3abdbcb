"""What holds of every cause, on worlds that were made at random: taints, selectors, affinity, requests, policies."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.proof.test_cores import irreducible

ZONE = "topology.kubernetes.io/zone"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
SETTINGS = "clusters: [{name: x, kubernetes: '1.36', cni: {name: cilium, version: '1.18'}}]\n"
Data = dict[str, Any]


def draw_pool(number: int, draw: st.DrawFn) -> Data:
    taints = draw(st.lists(st.sampled_from(["gpu", "team"]), max_size=1))
    allocatable = {"cpu": draw(st.sampled_from(["8", "32"])), "memory": "100Gi", "pods": "110"}
    if draw(st.booleans()):
        allocatable["nvidia.com/gpu"] = "8"
    return {
        "name": f"pool-{number}",
        "zone": draw(st.sampled_from(["a", "b"])),
        "count": draw(st.integers(1, 2)),
        "labels": {"kind": draw(st.sampled_from(["one", "two"]))},
        "taints": [{"key": each, "effect": "NoSchedule"} for each in taints],
        "allocatable": allocatable,
    }


def draw_pods(role: str, draw: st.DrawFn) -> Data:
    asked = {"cpu": draw(st.sampled_from(["1", "16"]))}
    if draw(st.booleans()):
        asked["nvidia.com/gpu"] = draw(st.sampled_from(["4", "8"]))
    spec: Data = {
        "containers": [
            {"name": "pytorch", "image": "registry.example/train:1", "resources": {"requests": asked, "limits": asked}}
        ]
    }
    if draw(st.booleans()):
        spec["tolerations"] = [{"key": draw(st.sampled_from(["gpu", "team"])), "operator": "Exists"}]
    if draw(st.booleans()):
        key, value = draw(st.sampled_from([("kind", "one"), ("kind", "two"), (ZONE, "a"), (ZONE, "b")]))
        spec["nodeSelector"] = {key: value}
    kind = draw(st.sampled_from(["", "", "podAffinity", "podAntiAffinity"]))
    if kind:
        term = {"topologyKey": ZONE, "labelSelector": {"matchLabels": {"part": draw(st.sampled_from(["m", "w"]))}}}
        spec["affinity"] = {kind: {REQUIRED: [term]}}
    return {"metadata": {"labels": {"part": role}}, "spec": spec}


def draw_policy(number: int, draw: st.DrawFn) -> Data:
    spec: Data = {"endpointSelector": {"matchLabels": {"part": draw(st.sampled_from(["m", "w"]))}}}
    side = draw(st.sampled_from(["ingress", "egress"]))
    peers = "fromEndpoints" if side == "ingress" else "toEndpoints"
    chosen = draw(st.sampled_from([{"part": "m"}, {"part": "w"}, {ZONE: "a"}, {ZONE: "b"}, {}]))
    spec[side + draw(st.sampled_from(["", "", "Deny"]))] = [{peers: [{"matchLabels": chosen} if chosen else {}]}]
    name = {"name": f"policy-{number}", "namespace": "ml"}
    return {"apiVersion": "cilium.io/v2", "kind": "CiliumNetworkPolicy", "metadata": name, "spec": spec}


@st.composite
def worlds(draw: st.DrawFn) -> list[Data]:
    pools = [draw_pool(number, draw) for number in range(draw(st.integers(1, 3)))]
    inventory = {
        "apiVersion": "trainlint.io/v1alpha1",
        "kind": "Inventory",
        "metadata": {"name": "nodes"},
        "pools": pools,
    }
    job = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": "train", "namespace": "ml"},
        "spec": {
            "pytorchReplicaSpecs": {
                "Master": {"replicas": 1, "template": draw_pods("m", draw)},
                "Worker": {"replicas": draw(st.integers(1, 2)), "template": draw_pods("w", draw)},
            }
        },
    }
    return [inventory, job, *(draw_policy(number, draw) for number in range(draw(st.integers(0, 2))))]


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(worlds())
def test_every_cause_is_irreducible(documents: list[Data]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "whole" / "repository"
        root.mkdir(parents=True)
        (root / "world.yaml").write_text(yaml.safe_dump_all(documents, sort_keys=False), encoding="utf-8")
        (root / "trainlint.yaml").write_text(
            "clusters: [{name: x, kubernetes: '1.36', cni: {name: cilium, version: '1.18'}}]\n"
        )
        irreducible(root, Path(folder))
