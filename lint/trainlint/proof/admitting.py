"""What policies would have to admit: proposals that are only ever shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from trainlint.finding import Append, Edit, Fix, Location, Safety
from trainlint.model.policy import Decision, Direction, Permission, PolicyEntry, Verdict
from trainlint.model.workload import Flow, FlowKind, Group, PodSet, PortRange
from trainlint.policy.resolvers import ClusterDns
from trainlint.proof.facts import Facts

__all__ = ["admit_dns", "admit_every_port", "admit_flows", "written_labels"]

_CILIUM: Final = frozenset({"CiliumNetworkPolicy", "CiliumClusterwideNetworkPolicy"})
_MADE: Final = frozenset({"job-name", "controller-uid", "pod-template-hash", "controller-revision-hash"})
_PEERS: Final = ("fromEndpoints", "toEndpoints", "fromEntities", "toEntities", "from", "to")


def admit_flows(facts: Facts, group: Group, denied: Iterable[tuple[Flow, Verdict]]) -> Iterator[Fix]:
    """Every denied flow admitted in a policy that isolates its end: all in one fix. Nothing overrides a deny."""
    edits: list[Edit] = []
    opened: list[str] = []
    for flow, verdict in denied:
        for decision in (verdict.egress, verdict.ingress):
            if decision.answer is not Permission.DENY:
                continue
            made = None if decision.deciding else _admitting(facts, group, flow, decision)
            if made is None:
                return
            edit, what = made
            if edit not in edits:
                edits.append(edit)
                opened.append(what)
    if edits:
        title = "admit the flows in the policies that isolate the pods"
        yield Fix(title, tuple(edits), Safety.OPENING, "; ".join(opened))


def _admitting(facts: Facts, group: Group, flow: Flow, decision: Decision) -> tuple[Edit, str] | None:
    """One more element for the pods at the other end, known by the labels that people gave them."""
    entry = next((each for each in decision.isolating if each.origin.kind in {*_CILIUM, "NetworkPolicy"}), None)
    ingress = decision.direction is Direction.INGRESS
    if entry is None or flow.target is None or facts.snapshot.by_ref.get(entry.origin) is None:
        return None
    source, target = group.members[flow.source], group.members[flow.target]
    pods = source if ingress else target
    labels = written_labels(pods)
    if not labels or pods.spec.host_network:
        return None
    every = flow.kind is FlowKind.COLLECTIVE
    if entry.origin.kind in _CILIUM:
        name = {} if pods.namespace == entry.namespace else {"k8s:io.kubernetes.pod.namespace": pods.namespace}
        element: dict[str, Any] = {"fromEndpoints" if ingress else "toEndpoints": [{"matchLabels": {**name, **labels}}]}
        port: dict[str, Any] = {"port": str(flow.ports.first), "protocol": flow.protocol}
        ports: dict[str, Any] = {"toPorts": [{"ports": [_range(port, flow.ports)]}]}
    else:
        peer: dict[str, Any] = {"podSelector": {"matchLabels": labels}}
        if pods.namespace != entry.namespace:
            peer = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": pods.namespace}}, **peer}
        element = {"from" if ingress else "to": [peer]}
        ports = {"ports": [_range({"port": flow.ports.first, "protocol": flow.protocol}, flow.ports)]}
    path = entry.at.path
    whole = Location(entry.at.file, entry.at.document, path[:-1] if path and isinstance(path[-1], int) else path)
    if whole.path[-1:] != (decision.direction.value,):
        whole = whole.child(decision.direction.value)
    what = "every port" if every else f"{flow.protocol} {flow.ports}"
    said = f"{what} ({decision.direction.value}) from {source.name} to {target.name}"
    return Append(whole, element if every else {**element, **ports}), said


def _range(port: dict[str, Any], ports: PortRange) -> dict[str, Any]:
    return port if ports.first == ports.last else {**port, "endPort": ports.last}


def written_labels(pod_set: PodSet) -> dict[str, str]:
    """Labels by which the pods of a set are known, without those that Kubernetes or an operator gives them."""
    return {
        key: value
        for key, value in pod_set.labels.items()
        if isinstance(value, str)
        and key not in _MADE
        and (key.startswith("app.kubernetes.io/") or "kubernetes.io/" not in key)
    }


def admit_dns(entry: PolicyEntry, direction: Location, dns: ClusterDns) -> Iterator[Fix]:
    """One more element of an isolating policy: the cluster's DNS. ``direction`` is the list that gets it."""
    if not dns.labels or dns.main.has("host"):
        return
    if entry.origin.kind in _CILIUM:
        own = {f"k8s:{key}": value for key, value in dns.labels.items()}
        labels = {"k8s:io.kubernetes.pod.namespace": dns.namespace, **own}
        element: dict[str, Any] = {
            "toEndpoints": [{"matchLabels": labels}],
            "toPorts": [{"ports": [{"port": "53", "protocol": "ANY"}]}],
        }
    elif entry.origin.kind == "NetworkPolicy":
        namespace = {"matchLabels": {"kubernetes.io/metadata.name": dns.namespace}}
        element = {
            "to": [{"namespaceSelector": namespace, "podSelector": {"matchLabels": dict(dns.labels)}}],
            "ports": [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}],
        }
    else:
        return
    yield Fix(
        f"admit the cluster's DNS in {entry.origin}",
        (Append(direction, element),),
        Safety.OPENING,
        f"UDP and TCP 53 from the pods that {entry.origin} selects to {dns.asked}",
    )


def admit_every_port(facts: Facts, entry: PolicyEntry) -> Iterator[Fix]:
    """The peers of an entry once more, without ports: collectives use ports that nobody knows before."""
    item = facts.snapshot.by_ref.get(entry.origin)
    if item is None or not entry.at.path or not isinstance(entry.at.path[-1], int):
        return
    steps = entry.at.path[len(item.field.at.path) :]
    written = item.field.down(*steps).mapping or {}
    element = {name: value for name, value in written.items() if name in _PEERS}
    if not element:
        return
    side = "from" if entry.direction is Direction.INGRESS else "to"
    peers = ", ".join(_written(peer) for listed in element.values() for peer in _list(listed))
    yield Fix(
        f"admit the same peers on every port in {entry.origin}",
        (Append(Location(entry.at.file, entry.at.document, entry.at.path[:-1]), element),),
        Safety.OPENING,
        f"every port of every protocol ({entry.direction.value}) {side} {peers}",
    )


def _written(value: Any) -> str:
    """A value in one line, as YAML has it."""
    match value:
        case dict():
            return f"{{{', '.join(f'{key}: {_written(item)}' for key, item in value.items())}}}"
        case list():
            return f"[{', '.join(map(_written, value))}]"
        case _:
            return str(value)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
