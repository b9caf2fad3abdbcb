"""Mutations of what documents say: their keys, values, names, namespaces, nodes and policies."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

import yaml
from tests.fuzz.worlds import World
from tests.mutations import damage_structure

__all__ = ["STRUCTURE", "dumped", "manifests", "parsed"]

Documents = list[Any]
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
ZONE = "topology.kubernetes.io/zone"
NAMESPACES = ("kube-system", "default", "other", "ml", "", "training-with-a-long-name")
QUANTITIES = (
    *("0", "1", "-1", "1e400", "1Ei", "9223372036854775807", "9223372036854775808", "1n", "0.0000000001", "1m", "1e-9"),
    *("8E", "1k", "1Ki", ".5", "5.", "+1", "0x10", "1_0", "", " 1", "1 Gi", "999999999999999999999999", 0, 1.5, 10**19),
)
NUMBERS = (0, -1, 1, 2, 3, 7, 64, 1000, 100_000, 2**31 - 1, 2**31, 2**63, 10**30, "3", 1.5, "${N}", None)
NAMES = (
    *(
        "",
        "a",
        "A",
        "a.b",
        "a_b",
        "é",
        "x" * 64,
        "x" * 254,
        "-a",
        "1",
        "true",
        "ab\u0301",
        "日本",
        "a/b",
        "*",
        "${NAME}",
    ),
    *('"><b>x</b>', "]]>", "-->", "::error::x", "\x1b[31m", "| a |", "`x`", "[a](javascript:x)", "%%{init}%%", "a\nb"),
)
LABEL_KEYS = (
    ZONE,
    "kubernetes.io/hostname",
    "app",
    "app.kubernetes.io/name",
    "a" * 300,
    "x/y/z",
    "io.kubernetes.pod.namespace",
)
EFFECTS = ("NoSchedule", "NoExecute", "PreferNoSchedule", "noschedule", "")


def manifests(world: World) -> list[str]:
    """The files that hold YAML."""
    return [name for name in sorted(world) if name.endswith((".yaml", ".yml"))]


def parsed(content: bytes) -> Documents | None:
    """The documents of a file; ``None`` where it is no YAML."""
    try:
        return list(yaml.load_all(content.decode(), Loader=_Loader))
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError, TypeError):
        return None


def dumped(documents: Documents, flow: bool | None = False) -> bytes:
    """The documents as the text of a file."""
    return yaml.dump_all(documents, Dumper=_Dumper, default_flow_style=flow, sort_keys=False).encode("utf-8", "replace")


def _everywhere(value: Any) -> Iterator[tuple[dict[Any, Any], Any]]:
    """Every mapping below a value with each of its keys; what aliases repeat comes once."""
    pending, seen = [value], set()
    while pending:
        here = pending.pop()
        if id(here) in seen or not isinstance(here, dict | list):
            continue
        seen.add(id(here))
        if isinstance(here, dict):
            yield from ((here, key) for key in list(here))
            pending += here.values()
        else:
            pending += here


def _picked(rng: random.Random, documents: Documents, keys: tuple[str, ...], kind: type) -> Any:
    """One of the values of a type that stand under one of the keys; ``None`` if there is none."""
    found = [here[key] for here, key in _everywhere(documents) if key in keys and isinstance(here[key], kind)]
    return rng.choice(found) if found else None


def _put(rng: random.Random, documents: Documents, keys: tuple[str, ...], values: tuple[Any, ...]) -> None:
    """Another value under one of the keys."""
    places = [(here, key) for here, key in _everywhere(documents) if key in keys]
    if places:
        here, key = rng.choice(places)
        here[key] = copy.deepcopy(rng.choice(values))


def _objects(documents: Documents) -> list[dict[str, Any]]:
    return [each for each in documents if isinstance(each, dict) and isinstance(each.get("metadata"), dict)]


def swap_keys(rng: random.Random, documents: Documents) -> None:
    """Two entries of a mapping change their values, or their order."""
    mappings = [here for here, key in _everywhere(documents) if len(here) > 1 and key == next(iter(here))]
    if mappings:
        here = rng.choice(mappings)
        one, other = rng.sample(list(here), 2)
        if rng.random() < 0.5:
            here[one], here[other] = here[other], here[one]
        else:
            here[one] = here.pop(one)


def rename_key(rng: random.Random, documents: Documents) -> None:
    """A key in another case, with a letter more, less or exchanged."""
    places = [(here, key) for here, key in _everywhere(documents) if isinstance(key, str) and key]
    if not places:
        return
    here, key = rng.choice(places)
    at = rng.randrange(len(key))
    changed = (key.upper(), key.capitalize(), key[:at] + key[at + 1 :], key[:at] + "x" + key[at:], key[::-1], f"{key} ")
    here[rng.choice(changed)] = here.pop(key)


def quantities(rng: random.Random, documents: Documents) -> None:
    """An amount of resources that is odd or extreme."""
    amounts = _picked(rng, documents, ("limits", "requests", "allocatable", "capacity", "hard"), dict)
    if amounts is not None:
        name = rng.choice([*amounts, "cpu", "memory", "nvidia.com/gpu", "pods"])
        amounts[name] = rng.choice(QUANTITIES)


def numbers(rng: random.Random, documents: Documents) -> None:
    """Another number of pods, nodes, ports or domains."""
    keys = ("replicas", "parallelism", "completions", "size", "count", "min", "max", "minAvailable", "minMember")
    more = ("port", "containerPort", "endPort", "maxSkew", "minDomains", "slotsPerWorker", "minReplicas", "maxReplicas")
    _put(rng, documents, (*keys, *more), NUMBERS)


def names(rng: random.Random, documents: Documents) -> None:
    """A name that is odd."""
    _put(
        rng, documents, ("name", "queueName", "serviceName", "topologyKey", "schedulerName", "priorityClassName"), NAMES
    )


def generate_name(rng: random.Random, documents: Documents) -> None:
    """A name that the API server completes."""
    if objects := _objects(documents):
        metadata = rng.choice(objects)["metadata"]
        metadata["generateName"] = f"{metadata.pop('name', 'x')}-"


def namespaces(rng: random.Random, documents: Documents) -> None:
    """Another namespace, or none."""
    if objects := _objects(documents):
        metadata = rng.choice(objects)["metadata"]
        metadata["namespace"] = rng.choice(NAMESPACES)
        if rng.random() < 0.3:
            del metadata["namespace"]


def labels(rng: random.Random, documents: Documents) -> None:
    """A label or a part of a selector more, less or with another value."""
    found = _picked(rng, documents, ("labels", "matchLabels", "nodeSelector", "selector", "podSelector"), dict)
    if found is None:
        return
    if found and rng.random() < 0.4:
        del found[rng.choice(list(found))]
    elif found and rng.random() < 0.5:
        found[rng.choice(list(found))] = rng.choice([*NAMES, 1, True, None])
    else:
        found[rng.choice(LABEL_KEYS)] = rng.choice(["a", "b", "train", "", 1])


def taints(rng: random.Random, documents: Documents) -> None:
    """A taint of nodes, or a toleration, more or less."""
    pools = [each for here, key in _everywhere(documents) if key == "pools" for each in _list(here[key])]
    nodes = [each.get("spec") for each in _objects(documents) if each.get("kind") == "Node"]
    homes = [each for each in (*pools, *nodes) if isinstance(each, dict)]
    taint = {"key": rng.choice(["gpu", "nvidia.com/gpu", "", "a" * 70]), "effect": rng.choice(EFFECTS)}
    if homes and rng.random() < 0.7:
        home = rng.choice(homes)
        home["taints"] = [*_list(home.get("taints")), taint]
    else:
        _put(rng, documents, ("taints", "tolerations"), ([], [taint], [{"operator": "Exists"}], None, [taint] * 3))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def copies(rng: random.Random, documents: Documents) -> None:
    """A document twice: as it is, or under another name or in another namespace."""
    if documents:
        made = copy.deepcopy(rng.choice(documents))
        if isinstance(made, dict) and isinstance(made.get("metadata"), dict) and rng.random() < 0.7:
            made["metadata"][rng.choice(["name", "namespace"])] = rng.choice(["copy", "kube-system", "ml"])
        documents.insert(rng.randrange(len(documents) + 1), made)


def loss(rng: random.Random, documents: Documents) -> None:
    """A document goes."""
    if documents:
        del documents[rng.randrange(len(documents))]


def shuffle(rng: random.Random, documents: Documents) -> None:
    """The documents in another order, or all of them in a List."""
    rng.shuffle(documents)
    if rng.random() < 0.3:
        documents[:] = [{"apiVersion": "v1", "kind": "List", "items": list(documents)}]


def aliases(rng: random.Random, documents: Documents) -> None:
    """One value in two places, which the text then holds once, as an anchor and an alias."""
    places = [(here, key) for here, key in _everywhere(documents) if isinstance(here[key], dict | list)]
    if len(places) > 1:
        (one, key), (other, name) = rng.sample(places, 2)
        shared = copy.deepcopy(one[key])
        one[key] = shared
        other[name] = shared


def policy(rng: random.Random, documents: Documents) -> None:
    """One more policy of any kind, for pods of the repository or for those of the cluster's DNS."""
    documents.append(_policy(rng, documents))


def _policy(rng: random.Random, documents: Documents) -> dict[str, Any]:
    dns: dict[str, Any] = {"k8s-app": "kube-dns"}
    chosen = rng.choice([dns, {}, _picked(rng, documents, ("matchLabels", "labels"), dict) or {}])
    selector = {"matchLabels": copy.deepcopy(chosen)}
    metadata = {"name": f"p{rng.randrange(99)}"}
    home = {**metadata, "namespace": rng.choice(["kube-system", "ml", "default"])}
    ports = [{"port": rng.choice([53, 29500, 1, "dns", "http"]), "protocol": rng.choice(["UDP", "TCP", "SCTP", "ANY"])}]
    peer = rng.choice([selector, {}, {"matchLabels": {"a": "b"}}])
    deny, side = rng.choice(["", "Deny"]), rng.choice(["ingress", "egress"])
    match rng.randrange(5):
        case 0 | 1:
            ends = {"from" if side == "ingress" else "to": [{"podSelector": peer, "namespaceSelector": {}}]}
            rules = rng.choice([[], [{}], [ends], [{**ends, "ports": ports}]])
            spec: dict[str, Any] = {"podSelector": selector, side: rules}
            if rng.random() < 0.7:
                spec["policyTypes"] = rng.choice([["Ingress"], ["Egress"], ["Ingress", "Egress"]])
            return {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": home, "spec": spec}
        case 2 | 3:
            what = "fromEndpoints" if side == "ingress" else "toEndpoints"
            entry = rng.choice([{}, {what: [peer]}, {what: []}, {what: [peer], "toPorts": [{"ports": ports}]}])
            wide = rng.random() < 0.5
            kind = "CiliumClusterwideNetworkPolicy" if wide else "CiliumNetworkPolicy"
            spec = {"endpointSelector": selector, f"{side}{deny}": [entry]}
            return {"apiVersion": "cilium.io/v2", "kind": kind, "metadata": metadata if wide else home, "spec": spec}
        case _:
            rule = {
                "name": "r",
                "action": rng.choice(["Deny", "Allow", "Pass", "Accept"]),
                "from" if side == "ingress" else "to": [{"pods": {"podSelector": peer, "namespaceSelector": {}}}],
            }
            spec = {
                "priority": rng.choice([0, 1, 1000, 1001]),
                "subject": {"pods": {"podSelector": selector, "namespaceSelector": {}}},
                side: [rule],
            }
            api = "policy.networking.k8s.io/v1alpha1"
            return {"apiVersion": api, "kind": "AdminNetworkPolicy", "metadata": metadata, "spec": spec}


def ports(rng: random.Random, documents: Documents) -> None:
    """The rules of a policy without one, or with a range of ports."""
    rules = _picked(rng, documents, ("ingress", "egress", "ingressDeny", "egressDeny", "toPorts", "ports"), list)
    if rules is not None:
        if rules and rng.random() < 0.5:
            del rules[rng.randrange(len(rules))]
        else:
            rules.append(rng.choice([{}, {"port": 1, "endPort": 65535}, {"port": "dns"}, {"ports": [{"port": 53}]}]))


CHANGES: dict[str, Callable[[random.Random, Documents], None]] = {
    each.__name__: each
    for each in (
        *(swap_keys, rename_key, quantities, numbers, names, generate_name, namespaces, labels, taints, copies, loss),
        *(shuffle, aliases, policy, ports),
    )
}


def _mutation(change: Callable[[random.Random, Documents], None]) -> Callable[[World, random.Random], World]:
    def mutated(world: World, rng: random.Random) -> World:
        files = [name for name in manifests(world) if parsed(world[name]) is not None]
        if not files:
            return world
        name = rng.choice(files)
        documents = parsed(world[name]) or []
        change(rng, documents)
        try:
            return {**world, name: dumped(documents, rng.choice([False, False, None, True]))}
        except (yaml.YAMLError, RecursionError, TypeError, ValueError):
            return world

    return mutated


def _damaged(world: World, rng: random.Random) -> World:
    name = rng.choice(manifests(world) or sorted(world))
    try:
        return {**world, name: damage_structure(world[name].decode("utf-8", "replace"), rng).encode("utf-8", "replace")}
    except (yaml.YAMLError, RecursionError, TypeError, ValueError):
        return world


STRUCTURE: dict[str, Callable[[World, random.Random], World]] = {
    **{name: _mutation(change) for name, change in CHANGES.items()},
    "damage_structure": _damaged,
}
"""The mutations by name: a repository and a random generator to another repository."""
