"""CiliumNetworkPolicy and CiliumClusterwideNetworkPolicy as policy entries (P 1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from trainlint.finding import Location
from trainlint.model.policy import Action, Condition, Direction, Peer, PolicyEntry, PortRule, Proxy
from trainlint.model.workload import ObjectRef
from trainlint.policy.context import PolicyContext
from trainlint.policy.options import CiliumOptions
from trainlint.policy.peers import PeerReader
from trainlint.policy.ports import icmp_rule, port_rules
from trainlint.policy.selector import has_key, prefixed, read_selector, subject_scope
from trainlint.source.document import Field

__all__ = ["SECTIONS", "cilium_entries", "rules"]

SECTIONS = (
    ("ingress", Direction.INGRESS, Action.ALLOW),
    ("ingressDeny", Direction.INGRESS, Action.DENY),
    ("egress", Direction.EGRESS, Action.ALLOW),
    ("egressDeny", Direction.EGRESS, Action.DENY),
)


def rules(root: Field) -> Iterator[Field]:
    """The rules of an object: ``spec`` and each of ``specs``, together (P 1.1)."""
    if root["spec"].present:
        yield root["spec"]
    yield from root["specs"].elements()


def cilium_entries(
    root: Field, origin: ObjectRef, context: PolicyContext, options: CiliumOptions
) -> Iterator[PolicyEntry]:
    """The entries of an object that nothing rejects; each list element is one, and independent of the others."""
    for rule in rules(root):
        yield from _rule_entries(rule, origin, context, options)


def _rule_entries(
    rule: Field, origin: ObjectRef, context: PolicyContext, options: CiliumOptions
) -> Iterator[PolicyEntry]:
    node = rule["nodeSelector"].value is not None and rule["nodeSelector"].mapping is not None
    written = prefixed(read_selector(rule["nodeSelector" if node else "endpointSelector"]), "any")
    subject = written if node else subject_scope(written, origin.namespace)
    reader = PeerReader(origin.namespace, context, options, init=has_key(written, "reserved:init"))
    for section, direction, action in SECTIONS:
        isolates = _isolates(rule, direction, options)
        for element in rule[section].elements():
            mode = element.down("authentication", "mode").scalar if action is Action.ALLOW else None
            yield PolicyEntry(
                origin=origin,
                namespace=origin.namespace,
                direction=direction,
                action=action,
                subject=subject,
                peers=_peers(reader, element, direction, action),
                ports=_ports(element, action, options),
                isolates=isolates,
                node=node,
                only_if=_authentication(mode),
                authentication=mode or "",
                requires=reader.requirements(element, direction) if options.version < (1, 19, 0) else None,
                at=element.at,
            )


def _peers(reader: PeerReader, element: Field, direction: Direction, action: Action) -> tuple[Peer, ...] | None:
    return reader.read(element, egress=direction is Direction.EGRESS, deny=action is Action.DENY)


def _isolates(rule: Field, direction: Direction, options: CiliumOptions) -> bool:
    """``enableDefaultDeny``; where nothing is said, having an element isolates (P 1.2)."""
    if not options.non_default_deny:
        return True
    written = rule["enableDefaultDeny"][direction.value].value
    return written if isinstance(written, bool) else True


def _authentication(mode: str | None) -> tuple[Condition, ...]:
    return (Condition.AUTHENTICATION,) if mode in ("required", "test-always-fail") else ()


def _ports(element: Field, action: Action, options: CiliumOptions) -> tuple[PortRule, ...] | None:
    """``toPorts`` and ``icmps``; ``None`` where both are empty or not there, ``()`` where they hold no port."""
    port_lists, icmps = list(element["toPorts"].elements()), list(element["icmps"].elements())
    if not port_lists and not icmps:
        return None
    found: list[PortRule] = []
    for rule in port_lists:
        only_if, proxy = ((), None) if action is Action.DENY else (_condition(rule), _proxy(rule))
        for port in rule["ports"].elements():
            text, protocol = port["port"].scalar or "", port["protocol"].scalar or ""
            plain = port_rules(text, _whole(port["endPort"]), protocol, version=options.version, at=_place(port))
            found += [replace(each, only_if=only_if, proxy=proxy) for each in plain] if proxy else plain
    found += [icmp_rule(field) for rule in icmps for field in rule["fields"].elements()]
    return tuple(found)


def _place(port: Field) -> Location:
    return port["port"].at if port["port"].present else port.at


def _whole(field: Field) -> int:
    return int(field.value) if isinstance(field.value, int | float) and not isinstance(field.value, bool) else 0


PARSERS = (
    ("http", Condition.HTTP),
    ("dns", Condition.DNS),
    ("kafka", Condition.KAFKA),
    ("l7", Condition.LAYER_SEVEN),
)


def _condition(rule: Field) -> tuple[Condition, ...]:
    """What a proxy checks after the connection is let through (P 1.4); empty where nothing is."""
    found = [condition for name, condition in PARSERS if rule["rules"][name].value]
    if rule["serverNames"].value:
        found.append(Condition.SERVER_NAME)
    if rule["listener"].present:
        found.append(Condition.LISTENER)
    return tuple(found)


def _proxy(rule: Field) -> Proxy | None:
    """Which parser the connection is redirected to (C:pkg/policy/l4.go createL4Filter)."""
    parser = next((name for name, _ in PARSERS if rule["rules"][name].value), "")
    terminating, originating = (_secret(rule[name]) for name in ("terminatingTLS", "originatingTLS"))
    tls = bool(terminating or originating or rule["serverNames"].value)
    listener = rule["listener"]
    if not (parser or tls or listener.present):
        return None
    envoy = listener["envoyConfig"]
    return Proxy(
        parser="crd" if listener.present else parser or "tls",
        listener="/".join(each.scalar or "" for each in (envoy["kind"], envoy["name"], listener["name"]))
        if listener.present
        else "",
        priority=_whole(listener["priority"]),
        namespaced_listener=envoy["kind"].scalar == "CiliumEnvoyConfig",
        server_names=bool(rule["serverNames"].value),
        rules=bool(parser),
        terminating=terminating,
        originating=originating,
    )


def _secret(field: Field) -> str:
    secret = field["secret"]
    return f"{secret['namespace'].scalar or ''}/{secret['name'].scalar or ''}" if field.present else ""
