"""Verdicts with their reasons: ranges, what is not known, who decided (P 0.3)."""

from __future__ import annotations

from tests.policy.cluster import ask, ccnp, cilium, cnp, knp, pod, read
from tests.unknown_values import unknown

from trainlint.model.policy import Condition, ConditionChoice, Permission
from trainlint.model.workload import PortRange
from trainlint.policy import OWN_POD, REPLY, SECONDARY_INTERFACE, address, dns_endpoint, entity
from trainlint.wording.because import because_text, texts_of
from trainlint.wording.verdicts import decision_text, verdict_text

ALLOW, DENY, UNKNOWN = Permission.ALLOW, Permission.DENY, Permission.UNKNOWN

ONLY_MASTER_PORT = cnp(
    """{endpointSelector: {matchLabels: {app: x}}, ingress: [
      {fromEndpoints: [{matchLabels: {app: y}}], toPorts: [{ports: [{port: "23456", protocol: TCP}]}]}]}"""
)


def test_without_policies_everything_is_allowed_and_nothing_decides() -> None:
    verdict = ask(read(""), pod("a", "y"), pod("b", "x"))
    assert verdict.answer is ALLOW
    assert verdict.egress.deciding == verdict.ingress.deciding == ()
    assert verdict_text(verdict) == (
        "egress is allowed: no policy restricts it; ingress is allowed: no policy restricts it"
    )


def test_an_allow_names_its_entry_and_its_place() -> None:
    verdict = ask(read(ONLY_MASTER_PORT), pod("a", "y"), pod("a", "x"), 23456)
    assert verdict.answer is ALLOW
    (entry,) = verdict.ingress.deciding
    assert entry.at.path == ("spec", "ingress", 0)
    assert entry.peers is not None
    assert entry.peers[0].at is not None
    assert entry.peers[0].at.path == ("spec", "ingress", 0, "fromEndpoints", 0)
    assert entry.ports is not None
    assert entry.ports[0].at is not None
    assert entry.ports[0].at.path == ("spec", "ingress", 0, "toPorts", 0, "ports", 0, "port")
    assert decision_text(verdict.ingress) == "ingress is allowed by CiliumNetworkPolicy a/p"


def test_a_deny_by_default_names_the_entries_that_isolate() -> None:
    verdict = ask(read(ONLY_MASTER_PORT), pod("a", "w"), pod("a", "x"), 23456)
    assert verdict.answer is DENY
    assert verdict.ingress.deciding == ()
    assert [entry.at.path for entry in verdict.ingress.isolating] == [("spec", "ingress", 0)]
    assert verdict_text(verdict) == (
        "ingress is denied: CiliumNetworkPolicy a/p admits only what it lists, and it does not list this"
    )


def test_a_deny_rule_is_the_reason_even_beside_an_allow() -> None:
    policies = read(
        ONLY_MASTER_PORT
        + ccnp("{endpointSelector: {}, ingressDeny: [{fromEndpoints: [{matchLabels: {app: y}}]}]}", name="guard")
    )
    verdict = ask(policies, pod("a", "y"), pod("a", "x"), 23456)
    assert verdict.answer is DENY
    assert verdict_text(verdict) == "ingress is denied by CiliumClusterwideNetworkPolicy guard"


def test_a_range_of_which_one_port_is_open_is_denied_and_names_that_port() -> None:
    verdict = ask(read(ONLY_MASTER_PORT), pod("a", "y"), pod("a", "x"), PortRange(1, 65535))
    assert verdict.answer is DENY
    assert verdict.partly
    assert verdict.allowed == (PortRange(23456, 23456),)
    assert verdict_text(verdict).startswith("only port 23456 is open: ingress is denied")


def test_a_range_counts_as_allowed_only_if_both_ends_allow_every_port() -> None:
    policies = read(
        cnp(
            """{endpointSelector: {matchLabels: {app: x}},
                ingress: [{toPorts: [{ports: [{port: '100', endPort: 200}]}]}]}"""
        )
        + cnp(
            """{endpointSelector: {matchLabels: {app: y}},
                egress: [{toPorts: [{ports: [{port: '150', endPort: 250}]}]}]}""",
            name="q",
        )
    )
    source, target = pod("a", "y"), pod("a", "x")
    assert ask(policies, source, target, PortRange(150, 200)).answer is ALLOW
    verdict = ask(policies, source, target, PortRange(1, 1000))
    assert verdict.allowed == (PortRange(150, 200),)
    assert verdict.ingress.allowed == (PortRange(100, 200),)
    assert verdict.egress.allowed == (PortRange(150, 250),)


def test_a_deny_rule_for_one_port_breaks_a_range() -> None:
    policies = read(
        cnp(
            """{endpointSelector: {}, enableDefaultDeny: {ingress: false},
                ingressDeny: [{toPorts: [{ports: [{port: "40000"}]}]}]}"""
        )
    )
    verdict = ask(policies, pod("a", "y"), pod("a", "x"), PortRange(32768, 60999))
    assert verdict.answer is DENY
    assert verdict.allowed == (PortRange(32768, 39999), PortRange(40001, 60999))


def test_no_port_at_all_means_every_port() -> None:
    everything = cnp("{endpointSelector: {matchLabels: {app: x}}, ingress: [{fromEndpoints: [{}]}]}")
    assert ask(read(everything), pod("a", "y"), pod("a", "x"), None).answer is ALLOW
    assert ask(read(ONLY_MASTER_PORT), pod("a", "y"), pod("a", "x"), None).partly


def test_a_label_that_exists_only_at_run_time_makes_the_verdict_unknown_where_it_matters() -> None:
    policies = read(
        cnp("{endpointSelector: {matchLabels: {app: x}}, ingress: [{fromEndpoints: [{matchLabels: {job: j1}}]}]}")
    )
    source = pod("a", "y", labels={"job": unknown("the controller makes it up")})
    verdict = ask(policies, source, pod("a", "x"))
    assert verdict.answer is UNKNOWN
    assert texts_of(verdict.ingress.uncertain) == (
        "CiliumNetworkPolicy a/p asks for the label job of a/y: the controller makes it up",
    )
    assert ask(policies, source, pod("a", "w")).answer is ALLOW
    assert ask(policies, pod("b", "y", labels={"job": unknown("")}), pod("a", "x")).answer is DENY


def test_what_is_certain_stays_certain_beside_what_is_not() -> None:
    maybe = "{endpointSelector: {matchLabels: {app: x}}, ingress: [{fromEndpoints: [{matchLabels: {job: j1}}]}]}"
    sure = "{endpointSelector: {matchLabels: {app: x}}, ingress: [{fromEndpoints: [{matchLabels: {app: y}}]}]}"
    guard = "{endpointSelector: {matchLabels: {app: x}}, ingressDeny: [{fromEndpoints: [{matchLabels: {app: y}}]}]}"
    source = pod("a", "y", labels={"job": unknown("")})
    assert ask(read(cnp(maybe) + cnp(sure, name="q")), source, pod("a", "x")).answer is ALLOW
    assert ask(read(cnp(maybe) + cnp(guard, name="q")), source, pod("a", "x")).answer is DENY


def test_a_policy_that_perhaps_selects_the_pod_isolates_it_perhaps() -> None:
    policies = read(cnp("{endpointSelector: {matchLabels: {job: j1}}, ingress: [{}]}"))
    verdict = ask(policies, pod("a", "y"), pod("a", "x", labels={"job": unknown("made up")}))
    assert verdict.answer is UNKNOWN
    assert "made up" in because_text(verdict.ingress.uncertain[0])


def test_labels_of_a_namespace_that_is_not_in_git_are_not_known_but_its_name_is() -> None:
    by_label = "{endpointSelector: {}, ingress: [{fromEndpoints: [{matchLabels: {%s: %s}}]}]}"
    prefix = "k8s:io.cilium.k8s.namespace.labels."
    stranger = pod("nowhere", "y")
    assert ask(read(cnp(by_label % (prefix + "team", "ml"))), stranger, pod("a", "x")).answer is UNKNOWN
    assert (
        ask(read(cnp(by_label % (prefix + "kubernetes.io/metadata.name", "nowhere"))), stranger, pod("a", "x")).answer
        is ALLOW
    )
    assert (
        ask(read(cnp(by_label % ("io.kubernetes.pod.namespace", "nowhere"))), stranger, pod("a", "x")).answer is ALLOW
    )
    absent = "{matchExpressions: [{key: x, operator: DoesNotExist}]}"
    by_absence = f"{{podSelector: {{}}, ingress: [{{from: [{{namespaceSelector: {absent}}}]}}]}}"
    assert ask(read(knp(by_absence)), stranger, pod("a", "x")).answer is UNKNOWN


def test_a_placeholder_in_a_selector_is_neither_a_match_nor_none() -> None:
    policies = read(
        cnp("{endpointSelector: {matchLabels: {app: x}}, ingress: [{fromEndpoints: [{matchLabels: {app: '${APP}'}}]}]}")
    )
    assert policies.rejected == ()
    assert ask(policies, pod("a", "y"), pod("a", "x")).answer is UNKNOWN
    assert ask(policies, pod("b", "y"), pod("a", "x")).answer is DENY


def test_dns_names_and_cloud_groups_are_unknown_outside_and_no_pod_inside() -> None:
    for peer in ("toFQDNs: [{matchName: example.com}]", "toGroups: [{aws: {securityGroupsIds: [sg-1]}}]"):
        policies = read(cnp(f"{{endpointSelector: {{}}, egress: [{{{peer}}}]}}"))
        assert ask(policies, pod("a", "y"), address("192.0.2.1"), 443).answer is UNKNOWN
        assert ask(policies, pod("a", "y"), pod("a", "x"), 443).answer is DENY


def test_a_service_that_is_not_in_git_may_stand_for_anything() -> None:
    to_service = "{endpointSelector: {}, egress: [{toServices: [{k8sService: {serviceName: s, namespace: b}}]}]}"
    service = "---\n{apiVersion: v1, kind: Service, metadata: {name: s, namespace: b}, spec: {selector: {app: x}}}\n"
    assert ask(read(cnp(to_service)), pod("a", "y"), pod("b", "x")).answer is UNKNOWN
    policies = read(cnp(to_service) + service)
    assert ask(policies, pod("a", "y"), pod("b", "x")).answer is ALLOW
    assert ask(policies, pod("a", "y"), pod("b", "w")).answer is DENY


def test_a_service_without_selector_stands_for_the_addresses_behind_it() -> None:
    policies = read(
        cnp("{endpointSelector: {}, egress: [{toServices: [{k8sService: {serviceName: s, namespace: b}}]}]}")
        + "---\n{apiVersion: v1, kind: Service, metadata: {name: s, namespace: b}, spec: {}}\n"
        + "---\n{apiVersion: v1, kind: Endpoints, metadata: {name: s, namespace: b},"
        + " subsets: [{addresses: [{ip: 192.0.2.7}]}]}\n"
    )
    assert ask(policies, pod("a", "y"), address("192.0.2.7")).answer is ALLOW
    assert ask(policies, pod("a", "y"), address("192.0.2.8")).answer is DENY


def test_a_cidr_group_that_is_not_in_git_is_unknown() -> None:
    rule = cnp("{endpointSelector: {}, egress: [{toCIDRSet: [{cidrGroupRef: office}]}]}")
    group = "---\n{apiVersion: cilium.io/v2, kind: CiliumCIDRGroup, metadata: {name: office},"
    group += " spec: {externalCIDRs: [192.0.2.0/24]}}\n"
    assert ask(read(rule), pod("a", "y"), address("192.0.2.7")).answer is UNKNOWN
    assert ask(read(rule), pod("a", "y"), pod("a", "x")).answer is DENY
    assert ask(read(rule + group), pod("a", "y"), address("192.0.2.7")).answer is ALLOW


def test_a_host_network_pod_is_its_node_and_nodes_of_their_own_pods_are_let_in() -> None:
    """P 6.24, 6.25: labels of hostNetwork pods do not count; the own node passes, others do not."""
    policies = read(
        knp("{podSelector: {matchLabels: {app: x}}, ingress: [{from: [{podSelector: {matchLabels: {app: w}}}]}]}")
    )
    far, near = (pod("a", "w", host_network=True, node=node) for node in ("other", "same"))
    assert ask(policies, far, pod("a", "x")).answer is DENY
    assert ask(policies, near, pod("a", "x")).answer is ALLOW


def test_rendezvous_on_the_host_network_needs_node_entities() -> None:
    """P 6.27."""
    by_label = read(
        cnp("{endpointSelector: {matchLabels: {app: x}}, egress: [{toEndpoints: [{matchLabels: {app: m}}]}]}")
    )
    by_entity = read(cnp("{endpointSelector: {matchLabels: {app: x}}, egress: [{toEntities: [host, remote-node]}]}"))
    for node in ("other", "same"):
        master = pod("a", "m", host_network=True, node=node)
        assert ask(by_label, pod("a", "x"), master).answer is DENY
        assert ask(by_entity, pod("a", "x"), master).answer is ALLOW


def test_layer_seven_and_authentication_are_conditions_of_an_allow() -> None:
    http = "{ports: [{port: '8080', protocol: TCP}], rules: {http: [{method: GET}]}}"
    policies = read(cnp(f"{{endpointSelector: {{}}, ingress: [{{fromEndpoints: [{{}}], toPorts: [{http}]}}]}}"))
    verdict = ask(policies, pod("a", "y"), pod("a", "x"))
    assert verdict.answer is ALLOW
    assert verdict.ingress.only_if == (ConditionChoice(((Condition.HTTP,),)),)


def test_required_authentication_blocks_for_good_while_the_module_is_off() -> None:
    """P 6.67: the module is on by default up to 1.18, off from 1.19."""
    secured = cnp("{endpointSelector: {}, ingress: [{fromEndpoints: [{}], authentication: {mode: required}}]}")
    verdict = ask(read(secured), pod("a", "y"), pod("a", "x"))
    assert verdict.answer is DENY
    assert verdict_text(verdict) == (
        "ingress is denied: CiliumNetworkPolicy a/p asks for an authentication that never happens"
    )
    for settings in (cilium("1.18"), cilium(mesh_auth_enabled="true")):
        decision = ask(read(secured, settings), pod("a", "y", settings), pod("a", "x", settings)).ingress
        assert decision.answer is ALLOW
        assert decision.only_if == (ConditionChoice(always=(Condition.AUTHENTICATION,)),)


def test_a_layer_four_rule_beside_layer_seven_rules_lifts_the_condition() -> None:
    """P 6.59."""
    http = "{ports: [{port: '8080', protocol: TCP}], rules: {http: [{method: GET}]}}"
    plain = "{ports: [{port: '8080', protocol: TCP}]}"
    policies = read(
        cnp(f"{{endpointSelector: {{}}, ingress: [{{fromEndpoints: [{{}}], toPorts: [{http}, {plain}]}}]}}")
    )
    assert ask(policies, pod("a", "y"), pod("a", "x")).ingress.only_if == ()


def test_nothing_lifts_authentication() -> None:
    """Recorded: a connection that one entry allows after authentication, and another without, needs authentication."""
    secured = "{fromEndpoints: [{matchLabels: {app: y}}], authentication: {mode: required}}"
    text = cnp(f"{{endpointSelector: {{}}, ingress: [{secured}, {{fromEndpoints: [{{}}]}}]}}")
    on = cilium(mesh_auth_enabled="true")
    authenticated = (ConditionChoice(always=(Condition.AUTHENTICATION,)),)
    assert ask(read(text, on), pod("a", "y", on), pod("a", "x", on)).ingress.only_if == authenticated
    assert ask(read(text, on), pod("a", "z", on), pod("a", "x", on)).ingress.only_if == ()
    assert ask(read(text), pod("a", "y"), pod("a", "x")).answer is DENY
    assert ask(read(text), pod("a", "z"), pod("a", "x")).answer is ALLOW


def test_an_egress_isolated_pod_reaches_dns_only_if_a_policy_says_so() -> None:
    """P 6.64."""
    closed = cnp("{endpointSelector: {}, egress: [{toEndpoints: [{matchLabels: {app: y}}]}]}")
    dns = cnp(
        """{endpointSelector: {}, egress: [{toEndpoints: [{matchLabels: {k8s:io.kubernetes.pod.namespace: kube-system,
            k8s-app: kube-dns}}], toPorts: [{ports: [{port: "53", protocol: UDP}]}]}]}""",
        name="dns",
    )
    server = dns_endpoint(cilium(), {})
    assert ask(read(closed), pod("a", "x"), server, 53, "UDP").answer is DENY
    assert ask(read(closed + dns), pod("a", "x"), server, 53, "UDP").answer is ALLOW
    assert ask(read(closed + dns), pod("a", "x"), server, 53, "TCP").answer is DENY


def test_a_label_that_dns_pods_may_have_besides_is_unknown() -> None:
    other_label = cnp(
        """{endpointSelector: {}, egress: [{toEndpoints: [{matchLabels: {k8s:io.kubernetes.pod.namespace: kube-system,
            app.kubernetes.io/name: coredns}}]}]}"""
    )
    assert ask(read(other_label), pod("a", "x"), dns_endpoint(cilium(), {}), 53, "UDP").answer is UNKNOWN


def test_a_new_connection_in_the_other_direction_needs_its_own_permission_but_replies_do_not() -> None:
    """P 6.5."""
    policies = read(cnp("{endpointSelector: {matchLabels: {app: x}}, ingress: [{}]}"))
    outside = entity("world", cilium())
    assert ask(policies, pod("a", "x"), outside).answer is ALLOW
    assert ask(policies, outside, pod("a", "x")).answer is DENY
    reply = policies.verdict(outside, pod("a", "x"), "TCP", 40000, bypass=REPLY)
    assert reply.answer is ALLOW
    assert (
        decision_text(reply.ingress)
        == "ingress is allowed: replies to a connection that is open need no permission of their own"
    )


def test_rdma_and_the_pod_itself_are_not_policed() -> None:
    """P 6.57, 6.58."""
    policies = read(cnp("{endpointSelector: {}, ingress: [{}], egress: [{}]}"))
    one = pod("a", "x")
    assert ask(policies, one, one).answer is DENY
    for bypass in (SECONDARY_INTERFACE, OWN_POD):
        verdict = policies.verdict(one, one, "TCP", None, bypass=bypass)
        assert verdict.answer is ALLOW
        assert verdict.egress.bypass == bypass


def test_enforcement_modes_and_audit_mode_decide_without_policies() -> None:
    strict, off, audit = cilium(enable_policy="always"), cilium(enable_policy="never"), cilium(policy_audit_mode="true")
    assert ask(read("", strict), pod("a", "y", strict), pod("a", "x", strict)).answer is DENY
    closed = cnp("{endpointSelector: {}, ingress: [{}]}")
    assert ask(read(closed, off), pod("a", "y", off), pod("a", "x", off)).answer is ALLOW
    assert ask(read(closed, audit), pod("a", "y", audit), pod("a", "x", audit)).answer is ALLOW


def test_policies_that_cannot_be_merged_are_unknown_with_the_reason() -> None:
    policies = read(
        "".join(
            cnp(
                f"{{endpointSelector: {{}}, ingress: [{{fromEndpoints: [{{}}], authentication: {{mode: {mode}}}}}]}}",
                name=mode,
            )
            for mode in ("required", "disabled")
        )
    )
    verdict = ask(policies, pod("a", "y"), pod("a", "x"))
    assert verdict.answer is UNKNOWN
    assert because_text(verdict.ingress.conflict).endswith(
        "ask for authentication required and disabled of the same peers"
    )
