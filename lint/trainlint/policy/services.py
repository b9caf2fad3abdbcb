"""Services as ``toServices`` peers mean them (P 1.3, C:pkg/policy/k8s/service.go)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from trainlint.kube.meta import read_labels, read_meta
from trainlint.kube.values import read_strings
from trainlint.model.because import Because
from trainlint.model.policy import Peer
from trainlint.model.selector import LabelSelector
from trainlint.policy.context import PolicyContext, PolicyService
from trainlint.policy.ground import VerdictGround
from trainlint.policy.identity import NAMESPACE_KEY
from trainlint.policy.selector import Matcher, cluster_scope, prefixed, read_selector, requirement
from trainlint.source.document import Field

__all__ = ["read_services", "service_peers"]

KIND = "Services"
SERVICE_NAME = "kubernetes.io/service-name"


def service_peers(field: Field, context: PolicyContext) -> Iterator[Peer]:
    """The pods behind each Service that an element of ``toServices`` names, or the addresses without a selector."""
    found = [service for service in context.services if _names(field, service)]
    for service in found:
        written = f"toServices: {service.namespace}/{service.name}"
        if service.selector:
            labels = (requirement(f"any:{key}", "In", value) for key, value in service.selector.items())
            namespace = requirement(f"k8s:{NAMESPACE_KEY}", "In", service.namespace)
            scoped = cluster_scope(LabelSelector((*labels, namespace)), context.options)
            yield Peer(scoped, kind=KIND, written=written, at=field.at)
        elif service.endpoints or context.bare_engine:
            for each in service.endpoints:
                yield Peer(prefixes=((each,),), kind=KIND, written=written, at=field.at)
        else:
            yield Peer(undecidable=Because(VerdictGround.SERVICE_ADDRESSES, (written,)), kind=KIND, at=field.at)
    if not found and not context.bare_engine:
        # Where it does not exist either, the entry is about everyone on its ports (P 6.12).
        yield Peer(undecidable=Because(VerdictGround.NO_SERVICE), kind=KIND, at=field.at)


def _names(field: Field, service: PolicyService) -> bool:
    """By labels, else by name; an empty namespace is any namespace."""
    by_labels, by_name = field["k8sServiceSelector"], field["k8sService"]
    if by_labels.present:
        labels = {f"any:{key}": value for key, value in service.labels.items()}
        selected = Matcher.of(prefixed(read_selector(by_labels["selector"]), "any")).matches(labels) is True
        return selected and (by_labels["namespace"].scalar or service.namespace) == service.namespace
    if by_name.present:
        same_namespace = (by_name["namespace"].scalar or service.namespace) == service.namespace
        return same_namespace and by_name["serviceName"].scalar == service.name
    return False


def read_services(roots: Iterable[Field]) -> Iterator[PolicyService]:
    """The Services among the objects, with the addresses that Endpoints and EndpointSlice objects put behind them."""
    addresses: dict[tuple[str, str], list[str]] = defaultdict(list)
    services = []
    for root in roots:
        meta = read_meta(root)
        namespace = meta.namespace or "default"
        match meta.kind:
            case "Service" if meta.api_version == "v1":
                spec = root["spec"]
                services.append((namespace, meta.name, meta.labels, read_labels(spec["selector"]), _ports(spec)))
            case "Endpoints" if meta.api_version == "v1":
                for subset in root["subsets"].elements():
                    found = (each["ip"].scalar for each in subset["addresses"].elements())
                    addresses[namespace, meta.name] += (text for text in found if text)
            case "EndpointSlice":
                for each in root["endpoints"].elements():
                    addresses[namespace, meta.labels.get(SERVICE_NAME, "")] += read_strings(each["addresses"])
    for namespace, name, labels, selector, ports in services:
        yield PolicyService(namespace, name, labels, selector, tuple(addresses[namespace, name]), ports)


def _ports(spec: Field) -> tuple[tuple[str, str], ...]:
    found = []
    for port in spec["ports"].elements():
        target = port["targetPort"] if port["targetPort"].present else port["port"]
        found.append((port["protocol"].scalar or "TCP", target.scalar or ""))
    return tuple(found)
