"""The bounds of what policies may hold, each at its last right value and its first wrong one (P 0.1, 1.3, 1.4, 7.1)."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_address
from typing import Any

import pytest
from tests.policy.cluster import cilium, cnp, knp, read

from trainlint.model.pod import ContainerPort
from trainlint.model.policy import Peer
from trainlint.model.selector import Requirement
from trainlint.model.settings import Cni
from trainlint.policy import address, entity
from trainlint.policy.addresses import AddressMatcher, parse_prefix
from trainlint.policy.identity import named_ports
from trainlint.policy.options import NEWEST_PATCH, cilium_options, parse_version
from trainlint.policy.ports import is_port_name, parse_uint16
from trainlint.policy.syntax import cilium_key_problem, key_problem, value_problem
from trainlint.wording.misses import requirement_text

RULE = "{endpointSelector: {}, %s}"


def refused(rule: str, version: str = "1.20", **options: str) -> list[str]:
    """The places that something refuses in the first rule of a policy."""
    found = read(cnp(RULE % rule), cilium(version, **options)).rejected
    return [".".join(map(str, each.at.path[1:])) for each in found]


def port(text: str) -> str:
    return f"ingress: [{{toPorts: [{{ports: [{text}]}}]}}]"


PORT = "ingress.0.toPorts.0.ports.0"
MANY = "ingress.0.toPorts.0.ports"
DOTTED = "a." * 127
OF_NAMESPACE = "k8s:io.cilium.k8s.namespace.labels."
MODES = ("disabled", "required", "test-always-fail")


@pytest.mark.parametrize(
    ("rule", "place"),
    [
        (f"ingress: [{{}}], log: {{value: {'x' * 32}}}", ""),
        (f"ingress: [{{}}], log: {{value: {'x' * 33}}}", "log.value"),
        (port("{port: '80', endPort: 65535}"), ""),
        (port("{port: '80', endPort: 65536}"), f"{PORT}.endPort"),
        (port("{port: '80', endPort: -1}"), f"{PORT}.endPort"),
        ("ingress: [{icmps: [{fields: [{type: 255}]}]}]", ""),
        ("ingress: [{icmps: [{fields: [{type: 256}]}]}]", "ingress.0.icmps.0.fields.0.type"),
        ("ingress: [{icmps: [{fields: [{type: 0}]}]}]", ""),
        (f"egress: [{{toFQDNs: [{{matchName: {DOTTED}b}}]}}]", ""),
        (f"egress: [{{toFQDNs: [{{matchName: {DOTTED}bc}}]}}]", "egress.0.toFQDNs.0.matchName"),
        (f"egress: [{{toFQDNs: [{{matchPattern: '*.{DOTTED}'}}]}}]", "egress.0.toFQDNs.0.matchPattern"),
        ("egress: [{toFQDNs: [{matchPattern: '*.b.'}]}]", ""),
        ("egress: [{toFQDNs: [{matchPattern: 'a..b'}]}]", "egress.0.toFQDNs.0.matchPattern"),
        *((f"ingress: [{{authentication: {{mode: {each}}}}}]", "") for each in MODES),
        ("ingress: [{authentication: {mode: on-demand}}]", "ingress.0.authentication.mode"),
        ("ingress: [{fromEntities: [world-ipv4]}]", "ingress.0.fromEntities.0"),
        ("ingress: [{fromEntities: [world-ipv6]}]", "ingress.0.fromEntities.0"),
        ("egress: [{toEntities: [world-ipv6]}]", "egress.0.toEntities.0"),
        ("ingress: [{fromCIDR: [10.0.0.0/32]}]", ""),
        ("ingress: [{fromCIDR: [10.0.0.0/33]}]", "ingress.0.fromCIDR.0"),
        ("egress: [{toCIDRSet: [{cidr: '::/128'}]}]", ""),
        ("egress: [{toCIDRSet: [{cidr: '::/129'}]}]", "egress.0.toCIDRSet.0.cidr"),
        *((port(f"{{port: '80', protocol: {each}}}"), "") for each in ("TCP", "UDP", "SCTP", "ANY")),
        (port("{port: '80', protocol: Tcp}"), f"{PORT}.protocol"),
        (port(", ".join("{port: '80'}" for _ in range(40))), ""),
        (port(", ".join("{port: '80'}" for _ in range(41))), MANY),
    ],
)  # fmt: skip
def test_a_policy_is_refused_from_the_first_wrong_value_on(rule: str, place: str) -> None:
    assert refused(rule) == ([place] if place else [])


@pytest.mark.parametrize("protocol", ["GRE", "IPIP", "IPV6", "ESP", "AH", "VRRP", "IGMP"])
def test_other_protocols_have_no_ports_and_tunnels_are_of_1_20(protocol: str) -> None:
    rule = f"ingress: [{{toPorts: [{{ports: [{{protocol: {protocol}}}]}}]}}]"
    own = protocol in {"VRRP", "IGMP"}
    assert [bool(refused(rule, version, enable_extended_ip_protocols="true")) for version in ("1.19", "1.20")] == [
        not own,
        False,
    ]


@pytest.mark.parametrize(("version", "places"), [("1.18", []), ("1.19", ["ingress.0.fromRequires.0"])])
def test_requirements_of_peers_went_with_1_19(version: str, places: list[str]) -> None:
    rule = "ingress: [{fromRequires: [{matchLabels: {team: a}}]}]"
    assert refused(rule, version) == places


@pytest.mark.parametrize(("name", "right"), [("a" * 253, True), ("a" * 254, False), ("A-b", False), ("a.b-c", True)])
def test_the_name_of_an_object_is_a_dns_subdomain(name: str, right: bool) -> None:
    assert (not read(cnp(RULE % "ingress: [{}]", name=name)).rejected) is right
    assert (not read(knp("{podSelector: {}}", name=name)).rejected) is right


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("7", 7),
        ("65535", 65535),
        ("65536", None),
        ("010", 8),
        ("0o17", 15),
        ("0x1F", 31),
        ("0b101", 5),
        ("1_000", 1000),
        ("08", None),
        ("-1", None),
        ("", None),
        ("1__0", None),
    ],
)
def test_numbers_are_read_as_go_reads_them(text: str, value: int | None) -> None:
    """strconv.ParseUint(text, 0, 16)."""
    assert parse_uint16(text) == value


@pytest.mark.parametrize(
    ("text", "is_name"),
    [("a" * 15, True), ("a" * 16, False), ("80", False), ("8a", True), ("a--b", False), ("-a", False), ("a-", False)],
)  # fmt: skip
def test_names_of_ports_are_those_of_services(text: str, is_name: bool) -> None:
    """RFC 6335, section 5.1."""
    assert is_port_name(text) is is_name


@pytest.mark.parametrize(
    ("key", "right"),
    [
        ("a", True),
        ("a" * 63, True),
        ("a" * 64, False),
        ("", False),
        ("/a", False),
        ("a/", False),
        ("a/b/c", False),
        ("A/b", False),
        ("a.b/c_D", True),
        (f"{'a.' * 126}a/b", True),
        (f"{'a.' * 126}aa/b", False),
        ("-a", False),
        ("a-", False),
        ("a.-_b", True),
    ],
)
def test_keys_of_labels(key: str, right: bool) -> None:
    assert (key_problem(key) is None) is right
    assert (cilium_key_problem(key, (1, 20, 0)) is None) is right
    assert (cilium_key_problem(f"k8s:{key}", (1, 20, 0)) is None) is right


@pytest.mark.parametrize(
    ("value", "right"), [("", True), ("a" * 63, True), ("a" * 64, False), ("a/b", False), ("-a", False)]
)
def test_values_of_labels(value: str, right: bool) -> None:
    assert (value_problem(value) is None) is right


@pytest.mark.parametrize(
    ("key", "old", "new"),
    [
        ("k8s:a", True, True),
        ("k8s:a:b", False, False),
        ("-a", True, False),
        ("a" * 59, True, True),
        ("a" * 60, False, True),
        ("k-8:a", True, False),
        (":a", True, False),
        ("a=b", True, False),
    ],
)
def test_keys_with_a_source_are_checked_apart_from_1_20(key: str, old: bool, new: bool) -> None:
    """cilium:pkg/labels/validation.go; before, source and key were one label key."""
    assert [cilium_key_problem(key, each) is None for each in ((1, 19, 99), (1, 20, 0))] == [old, new]


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("1.18.7", (1, 18, 7)),
        ("v1.18.0", (1, 18, 0)),
        ("1.20", (1, 20, NEWEST_PATCH)),
        ("1", (1, NEWEST_PATCH, NEWEST_PATCH)),
        ("1.19.0-rc.1", (1, 19, 0)),
        ("", (1, NEWEST_PATCH, NEWEST_PATCH)),
        ("main", (1, NEWEST_PATCH, NEWEST_PATCH)),
    ],
)
def test_versions_without_a_patch_are_the_newest(text: str, version: tuple[int, int, int]) -> None:
    assert parse_version(text) == version


FLAGS = {
    "enable-node-selector-labels": ("node_selector_labels", False),
    "enable-host-firewall": ("host_firewall", False),
    "enable-non-default-deny-policies": ("non_default_deny", True),
    "enable-l7-proxy": ("l7_proxy", True),
    "enable-icmp-rules": ("icmp_rules", True),
    "enable-extended-ip-protocols": ("extended_protocols", False),
    "policy-audit-mode": ("audit", False),
}


@pytest.mark.parametrize("name", FLAGS)
def test_flags_are_what_is_written_and_else_their_defaults(name: str) -> None:
    field, default = FLAGS[name]
    read_as = {text: getattr(cilium_options(Cni("cilium", "1.20", {name: text})), field) for text in ("true", "1", "T")}
    assert read_as == dict.fromkeys(read_as, True)
    assert not any(getattr(cilium_options(Cni("cilium", "1.20", {name: each})), field) for each in ("false", "0", "no"))
    for options in ({}, {name: ""}):
        assert getattr(cilium_options(Cni("cilium", "1.20", options)), field) is default


def options(version: str, **named: str) -> Any:
    return cilium_options(Cni("cilium", version, {key.replace("_", "-"): value for key, value in named.items()}))


def test_defaults_that_changed_with_versions() -> None:
    assert [options(each).local_cluster for each in ("1.18.9", "1.19.0")] == ["", "default"]
    assert [options(each).mutual_authentication for each in ("1.18.9", "1.19.0")] == [True, False]
    pods = [options(each, policy_cidr_match_mode="pods, nodes") for each in ("1.19.9", "1.20.0")]
    assert [each.cidr_match_pods for each in pods] == [False, True]
    assert [each.cidr_match_nodes for each in pods] == [True, True]
    kinds = [options(each, enable_k8s_cluster_network_policy="true").enforced_kinds for each in ("1.19.9", "1.20.0")]
    assert ["ClusterNetworkPolicy" in each for each in kinds] == [False, True]
    assert options("1.20").enforced_kinds == {"NetworkPolicy", "CiliumNetworkPolicy", "CiliumClusterwideNetworkPolicy"}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("enable_k8s_networkpolicy", "NetworkPolicy"),
        ("enable_cilium_network_policy", "CiliumNetworkPolicy"),
        ("enable_cilium_clusterwide_network_policy", "CiliumClusterwideNetworkPolicy"),
    ],
)
def test_kinds_can_be_switched_off(name: str, kind: str) -> None:
    assert options("1.20").enforced_kinds - options("1.20", **{name: "false"}).enforced_kinds == {kind}


def test_names_modes_and_lists_of_options() -> None:
    bare, named = (
        options("1.20"),
        options("1.20", cluster_name="c", enable_policy="always", labels="a b", node_labels="c  d"),
    )
    assert (bare.cluster, bare.local_cluster, bare.cluster_named, bare.enforcement) == (
        "default",
        "default",
        False,
        "default",
    )
    assert (named.cluster, named.local_cluster, named.cluster_named, named.enforcement) == ("c", "c", True, "always")
    assert (bare.labels, bare.node_labels, named.labels, named.node_labels) == ((), (), ("a", "b"), ("c", "d"))
    assert [options("1.20", allow_localhost=each).allow_localhost for each in ("always", "auto", "policy")] == [
        True,
        True,
        False,
    ]
    redirects = [options("1.20", enable_local_redirect_policy=each).local_redirects for each in ("", "true", "false")]
    assert redirects == [None, True, False]
    assert options("1.20").local_redirects is None


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("10.1.2.3/8", "10.0.0.0/8"),
        ("10.0.0.0/0", "0.0.0.0/0"),
        ("10.0.0.0", None),
        ("10.0.0.0/08", None),
        ("10.0.0.0/255.0.0.0", None),
        ("fe80::1%eth0/64", None),
        ("::1/128", "::1/128"),
        ("x/8", None),
    ],
)
def test_prefixes_are_read_as_go_reads_them(text: str, network: str | None) -> None:
    assert parse_prefix(text) == parse_prefix(network or "x")
    assert (parse_prefix(text) is None) is (network is None)


def matches(
    prefixes: tuple[tuple[str, ...], ...], excepts: tuple[str, ...], text: str | None, **named: Any
) -> bool | None:
    peer = Peer("CIDR", prefixes=prefixes, excepts=excepts)
    end = entity("world", cilium()) if text is None else address(text)
    return AddressMatcher.of(peer).matches(end, options("1.20"), **named)


@pytest.mark.parametrize(
    ("prefixes", "excepts", "text", "expected"),
    [
        ((("10.0.0.0/8",),), (), "10.1.1.1", True),
        ((("10.0.0.0/8",),), (), "11.1.1.1", False),
        ((("10.0.0.0/8",),), ("10.1.0.0/16",), "10.1.1.1", False),
        ((("10.0.0.0/8",),), ("10.1.0.0/16",), "10.2.1.1", True),
        ((("0.0.0.0/0",),), (), "10.1.1.1", True),
        ((("0.0.0.0/0",),), (), "2001:db8::1", False),
        ((("::/0",),), (), "2001:db8::1", True),
        ((("10.0.0.0/8", "192.0.2.1"),), (), "192.0.2.1", True),
        ((("10.0.0.0/8",), ("10.1.0.0/16",)), (), "10.1.1.1", True),
        ((("10.0.0.0/8",), ("10.1.0.0/16",)), (), "10.2.1.1", False),
        ((("nonsense",),), (), "10.1.1.1", False),
        ((("10.0.0.0/8",),), (), None, None),
        ((("0.0.0.0/0",),), (), None, True),
        ((("0.0.0.0/0",),), ("10.0.0.0/8",), None, None),
    ],
)
def test_addresses_that_prefixes_hold(
    prefixes: tuple[tuple[str, ...], ...], excepts: tuple[str, ...], text: str | None, expected: bool | None
) -> None:
    """P 1.3: in each list of prefixes, and in no exception; an address that is not known may be any."""
    assert matches(prefixes, excepts, text) is expected


def test_to_the_engine_what_has_no_address_is_in_no_prefix() -> None:
    assert matches((("10.0.0.0/8",),), (), None, bare=True) is False
    assert matches((("0.0.0.0/0",),), ("10.0.0.0/8",), None, bare=True) is True


@pytest.mark.parametrize(
    ("named", "node", "pod"),
    [("", False, False), ("nodes", True, False), ("pods", False, True)],
)
def test_prefixes_mean_nodes_and_pods_where_an_option_says_so(named: str, node: bool, pod: bool) -> None:
    matcher = AddressMatcher.of(Peer("CIDR", prefixes=(("10.0.0.0/8",),)))
    there = ip_address("10.1.1.1")
    host = replace(entity("remote-node", cilium()), address=there)
    inside = replace(address("10.1.1.1"), labels={"k8s:app": "x"}, own_labels={"app": "x"})
    found = [matcher.matches(each, options("1.20", policy_cidr_match_mode=named)) for each in (host, inside)]
    assert found == [node, pod]


@pytest.mark.parametrize(
    ("requirement", "text"),
    [
        (Requirement("any:app", "In", ("x",)), "app=x"),
        (Requirement("any:app", "In", ("",)), "app="),
        (Requirement("any:app", "In", ("x", "y")), "app in (x, y)"),
        (Requirement("any:app", "NotIn", ("x", "y")), "app not in (x, y)"),
        (Requirement("any:app", "Exists", ()), "any app"),
        (Requirement("any:app", "DoesNotExist", ()), "no app"),
        (Requirement("reserved:host", "Exists", ()), "the entity host"),
        (Requirement("k8s:io.kubernetes.pod.namespace", "In", ("ml",)), "the namespace ml"),
        (Requirement(f"{OF_NAMESPACE}kubernetes.io/metadata.name", "In", ("ml",)), "the namespace ml"),
        (Requirement(f"{OF_NAMESPACE}team", "In", ("ml",)), "the namespace label team ml"),
        (Requirement("k8s:io.cilium.k8s.policy.cluster", "In", ("c",)), "the cluster c"),
        (Requirement("node:role", "In", ("gpu",)), "the node label role gpu"),
    ],
)  # fmt: skip
def test_requirements_in_words(requirement: Requirement, text: str) -> None:
    assert requirement_text(requirement) == text


def test_ports_have_names_by_protocol() -> None:
    ports = [ContainerPort(80, "http"), ContainerPort(53, "dns", "UDP"), ContainerPort(90, "")]
    assert named_ports(ports) == {("http", "TCP"): 80, ("dns", "UDP"): 53}
