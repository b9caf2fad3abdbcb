"""Linkerd's Servers: a port of pods that takes the connections that are authorized, and no others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.mesh import MESH_KINDS
from trainlint.kube.meta import read_meta
from trainlint.kube.selectors import read_label_selector
from trainlint.kube.values import read_text
from trainlint.model.selector import LabelSelector
from trainlint.model.workload import PodSet, PortRange
from trainlint.scheduling.requirement import selector_matches
from trainlint.snapshot.objects import ApiObject
from trainlint.source.document import Field

__all__ = ["Linkerd", "LinkerdServer", "read_linkerd"]

_GROUP: Final = "policy.linkerd.io"
_INJECT: Final = "linkerd.io/inject"
_SKIP: Final = "config.linkerd.io/skip-inbound-ports"
_MUTUAL_TLS: Final = {"MeshTLSAuthentication", "ServiceAccount"}


@fact
class LinkerdServer:
    """A port, by number or name, of the pods that ``selector`` selects.

    ``authorizations`` say of each authorization whether it asks for a proxy of the caller (``None``: not known).
    """

    name: str
    namespace: str
    selector: LabelSelector
    port: str
    authorizations: tuple[bool | None, ...]
    at: Location


def read_linkerd(objects: Sequence[ApiObject]) -> Linkerd:
    """Linkerd as Git describes it."""
    fields = [each.field for each in objects if each.meta.kind in MESH_KINDS and each.meta.api_group == _GROUP]
    namespaces = {each.meta.name: each.meta.annotations for each in objects if each.meta.kind == "Namespace"}
    return Linkerd(tuple(_servers(fields)) if fields else (), namespaces)


class Linkerd:
    """Whose pods get a proxy, and which Servers refuse what is not authorized."""

    def __init__(self, servers: Sequence[LinkerdServer], namespaces: Mapping[str, Mapping[str, str]]) -> None:
        self.servers = servers
        self._namespaces = namespaces

    def proxied(self, pods: PodSet) -> bool | None:
        """Whether Linkerd puts its proxy into the pods; ``None`` where that is not known. What the pod says wins."""
        if pods.spec.host_network:
            return False
        said = pods.annotations.get(_INJECT)
        if said is None:
            known = self._namespaces.get(pods.namespace)
            if known is None:
                return None
            said = known.get(_INJECT, "")
        return said in {"enabled", "ingress"}

    def refusing(self, target: PodSet, ports: PortRange, *, outside: bool) -> LinkerdServer | None:
        """The Server that surely refuses a connection to one port of the pods; ``None`` where none does.

        ``outside`` says that the caller has no proxy.
        """
        if not self.servers or self.proxied(target) is not True or ports.first != ports.last:
            return None
        skipped = target.annotations.get(_SKIP) or self._namespaces.get(target.namespace, {}).get(_SKIP, "")
        if _in_ranges(skipped, ports.first):
            return None
        for server in self.servers:
            if server.namespace != target.namespace or server.port not in set(_names(target, ports.first)):
                continue
            if selector_matches(server.selector, target.labels) is not True:
                continue
            if all(each is True and outside for each in server.authorizations):
                return server
        return None


def _names(pods: PodSet, number: int) -> Iterator[str]:
    yield str(number)
    for container in pods.spec.containers:
        yield from (port.name for port in container.ports if port.number == number and port.name)


def _in_ranges(text: str, number: int) -> bool:
    for part in text.split(","):
        first, _, last = part.strip().partition("-")
        if first.isdecimal() and (last or first).isdecimal() and int(first) <= number <= int(last or first):
            return True
    return False


def _servers(fields: Sequence[Field]) -> Iterator[LinkerdServer]:
    """The Servers that refuse what is not authorized; those beside authorized routes are left out."""
    for item in fields:
        meta, spec = read_meta(item), item["spec"]
        if meta.kind != "Server" or not spec["podSelector"].present:
            continue
        if read_text(spec["accessPolicy"]) not in {"", "deny"}:
            continue
        namespace = meta.namespace or "default"
        same = [each for each in fields if (read_meta(each).namespace or "default") == namespace]
        if any(read_text(each["spec"]["targetRef"]["kind"]).endswith("Route") for each in same):
            continue
        yield LinkerdServer(
            meta.name,
            namespace,
            read_label_selector(spec["podSelector"]) or LabelSelector(),
            read_text(spec["port"]),
            tuple(_authorizations(same, meta.name, meta.labels)),
            spec.at,
        )


def _authorizations(fields: Iterable[Field], server: str, labels: Mapping[str, str]) -> Iterator[bool | None]:
    for item in fields:
        kind, spec = read_meta(item).kind, item["spec"]
        if kind == "AuthorizationPolicy":
            target = spec["targetRef"]
            if read_text(target["kind"]) == "Namespace" or read_text(target["name"]) == server:
                asked = {read_text(each["kind"]) for each in spec["requiredAuthenticationRefs"].elements()}
                yield True if asked & _MUTUAL_TLS else None
        elif kind == "ServerAuthorization":
            selector = spec["server"]["selector"]
            chosen = selector_matches(read_label_selector(selector), labels) if selector.present else False
            if read_text(spec["server"]["name"]) == server or chosen is not False:
                client = spec["client"]
                meshed = client["meshTLS"]
                certain = meshed.mapping is not None and meshed["unauthenticatedTLS"].value is not True
                yield True if certain and client["unauthenticated"].value is not True else None
