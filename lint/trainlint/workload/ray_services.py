"""The Services that KubeRay makes (W 7; kuberay:ray-operator/controllers/ray/common/service.go)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from trainlint.kube.values import read_int, read_text
from trainlint.model.known import Undetermined
from trainlint.model.workload import ObjectRef, PodSet, Service, ServicePort
from trainlint.workload.ray_spec import RayClusterSpec, suffixed
from trainlint.workload.services import read_ports

__all__ = ["cluster_services", "job_service", "service_services"]

_HEAD_PORTS: Final = {"gcs-server": 6379, "dashboard": 8265, "client": 10001, "serve": 8000}


def cluster_services(cluster: RayClusterSpec, head: PodSet) -> Iterator[Service]:
    """The Service in front of the head, and the one that gives hosts of a replica their names."""
    yield _of_head(cluster, head, cluster.head_service)
    groups = cluster.spec["workerGroupSpecs"].elements()
    if any(read_int(each["numOfHosts"], 1) not in {0, 1} for each in groups):
        yield Service(
            _ref(cluster, suffixed(cluster.name, "-headless")),
            {"ray.io/cluster": cluster.label, "ray.io/node-type": "worker"},
            headless=True,
            publish_not_ready=True,
            generated=True,
            at=head.at,
        )


def job_service(cluster: RayClusterSpec, head: PodSet) -> Iterator[Service]:
    """The second Service of a RayJob, under the job's own name: its operator calls the dashboard there.

    A head that names ports and not the dashboard's never gets it, and its job is never submitted (ray-0409).
    """
    if "dashboard" in _ports(head):
        yield _of_head(cluster, head, f"{cluster.owner.name}-head-svc")


def service_services(cluster: RayClusterSpec, head: PodSet) -> Iterator[Service]:
    """The Services of a RayService under its own name: the head's, and the one for requests once pods can serve."""
    yield from job_service(cluster, head)
    written = cluster.item.down("spec", "serveService")
    ports = _ports(head)
    number = ports.get("serve")
    own = tuple(read_ports(written.down("spec", "ports")))
    if number is None and not own:
        return  # without a port of this name the Service is never made (ray-0310)
    yield Service(
        _ref(cluster, read_text(written.down("metadata", "name")) or f"{cluster.owner.name}-serve-svc"),
        {"ray.io/cluster": cluster.label, "ray.io/serve": "true"},
        own or (ServicePort(number or 0, "serve"),),
        generated=True,
        at=head.at,
    )


def _of_head(cluster: RayClusterSpec, head: PodSet, name: str | Undetermined) -> Service:
    """A Service in front of the head; one with a cluster IP does not lead to a head that is not ready."""
    group = cluster.spec["headGroupSpec"]
    followed = head.labels["app.kubernetes.io/name"]
    identifier = suffixed(cluster.name, "-head")
    selector = {
        "ray.io/cluster": cluster.label,
        "ray.io/node-type": "head",
        # a template that has other values here cuts the Service from the head (ray-0079)
        "ray.io/identifier": identifier.symbol if isinstance(identifier, Undetermined) else identifier,
        "app.kubernetes.io/created-by": "kuberay-operator",
    } | ({"app.kubernetes.io/name": followed} if isinstance(followed, str) else {})
    headless = read_text(group["serviceType"]) in {"", "ClusterIP"} and not group["headService"].present
    own = read_ports(group.down("headService", "spec", "ports"))
    return Service(
        _ref(cluster, name),
        selector,
        (*(ServicePort(number, port) for port, number in _ports(head).items()), *own),
        headless=headless,
        publish_not_ready=headless,
        generated=True,
        at=head.at,
    )


def _ports(head: PodSet) -> Mapping[str, int]:
    """The ports of the head by name: those that the user's container names, else Ray's; and that of the metrics."""
    ports = (port for each in head.spec.containers[:1] for port in each.ports)
    declared = {port.name or f"{port.number}-port": port.number for port in ports}
    return declared if declared.keys() - {"metrics"} else {**_HEAD_PORTS, **declared}


def _ref(cluster: RayClusterSpec, name: str | Undetermined) -> ObjectRef:
    known = name.symbol if isinstance(name, Undetermined) else name
    return ObjectRef("Service", cluster.owner.namespace, known)
