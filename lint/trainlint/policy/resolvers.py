"""Which pods answer the questions that pods ask the cluster's DNS, as policies see them.

Without anything between them these are the pods of kube-dns. A CiliumLocalRedirectPolicy in front of its Service sends
the questions to pods on the same node, and policies see those (cilium/cilium:pkg/loadbalancer/redirectpolicy). A cache
on the host network answers under an address of the node; whether pods ask it is decided by kubelet and iptables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.meta import read_labels, read_meta
from trainlint.kube.values import read_text
from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.namespace import Namespaces
from trainlint.model.policy import Decision, Permission
from trainlint.model.selector import LabelSelector
from trainlint.model.settings import Settings
from trainlint.model.workload import ObjectRef, PodSet, PortRange
from trainlint.policy.endpoints import dns_endpoint, endpoint, entity
from trainlint.policy.ground import VerdictGround
from trainlint.policy.identity import Endpoint
from trainlint.policy.options import cilium_options
from trainlint.policy.selector import Matcher, read_selector
from trainlint.source.document import Field

__all__ = ["ClusterDns", "Resolver", "cluster_dns", "is_node_cache", "on_port", "redirected_pods"]

REDIRECT: Final = "CiliumLocalRedirectPolicy"
DNS_NAMESPACE: Final = "kube-system"
_PORT: Final = 53
_LABEL: Final = ("k8s-app", "kube-dns")
_CACHES: Final = ("node-local-dns", "nodelocaldns", "k8s-dns-node-cache")
"""Parts of the names, labels and images of DNS caches that run once on each node."""


@fact
class Resolver:
    """An end that answers, and its port by protocol where that is not the one that pods ask for."""

    end: Endpoint
    ports: Mapping[str, int]


@fact
class ClusterDns:
    """Who answers: ``main`` is the end that policies are asked about, with the labels ``labels`` in ``namespace``.

    ``redirected`` are the resolvers by protocol where they are others than the pods of kube-dns, the likeliest first.
    ``doubt`` says what is not known about that; with ``ordered`` the first one is taken to answer where it is denied.
    ``by`` is what stands between the pods and kube-dns, ``at`` its place.
    """

    main: Endpoint
    namespace: str = DNS_NAMESPACE
    labels: Mapping[str, str] = field(default_factory=lambda: dict([_LABEL]))
    redirected: Mapping[str, tuple[Resolver, ...]] = field(default_factory=dict)
    plain: Endpoint | None = None
    doubt: Because | None = None
    ordered: bool = False
    by: ObjectRef | None = None
    at: Location | None = None

    @property
    def asked(self) -> str:
        """The labels and namespace that a policy has to admit, in words."""
        labels = " and ".join(f"{key}={value}" for key, value in self.labels.items())
        return f"{labels or 'the pods'} in namespace {self.namespace}"

    def resolvers(self, protocol: str) -> tuple[Resolver, ...]:
        """The ends that may answer over a protocol."""
        return self.redirected.get(protocol) or (Resolver(self.plain or self.main, {}),)

    def together(self, decisions: Sequence[Decision]) -> Decision:
        """What is decided about the DNS, from what is decided about each resolver in their order."""
        first = decisions[0]
        if all(each.answer is first.answer for each in decisions):
            return first
        if self.ordered and first.answer is Permission.DENY:
            return first
        isolating = tuple({id(entry): entry for each in decisions for entry in each.isolating}.values())
        uncertain = (self.doubt,) if self.doubt else ()
        return Decision(first.direction, Permission.UNKNOWN, isolating=isolating, uncertain=uncertain)


@fact
class _Redirect:
    origin: ObjectRef
    selector: LabelSelector
    ports: Mapping[str, int]
    own_address: bool
    at: Location


def cluster_dns(
    roots: Iterable[Field], caches: Sequence[PodSet], settings: Settings, namespaces: Namespaces
) -> ClusterDns:
    """Who answers under these redirects (the objects at ``roots``) and caches."""
    plain = dns_endpoint(settings, namespaces)
    found = next(_redirects(tuple(roots)), None) if _in_force(settings) is not False else None
    if found is not None:
        return _behind(found, plain, caches, settings, namespaces)
    cache = next((each for each in caches if each.spec.host_network and is_node_cache(each)), None)
    if cache is None:
        return ClusterDns(plain)
    host = Resolver(replace(entity("host", settings), name=f"{cache.owner} on the pod's own node"), {})
    either = (Resolver(plain, {}), host)
    return ClusterDns(
        _as_dns(plain),
        redirected={"UDP": either, "TCP": either},
        plain=plain,
        doubt=Because(VerdictGround.HOST_CACHE, (cache.owner,)),
        by=cache.owner,
        at=cache.at,
    )


def _in_force(settings: Settings) -> bool | None:
    """Whether Cilium follows redirects; ``None`` where that is not stated."""
    if settings.cni.name != "cilium":
        return False
    return cilium_options(settings.cni).local_redirects


def _behind(
    found: _Redirect, plain: Endpoint, caches: Sequence[PodSet], settings: Settings, namespaces: Namespaces
) -> ClusterDns:
    pods = next((each for each in caches if _selects(found, each)), None)
    labels = {item.key: item.values[0] for item in found.selector.requirements if item.operator == "In"}
    if pods is None:
        stand_in = replace(dns_endpoint(settings, namespaces), namespace=found.origin.namespace)
        end = _like(stand_in, found.origin.namespace, labels, settings, namespaces)
    elif pods.spec.host_network:
        end = replace(entity("host", settings), name=f"{pods.owner} on the pod's own node")
    else:
        end = replace(endpoint(pods, settings, namespaces), name=f"{pods.namespace}/{pods.name}")
    answers = (Resolver(end, found.ports), Resolver(plain, {}))
    sure = settings.cni.name == "cilium" and _in_force(settings) is True and not found.own_address
    doubt = None
    if found.own_address:
        doubt = Because(VerdictGround.REDIRECTED_ADDRESS, (found.origin,))
    elif pods is not None and pods.spec.host_network:
        doubt = Because(VerdictGround.REDIRECTED_TO_HOST, (found.origin, pods.owner))
        sure = False
    elif not sure:
        doubt = Because(VerdictGround.REDIRECTS, (found.origin,))
    return ClusterDns(
        _as_dns(end if sure or not found.own_address else plain),
        namespace=found.origin.namespace,
        labels=labels,
        redirected=dict.fromkeys(found.ports, answers[:1] if sure else answers),
        plain=plain,
        doubt=doubt,
        ordered=not found.own_address and not (pods is not None and pods.spec.host_network),
        by=found.origin,
        at=found.at,
    )


def _as_dns(end: Endpoint) -> Endpoint:
    return replace(end, dns=True)


def _like(
    base: Endpoint, namespace: str, labels: Mapping[str, str], settings: Settings, namespaces: Namespaces
) -> Endpoint:
    """Pods of which only the labels that select them are known."""
    from trainlint.model.pod import PodSpec  # noqa: PLC0415 (only where the pods are not in Git)

    owner = ObjectRef("DaemonSet", namespace, "the pods behind it")
    at = Location("", 0)
    made = endpoint(PodSet(owner, "", 1, labels, PodSpec(), at=at, template=at), settings, namespaces)
    return replace(made, name=f"the DNS pods in {namespace}", unknown=base.unknown)


def _selects(found: _Redirect, pods: PodSet) -> bool:
    """Whether a redirect leads to the pods: those of its own namespace that its selector finds."""
    if pods.namespace != found.origin.namespace or pods.replicas == 0:
        return False
    return Matcher.of(found.selector).matches(pods.labels) is True


def is_node_cache(pods: PodSet) -> bool:
    """Whether the pods are a DNS cache that runs once on each node."""
    labels = (value for value in pods.labels.values() if not isinstance(value, Undetermined))
    names = (pods.owner.name, *labels, *(each.image for each in pods.spec.containers))
    return any(part in name for name in names for part in _CACHES)


def redirected_pods(roots: Iterable[Field], pod_sets: Iterable[PodSet]) -> Iterator[PodSet]:
    """The pods that answer questions for the cluster's DNS instead of it: behind redirects, and caches."""
    redirects = tuple(_redirects(tuple(roots)))
    for pods in pod_sets:
        if is_node_cache(pods) or any(_selects(each, pods) for each in redirects):
            yield pods


def _redirects(roots: tuple[Field, ...]) -> Iterator[_Redirect]:
    """The redirects of what pods ask the cluster's DNS."""
    for root in roots:
        if root["kind"].scalar != REDIRECT or not read_text(root["apiVersion"]).startswith("cilium.io/"):
            continue
        meta, spec = read_meta(root), root["spec"]
        namespace = meta.namespace or "default"
        frontend, backend = spec["redirectFrontend"], spec["redirectBackend"]
        service, address = frontend["serviceMatcher"], frontend["addressMatcher"]
        matcher = service if service.present else address
        if service.present and not _is_dns(service, namespace, roots):
            continue
        asked = {read_text(each["protocol"]).upper() for each in _ports(matcher) if _number(each) == _PORT}
        if not asked and (address.present or _ports(matcher)):
            continue
        ports = {
            protocol: number
            for each in reversed(_ports(backend))
            if (protocol := read_text(each["protocol"]).upper()) and (number := _number(each)) is not None
        }
        ports = {protocol: number for protocol, number in ports.items() if not asked or protocol in asked}
        if ports:
            selector = read_selector(backend["localEndpointSelector"])
            origin = ObjectRef(REDIRECT, namespace, meta.name)
            yield _Redirect(origin, selector, ports, not service.present, root.at)


def _is_dns(service: Field, namespace: str, roots: tuple[Field, ...]) -> bool:
    """Whether a matcher names the Service of the cluster's DNS; policies redirect those of their own namespace."""
    name, where = read_text(service["serviceName"]), read_text(service["namespace"])
    if where != namespace:
        return False
    if (where, name) == (DNS_NAMESPACE, "kube-dns"):
        return True
    return any(
        root["kind"].scalar == "Service"
        and (root["metadata"]["name"].scalar, root["metadata"]["namespace"].scalar) == (name, where)
        and _LABEL in read_labels(root["spec"]["selector"]).items()
        for root in roots
    )


def _ports(matcher: Field) -> tuple[Field, ...]:
    return tuple(matcher["toPorts"].elements())


def _number(port: Field) -> int | None:
    text = port["port"].scalar or ""
    return int(text) if text.isdecimal() else None


def on_port(resolver: Resolver, protocol: str, ports: PortRange | None) -> PortRange | None:
    """The ports on which a resolver listens for the ports that are asked for; ``None`` where every port is asked
    for.
    """
    number = resolver.ports.get(protocol)
    return PortRange(number, number) if number is not None and ports == PortRange(_PORT, _PORT) else ports
