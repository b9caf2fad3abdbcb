"""The Services that KubeRay makes (W 7)."""

from __future__ import annotations

from typing import Final

from trainlint.operators.cluster import OperatorOptions
from trainlint.operators.manifest import (
    Manifest,
    annotations_of,
    below,
    containers_of,
    copied,
    drop_empty,
    items,
    labels_of,
    mapping,
    name_of,
    namespace_of,
    object_of,
    own_of,
    text,
)
from trainlint.operators.ray_names import (
    CLUSTER,
    CREATED_BY,
    IDENTIFIER,
    NODE_TYPE,
    OPERATOR,
    ORIGIN,
    ORIGIN_KIND,
    RAY,
    SERVE,
    checked_label,
    head_service_name,
)

__all__ = ["head_service", "headless_service", "owners_head_service", "serve_service", "service_ports"]

_NAME: Final = "app.kubernetes.io/name"
_DEFAULT_PORTS: Final = {"client": 10001, "gcs-server": 6379, "dashboard": 8265, "metrics": 8080, "serve": 8000}


def _head(cluster: Manifest) -> Manifest:
    return mapping(below(cluster, "spec", "headGroupSpec"))


def service_ports(cluster: Manifest) -> dict[str, int]:
    """The ports of the head by name: the written ones or the defaults, and metrics."""
    containers = containers_of(mapping(below(_head(cluster), "template", "spec")))
    written = items(containers[0].get("ports")) if containers else []
    ports = {text(each.get("name")) or f"{each.get('containerPort')}-port": each["containerPort"] for each in written}
    return {"metrics": _DEFAULT_PORTS["metrics"], **(ports or _DEFAULT_PORTS)}


def head_service(cluster: Manifest, options: OperatorOptions, *, owned: bool = True) -> Manifest:
    """The head's Service; that of another owner does not follow the name label of the template."""
    head = _head(cluster)
    selector = {
        CLUSTER: name_of(cluster),
        NODE_TYPE: "head",
        IDENTIFIER: checked_label(f"{name_of(cluster)}-head"),
        _NAME: "kuberay",
        CREATED_BY: OPERATOR,
    }
    template_labels = labels_of(mapping(head.get("template")))
    if owned and _NAME in template_labels:
        selector[_NAME] = template_labels[_NAME]
    annotations = mapping(below(cluster, "spec", "headServiceAnnotations")) if owned else {}
    ports = [
        {"name": name, "port": number, "appProtocol": "tcp"} for name, number in sorted(service_ports(cluster).items())
    ]
    if isinstance(head.get("headService"), dict):
        return _written(cluster, copied(head["headService"]), selector, annotations, ports)
    kind = text(head.get("serviceType"))
    spec: Manifest = {"selector": selector, "ports": ports, "type": kind}
    addressed = options.environment.get("ENABLE_RAY_HEAD_CLUSTER_IP_SERVICE", "").lower() == "true"
    if not addressed and kind in {"", "ClusterIP"}:
        spec |= {"clusterIP": "None", "publishNotReadyAddresses": True}
    return object_of(
        "v1",
        "Service",
        head_service_name(cluster),
        namespace_of(cluster),
        labels=dict(selector),
        annotations=dict(annotations),
        spec=drop_empty(spec),
    )


def _written(
    cluster: Manifest, service: Manifest, selector: Manifest, annotations: Manifest, ports: list[Manifest]
) -> Manifest:
    """The Service that the user wrote, completed."""
    metadata, spec = own_of(service, "metadata"), own_of(service, "spec")
    spec["selector"] = selector
    spec["ports"] = [*items(spec.get("ports")), *ports]
    spec["type"] = text(spec.get("type")) or text(_head(cluster).get("serviceType"))
    own_of(metadata, "labels").update(selector)
    own_of(metadata, "annotations").update(annotations)
    metadata |= {"name": head_service_name(cluster), "namespace": namespace_of(cluster)}
    return {**service, "apiVersion": "v1", "kind": "Service"}


def owners_head_service(owner: Manifest, cluster: Manifest, options: OperatorOptions) -> Manifest:
    """The Service of a RayJob or RayService that leads to the head of its cluster."""
    service = head_service(cluster, options, owned=False)
    service["metadata"] |= {"name": f"{name_of(owner)}-head-svc", "namespace": namespace_of(owner)}
    service["metadata"]["labels"] = {
        ORIGIN: name_of(owner),
        ORIGIN_KIND: owner["kind"],
        NODE_TYPE: "head",
        IDENTIFIER: checked_label(f"{name_of(owner)}-head"),
    }
    return service


def headless_service(cluster: Manifest) -> Manifest:
    """The Service that gives the hosts of multi-host workers names."""
    name = name_of(cluster)
    spec = {
        "clusterIP": "None",
        "type": "ClusterIP",
        "selector": {CLUSTER: name, NODE_TYPE: "worker"},
        "publishNotReadyAddresses": True,
    }
    labels = {f"{RAY}headless-worker-svc": name}
    return object_of("v1", "Service", f"{name}-headless", namespace_of(cluster), labels=labels, spec=spec)


def serve_service(owner: Manifest, cluster: Manifest) -> Manifest | None:
    """The Service of Ray Serve, of a RayService or a RayCluster; ``None`` without a port of that name."""
    ports = [
        {"name": name, "port": number}
        for name, number in sorted(service_ports(cluster).items())
        if name == "serve" or name.startswith("serve-")
    ]
    name = name_of(owner)
    labels = {ORIGIN: name, ORIGIN_KIND: owner["kind"], SERVE: f"{name}-serve"}
    selector = {CLUSTER: name_of(cluster)} | ({SERVE: "true"} if owner["kind"] == "RayService" else {})
    kind = text(_head(cluster).get("serviceType"))
    given = below(owner, "spec", "serveService") if owner["kind"] == "RayService" else None
    if isinstance(given, dict):
        return _own_serve(owner, copied(given), selector, labels, ports, kind)
    if not ports:
        return None
    spec = drop_empty({"selector": selector, "ports": ports, "type": kind})
    return object_of("v1", "Service", f"{name}-serve-svc", namespace_of(owner), labels=labels, spec=spec)


def _own_serve(
    owner: Manifest, service: Manifest, selector: Manifest, labels: Manifest, ports: list[Manifest], kind: str
) -> Manifest:
    metadata, spec = own_of(service, "metadata"), own_of(service, "spec")
    written = {text(each.get("name")): each for each in items(spec.get("ports"))}
    if ports:
        spec["ports"] = [written.get(each["name"], each) for each in ports]
    spec["selector"] = selector
    spec["type"] = text(spec.get("type")) or kind
    own_of(metadata, "labels").update(labels)
    metadata |= {
        "name": text(metadata.get("name")) or f"{name_of(owner)}-serve-svc",
        "namespace": namespace_of(owner),
        "annotations": annotations_of(service),
    }
    return {**service, "apiVersion": "v1", "kind": "Service"}
