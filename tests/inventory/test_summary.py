"""``trainlint inventory``: a cluster's nodes as an Inventory, without anything that names or locates them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.engine.worlds import lint, verdicts
from tests.inventory.reading import inventories

from trainlint.cli.main import cli
from trainlint.model.pool import Inventory


def node(number: int, pool: str = "gpu", zone: str = "eu-west-1a", memory: str = "1056964608Ki", **more: Any) -> Any:
    address = f"10.0.7.{number}"
    name = f"ip-10-0-7-{number}.eu-west-1.compute.internal"
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "uid": f"7f3c2a10-0000-4000-8000-00000000000{number}",
            "annotations": {"volumes.example/token": "hunter2", "note": "SECRET-annotation"},
            "managedFields": [{"manager": "kubelet"}],
            "labels": {
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
                "node.kubernetes.io/instance-type": "p5.48xlarge",
                "eks.amazonaws.com/nodegroup": pool,
                "topology.kubernetes.io/zone": zone,
                "topology.kubernetes.io/region": "eu-west-1",
                "alpha.eksctl.io/instance-id": f"i-0abc{number}def",
                "example.com/machine": f"i-0abc{number}def",
                "example.com/address": f"10-0-7-{number}",
                "feature.node.kubernetes.io/cpu-model.id": "143",
                "team": "ml",
            },
        },
        "spec": {
            "providerID": f"aws:///eu-west-1a/i-0abc{number}def",
            "podCIDR": "10.244.3.0/24",
            "taints": [
                {
                    "key": "nvidia.com/gpu",
                    "value": "present",
                    "effect": "NoSchedule",
                    "timeAdded": "2026-01-01T00:00:00Z",
                },
                {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"},
            ],
            **more,
        },
        "status": {
            "addresses": [{"type": "InternalIP", "address": address}, {"type": "ExternalIP", "address": "203.0.113.9"}],
            "allocatable": {
                "cpu": "191450m",
                "memory": memory,
                "pods": "100",
                "nvidia.com/gpu": "8",
                "hugepages-1Gi": "0",
                "attachable-volumes-aws-ebs": "39",
            },
            "capacity": {"cpu": "192"},
            "images": [{"names": ["registry.internal/secret-project@sha256:00"]}],
            "nodeInfo": {
                "machineID": f"ec2machine{number}",
                "systemUUID": f"sys-uuid-{number}",
                "kernelVersion": "6.1.0",
            },
            "conditions": [{"type": "Ready", "message": "SECRET-condition"}],
        },
    }


def written(*nodes: Any, kind: str = "List") -> str:
    text = json.dumps({"apiVersion": "v1", "kind": kind, "items": list(nodes)})
    result = CliRunner().invoke(cli, ["inventory", "-"], input=text, prog_name="trainlint")
    assert result.exit_code == 0, result.output
    return result.output


def read(text: str) -> Inventory:
    (inventory,) = inventories({"inventory.yaml": text})
    return inventory


def test_equal_nodes_are_one_pool_named_after_the_providers() -> None:
    inventory = read(written(node(1), node(2), node(3, zone="eu-west-1b")))
    assert [(pool.name, pool.minimum, pool.maximum) for pool in inventory.pools] == [
        ("gpu-eu-west-1a", 2, 2),
        ("gpu-eu-west-1b", 1, 1),
    ]
    assert inventory.complete


def test_what_placement_needs_is_kept() -> None:
    (pool,) = read(written(node(1))).pools
    assert pool.labels["team"] == "ml"
    assert pool.labels["eks.amazonaws.com/nodegroup"] == "gpu"
    assert pool.labels["topology.kubernetes.io/zone"] == "eu-west-1a"
    assert [(taint.key, taint.value, taint.effect) for taint in pool.taints] == [
        ("nvidia.com/gpu", "present", "NoSchedule")
    ]
    known = {name: each for name, each in (pool.allocatable or {}).items() if isinstance(each, str)}
    assert known == {"cpu": "191450m", "memory": "1008Gi", "pods": "100", "nvidia.com/gpu": "8"}


SECRETS = [
    "hunter2",
    "SECRET",
    "203.0.113.9",
    "10.0.7",
    "10-0-7",
    "compute.internal",
    "i-0abc",
    "7f3c2a10",
    "10.244",
    "registry.internal",
    "ec2machine",
    "sys-uuid",
    "6.1.0",
    "kubelet",
    "timeAdded",
    "cpu-model",
    "not-ready",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_nothing_that_names_or_locates_a_node_passes(secret: str) -> None:
    # the module's own list of what stays behind
    assert secret in json.dumps([node(1), node(2)])
    assert secret not in written(node(1), node(2))


def test_only_known_keys_are_written() -> None:
    allowed = {"name", "count", "zone", "region", "unschedulable", "labels", "taints", "allocatable", "pools"}
    keys = {
        line.strip(" -").partition(":")[0]
        for line in written(node(1)).splitlines()
        if line.startswith(("  - ", "    "))
    }
    top = {key for key in keys if not key.startswith(("{", '"')) and "/" not in key}
    assert top <= allowed | {"cpu", "memory", "pods", "team"}


def test_the_order_of_the_nodes_does_not_matter() -> None:
    nodes = [node(1), node(2, pool="b"), node(3, zone="eu-west-1c"), node(4, unschedulable=True)]
    assert written(*nodes) == written(*reversed(nodes))
    assert written(*nodes, kind="NodeList") == written(*nodes)


def test_memory_is_cut_to_whole_mebibytes_so_that_nodes_of_a_type_are_equal() -> None:
    assert len(read(written(node(1, memory="1056964608Ki"), node(2, memory="1056965000Ki"))).pools) == 1


def test_a_cordon_was_momentary_and_a_comment_says_so() -> None:
    text = written(node(1), node(2, unschedulable=True))
    assert "  # 1 cordoned and 2 not ready or about to go of 2 when this was written" in text
    (pool,) = read(text).pools
    assert (pool.minimum, pool.unschedulable) == (2, False)


def test_sizes_are_rounded_down_to_the_smallest_of_equal_nodes() -> None:
    (pool,) = read(written(node(1, memory="1056964608Ki"), node(2, memory="1055964608Ki"))).pools
    assert (pool.allocatable or {})["memory"] == "1007Gi"  # 1055964608Ki are 1007.05Gi
    assert [pool.minimum for pool in read(written(node(1), node(2, memory="1026964608Ki"))).pools] == [1, 1]


def test_labels_can_stay_behind() -> None:
    one, two = node(1), node(2)
    two["metadata"]["labels"]["team"] = "vision"
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [one, two]})
    assert len(read(written(one, two)).pools) == 2
    result = CliRunner().invoke(cli, ["inventory", "-", "--ignore-label", "te*"], input=text, prog_name="trainlint")
    (pool,) = read(result.output).pools
    assert "team" not in pool.labels


def test_the_label_that_splits_pools_is_named() -> None:
    nodes = [node(number) for number in range(5)]
    for number, each in enumerate(nodes):
        each["metadata"]["labels"]["example.com/rack"] = f"rack-{number}"
    assert "--ignore-label 'example.com/rack' leaves 1 of 5" in written(*nodes)


TYPES = {
    "m6i.4xlarge": ("15890m", 60_000_000, {}),
    "g6.12xlarge": ("47810m", 182_000_000, {"nvidia.com/gpu": "4"}),
    "p4d.24xlarge": ("95690m", 1_140_000_000, {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "4"}),
    "p5.48xlarge": ("191450m", 2_060_000_000, {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32"}),
}
"""Four machine types: allocatable CPU, KiB of memory, devices."""


def real_looking(number: int) -> Any:
    """One of 50 nodes: sizes of one type differ by some MiB; some nodes were just made, upgraded, drained, cordoned."""
    machine = list(TYPES)[number % 4]
    cpu, memory, devices = TYPES[machine]
    found = node(number, pool=machine.partition(".")[0], memory=f"{memory - number * 1973}Ki")
    found["metadata"]["labels"].update(
        {
            "node.kubernetes.io/instance-type": machine,
            "eks.amazonaws.com/nodegroup-image": f"ami-0{number % 3}",
            "eks.amazonaws.com/sourceLaunchTemplateVersion": str(number % 2),
            "nvidia.com/gpu-driver-upgrade-state": "upgrade-done" if number % 5 else "pod-restart-required",
            "nvidia.com/gpu.deploy.driver": "true" if number % 7 else "paused-for-driver-upgrade",
            "topology.ebs.csi.aws.com/zone": "eu-west-1a",
        }
    )
    taints = [found["spec"]["taints"][0]] if devices else []
    if number % 11 == 0:
        taints.append({"key": "node.cilium.io/agent-not-ready", "effect": "NoExecute"})
    if number % 13 == 0:
        taints.append({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
        found["spec"]["unschedulable"] = True
    if number % 17 == 0:
        taints.append({"key": "ToBeDeletedByClusterAutoscaler", "value": "1730000000", "effect": "NoSchedule"})
    found["spec"]["taints"] = taints
    del found["status"]["allocatable"]["nvidia.com/gpu"]
    found["status"]["allocatable"].update({"cpu": cpu, **devices})
    return found


def test_fifty_nodes_of_four_machine_types_are_four_pools() -> None:
    pools = read(written(*map(real_looking, range(50)))).pools
    assert [(pool.name, pool.minimum) for pool in pools] == [("g6", 13), ("m6i", 13), ("p4d", 12), ("p5", 12)]


def test_values_that_yaml_would_take_for_others_are_quoted() -> None:
    odd = node(1)
    odd["metadata"]["labels"].update({"gpu": "true", "on": "1", "y": "no", "size": "0x10", "date": "2026-01-01"})
    (pool,) = read(written(odd)).pools
    assert {key: pool.labels[key] for key in ("gpu", "on", "y", "size", "date")} == {
        "gpu": "true",
        "on": "1",
        "y": "no",
        "size": "0x10",
        "date": "2026-01-01",
    }


def test_the_inventory_gives_the_same_answers_as_the_nodes(tmp_path: Path) -> None:
    nodes = [node(number) for number in (1, 2)]
    job = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: %d
      template:
        spec:
          tolerations: [{key: nvidia.com/gpu, operator: Exists}]
          containers: [{name: pytorch, image: i, resources: {limits: {nvidia.com/gpu: "8"}}}]
"""
    for replicas in (2, 3):
        raw = {
            "nodes.json": json.dumps({"apiVersion": "v1", "kind": "List", "items": nodes}),
            "job.yaml": job % replicas,
        }
        short = {"inventory.yaml": written(*nodes), "job.yaml": job % replicas}
        one = verdicts(lint(tmp_path / f"raw{replicas}", raw))
        assert one == verdicts(lint(tmp_path / f"short{replicas}", short))
        assert set(one.values()) == {("proved", "proved") if replicas == 2 else ("refuted", "refuted")}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "there is no Node"),
        ("apiVersion: v1\nkind: Pod\n", "there is no Node"),
        ("apiVersion: v1\nkind: Node\n  x: [\n", "does not parse"),
        ("\0\1\2", "there is no Node"),
    ],
)
def test_input_without_nodes_is_wrong_usage(text: str, words: str) -> None:
    result = CliRunner().invoke(cli, ["inventory"], input=text, prog_name="trainlint")
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_a_file_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["inventory", str(tmp_path / "no.yaml")], prog_name="trainlint")
    assert result.exit_code == 2
    assert "cannot read" in result.output


def test_a_file_may_be_named_and_the_inventory_too(tmp_path: Path) -> None:
    file = tmp_path / "nodes.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [node(1)]}), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "trainlint", "inventory", str(file), "--name", "prod"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert read(done.stdout).name == "prod"
