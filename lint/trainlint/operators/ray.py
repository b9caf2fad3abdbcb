"""KubeRay: RayCluster, RayJob and RayService (W 7)."""

from __future__ import annotations

from collections import Counter
from typing import Final

from trainlint.operators.batch import run_job
from trainlint.operators.cluster import MadeObjects
from trainlint.operators.manifest import (
    ANY,
    Manifest,
    annotations_of,
    below,
    containers_of,
    copied,
    count,
    items,
    labels_of,
    mapping,
    meta,
    name_of,
    namespace_of,
    object_of,
    own_of,
    text,
)
from trainlint.operators.ray_gang import join_gang, make_gang
from trainlint.operators.ray_names import (
    CLUSTER,
    ORIGIN,
    ORIGIN_KIND,
    RAY,
    SERVE,
    VERSION,
    desired_workers,
    enabled,
)
from trainlint.operators.ray_pods import head_pod, worker_pod
from trainlint.operators.ray_policies import network_policies
from trainlint.operators.ray_services import head_service, headless_service, owners_head_service, serve_service
from trainlint.operators.ray_submitter import dashboard_port, sidecar, submitter_job, submitter_requests

__all__ = ["run_ray_cluster", "run_ray_job", "run_ray_service"]

_MANAGER: Final = f"{RAY}kuberay-operator"
_POLICIES: Final = "RayClusterNetworkPolicy"


def _own(item: Manifest) -> bool:
    return text(below(item, "spec", "managedBy")) in {"", _MANAGER}


def run_ray_cluster(cluster: MadeObjects, item: Manifest) -> None:
    """The policies, Services and pods of a RayCluster."""
    if not _own(item):
        return
    if below(item, "spec", "networkPolicy") is not None and not enabled(cluster.options, _POLICIES):
        cluster.refuse(item, "spec.networkPolicy", f"spec.networkPolicy needs the feature gate {_POLICIES}")
        return
    _run_cluster(cluster, item)


def _run_cluster(cluster: MadeObjects, item: Manifest) -> bool:
    """``True`` where the pods came to be."""
    options = cluster.options
    if enabled(options, _POLICIES):
        for each in network_policies(item):
            cluster.create(each)
    groups = items(below(item, "spec", "workerGroupSpecs"))
    templates = [below(item, "spec", "headGroupSpec", "template"), *(each.get("template") for each in groups)]
    if not all(containers_of(mapping(below(each, "spec"))) for each in templates):
        return False
    services = [head_service(item, options)]
    if any(count(each.get("numOfHosts"), 1) > 1 for each in groups):
        services.append(headless_service(item))
    if not all(map(cluster.create, services)):
        return False
    if annotations_of(item).get(f"{RAY}enable-serve-service") == "true":
        serve = serve_service(item, item)
        if serve is None or not cluster.create(serve):
            return False
    if below(item, "spec", "suspend") is True or not make_gang(cluster, item, item, []):
        return False
    head = head_pod(item, options)
    join_gang(options.gang_scheduler, item, head, "headgroup")
    if not cluster.create(head):
        return False
    there: Counter[str] = Counter()
    for each in groups:
        name = text(each.get("groupName"))
        if not _run_group(cluster, item, each, there[name]):
            return False
        there[name] = max(there[name], desired_workers(each))
    return True


def _run_group(cluster: MadeObjects, item: Manifest, group: Manifest, there: int) -> bool:
    """The pods of a worker group beyond those that are there already, of another group by its name."""
    hosts = max(count(group.get("numOfHosts"), 1), 1)
    indexed = hosts > 1 and enabled(cluster.options, "RayMultiHostIndexing")
    for number in range(there, desired_workers(group)):
        replica, host = divmod(number, hosts) if indexed else (number, 0)
        pod = worker_pod(item, group, cluster.options, replica, host)
        join_gang(cluster.options.gang_scheduler, item, pod, text(group.get("groupName")))
        if not cluster.create(pod):
            return False
    return True


def run_ray_job(cluster: MadeObjects, item: Manifest) -> None:
    """The cluster of a RayJob, or the one that it selects, and the pod that submits the job once that is ready."""
    spec = mapping(item.get("spec"))
    mode = text(spec.get("submissionMode")) or "K8sJobMode"
    if not _own(item) or spec.get("suspend") is True:
        return
    selected = text(mapping(spec.get("clusterSelector")).get(CLUSTER))
    if cluster.options.gang_scheduler:
        if not isinstance(spec.get("rayClusterSpec"), dict):
            return
        if not make_gang(cluster, item, {"spec": spec["rayClusterSpec"]}, submitter_requests(item, mode)):
            return
    if selected:
        ray = cluster.find("RayCluster", selected, namespace_of(item))
        if ray is None:
            return
        ready = True
    else:
        ray = _cluster_of(item, spec.get("rayClusterSpec"), {f"{RAY}job-submission-mode": mode})
        if mode == "SidecarMode":
            pod = mapping(below(ray, "spec", "headGroupSpec", "template", "spec"))
            pod["containers"] = [*containers_of(pod), sidecar(item, ray, cluster.options)]
            pod["restartPolicy"] = "Never"
        cluster.create(ray)
        ready = _run_cluster(cluster, ray)
    if not ready or dashboard_port(ray) is None:
        return
    if mode == "K8sJobMode":
        job = submitter_job(item, ray, cluster.options)
        join_gang(cluster.options.gang_scheduler, item, job["spec"]["template"], "submitter")
        if not cluster.create(job):
            return
        run_job(cluster, job)
    waits = mode == "InteractiveMode" and not spec.get("jobId")
    if not selected and not waits:
        cluster.create(owners_head_service(item, ray, cluster.options))


def _cluster_of(owner: Manifest, spec: object, labels: dict[str, str]) -> Manifest:
    """The RayCluster of a RayJob or RayService, whose name ends in random characters."""
    own = {**labels_of(owner), ORIGIN: name_of(owner), ORIGIN_KIND: owner["kind"], **labels}
    return object_of(
        "ray.io/v1",
        "RayCluster",
        f"{name_of(owner)}-{ANY}",
        namespace_of(owner),
        labels=own,
        annotations={**annotations_of(owner)},
        spec=copied(spec),
    )


def run_ray_service(cluster: MadeObjects, item: Manifest) -> None:
    """The cluster of a RayService, and the Services that lead to it once its applications run."""
    spec = mapping(item.get("spec"))
    if not _own(item) or spec.get("suspend") is True:
        return
    ray = _cluster_of(item, spec.get("rayClusterConfig"), {})
    own_of(meta(ray), "annotations").update(
        {
            f"{RAY}hash-without-replicas-and-workers-to-delete": ANY,
            f"{RAY}num-worker-groups": str(len(items(below(ray, "spec", "workerGroupSpecs")))),
            f"{RAY}kuberay-version": VERSION,
        }
    )
    cluster.create(ray)
    before = len(cluster.pods)
    if not _run_cluster(cluster, ray):
        return
    head = cluster.pods[before]
    head["metadata"]["labels"][SERVE] = "false" if spec.get("excludeHeadPodFromServeSvc") is True else "true"
    if cluster.create(owners_head_service(item, ray, cluster.options)):
        serve = serve_service(item, ray)
        if serve is not None:
            cluster.create(serve)
