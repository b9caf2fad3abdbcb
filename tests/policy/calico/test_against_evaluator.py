"""Random policies of Calico's, judged by trainlint and by the evaluator beside this file: they share nothing."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
import yaml
from tests.policy.calico.evaluator import Entity, Party, Policy, Rule, Selector, World, every_namespace
from tests.policy.cluster import other, pod, read

from trainlint.model.policy import Permission
from trainlint.policy import Endpoint, address

ROUNDS = 120
CALICO = other()
NAMESPACES: dict[str, dict[str, str]] = {"a": {"team": "ml"}, "b": {"team": "ml", "env": "prod"}, "c": {}}
KEYS, VALUES = ("app", "band"), ("r", "s", "rs", "srs")
PORTS: dict[str, int] = {"web": 80, "mpi": 5000}
Written = tuple[str, Selector]


def condition(draw: Random) -> Written:
    """One condition on a label, as text and as a function."""
    key, value, other_value = draw.choice(KEYS), draw.choice(VALUES), draw.choice(VALUES)
    kind = draw.randrange(9)
    quoted = f"'{value}'"
    both = {value, other_value}
    options: list[Written] = [
        (f"{key} == {quoted}", lambda labels: labels.get(key) == value),
        (f"{key}!={quoted}", lambda labels: labels.get(key) != value),
        (f"{key} in {{'{value}', \"{other_value}\"}}", lambda labels: labels.get(key) in both),
        (f"{key} not in {{'{value}','{other_value}'}}", lambda labels: labels.get(key) not in both),
        (f"has({key})", lambda labels: key in labels),
        (f"{key} contains {quoted}", lambda labels: key in labels and value in labels[key]),
        (f"{key} starts with {quoted}", lambda labels: key in labels and labels[key].startswith(value)),
        (f"{key} ends with {quoted}", lambda labels: key in labels and labels[key].endswith(value)),
        ("all()", lambda _: True),
    ]
    return options[kind]


def selector(draw: Random, depth: int = 2) -> Written:
    """A selector of some depth."""
    if depth == 0 or draw.random() < 0.4:
        return condition(draw)
    if draw.random() < 0.25:
        text, holds = selector(draw, depth - 1)
        return f"!({text})", lambda labels: not holds(labels)
    (one, first), (two, second) = selector(draw, depth - 1), selector(draw, depth - 1)
    if draw.random() < 0.5:
        return f"({one}) && ({two})", lambda labels: first(labels) and second(labels)
    return f"({one}) || ({two})", lambda labels: first(labels) or second(labels)


def namespace_selector(draw: Random) -> Written:
    options: list[Written] = [
        ("team == 'ml'", lambda labels: labels.get("team") == "ml"),
        ("!has(env)", lambda labels: "env" not in labels),
        ("all()", every_namespace),
    ]
    return draw.choice(options)


def own_selector(draw: Random) -> Written:
    """One that no set of addresses meets: what addresses the pods of a policy have is not known."""
    text, holds = selector(draw)
    return f"({text}) && has(pod)", lambda labels: holds(labels) and "pod" in labels


def entity(draw: Random, *, own: bool, ports: bool, numbers: bool) -> tuple[dict[str, Any], Entity]:
    written: dict[str, Any] = {}
    parts: dict[str, Any] = {}
    chosen_by = own_selector if own else selector
    for name, field, make, likely in (
        ("selector", "selector", chosen_by, 0.5),
        ("notSelector", "not_selector", chosen_by, 0.2),
        ("namespaceSelector", "namespace_selector", namespace_selector, 0.3),
    ):
        if own and name == "namespaceSelector" and "selector" not in written:
            continue
        if draw.random() < likely:
            written[name], parts[field] = make(draw)
    for name, field, likely in (("nets", "nets", 0.3), ("notNets", "not_nets", 0.2)):
        if not own and draw.random() < likely:
            parts[field] = tuple(draw.sample(["192.0.2.0/24", "10.0.0.0/29", "203.0.113.1/32"], draw.randint(1, 2)))
            written[name] = list(parts[field])
    for name, field in (("ports", "ports"), ("notPorts", "not_ports")):
        if ports and draw.random() < 0.35:
            options: list[tuple[Any, Any]] = [("web", "web"), ("mpi", "mpi")]
            if numbers:
                options += [(80, 80), ("4000:6000", (4000, 6000))]
            chosen = draw.sample(options, draw.randint(1, 2))
            written[name], parts[field] = [each for each, _ in chosen], tuple(each for _, each in chosen)
    return written, Entity(**parts)


def rule(draw: Random, way: str) -> tuple[dict[str, Any], Rule]:
    action = draw.choice(("Allow", "Allow", "Deny", "Pass", "Log"))
    protocol = draw.choice(("", "TCP", "TCP", "UDP"))
    not_protocol = draw.choice(("", "", "", "UDP"))
    source, from_ = entity(draw, own=way == "egress", ports=False, numbers=False)
    target, to = entity(draw, own=way == "ingress", ports=bool(protocol), numbers=bool(protocol))
    written = {"action": action, "source": source, "destination": target}
    if protocol:
        written["protocol"] = protocol
    if not_protocol:
        written["notProtocol"] = not_protocol
    return written, Rule(action, from_, to, protocol, not_protocol)


def policy(draw: Random, number: int, tiers: list[str]) -> tuple[dict[str, Any], Policy]:
    text, selects = selector(draw)
    namespace = draw.choice(("", "a", "b"))
    ingress = [rule(draw, "ingress") for _ in range(draw.randint(0, 3))]
    egress = [rule(draw, "egress") for _ in range(draw.randint(0, 2))]
    types = draw.choice((("Ingress",), ("Egress",), ("Ingress", "Egress")))
    order, tier, name = draw.choice((None, 10, 10, 20, 1000)), draw.choice(tiers), f"p{draw.randint(0, 99)}-{number}"
    spec: dict[str, Any] = {"selector": text, "types": list(types), "tier": tier}
    spec |= {"ingress": [each for each, _ in ingress], "egress": [each for each, _ in egress]}
    if order is not None:
        spec["order"] = order
    kind = "NetworkPolicy" if namespace else "GlobalNetworkPolicy"
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    root = {"apiVersion": "projectcalico.org/v3", "kind": kind, "metadata": metadata, "spec": spec}
    rules = (tuple(each for _, each in ingress), tuple(each for _, each in egress))
    return root, Policy(name, namespace, selects, tier, order, types, *rules)


def world(draw: Random) -> tuple[list[dict[str, Any]], World]:
    objects: list[dict[str, Any]] = []
    tiers = {"default": (1_000_000.0, "Deny")}
    for name in ("early", "late"):
        order, action = draw.choice((5, 2_000_000)), draw.choice(("Deny", "Pass"))
        tiers[name] = (float(order), action)
        spec = {"order": order, "defaultAction": action}
        objects.append({"apiVersion": "projectcalico.org/v3", "kind": "Tier", "metadata": {"name": name}, "spec": spec})
    labels = {"app": "r", "band": "s"}
    objects.append(
        {
            "apiVersion": "projectcalico.org/v3",
            "kind": "GlobalNetworkSet",
            "metadata": {"name": "s", "labels": labels},
            "spec": {"nets": ["192.0.2.0/25"]},
        }
    )
    made = [policy(draw, number, list(tiers)) for number in range(draw.randint(1, 5))]
    objects += [root for root, _ in made]
    return objects, World(tiers, tuple(each for _, each in made), NAMESPACES, ((labels, ("192.0.2.0/25",)),))


def ends() -> list[tuple[Party, Endpoint]]:
    labels: list[dict[str, str]] = [{}, {"app": "r"}, {"app": "s", "band": "rs"}, {"band": "srs"}]
    found: list[tuple[Party, Endpoint]] = []
    for namespace in NAMESPACES:
        for each in labels:
            own, where = {"pod": "", **each}, f"10.0.0.{len(found)}"
            end = pod(namespace, "", CALICO, labels=own, namespaces=NAMESPACES, ports=PORTS)
            found.append((Party(own, namespace, PORTS, where), replace(end, address=address(where).address)))
    return [*found, *((Party(address=each), address(each)) for each in ("192.0.2.5", "192.0.2.200", "203.0.113.1"))]


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_every_packet_fares_as_the_evaluator_says(seed: int) -> None:
    draw = Random(seed)
    objects, judge = world(draw)
    policies = read(yaml.safe_dump_all(objects), CALICO, namespaces=NAMESPACES)
    assert policies.rejected == ()
    parties = ends()
    for _ in range(150):
        (source, one), (target, two) = draw.choice(parties), draw.choice(parties)
        protocol, port = draw.choice((("TCP", 80), ("TCP", 5000), ("TCP", 7), ("UDP", 80), ("UDP", 53)))
        # The ports of these pods are named for TCP only, and an address outside names none.
        named = {name: number for name, number in target.ports.items() if protocol == "TCP"}
        asked = Party(target.labels, target.namespace, named, target.address)
        expected = Permission.ALLOW if judge.allows(source, asked, protocol, port) else Permission.DENY
        answer = policies.verdict(one, two, protocol, port).answer
        assert answer is expected, yaml.safe_dump_all(objects) + f"\n{source} -> {target} {protocol} {port}"


def test_the_random_policies_deny_and_allow() -> None:
    """What would be no test: one answer for every packet."""
    draw = Random(7)
    answers = []
    for _ in range(30):
        _, judge = world(draw)
        parties = [party for party, _ in ends()]
        answers += [judge.allows(draw.choice(parties), draw.choice(parties), "TCP", 80) for _ in range(30)]
    assert 0.2 < sum(answers) / len(answers) < 0.9
