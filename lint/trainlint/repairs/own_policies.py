"""Small policies that admit what a job lacks: written beside it, like the policies that are there."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from trainlint.fact import fact
from trainlint.facts.facts import Facts
from trainlint.finding import Add, Location
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.policy import Direction, PolicyEntry
from trainlint.model.workload import Group, PodSet
from trainlint.questions.named_pods import naming_labels
from trainlint.questions.written_policies import CILIUM, written
from trainlint.repairs.allowances import Allowance, Port, members
from trainlint.snapshot.objects import ApiObject

__all__ = ["OwnPolicy", "dns_policy", "element", "own_policies", "peers_of"]

_NAME: Final = lazy_pattern(r"[a-z0-9]([-a-z0-9.]{0,80}[a-z0-9])?")
_VERSIONS: Final = {"NetworkPolicy": "networking.k8s.io/v1", "CiliumNetworkPolicy": "cilium.io/v2"}
_NAMESPACE: Final = "kubernetes.io/metadata.name"
_OF_PODS: Final = "io.kubernetes.pod.namespace"


@fact
class OwnPolicy:
    """A new policy: its name, and the edits that write it, the best place first."""

    name: str
    places: tuple[Add, ...]


def own_policies(facts: Facts, group: Group, wanted: Sequence[Allowance]) -> tuple[OwnPolicy, ...]:
    """One policy for each set of pods that lacks something; none where labels cannot name the pods."""
    found: dict[tuple[int, ...], list[Allowance]] = {}
    for each in wanted:
        found.setdefault(each.subjects, []).append(each)
    made: list[OwnPolicy] = []
    for subjects, rules in found.items():
        own = _policy(facts, group, members(group, subjects), rules, [each.name for each in made])
        if own is None:
            return ()
        made.append(own)
    return tuple(made)


def dns_policy(
    facts: Facts, group: Group, pods: Sequence[PodSet], entry: PolicyEntry, rule: dict[str, Any]
) -> OwnPolicy | None:
    """A policy that lets pods of a group ask the cluster's DNS, and nothing else."""
    like = _like(facts, pods[0].namespace, [entry])
    kind = _kind([entry.origin.kind], like)
    return _written(facts, pods, kind, like, f"{_alone(group, pods)}-dns", {"egress": [rule]})


def _policy(
    facts: Facts, group: Group, pods: Sequence[PodSet], rules: Sequence[Allowance], taken: Iterable[str]
) -> OwnPolicy | None:
    isolating = [entry for each in rules for entry in each.isolating]
    like = _like(facts, pods[0].namespace, isolating)
    kind = _kind([each.origin.kind for each in isolating], like)
    sides: dict[str, list[dict[str, Any]]] = {}
    for each in rules:
        rule = element(facts, group, each, cilium=kind in CILIUM)
        if rule is None:
            return None
        sides.setdefault(each.direction.value, []).append(rule)
    return _written(facts, pods, kind, like, _base(group, pods, rules), sides, taken)


def _written(
    facts: Facts,
    pods: Sequence[PodSet],
    kind: str,
    like: ApiObject | None,
    base: str,
    sides: Mapping[str, Any],
    taken: Iterable[str] = (),
) -> OwnPolicy | None:
    """The policy as a document, in each place where it may stand."""
    labels = naming_labels(facts, pods)
    name = _free_name(facts, kind, pods, base, taken)
    if not labels or not name:
        return None
    spec: dict[str, Any] = {"endpointSelector" if kind in CILIUM else "podSelector": {"matchLabels": labels}}
    if kind not in CILIUM:
        spec["policyTypes"] = [each.title() for each in sides]
    version = like.meta.api_version if like is not None and like.meta.kind == kind else _VERSIONS[kind]

    def document(*, namespace: bool) -> dict[str, Any]:
        meta = {"name": name, **({"namespace": pods[0].namespace} if namespace else {})}
        return {"apiVersion": version, "kind": kind, "metadata": meta, "spec": {**spec, **sides}}

    places = tuple(_places(facts, pods[0], like))
    style = None if like is None else like.field.at
    return OwnPolicy(name, tuple(Add(at, document(namespace=said), style) for at, said in places)) if places else None


def _kind(kinds: Sequence[str], like: ApiObject | None) -> str:
    """The kind of the policies that isolate; a plain one where there are several."""
    if like is not None and like.meta.kind in _VERSIONS:
        return like.meta.kind
    return "CiliumNetworkPolicy" if kinds and all(each in CILIUM for each in kinds) else "NetworkPolicy"


def _like(facts: Facts, namespace: str, isolating: Iterable[PolicyEntry]) -> ApiObject | None:
    """The policy that the new one is to be written like: one that isolates the pods, of their own namespace first."""
    found = [item for entry in isolating if (item := written(facts, entry.origin)) is not None]
    return next((each for each in found if each.ref.namespace == namespace), found[0] if found else None)


def _places(facts: Facts, pods: PodSet, like: ApiObject | None) -> Iterator[tuple[Location, bool]]:
    """Behind which documents it may stand, each with whether its namespace is written: beside the policies where these
    lie beside the workload, else beside the workload.
    """
    home = _home(facts, pods)
    own = [] if home is None else [(home.field.at, home.field.down("metadata", "namespace").present)]
    policy = []
    if like is not None:
        said = like.field.down("metadata", "namespace").present or like.ref.namespace != pods.namespace
        policy = [(_last(facts, like), said)]
    beside = home is not None and like is not None and _folder(home.file) == _folder(like.file)
    for at, said in (*policy, *own) if beside else (*own, *policy):
        yield at, said


def _home(facts: Facts, pods: PodSet) -> ApiObject | None:
    """The object in Git that makes the pods."""
    at = pods.at
    for each in facts.snapshot.objects:
        here = each.field
        if (each.file, here.document.index) == (at.file, at.document) and at.path[: len(here.path)] == here.path:
            return each
    return None


def _last(facts: Facts, like: ApiObject) -> Location:
    """The last policy of the same namespace in the same file."""
    same = [
        each
        for each in facts.snapshot.objects
        if each.file == like.file and each.meta.kind == like.meta.kind and each.ref.namespace == like.ref.namespace
    ]
    return max((each.field.at for each in same), key=lambda at: at.document, default=like.field.at)


def _folder(file: str) -> str:
    return file.rpartition("/")[0]


def _base(group: Group, pods: Sequence[PodSet], rules: Sequence[Allowance]) -> str:
    """A name that says what it is about: the workload, and its peer if that is another one."""
    own = list(dict.fromkeys(each.owner.name for each in pods))
    others = [each.owner.name for rule in rules for each in members(group, rule.peers)]
    others = [each for each in dict.fromkeys(others) if each not in own]
    if not others:
        return _alone(group, pods)
    way = "from" if all(each.direction is Direction.INGRESS for each in rules) else "to"
    return f"{own[0]}-{way}-{others[0]}"


def _alone(group: Group, pods: Sequence[PodSet]) -> str:
    """The name of the workload, with the role where others of its pods are left out."""
    owner = pods[0].owner
    whole = sum(each.owner == owner for each in group.members) == len(pods)
    return owner.name if whole or not pods[0].role else f"{owner.name}-{pods[0].role}".lower()


def _free_name(facts: Facts, kind: str, pods: Sequence[PodSet], base: str, taken: Iterable[str]) -> str:
    """The first of the base and its variants that no policy of the namespace has; empty where it is no name."""
    namespace = pods[0].namespace
    used = {
        each.ref.name for each in facts.snapshot.objects if (each.meta.kind, each.ref.namespace) == (kind, namespace)
    }
    used |= set(taken)
    for name in (base, f"{base}-ranks", f"allow-{base}", *(f"allow-{base}-{number}" for number in range(2, 9))):
        if name not in used:
            return name if _NAME.fullmatch(name) else ""
    return ""


def element(
    facts: Facts, group: Group, wanted: Allowance, *, cilium: bool, like: Container[str] = ()
) -> dict[str, Any] | None:
    """The rule that admits what is lacking; ``None`` where labels cannot name the pods at the other end."""
    peers = peers_of(facts, group, wanted, cilium=cilium, like=like)
    if peers is None:
        return None
    way = "from" if wanted.direction is Direction.INGRESS else "to"
    if cilium:
        ports = [{"toPorts": [{"ports": [_port(each, text=True) for each in wanted.ports or ()]}]}]
        return {f"{way}Endpoints": peers, **(ports[0] if wanted.ports else {})}
    listed = [_port(each, text=False) for each in wanted.ports or ()]
    return {way: peers, **({"ports": listed} if listed else {})}


def peers_of(
    facts: Facts, group: Group, wanted: Allowance, *, cilium: bool, like: Container[str] = ()
) -> list[dict[str, Any]] | None:
    """The pods at the other end as peers of a rule: all together, or each set by itself; ``None`` where labels do not
    tell the pods from others.
    """
    pods = members(group, wanted.peers)
    together = naming_labels(facts, pods, like)
    chosen = [together] if together else [naming_labels(facts, [each], like) for each in pods]
    if not all(chosen):
        return None
    elsewhere = pods[0].namespace != group.members[wanted.subjects[0]].namespace
    return [_peer(labels, pods[0].namespace if elsewhere else "", cilium=cilium) for labels in chosen]


def _peer(labels: dict[str, str], namespace: str, *, cilium: bool) -> dict[str, Any]:
    if cilium:
        return {"matchLabels": {**({_OF_PODS: namespace} if namespace else {}), **labels}}
    pods: dict[str, Any] = {"podSelector": {"matchLabels": labels}}
    return {"namespaceSelector": {"matchLabels": {_NAMESPACE: namespace}}, **pods} if namespace else pods


def _port(port: Port, *, text: bool) -> dict[str, Any]:
    protocol, ports = port
    first: Any = str(ports.first) if text else ports.first
    end = {} if ports.first == ports.last else {"endPort": ports.last}
    return {"port": first, **end, "protocol": protocol}
