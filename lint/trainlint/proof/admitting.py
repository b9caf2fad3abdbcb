"""What can be proposed about connections that policies deny: labels of pods, and what policies would have to admit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from trainlint.finding import Append, Edit, Fix, Location, Put, Remove, Safety
from trainlint.model.policy import Decision, Direction, Permission, PolicyEntry, Verdict
from trainlint.model.workload import DNS_PEER, Flow, FlowKind, Group, PodSet, PortRange
from trainlint.policy.edits import Edit as PolicyEdit
from trainlint.policy.edits import LabelEdit, PortEdit
from trainlint.policy.mending import mend
from trainlint.proof.end import End
from trainlint.proof.ends import find_end
from trainlint.proof.facts import Facts
from trainlint.proof.why import question

__all__ = ["admit_dns", "admit_every_port", "admit_flows", "flow_fixes", "written_labels"]

_CILIUM: Final = frozenset({"CiliumNetworkPolicy", "CiliumClusterwideNetworkPolicy"})
_MADE: Final = frozenset({"job-name", "controller-uid", "pod-template-hash", "controller-revision-hash"})
_PEERS: Final = ("fromEndpoints", "toEndpoints", "fromEntities", "toEntities", "from", "to")


def flow_fixes(facts: Facts, group: Group, flows: Iterable[Flow]) -> Iterator[Fix]:
    """The smallest changes of labels or ports that open each flow, as the search over the policies finds them."""
    for flow in flows:
        ends = _ends(facts, group, flow)
        if ends is None:
            continue
        for found in mend(facts.policies, question(*ends, flow.protocol, flow.ports)):
            fix = _fix(facts, ends, found.edits)
            if fix is not None:
                yield fix


def _ends(facts: Facts, group: Group, flow: Flow) -> tuple[End, End] | None:
    source = group.members[flow.source]
    if flow.target is None:
        dns = find_end(DNS_PEER, facts)
        return None if dns is None else (End(source.name, facts, pod_set=source), dns)
    target = group.members[flow.target]
    return End(source.name, facts, pod_set=source), End(target.name, facts, pod_set=target)


def _fix(facts: Facts, ends: tuple[End, End], edits: Iterable[PolicyEdit]) -> Fix | None:
    made: list[Edit] = []
    said: list[str] = []
    opened: list[str] = []
    for edit in edits:
        if isinstance(edit, PortEdit):
            one = _port(edit)
            opened.append(
                f"{edit.rule.protocol} {edit.rule.ports} to whom {edit.entry.origin} admits" if edit.rule else ""
            )
            said.append(f"admit the port in {edit.entry.origin}")
        else:
            one = _label(facts, ends[edit.end], edit)
            if not _corrects(ends[edit.end], edit):
                opened.append(f"what policies grant or refuse by the label {edit.key}")
            pods = ends[edit.end].pod_set
            name = f"namespace {pods.namespace}" if edit.of_namespace and pods is not None else ends[edit.end].name
            what = f"set the label {edit.key}: {edit.value} on" if edit.value is not None else f"take {edit.key} off"
            said.append(f"{what} {name}")
        if one is None:
            return None
        made.append(one)
    safety = Safety.OPENING if opened else Safety.UNSAFE
    return Fix(" and ".join(said), tuple(made), safety, "; ".join(opened))


def _corrects(end: End, edit: LabelEdit) -> bool:
    """Whether another value takes the place of one that is written: a label that is new, or gone, is a permission."""
    own = {} if end.pod_set is None else end.pod_set.labels
    return edit.value is not None and not edit.of_namespace and edit.key in own


def _label(facts: Facts, end: End, edit: LabelEdit) -> Edit | None:
    holder = end.labels_at
    if edit.of_namespace and end.pod_set is not None:
        holder = next(
            (
                item.field.at.child("metadata", "labels")
                for item in facts.snapshot.objects
                if item.meta.kind == "Namespace" and item.meta.name == end.pod_set.namespace
            ),
            None,
        )
    if holder is None:
        return None
    at = holder.child(edit.key)
    return Remove(at) if edit.value is None else Put(at, edit.value)


def _port(edit: PortEdit) -> Edit | None:
    rule, written = edit.rule, [each.at for each in edit.entry.ports or () if each.at is not None]
    if rule is None or rule.ports is None or not written or not isinstance(written[-1].path[-1], int):
        return None
    at, ports = written[-1], rule.ports
    value: dict[str, Any] = {"port": ports.first, "protocol": rule.protocol}
    if edit.entry.origin.kind in _CILIUM:
        value["port"] = str(ports.first)
    if ports.last != ports.first:
        value["endPort"] = ports.last
    return Append(Location(at.file, at.document, at.path[:-1]), value)


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


def admit_dns(entry: PolicyEntry, direction: Location) -> Iterator[Fix]:
    """One more element of an isolating policy: the cluster's DNS. ``direction`` is the list that gets it."""
    if entry.origin.kind in _CILIUM:
        labels = {"k8s:io.kubernetes.pod.namespace": "kube-system", "k8s:k8s-app": "kube-dns"}
        element: dict[str, Any] = {
            "toEndpoints": [{"matchLabels": labels}],
            "toPorts": [{"ports": [{"port": "53", "protocol": "ANY"}]}],
        }
    elif entry.origin.kind == "NetworkPolicy":
        namespace = {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}}
        element = {
            "to": [{"namespaceSelector": namespace, "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}}}],
            "ports": [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}],
        }
    else:
        return
    yield Fix(
        f"admit the cluster's DNS in {entry.origin}",
        (Append(direction, element),),
        Safety.OPENING,
        f"UDP and TCP 53 from the pods that {entry.origin} selects to kube-dns in kube-system",
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
    peers = ", ".join(str(value) for value in element.values())
    yield Fix(
        f"admit the same peers on every port in {entry.origin}",
        (Append(Location(entry.at.file, entry.at.document, entry.at.path[:-1]), element),),
        Safety.OPENING,
        f"every port of every protocol ({entry.direction.value}) {side} {peers}",
    )
