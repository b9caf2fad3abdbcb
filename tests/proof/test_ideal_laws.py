"""What is refuted without nodes is refuted on every cluster: tried on clusters that are made at random."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.engine.worlds import lint

ZONE, HOST, RACK = "topology.kubernetes.io/zone", "kubernetes.io/hostname", "rack"
KEYS = ("gpu", RACK, ZONE)
VALUES = ("a", "b", "7")
TRIES, CLUSTERS = 40, 5
CONTAINERS = "containers: [{name: pytorch, image: i, resources: {limits: {cpu: 1}}}]"


def expression(roll: random.Random) -> str:
    operator = roll.choice(("In", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"))
    values = roll.sample(VALUES, roll.randint(1, 2)) if operator in {"In", "NotIn"} else []
    values = [roll.choice(("5", "7"))] if operator in {"Gt", "Lt"} else values
    quoted = ", ".join(f"'{value}'" for value in values)
    return f"{{key: {roll.choice(KEYS)}, operator: {operator}{f', values: [{quoted}]' if values else ''}}}"


def spec(roll: random.Random, role: str) -> str:
    parts = []
    if roll.random() < 0.4:
        parts.append(f"nodeSelector: {{{roll.choice(KEYS)}: '{roll.choice(VALUES)}'}}")
    affinity = []
    if roll.random() < 0.5:
        terms = [
            f"{{matchExpressions: [{', '.join(expression(roll) for _ in range(roll.randint(1, 2)))}]}}"
            for _ in range(roll.randint(1, 2))
        ]
        required = f"requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{', '.join(terms)}]}}"
        affinity.append(f"nodeAffinity: {{{required}}}")
    for kind in ("podAffinity", "podAntiAffinity"):
        if roll.random() < 0.3:
            labels = roll.choice(("app: train", f"role: {role}", "role: Master", "role: Worker"))
            term = f"{{topologyKey: {roll.choice((ZONE, HOST, RACK))}, labelSelector: {{matchLabels: {{{labels}}}}}}}"
            affinity.append(f"{kind}: {{requiredDuringSchedulingIgnoredDuringExecution: [{term}]}}")
    parts += [f"affinity: {{{', '.join(affinity)}}}"] if affinity else []
    if roll.random() < 0.3:
        more = roll.choice(("", ", minDomains: 2", ", nodeAffinityPolicy: Ignore"))
        parts.append(
            f"topologySpreadConstraints: [{{topologyKey: {roll.choice((ZONE, RACK, HOST))}, maxSkew: 1, "
            f"whenUnsatisfiable: DoNotSchedule, labelSelector: {{matchLabels: {{app: train}}}}{more}}}]"
        )
    return "".join(f"{part}, " for part in parts)


def job(roll: random.Random) -> str:
    roles = "".join(
        f"    {role}:\n      replicas: {count}\n      template:\n"
        f"        metadata: {{labels: {{app: train, role: {role}}}}}\n"
        f"        spec: {{{spec(roll, role)}{CONTAINERS}}}\n"
        for role, count in (("Master", 1), ("Worker", roll.randint(1, 3)))
    )
    head = "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: train, namespace: ml}\n"
    return f"{head}spec:\n  pytorchReplicaSpecs:\n{roles}"


def cluster(roll: random.Random) -> str:
    pools = []
    for number in range(roll.randint(1, 5)):
        labels = {key: roll.choice(VALUES) for key in KEYS if roll.random() < 0.7}
        shown = ", ".join(f"{key}: '{value}'" for key, value in labels.items())
        pools.append(
            f"  - {{name: p{number}, count: {roll.randint(1, 4)}, labels: {{{shown}}}, "
            "allocatable: {cpu: '64', memory: 64Gi, pods: '110'}}"
        )
    pools.append("")
    head = "apiVersion: trainlint.io/v1alpha1\nkind: Inventory\nmetadata: {name: i}\npools:\n"
    return head + "\n".join(pools)


@pytest.mark.parametrize("seed", range(TRIES))
def test_no_cluster_runs_what_is_refuted_without_nodes(seed: int, tmp_path: Path) -> None:
    roll = random.Random(seed)
    text = job(roll)
    (alone,) = lint(tmp_path / "alone", {"job.yaml": text}).groups
    for number in range(CLUSTERS):
        nodes = cluster(roll)
        (there,) = lint(tmp_path / str(number), {"job.yaml": text, "nodes.yaml": nodes}).groups
        if alone.exists == "refuted":
            assert there.exists == "refuted", f"{text}\n{nodes}"
        assert (alone.exists, alone.missing) != ("unknown", ()), text
