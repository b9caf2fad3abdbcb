"""The variables that KubeRay sets in the containers of a cluster (W 7), and the containers that it adds."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from trainlint.finding import Location
from trainlint.kube.pod import read_container
from trainlint.kube.values import known_text, read_text
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import Container, ContainerPort, EnvVar
from trainlint.model.workload import PodSet
from trainlint.source.document import Field
from trainlint.workload.expansion import injected, opened, with_account
from trainlint.workload.ground import PodGround
from trainlint.workload.ray_spec import RayClusterSpec, suffixed

__all__ = ["OF_SUBMITTER", "head_variables", "submitter_container", "with_sidecars", "with_waiting", "worker_variables"]

_IN_POD: Final = Undetermined(Because(PodGround.POD_FIELD))
_IN_SECRET: Final = Undetermined(Because(PodGround.RAY_SECRET))
_OF_ALL: Final[dict[str, Known[str]]] = {
    "RAY_CLUSTER_NAME": _IN_POD,
    "RAY_CLUSTER_NAMESPACE": _IN_POD,
    "RAY_CLOUD_INSTANCE_ID": _IN_POD,
    "RAY_NODE_TYPE_NAME": _IN_POD,
    "KUBERAY_GEN_RAY_START_CMD": Undetermined(Because(PodGround.RAY_COMMAND)),
    "RAY_USAGE_STATS_KUBERAY_IN_USE": "1",
    "RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE": "1",
}
_OF_SERVING: Final[dict[str, Known[str]]] = {
    "RAY_timeout_ms_task_wait_for_death_info": "0",
    "RAY_gcs_server_request_timeout_seconds": "5",
    "RAY_SERVE_KV_TIMEOUT_S": "5",
}
_OF_HEAD: Final[dict[str, Known[str]]] = {"RAY_USAGE_STATS_EXTRA_TAGS": Undetermined(Because(PodGround.RAY_RELEASE))}
_OF_AUTOSCALER: Final = {"cpu": "500m", "memory": "512Mi"}
_AUTOSCALER_VARIABLES: Final[dict[str, Known[str]]] = {
    "RAY_CLUSTER_NAME": _IN_POD,
    "RAY_CLUSTER_NAMESPACE": _IN_POD,
    "RAY_HEAD_POD_NAME": _IN_POD,
    "KUBERAY_CRD_VER": "v1",
    "KUBERAY_GEN_AUTOSCALER_START_CMD": Undetermined(Because(PodGround.RAY_COMMAND)),
}
_METRICS: Final = (ContainerPort(8080, "metrics"),)
"""The port that KubeRay adds to the Ray container of every pod."""
OF_SUBMITTER: Final[dict[str, Known[str]]] = {
    "PYTHONUNBUFFERED": "1",
    "RAY_DASHBOARD_ADDRESS": Undetermined(Because(PodGround.RAY_CLUSTER_NAME)),
    "RAY_JOB_SUBMISSION_ID": Undetermined(Because(PodGround.MADE)),
}
"""The variables of the container that submits the job."""


def head_variables(cluster: RayClusterSpec) -> dict[str, Known[str]]:
    """The variables of the head's Ray container that its template does not set."""
    gcs = str(cluster.parameter("port") or 6379)
    env: dict[str, Known[str]] = {"RAY_PORT": gcs, "RAY_ADDRESS": f"127.0.0.1:{gcs}", **_shared(cluster), **_OF_HEAD}
    if cluster.fault_tolerant:
        env["RAY_external_storage_namespace"] = Undetermined(Because(PodGround.RAY_UID))
    store = cluster.spec["gcsFaultToleranceOptions"]
    for name, field in (("RAY_REDIS_ADDRESS", store["redisAddress"]), *_credentials(store)):
        if field.present:
            env[name] = known_text(field)
    if read_text(cluster.spec.down("autoscalerOptions", "version")) == "v2" and _scales(cluster.spec):
        env["RAY_enable_autoscaler_v2"] = "true"
    return _unset(cluster.spec.down("headGroupSpec", "template"), env)


def worker_variables(cluster: RayClusterSpec, group: Field) -> dict[str, Known[str]]:
    """The variables of the Ray container of a worker group; where the head is, KubeRay always sets."""
    gcs = cluster.parameter("port") or 6379
    env = {"RAY_PORT": str(gcs), "RAY_ADDRESS": _head_address(cluster, f":{gcs}"), **_shared(cluster)}
    if cluster.fault_tolerant:
        env["RAY_gcs_rpc_server_reconnect_timeout_s"] = "600"
    found = _unset(group["template"], env)
    return {**found, "FQ_RAY_IP": _head_address(cluster, ""), "RAY_IP": cluster.head_service}


def with_sidecars(head: PodSet, cluster: RayClusterSpec) -> PodSet:
    """The head with the containers that KubeRay adds: what they ask for counts.

    One adds and removes workers where the cluster has an autoscaler, the other submits a RayJob in SidecarMode.
    """
    head = _measured(head)
    if cluster.sidecar:
        container = submitter_container(head.spec.containers[0].image if head.spec.containers else "", head.at)
        head = _beside(head, container, OF_SUBMITTER)
    if not _scales(cluster.spec):
        return head
    options = cluster.spec["autoscalerOptions"]
    written = options["resources"].value if options["resources"].present else {"limits": _OF_AUTOSCALER}
    entries = options["env"].value if isinstance(options["env"].value, list) else []
    field = Field(options.document, options.path, {"name": "autoscaler", "resources": written, "env": entries})
    head = _beside(head, read_container(field), _AUTOSCALER_VARIABLES)
    return replace(head, spec=with_account(head.spec, cluster.label))


def with_waiting(worker: PodSet, cluster: RayClusterSpec) -> PodSet:
    """The workers with the container that KubeRay lets wait for the head; what it asks for counts."""
    worker = _measured(worker)
    asked = {"cpu": "200m", "memory": "256Mi"}
    where: dict[str, Known[str]] = {"FQ_RAY_IP": _head_address(cluster, ""), "RAY_IP": cluster.head_service}
    env = tuple(EnvVar(name, value, injected=True, at=worker.at) for name, value in where.items())
    image = worker.spec.containers[0].image if worker.spec.containers else ""
    waiting = Container("wait-gcs-ready", image, env=env, requests=asked, limits=asked, made=True, at=worker.at)
    return replace(worker, spec=replace(worker.spec, init_containers=(*worker.spec.init_containers, waiting)))


def _measured(pods: PodSet) -> PodSet:
    """The pods with a port for metrics in the container that runs Ray: the first."""
    ray = pods.spec.containers[0].name if pods.spec.containers else ""
    return replace(pods, spec=opened(pods.spec, _METRICS, ray))


def submitter_container(image: str, at: Location) -> Container:
    """The container that submits the job where the user writes none: with the image of the head."""
    return Container(
        "ray-job-submitter",
        image,
        requests={"cpu": "500m", "memory": "200Mi"},
        limits={"cpu": "1", "memory": "1Gi"},
        at=at,
    )


def _beside(head: PodSet, container: Container, env: dict[str, Known[str]]) -> PodSet:
    spec = replace(head.spec, containers=(*head.spec.containers, container))
    return replace(head, spec=injected(spec, env, head.at, container.name))


def _shared(cluster: RayClusterSpec) -> dict[str, Known[str]]:
    token: dict[str, Known[str]] = {}
    if read_text(cluster.spec.down("authOptions", "mode")) == "token":
        token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": _IN_SECRET}
    return {**_OF_ALL, **(_OF_SERVING if cluster.serving else {}), **token}


def _credentials(store: Field) -> tuple[tuple[str, Field], ...]:
    return ("REDIS_USERNAME", store["redisUsername"]), ("REDIS_PASSWORD", store["redisPassword"])


def _scales(spec: Field) -> bool:
    return spec["enableInTreeAutoscaling"].value is True


def _head_address(cluster: RayClusterSpec, port: str) -> Known[str]:
    return suffixed(cluster.head_service, f".{cluster.owner.namespace}.svc.cluster.local{port}")


def _unset(template: Field, env: dict[str, Known[str]]) -> dict[str, Known[str]]:
    """The variables that the user does not set: KubeRay leaves those alone that are there (W 7)."""
    containers = template.down("spec", "containers").elements()
    written = {read_text(entry["name"]) for container in containers for entry in container["env"].elements()}
    return {name: value for name, value in env.items() if name not in written}
