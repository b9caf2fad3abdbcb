"""Random repositories in which every value is a sensible one, only the combination is left to chance."""

from __future__ import annotations

import random
from typing import Any

import yaml

__all__ = ["plausible"]

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
LABELS = ({"app": "train"}, {"app": "train", "lane": "a"}, {"app": "other"}, {"lane": "b"}, {})


def plausible(rng: random.Random) -> dict[str, str]:
    """Files of one repository: nodes, one to three workloads, policies."""
    objects = [_workload(rng, f"w{number}") for number in range(rng.randint(1, 3))]
    files = {"jobs.yaml": [document for workload in objects for document in workload]}
    files["nodes.yaml"] = [_inventory(rng)] if rng.random() < 0.9 else []
    files["policies.yaml"] = [_policy(rng, number) for number in range(rng.choice([0, 0, 1, 2]))]
    if rng.random() < 0.2:
        files["trainlint.yaml"] = [{"clusters": [{"name": "c", "topology_key": rng.choice([ZONE, HOST, "rack"])}]}]
    return {name: yaml.safe_dump_all(documents, sort_keys=False) for name, documents in files.items() if documents}


def _inventory(rng: random.Random) -> dict[str, Any]:
    pools = []
    for number in range(rng.randint(1, 4)):
        pool: dict[str, Any] = {"name": f"p{number}", "labels": {}}
        if rng.random() < 0.5:
            pool["count"] = rng.choice([0, 1, 2, 4, 16])
        else:
            pool["min"] = rng.choice([0, 1])
            pool |= rng.choice([{}, {"max": 1}, {"max": 3}])
        if rng.random() < 0.8:
            pool["zone"] = rng.choice("ab")
        if rng.random() < 0.4:
            pool["labels"]["rack"] = rng.choice("rs")
        if rng.random() < 0.4:
            pool["labels"]["gpu"] = "true"
        if rng.random() < 0.4:
            pool["taints"] = [
                {"key": "gpu", "value": "x", "effect": rng.choice(["NoSchedule", "NoExecute", "PreferNoSchedule"])}
            ]
        if rng.random() < 0.9:
            pool["allocatable"] = {
                "cpu": rng.choice(["4", "64"]),
                "memory": "500Gi",
                "nvidia.com/gpu": rng.choice(["0", "4", "8"]),
                **rng.choice([{}, {"pods": rng.choice(["0", "2", "110"])}]),
            }
        if rng.random() < 0.1:
            pool["unschedulable"] = True
        pools.append(pool)
    return {
        "apiVersion": "trainlint.io/v1alpha1",
        "kind": "Inventory",
        "metadata": {"name": "c"},
        "complete": rng.random() < 0.9,
        "pools": pools,
    }


def _workload(rng: random.Random, name: str) -> list[dict[str, Any]]:
    metadata = {"name": name} | ({"namespace": "ml"} if rng.random() < 0.8 else {})
    if rng.random() < 0.2:
        metadata["annotations"] = rng.choice(
            [
                {"trainlint.io/cross-zone": "allowed"},
                {"trainlint.io/group": "g"},
                {"trainlint.io/ignore": "topology: x"},
            ]
        )
    count = rng.choice([1, 1, 2, 3, 8, "${N}"])
    made: dict[str, Any]
    match rng.randrange(6):
        case 0 | 1:
            roles = {"Worker": {"replicas": count, "template": _template(rng, "pytorch")}}
            if rng.random() < 0.6:
                roles["Master"] = {"replicas": 1, "template": _template(rng, "pytorch")}
            made = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "spec": {"pytorchReplicaSpecs": roles}}
        case 2:
            worker = {"parallelism": count, "completions": count, "template": _template(rng, "w")}
            made = {
                "apiVersion": "jobset.x-k8s.io/v1alpha2",
                "kind": "JobSet",
                "spec": {
                    "replicatedJobs": [{"name": "w", "replicas": rng.choice([1, 2]), "template": {"spec": worker}}]
                },
            }
            if rng.random() < 0.3:
                metadata["annotations"] = {"alpha.jobset.sigs.k8s.io/exclusive-topology": rng.choice([ZONE, "rack"])}
        case 3:
            made = {
                "apiVersion": "leaderworkerset.x-k8s.io/v1",
                "kind": "LeaderWorkerSet",
                "spec": {
                    "replicas": rng.choice([1, 2]),
                    "leaderWorkerTemplate": {"size": rng.choice([1, 2, 4]), "workerTemplate": _template(rng, "w")},
                },
            }
        case _:
            return _joined(rng, metadata, count)
    return [{**made, "metadata": metadata}]


def _joined(rng: random.Random, metadata: dict[str, Any], count: int | str) -> list[dict[str, Any]]:
    """A Job whose pods call a Deployment by the name of its Service."""
    name, address = metadata["name"], {**metadata, "name": f"{metadata['name']}-master"}
    workers, master = _template(rng, "w"), _template(rng, "m")
    workers["spec"]["restartPolicy"] = "Never"
    workers["spec"]["containers"][0]["args"] = [f"--master=tcp://{address['name']}:29500"]
    master["metadata"]["labels"]["master"] = name
    return [
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": metadata,
            "spec": {"parallelism": count, "completions": count, "completionMode": "Indexed", "template": workers},
        },
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": address,
            "spec": {
                "replicas": rng.choice([0, 1, 2]),
                "selector": {"matchLabels": {"master": name}},
                "template": master,
            },
        },
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": address,
            "spec": {"clusterIP": "None", "selector": {"master": name}, "ports": [{"port": 29500}]},
        },
    ]


def _template(rng: random.Random, container: str) -> dict[str, Any]:
    spec: dict[str, Any] = {"containers": [{"name": container, "image": "registry.example/train:1"}]}
    resources: dict[str, Any] = {"cpu": rng.choice(["1", "16", "100"])}
    if rng.random() < 0.6:
        resources["nvidia.com/gpu"] = rng.choice(["1", "4", "8", "16"])
    spec["containers"][0]["resources"] = {"limits": resources}
    if rng.random() < 0.5:
        spec["tolerations"] = [{"key": "gpu", "operator": rng.choice(["Exists", "Equal"])}]
    if rng.random() < 0.3:
        spec["nodeSelector"] = rng.choice([{ZONE: "a"}, {ZONE: "c"}, {"gpu": "true"}, {"rack": "r"}, {HOST: "p0"}])
    if rng.random() < 0.1:
        spec["hostNetwork"] = True
        spec["containers"][0]["ports"] = [{"containerPort": 29500}]
    affinity: dict[str, Any] = {}
    if rng.random() < 0.25:
        affinity["podAffinity"] = _terms(rng)
    if rng.random() < 0.2:
        affinity["podAntiAffinity"] = _terms(rng)
    if affinity:
        spec["affinity"] = affinity
    if rng.random() < 0.3:
        spec["topologySpreadConstraints"] = [_spread(rng) for _ in range(rng.choice([1, 1, 2]))]
    return {"metadata": {"labels": dict(rng.choice(LABELS))}, "spec": spec}


def _terms(rng: random.Random) -> dict[str, Any]:
    terms = [
        {"labelSelector": _selector(rng), "topologyKey": rng.choice([ZONE, ZONE, HOST, "rack"])}
        for _ in range(rng.choice([1, 1, 2]))
    ]
    return {"requiredDuringSchedulingIgnoredDuringExecution": terms}


def _selector(rng: random.Random) -> dict[str, Any] | None:
    if rng.random() < 0.2:
        return {"matchExpressions": [{"key": "lane", "operator": rng.choice(["Exists", "DoesNotExist"])}]}
    return {"matchLabels": dict(rng.choice(LABELS))} if rng.random() < 0.9 else None


def _spread(rng: random.Random) -> dict[str, Any]:
    return {
        "maxSkew": rng.choice([1, 1, 2, 5]),
        "topologyKey": rng.choice([ZONE, ZONE, HOST, "rack"]),
        "whenUnsatisfiable": rng.choice(["DoNotSchedule", "DoNotSchedule", "ScheduleAnyway"]),
        "labelSelector": _selector(rng),
        **rng.choice([{}, {}, {"nodeTaintsPolicy": "Honor"}, {"nodeAffinityPolicy": "Ignore"}, {"minDomains": 3}]),
    }


def _policy(rng: random.Random, number: int) -> dict[str, Any]:
    metadata = {"name": f"n{number}"} | ({"namespace": "ml"} if rng.random() < 0.8 else {})
    if rng.random() < 0.5:
        rule = rng.choice([{}, {"from": [{"podSelector": _selector(rng) or {}}]}, {"ports": [{"port": 29500}]}])
        spec = {
            "podSelector": {"matchLabels": dict(rng.choice(LABELS))},
            "policyTypes": rng.choice([["Ingress"], ["Egress"], ["Ingress", "Egress"]]),
            **rng.choice([{}, {"ingress": [rule]}]),
        }
        return {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata, "spec": spec}
    labels = dict(rng.choice(LABELS)) | rng.choice([{}, {ZONE: "a"}])
    peers = [{"matchLabels": dict(rng.choice(LABELS))}]
    spec = {
        "endpointSelector": {"matchLabels": labels},
        **rng.choice(
            [{"ingress": [{"fromEndpoints": peers}]}, {"egress": [{"toEndpoints": peers}]}, {"ingress": [{}]}]
        ),
    }
    return {"apiVersion": "cilium.io/v2", "kind": "CiliumNetworkPolicy", "metadata": metadata, "spec": spec}
