"""Laws that hold for all policies, whatever they say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.policy.cluster import NAMESPACES, cilium, pod, roots
from tests.unknown_values import unknown

from trainlint.model.known import Known
from trainlint.model.policy import Direction, Permission
from trainlint.model.workload import PortRange
from trainlint.policy import Endpoint, PolicyContext, PolicySet, address, read_policies
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import read as read_source
from trainlint.wording.verdicts import decision_text, verdict_text

Data = dict[str, Any]

ALLOW, DENY, UNKNOWN = Permission.ALLOW, Permission.DENY, Permission.UNKNOWN
KINDS = ("CiliumNetworkPolicy", "CiliumClusterwideNetworkPolicy", "NetworkPolicy")
SCALE = settings(max_examples=60, deadline=None)

apps = st.sampled_from(["x", "z"])  # "y" is a boolean in YAML 1.1
namespaces = st.sampled_from(sorted(NAMESPACES))
selectors = st.one_of(
    st.just({}),
    st.builds(lambda app: {"matchLabels": {"app": app}}, apps),
    st.builds(lambda role: {"matchLabels": {"role": role}}, st.sampled_from(["r", "s"])),
    st.builds(
        lambda key, operator, app: {
            "matchExpressions": [
                {"key": key, "operator": operator, **({"values": [app]} if operator.endswith("In") else {})}
            ]
        },
        st.sampled_from(["app", "role"]),
        st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist"]),
        apps,
    ),
)
port_entries = st.fixed_dictionaries(
    {"port": st.sampled_from(["0", "100", "150", "http"])},
    optional={"endPort": st.sampled_from([120, 200]), "protocol": st.sampled_from(["TCP", "UDP", "ANY"])},
)
to_ports = st.lists(st.builds(lambda ports: {"ports": ports}, st.lists(port_entries, max_size=2)), max_size=2)


def in_namespace(selector: Data, namespace: str) -> Data:
    labels = {**selector.get("matchLabels", {}), "k8s:io.kubernetes.pod.namespace": namespace}
    return {**selector, "matchLabels": labels}


@st.composite
def elements(draw: st.DrawFn, way: str) -> Data:
    """An element of ingress or egress with at most one kind of peer."""
    element: Data = {}
    match draw(st.sampled_from(["none", "endpoints", "namespace", "entities", "cidr", "empty"])):
        case "endpoints":
            element[f"{way}Endpoints"] = draw(st.lists(selectors, min_size=1, max_size=2))
        case "namespace":
            element[f"{way}Endpoints"] = [in_namespace(draw(selectors), draw(namespaces))]
        case "entities":
            entities = st.sampled_from(["all", "world", "cluster", "host", "remote-node"])
            element[f"{way}Entities"] = draw(st.lists(entities, min_size=1, max_size=2))
        case "cidr":
            element[f"{way}CIDR"] = [draw(st.sampled_from(["0.0.0.0/0", "192.0.2.0/24", "10.0.0.0/8"]))]
        case "empty":
            element[f"{way}Endpoints"] = []
        case _:
            pass
    if draw(st.booleans()):
        element["toPorts"] = draw(to_ports)
    return element


SECTIONS = {"ingress": "from", "ingressDeny": "from", "egress": "to", "egressDeny": "to"}


@st.composite
def rules(draw: st.DrawFn) -> Data:
    names = draw(st.lists(st.sampled_from(sorted(SECTIONS)), min_size=1, max_size=3, unique=True))
    rule: Data = {"endpointSelector": draw(selectors)}
    rule |= {name: draw(st.lists(elements(SECTIONS[name]), min_size=1, max_size=2)) for name in names}
    if draw(st.booleans()):
        rule["enableDefaultDeny"] = {"ingress": draw(st.booleans()), "egress": draw(st.booleans())}
    return rule


def cilium_policy(namespace: str, rule: Data) -> Data:
    kind = "CiliumNetworkPolicy" if namespace else "CiliumClusterwideNetworkPolicy"
    metadata = {"name": "p", **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "cilium.io/v2", "kind": kind, "metadata": metadata, "spec": rule}


@st.composite
def network_policies(draw: st.DrawFn) -> Data:
    peers = st.one_of(
        st.builds(lambda pods: {"podSelector": pods}, selectors),
        st.builds(lambda pods, team: {"podSelector": pods, "namespaceSelector": team}, selectors, st.just({})),
        st.just({"namespaceSelector": {"matchLabels": {"team": "ml"}}}),
        st.just({"ipBlock": {"cidr": "192.0.2.0/24"}}),
    )
    ports = st.lists(st.sampled_from([{"port": 100}, {"port": 100, "endPort": 200}, {"protocol": "UDP"}]), max_size=2)
    spec: Data = {"podSelector": draw(selectors)}
    for direction, way in (("ingress", "from"), ("egress", "to")):
        if draw(st.booleans()):
            one = st.builds(lambda who, what, way=way: {way: who, "ports": what}, st.lists(peers, max_size=2), ports)
            spec[direction] = draw(st.lists(one, max_size=2))
    metadata = {"name": "k", "namespace": draw(namespaces)}
    return {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata, "spec": spec}


policies = st.one_of(st.builds(cilium_policy, st.one_of(namespaces, st.just("")), rules()), network_policies())
worlds = st.lists(policies, max_size=4)


def named(objects: list[Data]) -> list[Data]:
    """The objects with names of their own."""
    return [{**each, "metadata": {**each["metadata"], "name": f"p{index}"}} for index, each in enumerate(objects)]


def judge(objects: list[Data], known: Mapping[str, Mapping[str, str]] = NAMESPACES) -> PolicySet:
    return read_policies(roots(named(objects)), PolicyContext(cilium(), known))


def ends(rename: Mapping[str, str] | None = None) -> list[Endpoint]:
    """Pods of all namespaces, nodes, and an address."""
    names = rename or {name: name for name in NAMESPACES}
    known = {names[name]: labels for name, labels in NAMESPACES.items()}
    pods = [
        pod(names[namespace], app, labels={"role": role}, ports={"http": 100}, namespaces=known)
        for namespace, app, role in (("a", "x", "r"), ("a", "z", "s"), ("b", "x", "s"), ("c", "z", "r"))
    ]
    nodes = [pod(names["a"], "x", host_network=True, node=node, namespaces=known) for node in ("same", "other")]
    return [*pods, *nodes, address("192.0.2.7"), address("198.51.100.7")]


ENDS = ends()
QUESTIONS = [
    (source, target, protocol, port)
    for source in ENDS
    for target in ENDS
    for protocol, port in (("TCP", 100), ("TCP", 160), ("UDP", 100), ("ICMP", 8))
    if source is not target and not (source.has("host") and target.has("remote-node"))
]


def answers(found: PolicySet, among: list[Endpoint] | None = None) -> list[Permission]:
    """The answers to all questions, between other but like ends if given."""
    like = dict(zip(ENDS, among or ENDS, strict=True))
    return [found.verdict(like[one], like[two], protocol, port).answer for one, two, protocol, port in QUESTIONS]


@SCALE
@given(worlds)
def test_reordering_the_documents_changes_nothing(objects: list[Data]) -> None:
    assert answers(judge(objects)) == answers(judge(objects[::-1]))


@SCALE
@given(st.lists(st.builds(cilium_policy, namespaces, rules()), min_size=1, max_size=3))
def test_one_object_with_specs_is_as_good_as_several_objects(objects: list[Data]) -> None:
    here = [{**each, "metadata": {**each["metadata"], "namespace": "a"}} for each in objects]
    together = {**here[0], "specs": [each["spec"] for each in here]}
    del together["spec"]
    assert answers(judge(here)) == answers(judge([together]))


@SCALE
@given(worlds)
def test_namespaces_renamed_everywhere_change_nothing(objects: list[Data]) -> None:
    rename = {"a": "ns-1", "b": "ns-2", "c": "ns-3"}

    def renamed(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: renamed(each, name) for name, each in value.items()}
        if isinstance(value, list):
            return [renamed(each, key) for each in value]
        return rename[value] if key in ("namespace", "k8s:io.kubernetes.pod.namespace") else value

    known = {rename[name]: labels for name, labels in NAMESPACES.items()}
    after = judge([renamed(each) for each in objects], known)
    assert answers(judge(objects)) == answers(after, ends(rename))


@SCALE
@given(worlds)
def test_yaml_and_json_are_read_alike(objects: list[Data]) -> None:
    kinds = KindFilter(KINDS)
    as_yaml = read_source("p.yaml", yaml.safe_dump_all(named(objects)).encode(), kinds)
    as_json = [
        document
        for index, each in enumerate(named(objects))
        for document in read_source(f"{index}.json", json.dumps(each).encode(), kinds).documents
    ]
    sets = [
        read_policies((document.root for document in documents), PolicyContext(cilium(), NAMESPACES))
        for documents in (as_yaml.documents, as_json)
    ]
    assert len(sets[0].entries) == len(sets[1].entries) == len(judge(objects).entries)
    assert answers(sets[0]) == answers(sets[1]) == answers(judge(objects))


@SCALE
@given(worlds, st.sampled_from(["ingressDeny", "egressDeny"]), st.data())
def test_an_added_deny_entry_never_turns_deny_into_allow(
    objects: list[Data], section: str, data: st.DataObject
) -> None:
    deny = {"endpointSelector": data.draw(selectors), section: [data.draw(elements(SECTIONS[section]))]}
    before, after = answers(judge(objects)), answers(judge([*objects, cilium_policy("", deny)]))
    assert all(now is DENY for was, now in zip(before, after, strict=True) if was is DENY)


@SCALE
@given(worlds, policies)
def test_an_added_allow_entry_denies_only_by_isolating_what_nothing_isolated(objects: list[Data], added: Data) -> None:
    spec = {name: each for name, each in added["spec"].items() if not name.endswith("Deny")}
    after = judge([*objects, {**added, "spec": spec}])
    before = judge(objects)
    for source, target, protocol, port in QUESTIONS:
        was = before.verdict(source, target, protocol, port)
        now = after.verdict(source, target, protocol, port)
        if was.answer is ALLOW and now.answer is DENY:
            fresh = [
                direction
                for direction, subject in ((Direction.EGRESS, source), (Direction.INGRESS, target))
                if before.selection(subject, direction).isolated is False
                and after.selection(subject, direction).isolated
            ]
            denied = [each.direction for each in (now.egress, now.ingress) if each.answer is DENY]
            assert set(denied) <= set(fresh)


@SCALE
@given(worlds, st.integers(95, 105), st.integers(0, 110))
def test_a_range_is_what_its_ports_are(objects: list[Data], first: int, length: int) -> None:
    found, ports = judge(objects), PortRange(first, first + length)
    for source in ENDS[:4]:
        target = ENDS[3] if source is not ENDS[3] else ENDS[0]
        verdict = found.verdict(source, target, "TCP", ports)
        each = [found.verdict(source, target, "TCP", port).answer for port in range(ports.first, ports.last + 1)]
        assert (verdict.answer is ALLOW) is all(answer is ALLOW for answer in each)
        opened = {port for run in verdict.allowed for port in range(run.first, run.last + 1)}
        assert opened == {
            port for port, answer in zip(range(first, first + length + 1), each, strict=True) if answer is ALLOW
        }


@SCALE
@given(worlds, st.sampled_from(["app", "role"]), st.booleans())
def test_what_is_certain_without_a_value_holds_for_every_value(objects: list[Data], key: str, as_source: bool) -> None:
    found = judge(objects)

    def answer(value: Known[str]) -> Permission:
        labels: dict[str, Known[str]] = {"app": "x", "role": "r", key: value}
        vague = pod("a", labels=labels, ports={"http": 100})
        pair = (vague, ENDS[2]) if as_source else (ENDS[2], vague)
        return found.verdict(*pair, "TCP", 100).answer

    unsure = answer(unknown("made at run time"))
    known = {answer(value) for value in ("x", "z", "r", "s", "other")}
    assert unsure is UNKNOWN or known == {unsure}


@SCALE
@given(worlds)
def test_every_answer_has_a_reason_that_names_what_decided(objects: list[Data]) -> None:
    found = judge(objects)
    for source, target, protocol, port in QUESTIONS[::7]:
        verdict = found.verdict(source, target, protocol, port)
        assert verdict_text(verdict)
        for decision in (verdict.egress, verdict.ingress):
            if decision.answer is DENY:
                assert decision.deciding or decision.isolating
            assert all(str(entry.origin) in decision_text(decision) for entry in decision.deciding)
