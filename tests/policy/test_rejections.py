"""What is refused, and at which field (P 7.1, 3.1, 3.3, 10)."""

from __future__ import annotations

import pytest
import yaml
from tests.policy.cluster import ask, ccnp, cilium, cnp, knp, pod, read

from trainlint.finding import Path
from trainlint.model.policy import Permission

X = "endpointSelector: {matchLabels: {app: x}}"
TCP_80 = "{port: '80', protocol: TCP}"
ENGINE, SERVER = True, False


def blamed(text: str, **options: str) -> list[tuple[str, bool]]:
    """The places of the rejections in one document, with whether the engine refuses."""
    version = options.pop("version", "1.20")
    return [(dotted(each.at.path), each.engine) for each in read(text, cilium(version, **options)).rejected]


def dotted(path: Path) -> str:
    return ".".join(str(step) for step in path)


@pytest.mark.parametrize(
    ("spec", "place"),
    [
        (f"{{{X}}}", "spec"),
        (f"{{{X}, ingress: []}}", "spec"),
        ("{ingress: [{}]}", "spec"),
        (f"{{{X}, nodeSelector: {{}}, ingress: [{{}}]}}", "spec.nodeSelector"),
        ("{nodeSelector: {}, ingress: [{}]}", "spec.nodeSelector"),
        (
            "{endpointSelector: {matchLabels: {'bad key': v}}, ingress: [{}]}",
            "spec.endpointSelector.matchLabels.bad key",
        ),
        (
            "{endpointSelector: {matchLabels: {app: 'bad value'}}, ingress: [{}]}",
            "spec.endpointSelector.matchLabels.app",
        ),
        (
            f"{{{X}, ingress: [{{fromEndpoints: [{{matchExpressions: [{{key: app, operator: In}}]}}]}}]}}",
            "spec.ingress.0.fromEndpoints.0.matchExpressions.0.values",
        ),
        (
            f"{{{X}, ingress: [{{fromEndpoints: [{{matchExpressions: [{{key: app, operator: Is, values: [a]}}]}}]}}]}}",
            "spec.ingress.0.fromEndpoints.0.matchExpressions.0.operator",
        ),
        (f"{{{X}, ingress: [{{fromEndpoints: [{{}}], fromEntities: [world]}}]}}", "spec.ingress.0.fromEntities"),
        (f"{{{X}, ingress: [{{}}, {{fromEntities: [world, moon]}}]}}", "spec.ingress.1.fromEntities.1"),
        (f"{{{X}, ingress: [{{fromNodes: [{{}}]}}]}}", "spec.ingress.0.fromNodes"),
        (f"{{{X}, egress: [{{toCIDR: [10.0.0.0/33]}}]}}", "spec.egress.0.toCIDR.0"),
        (f"{{{X}, egress: [{{toCIDR: [10.0.0.1]}}]}}", "spec.egress.0.toCIDR.0"),
        (f"{{{X}, egress: [{{toCIDRSet: [{{}}]}}]}}", "spec.egress.0.toCIDRSet.0"),
        (
            f"{{{X}, egress: [{{toCIDRSet: [{{cidr: 10.0.0.0/8, cidrGroupRef: g}}]}}]}}",
            "spec.egress.0.toCIDRSet.0.cidrGroupRef",
        ),
        (
            f"{{{X}, egress: [{{toCIDRSet: [{{cidr: 10.0.0.0/8, except: [10.1.0.0/16, 11.0.0.0/16]}}]}}]}}",
            "spec.egress.0.toCIDRSet.0.except.1",
        ),
        (f"{{{X}, egress: [{{toFQDNs: [{{matchName: 'a b'}}]}}]}}", "spec.egress.0.toFQDNs.0.matchName"),
        (
            f"{{{X}, egress: [{{toFQDNs: [{{matchName: a.b, matchPattern: '*.b'}}]}}]}}",
            "spec.egress.0.toFQDNs.0.matchPattern",
        ),
        (f"{{{X}, ingress: [{{toPorts: [{{ports: [{{}}]}}]}}]}}", "spec.ingress.0.toPorts.0.ports.0"),
        (
            f"{{{X}, ingress: [{{toPorts: [{{ports: [{{port: '70000'}}]}}]}}]}}",
            "spec.ingress.0.toPorts.0.ports.0.port",
        ),
        (f"{{{X}, ingress: [{{toPorts: [{{ports: [{{port: 8080}}]}}]}}]}}", "spec.ingress.0.toPorts.0.ports.0.port"),
        (
            f"{{{X}, ingress: [{{toPorts: [{{ports: [{{port: '80', protocol: ICMP}}]}}]}}]}}",
            "spec.ingress.0.toPorts.0.ports.0.protocol",
        ),
        (
            f"{{{X}, ingress: [{{icmps: [{{fields: [{{type: 8}}]}}], toPorts: [{{ports: [{{port: '80'}}]}}]}}]}}",
            "spec.ingress.0.icmps",
        ),
        (f"{{{X}, ingress: [{{icmps: [{{fields: [{{type: Ping}}]}}]}}]}}", "spec.ingress.0.icmps.0.fields.0.type"),
        (f"{{{X}, ingress: [{{icmps: [{{fields: [{{family: IPv4}}]}}]}}]}}", "spec.ingress.0.icmps.0.fields.0"),
        (
            f"{{{X}, ingress: [{{toPorts: [{{ports: [{{port: '80'}}], rules: {{http: [{{}}]}}}}]}}]}}",
            "spec.ingress.0.toPorts.0.ports.0.protocol",
        ),
        (
            f"{{{X}, ingress: [{{toPorts: [{{ports: [{{port: '53', protocol: UDP}}], rules: {{dns: [{{}}]}}}}]}}]}}",
            "spec.ingress.0.toPorts.0.rules.dns",
        ),
        (
            f"{{{X}, egress: [{{toPorts: [{{rules: {{dns: [{{matchPattern: '*'}}]}}}}]}}]}}",
            "spec.egress.0.toPorts.0.rules.dns",
        ),
        (
            f"{{{X}, egress: [{{toPorts: [{{ports: [{{port: '0', protocol: TCP}}], rules: {{http: [{{}}]}}}}]}}]}}",
            "spec.egress.0.toPorts.0.ports.0.port",
        ),
        (
            f"{{{X}, egress: [{{toPorts: [{{ports: [{TCP_80}], rules: {{http: [{{path: '('}}]}}}}]}}]}}",
            "spec.egress.0.toPorts.0.rules.http.0.path",
        ),
        (f"{{{X}, egress: {{toEntities: [world]}}}}", "spec.egress"),
        (
            f"{{{X}, egress: [{{toCIDRSet: [{{cidrGroupRef: g, except: [nonsense]}}]}}]}}",
            "spec.egress.0.toCIDRSet.0.except.0",
        ),
        (f"{{{X}, ingress: [{{fromRequires: [{{matchLabels: {{app: y}}}}]}}]}}", "spec.ingress.0.fromRequires.0"),
        (f"{{{X}, ingress: [{{}}], enableDefaultDeny: {{ingress: 'no'}}}}", "spec.enableDefaultDeny.ingress"),
    ],
)
def test_the_engine_refuses_at_the_field_to_blame(spec: str, place: str) -> None:
    assert blamed(cnp(spec)) == [(place, ENGINE)]


@pytest.mark.parametrize(
    ("spec", "place"),
    [
        (f"{{{X}, ingress: [{{fromEntities: [world-ipv4]}}]}}", "spec.ingress.0.fromEntities.0"),
        (
            f"{{{X}, ingress: [{{toPorts: [{{ports: [{{port: '80', protocol: tcp}}]}}]}}]}}",
            "spec.ingress.0.toPorts.0.ports.0.protocol",
        ),
        (
            f"{{{X}, ingress: [{{toPorts: [{{ports: [{{port: '80', endPort: 70000}}]}}]}}]}}",
            "spec.ingress.0.toPorts.0.ports.0.endPort",
        ),
        (f"{{{X}, ingress: [{{icmps: [{{fields: [{{type: 300}}]}}]}}]}}", "spec.ingress.0.icmps.0.fields.0.type"),
        (f"{{{X}, ingress: [{{authentication: {{mode: maybe}}}}]}}", "spec.ingress.0.authentication.mode"),
        (f"{{{X}, egress: [{{toFQDNs: [{{matchName: a..b}}]}}]}}", "spec.egress.0.toFQDNs.0.matchName"),
        (f"{{{X}, ingress: [{{}}], log: {{value: {'x' * 33}}}}}", "spec.log.value"),
    ],
)
def test_the_api_server_refuses_more_than_the_engine(spec: str, place: str) -> None:
    """P 7.1 (schema), 10.4, 10.5."""
    assert blamed(cnp(spec)) == [(place, SERVER)]


@pytest.mark.parametrize(
    ("spec", "place"),
    [
        ("{podSelector: {}, policyTypes: [ingress]}", "spec.policyTypes.0"),
        ("{podSelector: {matchLabels: {'a/b/c': v}}}", "spec.podSelector.matchLabels.a/b/c"),
        ("{podSelector: {}, ingress: [{from: [{}]}]}", "spec.ingress.0.from.0"),
        (
            "{podSelector: {}, ingress: [{from: [{podSelector: {}, ipBlock: {cidr: 10.0.0.0/8}}]}]}",
            "spec.ingress.0.from.0.ipBlock",
        ),
        ("{podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 10.0.0.0}}]}]}", "spec.ingress.0.from.0.ipBlock.cidr"),
        (
            "{podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 10.0.0.0/8, except: [10.0.0.0/8]}}]}]}",
            "spec.ingress.0.from.0.ipBlock.except.0",
        ),
        ("{podSelector: {}, ingress: [{ports: [{port: 0}]}]}", "spec.ingress.0.ports.0.port"),
        ("{podSelector: {}, ingress: [{ports: [{port: HTTP}]}]}", "spec.ingress.0.ports.0.port"),
        ("{podSelector: {}, ingress: [{ports: [{port: http, endPort: 90}]}]}", "spec.ingress.0.ports.0.endPort"),
        ("{podSelector: {}, ingress: [{ports: [{port: 90, endPort: 80}]}]}", "spec.ingress.0.ports.0.endPort"),
    ],
)
def test_the_api_server_validates_network_policies(spec: str, place: str) -> None:
    """P 3.1."""
    assert blamed(knp(spec)) == [(place, SERVER)]


def test_a_name_that_no_object_may_have_is_refused_and_a_generated_one_is_not() -> None:
    assert blamed(cnp(f"{{{X}, ingress: [{{}}]}}", name="Bad_Name")) == [("metadata.name", SERVER)]
    generated = cnp(f"{{{X}, ingress: [{{}}]}}").replace("name: p", "generateName: p-")
    assert blamed(generated) == [("metadata.name", ENGINE)]  # Cilium itself wants a name, which it will have by then.


def test_words_in_capitals_are_names_to_be_filled_in_and_not_refused() -> None:
    # `helm template` without a name wrote RELEASE-NAME (Helm 3 before 3.8): nothing is installed under it
    assert blamed(cnp(f"{{{X}, ingress: [{{}}]}}", name="train-RELEASE-NAME")) == []
    assert blamed(cnp(f"{{{X}, ingress: [{{}}]}}", name="NAMESPACE")) == []
    assert blamed(cnp(f"{{{X}, ingress: [{{}}]}}", name="TRAIN_policy")) == [("metadata.name", SERVER)]


def test_one_bad_element_of_specs_takes_the_good_ones_with_it() -> None:
    """P 6.49."""
    policies = read(
        """{apiVersion: cilium.io/v2, kind: CiliumNetworkPolicy, metadata: {name: p, namespace: a}, specs: [
            {endpointSelector: {}, ingress: [{}]}, {endpointSelector: {}, ingress: []}]}"""
    )
    assert [dotted(each.at.path) for each in policies.rejected] == ["specs.1"]
    assert policies.entries == ()
    assert ask(policies, pod("a", "y"), pod("a", "x")).answer is Permission.ALLOW


def test_spec_beside_specs_is_legal_and_both_count() -> None:
    """P 6.48."""
    policies = read(
        """{apiVersion: cilium.io/v2, kind: CiliumNetworkPolicy, metadata: {name: p, namespace: a},
            spec: {endpointSelector: {}, ingress: [{fromEndpoints: [{}]}]},
            specs: [{endpointSelector: {}, ingress: [{}]}]}"""
    )
    assert policies.rejected == ()
    assert len(policies.entries) == 2


def test_placeholders_are_not_refused() -> None:
    spec = """{endpointSelector: {matchLabels: {app: '${APP}', '${KEY}': v}}, ingress: [{fromEntities: ['${ENTITY}'],
        toPorts: [{ports: [{port: '${PORT}', protocol: '${PROTOCOL}', endPort: '${END}'}]}]}],
        egress: [{toCIDR: ['${CIDR}']}]}"""
    assert blamed(cnp(spec)) == []


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        (f"{{{X}, ingress: [{{fromNodes: [{{}}]}}]}}", {"enable_node_selector_labels": "true"}),
        (
            f"{{{X}, ingress: [{{toPorts: [{{ports: [{{protocol: TCP}}]}}]}}]}}",
            {"enable_extended_ip_protocols": "true"},
        ),
        (f"{{{X}, ingress: [{{fromRequires: [{{}}]}}]}}", {"version": "1.18"}),
        (f"{{{X}, ingress: [{{toPorts: [{{ports: [{{port: '0', protocol: GRE}}]}}]}}]}}", {}),
        (f"{{{X}, egress: [{{toFQDNs: [{{}}]}}]}}", {}),
        (f"{{{X}, egress: [{{toEndpoints: [], toPorts: []}}]}}", {}),
    ],
)
def test_what_only_looks_wrong_is_taken(spec: str, options: dict[str, str]) -> None:
    """P 10.4, 10.6, and options that allow more."""
    assert blamed(cnp(spec), **options) == []


@pytest.mark.parametrize(
    ("spec", "options", "place"),
    [
        (
            f"{{{X}, ingress: [{{icmps: [{{fields: [{{type: 8}}]}}]}}]}}",
            {"enable_icmp_rules": "false"},
            "spec.ingress.0.icmps",
        ),
        (
            f"{{{X}, egress: [{{toPorts: [{{ports: [{{port: '80', protocol: TCP}}], rules: {{http: [{{}}]}}}}]}}]}}",
            {"enable_l7_proxy": "false"},
            "spec.egress.0.toPorts.0.rules.http",
        ),
        (f"{{{X}, ingress: [{{fromEntities: [cluster-mesh]}}]}}", {"version": "1.19"}, "spec.ingress.0.fromEntities.0"),
        (
            f"{{{X}, ingress: [{{toPorts: [{{ports: [{{port: '0', protocol: GRE}}]}}]}}]}}",
            {"version": "1.19"},
            "spec.ingress.0.toPorts.0.ports.0.protocol",
        ),
    ],
)
def test_options_and_versions_that_refuse_more(spec: str, options: dict[str, str], place: str) -> None:
    assert blamed(cnp(spec), **options) == [(place, ENGINE)]


def test_host_policies_take_no_layer_seven_rules_but_dns_on_egress() -> None:
    http = "toPorts: [{ports: [{port: '80', protocol: TCP}], rules: {http: [{}]}}]"
    dns = "toPorts: [{ports: [{port: '53', protocol: UDP}], rules: {dns: [{matchPattern: '*'}]}}]"
    assert blamed(ccnp(f"{{nodeSelector: {{}}, ingress: [{{{http}}}]}}")) == [
        ("spec.ingress.0.toPorts.0.rules.http", ENGINE)
    ]
    assert blamed(ccnp(f"{{nodeSelector: {{}}, egress: [{{{http}}}]}}")) == [
        ("spec.egress.0.toPorts.0.rules.http", ENGINE)
    ]
    assert blamed(ccnp(f"{{nodeSelector: {{}}, egress: [{{{dns}}}]}}")) == []


CLUSTER_POLICY = """{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: k},
    spec: {tier: Admin, priority: 10, subject: {namespaces: {}}, egress: [%s]}}"""


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("{action: Accept, to: [{namespaces: {}}]}", []),
        ("{action: Allow, to: [{namespaces: {}}]}", [("spec.egress.0.action", SERVER)]),
        ("{action: Accept, to: [{nodes: {}}]}", [("spec.egress.0.to.0.nodes", ENGINE)]),
        ("{action: Deny, to: [{domainNames: [a.b]}]}", [("spec.egress.0.to.0.domainNames", ENGINE)]),
        ("{action: Accept, to: [{namespaces: {}, pods: {podSelector: {}}}]}", [("spec.egress.0.to.0", SERVER)]),
        ("{action: Accept, to: [{pods: {podSelector: {matchLabels: {'reserved:host': ''}}}}]}", []),
        ("{action: Accept, to: []}", [("spec.egress.0.to", SERVER)]),
        (
            "{action: Accept, to: [{networks: [10.0.0.0/8]}], protocols: [{destinationNamedPort: http}]}",
            [("spec.egress.0.protocols.0.destinationNamedPort", SERVER)],
        ),
        ("{action: Accept, to: [{networks: [10.0.0.0]}]}", [("spec.egress.0.to.0.networks.0", SERVER)]),
        (
            """{action: Accept, to: [{namespaces: {}}],
                protocols: [{tcp: {destinationPort: {range: {start: 9, end: 9}}}}]}""",
            [("spec.egress.0.protocols.0.tcp.destinationPort.range", SERVER)],
        ),
    ],
)
def test_cluster_network_policies_are_validated(rule: str, expected: list[tuple[str, bool]]) -> None:
    """P 3.3, 7.1."""
    assert blamed(CLUSTER_POLICY % rule, enable_k8s_cluster_network_policy="true") == expected


def test_a_cidr_group_with_a_bad_prefix_is_refused() -> None:
    group = (
        "{apiVersion: cilium.io/v2, kind: CiliumCIDRGroup, metadata: {name: g}, spec: {externalCIDRs: [10.0.0.0/8, x]}}"
    )
    assert blamed(group) == [("spec.externalCIDRs.1", SERVER)]


@pytest.mark.parametrize("value", ["5", "'text'", "[1]", "true", "null", "{spec: 5}", "{specs: {a: 1}}", "[]"])
def test_nonsense_gives_no_traceback(value: str) -> None:
    head = {"apiVersion": "cilium.io/v2", "kind": "CiliumNetworkPolicy", "metadata": {"name": "p", "namespace": "a"}}
    for kind in ("CiliumNetworkPolicy", "CiliumClusterwideNetworkPolicy", "NetworkPolicy", "ClusterNetworkPolicy"):
        group = {"NetworkPolicy": "networking.k8s.io/v1", "ClusterNetworkPolicy": "policy.networking.k8s.io/v1alpha2"}
        document = {**head, "kind": kind, "apiVersion": group.get(kind, "cilium.io/v2"), "spec": yaml.safe_load(value)}
        policies = read(yaml.safe_dump(document), cilium(enable_k8s_cluster_network_policy="true"))
        ask(policies, pod("a", "y"), pod("a", "x"))
