"""``python -m tests.bench.proofs``: how long proofs take, and how they grow with replicas, nodes, pools and groups.

Large groups over many pools, as objects in memory: nothing is read here, only judged.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from trainlint.facts.facts import Facts
from trainlint.model.known import Answer
from trainlint.model.settings import Settings
from trainlint.snapshot.build import build_snapshots
from trainlint.snapshot.repository import read_repository
from trainlint.source.document import Document
from trainlint.source.reading import Reading

__all__ = ["Shape", "facts_of", "prove_all", "show_proofs"]

ZONES = tuple("abcdef")
SIZES = (8, 16, 32, 64, 128, 256, 512, 1024)
TARGET = 1.0
Data = dict[str, Any]


@dataclass(frozen=True)
class Shape:
    """How much there is to prove: 150 groups of 8 to 1,024 pods, 40 pools of up to 2,000 nodes in 6 zones."""

    groups: int = 150
    pools: int = 40
    nodes: int = 2000
    replicas: float = 1.0


def facts_of(shape: Shape) -> Facts:
    """The facts of a snapshot of this shape, with nothing proved yet."""
    documents = [*_jobs(shape), _inventory(shape)]
    readings = [
        Reading(f"{number}.yaml", (Document(f"{number}.yaml", 0, 1, "", data),))
        for number, data in enumerate(documents)
    ]
    (snapshot,) = build_snapshots(read_repository(readings), (Settings(),))
    return Facts(snapshot)


def _inventory(shape: Shape) -> Data:
    pools = []
    for number in range(shape.pools):
        gpus = number % 4 != 3
        kind = number % 3
        room = {"cpu": str(64 + 32 * kind), "memory": f"{500 + 250 * kind}Gi"}
        pools.append(
            {
                "name": f"pool-{number}",
                "zone": ZONES[number % len(ZONES)],
                "labels": {"gpu": str(gpus).lower(), "kind": f"k{kind}"},
                "taints": [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}] if gpus else [],
                "allocatable": {**room, "nvidia.com/gpu": "8"} if gpus else room,
                "min": 0 if number % 5 == 0 else shape.nodes // 20,
                "max": max(shape.nodes // (1 + number % 4), 1),
            }
        )
    return {
        "apiVersion": "trainlint.io/v1alpha1",
        "kind": "Inventory",
        "metadata": {"name": "bench"},
        "pools": pools,
    }


def _jobs(shape: Shape) -> Iterator[Data]:
    for number in range(shape.groups):
        workers = max(int(SIZES[number % len(SIZES)] * shape.replicas), 2)
        name, flavour = f"train-{number}", number % 6
        worker = _pod(name, gpus=(8, 4, 1)[number % 3], cpu=(32, 16, 4)[number % 3])
        master = _pod(name, gpus=0, cpu=4)
        match flavour:
            case 1:
                worker["spec"]["nodeSelector"] = {"topology.kubernetes.io/zone": ZONES[number % len(ZONES)]}
            case 2:
                worker["spec"]["affinity"] = {"podAffinity": _required("topology.kubernetes.io/zone", name)}
                master["spec"]["affinity"] = {"podAffinity": _required("topology.kubernetes.io/zone", name)}
            case 3:
                worker["spec"]["hostNetwork"] = True
                worker["spec"]["containers"][0]["ports"] = [{"containerPort": 29400}]
            case 4:
                worker["spec"]["affinity"] = {"podAntiAffinity": _required("kubernetes.io/hostname", name)}
            case 5:
                master = _pod(name, gpus=4, cpu=16)
        yield {
            "apiVersion": "kubeflow.org/v1",
            "kind": "PyTorchJob",
            "metadata": {"name": name, "namespace": f"team-{number % 10}"},
            "spec": {
                "pytorchReplicaSpecs": {
                    "Master": {"replicas": 1, "template": master},
                    "Worker": {"replicas": workers - 1, "template": worker},
                }
            },
        }


def _required(key: str, name: str) -> Data:
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": name}}}
    return {"requiredDuringSchedulingIgnoredDuringExecution": [term]}


def _pod(name: str, gpus: int, cpu: int) -> Data:
    limits = {"cpu": str(cpu), "memory": f"{4 * cpu}Gi", **({"nvidia.com/gpu": str(gpus)} if gpus else {})}
    return {
        "metadata": {"labels": {"app": name}},
        "spec": {
            "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}],
            "containers": [{"name": "pytorch", "image": "registry.example/train:1", "resources": {"limits": limits}}],
        },
    }


def prove_all(shape: Shape) -> tuple[float, Counter[tuple[Answer, Answer]]]:
    """CPU seconds of all proofs, with the answers (exists, for all)."""
    facts = facts_of(shape)
    _ = facts.policies, facts.snapshot.workloads
    start = time.process_time()
    proofs = facts.proofs
    seconds = time.process_time() - start
    return seconds, Counter((proof.exists, proof.for_all) for proof in proofs)


def show_proofs() -> None:
    """Prints how long all proofs take, and how that grows."""
    once = Shape()
    rows = {
        "150 groups, 40 pools": once,
        "replicas x 8": Shape(replicas=8.0),
        "nodes x 8": Shape(nodes=16_000),
        "pools x 2": Shape(pools=80),
        "groups x 2": Shape(groups=300),
    }
    prove_all(Shape(groups=10))
    print("proofs                  CPU s   ratio   answers")
    base = 0.0
    for name, shape in rows.items():
        seconds, answers = min((prove_all(shape) for _ in range(3)), key=lambda run: run[0])
        base = base or seconds
        said = ", ".join(f"{count} {one}/{every}" for (one, every), count in sorted(answers.items()))
        print(f"{name:22} {seconds:6.3f}  {seconds / base:6.2f}   {said}")
    print(f"target: under {TARGET:g} s: {'met' if base < TARGET else 'missed'}")


if __name__ == "__main__":
    show_proofs()
