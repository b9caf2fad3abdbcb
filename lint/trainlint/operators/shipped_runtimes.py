"""The shape of the ClusterTrainingRuntimes that Kubeflow Trainer installs (W 4; trainer 2.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["shipped_runtime"]

_STEP: Final = "trainer.kubeflow.org/trainjob-ancestor-step"
_PLAIN: Final = {"torch-distributed": "torch", "jax-distributed": "jax", "xgboost-distributed": "xgboost"}
_MPI: Final = ("deepspeed-distributed", "mlx-distributed")
_CACHE_ACCOUNT: Final = "kubeflow-trainer-cache-initializer"
"""The service account that Trainer installs with that runtime."""
_MODELS: Final = {
    "torchtune-llama3.2-1b": "meta-llama/Llama-3.2-1B-Instruct",
    "torchtune-llama3.2-3b": "meta-llama/Llama-3.2-3B-Instruct",
    "torchtune-qwen2.5-1.5b": "Qwen/Qwen2.5-1.5B-Instruct",
}


def shipped_runtime(name: str) -> Mapping[str, Any] | None:
    """The runtime of that name as an object, with one node as its default; images, and what is the default all the
    same, are left out. ``None`` where Trainer ships none.
    """
    if name in _PLAIN:
        return _runtime({_PLAIN[name]: {}}, [_job("node", "node", step="trainer")])
    if name in _MPI:
        launcher = _job("launcher", "node", step="trainer")
        launcher["dependsOn"] = [{"name": "node", "status": "Ready"}]
        sshd: dict[str, Any] = {"command": ["/usr/sbin/sshd"], "args": ["-De", "-f", "/home/mpiuser/.sshd_config"]}
        policy = {"mpi": {"numProcPerNode": 1, "runLauncherAsNode": True}}
        return _runtime(policy, [_job("node", "node", **sshd), launcher])
    if name in _MODELS:
        sources = (("dataset-initializer", "tatsu-lab/alpaca"), ("model-initializer", _MODELS[name]))
        first = [
            _job(job, job, step=job, env=[{"name": "STORAGE_URI", "value": f"hf://{source}"}])
            for job, source in sources
        ]
        gpus = {"resources": {"limits": {"nvidia.com/gpu": 2}}}
        node = _job("node", "node", step="trainer", command=_tuning(name), **gpus)
        node["dependsOn"] = [{"name": job["name"], "status": "Complete"} for job in first]
        return _runtime({"torch": {}}, [*first, node])
    if name == "torch-distributed-with-cache":
        own_name = {"fieldRef": {"fieldPath": "metadata.labels['jobset.sigs.k8s.io/jobset-name']"}}
        cache = [
            {"name": "CACHE_IMAGE", "value": "ghcr.io/kubeflow/trainer/data-cache:v2.3.0"},
            {"name": "TRAIN_JOB_NAME", "valueFrom": own_name},
        ]
        first_job = _job("dataset-initializer", "dataset-initializer", step="dataset-initializer", env=cache)
        first_job["template"]["spec"]["template"]["spec"]["serviceAccountName"] = _CACHE_ACCOUNT
        node = _job("node", "node", step="trainer", env=cache[1:])
        node["dependsOn"] = [{"name": "dataset-initializer", "status": "Complete"}]
        return _runtime({"torch": {}}, [first_job, node])
    return None


def _tuning(name: str) -> list[str]:
    """The command of a torchtune runtime: recipe, its configuration, and where data, model and output are."""
    family, size = name.removeprefix("torchtune-").split("-")
    model = f"{family.replace('.', '_')}/{size.upper()}"
    words = ["--rdzv_endpoint=localhost:29500", "full_finetune_distributed", "--config", f"{model}_full"]
    words += ["dataset=torchtune.datasets.instruct_dataset", "dataset.source=parquet"]
    words += ["dataset.data_dir=/workspace/dataset/data", "output_dir=/workspace/output"]
    if family.startswith("qwen"):
        words += ["tokenizer.path=/workspace/model/vocab.json", "tokenizer.merges_file=/workspace/model/merges.txt"]
    else:
        words.append("tokenizer.path=/workspace/model/original/tokenizer.model")
    return ["tune", "run", *words, "checkpointer.checkpoint_dir=/workspace/model"]


def _runtime(policy: Mapping[str, Any], jobs: list[dict[str, Any]]) -> Mapping[str, Any]:
    return {"spec": {"mlPolicy": {"numNodes": 1, **policy}, "template": {"spec": {"replicatedJobs": jobs}}}}


def _job(name: str, container: str, step: str = "", **parts: Any) -> dict[str, Any]:
    template: dict[str, Any] = {"spec": {"template": {"spec": {"containers": [{"name": container, **parts}]}}}}
    if step:
        template["metadata"] = {"labels": {_STEP: step}}
    return {"name": name, "template": template}
