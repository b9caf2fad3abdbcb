"""Random manifests that each operator takes: valid by construction, and how many pods come of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

Manifest = dict[str, Any]
Valid = tuple[list[Manifest], int]
"""The objects, and the number of pods that they make."""

_POD_PARTS: Final[Mapping[str, Any]] = {
    "nodeSelector": {"pool": "gpu"},
    "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
    "affinity": {
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "train"}}}
            ]
        }
    },
    "topologySpreadConstraints": [
        {
            "maxSkew": 1,
            "topologyKey": "zone",
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": "train"}},
        }
    ],
    "schedulingGates": [{"name": "example.com/gate"}],
    "hostNetwork": True,
    "schedulerName": "mine",
    "serviceAccountName": "me",
    "runtimeClassName": "nvidia",
    "volumes": [{"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "8Gi"}}],
    "initContainers": [{"name": "fetch", "image": "registry.example/fetch:1"}],
}
_CONTAINER_PARTS: Final[Mapping[str, Any]] = {
    "command": ["torchrun"],
    "args": ["train.py"],
    "env": [{"name": "A", "value": "b"}],
    "ports": [{"name": "own", "containerPort": 5555}],
    "resources": {"limits": {"nvidia.com/gpu": "8"}},
}


def _some(random: Random, parts: Mapping[str, Any]) -> Manifest:
    """A few of the parts, each a value of its own."""
    chosen = random.sample(sorted(parts), random.randint(0, min(3, len(parts))))
    return {key: _copied(parts[key]) for key in chosen}


def varied(random: Random, items: list[Manifest]) -> list[Manifest]:
    """The objects with more in their pod templates, which no operator minds, and under another namespace."""
    found: list[Manifest] = _copied(items)
    for item in found:
        if "namespace" in item["metadata"] and random.random() < 0.5:
            item["metadata"]["namespace"] = "other"
        _vary(random, item["spec"] if isinstance(item.get("spec"), dict) else {})
    return found


def _vary(random: Random, value: Any) -> None:
    if isinstance(value, list):
        for each in value:
            _vary(random, each)
    if not isinstance(value, dict):
        return
    if isinstance(value.get("containers"), list):
        for key, part in _some(random, _POD_PARTS).items():
            value.setdefault(key, part)
    for key, each in value.items():
        if key != "runtimePatches":
            _vary(random, each)


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    return [_copied(each) for each in value] if isinstance(value, list) else value


def _pod(random: Random, container: str, **parts: Any) -> Manifest:
    """A pod template whose first container has this name."""
    first = {"name": container, "image": "registry.example/train:1", **_some(random, _CONTAINER_PARTS)}
    containers = [first]
    if random.random() < 0.2:
        containers.append({"name": "sidecar", "image": "registry.example/side:1"})
    template: Manifest = {"spec": {**_some(random, _POD_PARTS), **parts, "containers": containers}}
    if random.random() < 0.3:
        template["metadata"] = {"labels": {"app": "train"}}
    return template


def _object(random: Random, api_version: str, kind: str, spec: Manifest) -> Manifest:
    metadata: Manifest = {"name": random.choice(("train", "llm-7b", "x"))}
    if random.random() < 0.7:
        metadata["namespace"] = "ml"
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}


def _job(random: Random) -> Valid:
    pods = random.randint(1, 3)
    restart = random.choice(("Never", "OnFailure"))
    spec: Manifest = {"template": _pod(random, "main", restartPolicy=restart), "parallelism": pods, "completions": pods}
    if random.random() < 0.6:
        spec["completionMode"] = random.choice(("Indexed", "NonIndexed"))
    return [_object(random, "batch/v1", "Job", spec)], pods


def _stateful_set(random: Random) -> Valid:
    pods = random.randint(0, 3)
    template = _pod(random, "main")
    template["metadata"] = {"labels": {"app": "train"}}
    spec = {
        "selector": {"matchLabels": {"app": "train"}},
        "serviceName": "train-svc",
        "template": template,
        "replicas": pods,
    }
    return [_object(random, "apps/v1", "StatefulSet", spec)], pods


def _replicated(random: Random, name: str) -> tuple[Manifest, int]:
    pods, replicas = random.randint(1, 3), random.randint(1, 2)
    job = {"template": _pod(random, "worker"), "parallelism": pods, "completions": pods, "backoffLimit": 0}
    return {"name": name, "template": {"spec": job}, "replicas": replicas}, pods * replicas


def _job_set(random: Random) -> Valid:
    entries = [_replicated(random, name) for name in ("workers", "eval")[: random.randint(1, 2)]]
    spec: Manifest = {"replicatedJobs": [entry for entry, _ in entries]}
    if random.random() < 0.4:
        spec["network"] = {"enableDNSHostnames": True, "subdomain": "net"}
    if len(entries) == 2 and random.random() < 0.4:
        spec["replicatedJobs"][1]["dependsOn"] = [{"name": "workers", "status": "Ready"}]
    item = _object(random, "jobset.x-k8s.io/v1alpha2", "JobSet", spec)
    if random.random() < 0.3:
        item["metadata"]["annotations"] = {"alpha.jobset.sigs.k8s.io/exclusive-topology": "rack"}
    return [item], sum(pods for _, pods in entries)


def _leader_worker_set(random: Random) -> Valid:
    size, replicas = random.randint(1, 4), random.randint(1, 2)
    own: Manifest = {"workerTemplate": _pod(random, "worker"), "size": size}
    if random.random() < 0.4:
        own["leaderTemplate"] = _pod(random, "leader")
    spec: Manifest = {"leaderWorkerTemplate": own, "replicas": replicas}
    if random.random() < 0.4:
        spec["networkConfig"] = {"subdomainPolicy": random.choice(("Shared", "UniquePerReplica"))}
    if random.random() < 0.3:
        spec["startupPolicy"] = random.choice(("LeaderCreated", "LeaderReady"))
    item = _object(random, "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", spec)
    return [item], size * replicas


def _ray_cluster_spec(random: Random) -> tuple[Manifest, int]:
    least, workers = random.randint(0, 1), random.randint(1, 3)
    head: Manifest = {"template": _pod(random, "ray-head")}
    if random.random() < 0.3:
        head["rayStartParams"] = {"num-cpus": "0"}
    group = {
        "groupName": "gpu",
        "template": _pod(random, "ray-worker"),
        "replicas": workers,
        "minReplicas": least,
        "maxReplicas": 4,
    }
    spec: Manifest = {"rayVersion": "2.52.0", "headGroupSpec": head, "workerGroupSpecs": [group]}
    for container in head["template"]["spec"]["containers"]:
        container.pop("ports", None)  # without a dashboard's port a RayJob is never submitted
    if random.random() < 0.3:
        spec["enableInTreeAutoscaling"] = True
    return spec, workers + 1


def _ray_cluster(random: Random) -> Valid:
    spec, pods = _ray_cluster_spec(random)
    return [_object(random, "ray.io/v1", "RayCluster", spec)], pods


def _ray_job(random: Random) -> Valid:
    spec, pods = _ray_cluster_spec(random)
    mode = random.choice(("K8sJobMode", "HTTPMode", "SidecarMode"))
    if mode == "SidecarMode":
        spec["headGroupSpec"]["template"]["spec"].pop("restartPolicy", None)
    own = {"entrypoint": "python train.py", "submissionMode": mode, "rayClusterSpec": spec}
    return [_object(random, "ray.io/v1", "RayJob", own)], pods + (mode == "K8sJobMode")


def _ray_service(random: Random) -> Valid:
    spec, pods = _ray_cluster_spec(random)
    own = {"serveConfigV2": "applications: []\n", "rayClusterConfig": spec}
    return [_object(random, "ray.io/v1", "RayService", own)], pods


def _mpi_roles(random: Random) -> tuple[Manifest, int]:
    workers = random.randint(1, 3)
    roles = {
        "Launcher": {"template": _pod(random, "mpi"), "replicas": 1},
        "Worker": {"template": _pod(random, "mpi"), "replicas": workers},
    }
    return roles, workers + 1


def _mpi_job(random: Random) -> Valid:
    roles, pods = _mpi_roles(random)
    spec: Manifest = {"mpiReplicaSpecs": roles}
    if random.random() < 0.4:
        spec["mpiImplementation"] = random.choice(("OpenMPI", "Intel", "MPICH"))
    if random.random() < 0.3:
        spec["runLauncherAsWorker"] = True
    return [_object(random, "kubeflow.org/v2beta1", "MPIJob", spec)], pods


def _v1_job(kind: str, key: str, container: str, *roles: str) -> Callable[[Random], Valid]:
    def made(random: Random) -> Valid:
        specs: Manifest = {}
        total = 0
        for role in roles:
            count = 1 if role in {"Master", "Chief", "Launcher"} else random.randint(1, 3)
            specs[role] = {"template": _pod(random, container), "replicas": count}
            if random.random() < 0.3:
                specs[role]["restartPolicy"] = random.choice(("Never", "OnFailure", "ExitCode"))
            total += count
        return [_object(random, "kubeflow.org/v1", kind, {key: specs})], total

    return made


def _train_job(random: Random) -> Valid:
    nodes = random.randint(1, 3)
    policy = random.choice(("torch", "jax", "xgboost"))
    pod = _pod(random, "node")
    step = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
    job = {"name": "node", "template": {"metadata": {"labels": step}, "spec": {"template": pod}}}
    runtime: Manifest = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": "rt"},
        "spec": {"mlPolicy": {"numNodes": 1, policy: {}}, "template": {"spec": {"replicatedJobs": [job]}}},
    }
    if random.random() < 0.3:
        runtime["spec"]["podGroupPolicy"] = {"coscheduling": {}}
    spec = {"runtimeRef": {"name": "rt"}, "trainer": {"numNodes": nodes}}
    item = _object(random, "trainer.kubeflow.org/v1alpha1", "TrainJob", spec)
    return [item, runtime], nodes


def _volcano_job(random: Random) -> Valid:
    tasks, total = [], 0
    for name in ("master", "worker")[: random.randint(1, 2)]:
        count = 1 if name == "master" else random.randint(1, 3)
        tasks.append({"name": name, "replicas": count, "template": _pod(random, "main", restartPolicy="Never")})
        total += count
    spec: Manifest = {"tasks": tasks}
    if random.random() < 0.6:
        spec["plugins"] = {each: [] for each in random.sample(("svc", "ssh", "env", "pytorch"), random.randint(1, 3))}
    return [_object(random, "batch.volcano.sh/v1alpha1", "Job", spec)], total


VALID: Final[Mapping[str, Callable[[Random], Valid]]] = {
    "batch/v1 Job": _job,
    "apps/v1 StatefulSet": _stateful_set,
    "jobset.x-k8s.io/v1alpha2 JobSet": _job_set,
    "leaderworkerset.x-k8s.io/v1 LeaderWorkerSet": _leader_worker_set,
    "ray.io/v1 RayCluster": _ray_cluster,
    "ray.io/v1 RayJob": _ray_job,
    "ray.io/v1 RayService": _ray_service,
    "kubeflow.org/v2beta1 MPIJob": _mpi_job,
    "kubeflow.org/v1 PyTorchJob": _v1_job("PyTorchJob", "pytorchReplicaSpecs", "pytorch", "Master", "Worker"),
    "kubeflow.org/v1 TFJob": _v1_job("TFJob", "tfReplicaSpecs", "tensorflow", "Chief", "PS", "Worker"),
    "kubeflow.org/v1 XGBoostJob": _v1_job("XGBoostJob", "xgbReplicaSpecs", "xgboost", "Master", "Worker"),
    "kubeflow.org/v1 PaddleJob": _v1_job("PaddleJob", "paddleReplicaSpecs", "paddle", "Master", "Worker"),
    "kubeflow.org/v1 JAXJob": _v1_job("JAXJob", "jaxReplicaSpecs", "jax", "Worker"),
    "kubeflow.org/v1 MPIJob": _v1_job("MPIJob", "mpiReplicaSpecs", "mpi", "Launcher", "Worker"),
    "trainer.kubeflow.org/v1alpha1 TrainJob": _train_job,
    "batch.volcano.sh/v1alpha1 Job": _volcano_job,
}
"""By API version and kind."""
