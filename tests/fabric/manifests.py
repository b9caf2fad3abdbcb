"""Small training jobs for the tests, with one thing changed at a time."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from trainlint.engine import check
from trainlint.result import Placed
from trainlint.rule import all_rules

Manifest = dict[str, Any]


def container(
    env: dict[str, str] | None = None,
    limits: dict[str, str] | None = None,
    image: str = "registry.example/train:1",
    **extra: Any,
) -> Manifest:
    return {
        "name": "pytorch",
        "image": image,
        "command": ["torchrun", "train.py"],
        "env": [{"name": name, "value": value} for name, value in (env or {}).items()],
        "resources": {"limits": {"nvidia.com/gpu": "1", **(limits or {})}},
        **extra,
    }


def template(holds: Manifest, annotations: dict[str, str] | None = None, **spec: Any) -> Manifest:
    return {"metadata": {"annotations": annotations or {}}, "spec": {"containers": [holds], **spec}}


def torch_job(worker: Manifest, master: Manifest | None = None, namespace: str = "ml") -> Manifest:
    """A PyTorchJob with one master and two workers, all of them alike unless a master is given."""
    roles = {"Master": (1, master or worker), "Worker": (2, worker)}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": "train", "namespace": namespace},
        "spec": {
            "runPolicy": {"cleanPodPolicy": "Running"},
            "pytorchReplicaSpecs": {
                role: {"replicas": count, "restartPolicy": "Never", "template": pod}
                for role, (count, pod) in roles.items()
            },
        },
    }


def mpi_job(line: str, worker: Manifest) -> Manifest:
    """An MPIJob whose launcher runs a command line."""
    launcher = template(
        {"name": "launcher", "image": "registry.example/mpi:1", "command": ["bash", "-c"], "args": [line]}
    )
    return {
        "apiVersion": "kubeflow.org/v2beta1",
        "kind": "MPIJob",
        "metadata": {"name": "bench", "namespace": "ml"},
        "spec": {
            "slotsPerWorker": 1,
            "runPolicy": {"cleanPodPolicy": "Running"},
            "mpiReplicaSpecs": {
                "Launcher": {"replicas": 1, "restartPolicy": "OnFailure", "template": launcher},
                "Worker": {"replicas": 2, "restartPolicy": "Never", "template": worker},
            },
        },
    }


def network(name: str = "a", namespace: str = "ml", resource: str = "", **config: Any) -> Manifest:
    """A NetworkAttachmentDefinition."""
    annotations = {"k8s.v1.cni.cncf.io/resourceName": resource} if resource else {}
    text = json.dumps({"cniVersion": "1.0.0", "type": "macvlan", "master": "bond1", **config})
    return {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {"name": name, "namespace": namespace, "annotations": annotations},
        "spec": {"config": text},
    }


def multus_config(**settings: Any) -> Manifest:
    """The configuration of the Multus daemon."""
    text = json.dumps({"cniVersion": "0.3.1", "multusConfigFile": "auto", **settings})
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "multus-daemon-config", "namespace": "kube-system"},
        "data": {"daemon-config.json": text},
    }


def findings(*objects: Manifest, settings: str = "") -> list[Placed]:
    """What the whole pipeline reports about the objects, one file each."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        for number, each in enumerate(objects):
            (root / f"{number}.json").write_text(json.dumps(each), encoding="utf-8")
        if settings:
            (root / "trainlint.yaml").write_text(settings, encoding="utf-8")
        result = check([root])
    own = {each.name for each in all_rules() if each.category == "fabric"}
    assert [each for each in result.failures if each.rule in own] == []
    return list(result.findings)


def reported(*objects: Manifest, settings: str = "", notes: bool = False) -> set[str]:
    """The names of the rules of the fabric that speak; notes only if they are asked for."""
    return {
        each.finding.rule
        for each in findings(*objects, settings=settings)
        if each.finding.category == "fabric" and (notes or each.finding.severity != "note")
    }
