"""Pools that grow, nodes without a zone, pods on the host network (decisions 2 and 3)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.engine.worlds import lint, verdicts

from trainlint.result import GroupVerdict, Result


def pool(name: str, zone: str = "", **size: int) -> str:
    place = f"zone: {zone}, " if zone else ""
    counts = ", ".join(f"{key}: {value}" for key, value in size.items())
    return f"  - {{name: {name}, {place}{counts}, allocatable: {{cpu: '64', nvidia.com/gpu: '8'}}}}\n"


def inventory(*pools: str) -> str:
    head = "apiVersion: trainlint.io/v1alpha1\nkind: Inventory\nmetadata: {name: nodes}\npools:\n"
    return head + "".join(pools)


def job(workers: int = 2, spec: str = "", gpus: int = 8) -> str:
    return f"""
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: train, namespace: ml}}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: {workers}
      template:
        metadata: {{labels: {{app: train}}}}
        spec:
          {spec}
          containers:
            - name: pytorch
              image: registry.example/train:1
              ports: [{{name: pytorchjob-port, containerPort: 23456}}]
              resources: {{limits: {{nvidia.com/gpu: "{gpus}"}}}}
"""


def group(result: Result) -> GroupVerdict:
    (only,) = result.groups
    return only


def rules(result: Result) -> list[str]:
    return sorted(each.finding.rule for each in result.findings if each.finding.category in {"placement", "topology"})


@pytest.mark.parametrize(
    ("size", "exists", "noted"),
    [
        ({"count": 4}, "proved", False),
        ({"min": 4, "max": 8}, "proved", False),
        ({"min": 1, "max": 4}, "proved", True),
        ({"min": 0, "max": 4}, "proved", True),  # scale from zero
        ({"min": 0}, "proved", True),  # without a maximum
        ({"min": 0, "max": 3}, "refuted", False),  # never
    ],
)
def test_never_and_not_at_todays_size_are_two_things(tmp_path: Path, size: Any, exists: str, noted: bool) -> None:
    result = lint(tmp_path, {"n.yaml": inventory(pool("gpu", "a", **size)), "j.yaml": job(4)})
    assert group(result).exists == exists
    assert any("must grow first" in note for note in group(result).notes) is noted
    assert rules(result) == (["group-exceeds-capacity"] if exists == "refuted" else [])


def test_a_zone_that_takes_the_group_today_needs_no_growth(tmp_path: Path) -> None:
    nodes = inventory(pool("small", "a", min=0, max=4), pool("large", "b", count=4))
    result = lint(tmp_path, {"n.yaml": nodes, "j.yaml": job(4)})
    assert group(result).viable_zones == ("a", "b")
    assert group(result).notes == ()


SPREAD = (
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, "
    "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: train}}}]"
)


def test_a_spread_is_judged_at_every_size_of_the_pools(tmp_path: Path) -> None:
    """Zones a and b take one pod each; without nodes in b, a counts alone and takes both (S 1.7)."""
    fixed = inventory(pool("a", "a", count=2), pool("b", "b", count=2))
    assert group(lint(tmp_path, {"n.yaml": fixed, "j.yaml": job(2, SPREAD)})).exists == "refuted"
    single = inventory(pool("a", "a", count=2), pool("b", "b", min=0, max=0))
    assert verdicts(lint(tmp_path, {"n.yaml": single}))["ml/train", "."] == ("proved", "proved")


def test_without_any_zone_there_is_one_domain_and_no_split(tmp_path: Path) -> None:
    nodes = inventory(pool("one", count=2), pool("two", count=2))
    result = lint(tmp_path, {"n.yaml": nodes, "j.yaml": job(3)})
    assert verdicts(result)["ml/train", "."] == ("proved", "proved")
    assert rules(result) == []


def test_a_split_into_nodes_without_a_zone_is_unknown(tmp_path: Path) -> None:
    nodes = inventory(pool("one", "a", count=2), pool("two", count=2))
    result = lint(tmp_path, {"n.yaml": nodes, "j.yaml": job(2)})
    assert verdicts(result)["ml/train", "."] == ("proved", "unknown")
    assert rules(result) == []
    assert any("without the label" in text for text in group(result).missing)


def test_a_split_between_two_zones_beside_such_nodes_is_a_split(tmp_path: Path) -> None:
    nodes = inventory(pool("zoneless", count=2), pool("one", "a", count=2), pool("two", "b", count=2))
    result = lint(tmp_path, {"n.yaml": nodes, "j.yaml": job(2)})
    assert verdicts(result)["ml/train", "."] == ("proved", "refuted")
    assert rules(result) == ["split-across-zones"]


HOST_POLICY = """
apiVersion: cilium.io/v2
kind: CiliumClusterwideNetworkPolicy
metadata: {name: hosts}
spec:
  nodeSelector: {}
  ingress:
    - fromEntities: [host]
"""
FIREWALL = """
clusters:
  - {name: example, kubernetes: "1.36", cni: {name: cilium, version: "1.18.5", options: {enable-host-firewall: true}}}
"""


@pytest.mark.parametrize(
    ("nodes", "gpus", "exists"),
    [
        (2, 8, "refuted"),  # two nodes, and the policy admits only what comes from the node itself
        (1, 4, "proved"),  # one node takes both
    ],
)
def test_pods_on_the_host_network_are_their_nodes(tmp_path: Path, nodes: int, gpus: int, exists: str) -> None:
    text = job(1, "hostNetwork: true\n          dnsPolicy: ClusterFirstWithHostNet", gpus)
    worker = text.partition("  pytorchReplicaSpecs:\n")[2]
    files = {
        "n.yaml": inventory(pool("gpu", "a", count=nodes)),
        "j.yaml": text + worker.replace("Worker:", "Master:").replace("23456", "23457"),  # a node has each port once
        "p.yaml": HOST_POLICY,
        "trainlint.yaml": FIREWALL,
    }
    assert group(lint(tmp_path, files)).exists == exists
