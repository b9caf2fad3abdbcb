"""NetworkPolicy as the API defines it, where another plugin than Cilium enforces it; and policies of other engines."""

from __future__ import annotations

import pytest
from tests.policy.cluster import ask, ccnp, cilium, cnp, knp, other, pod, read

from trainlint.model.policy import Permission
from trainlint.model.settings import Cni, Settings
from trainlint.policy import address
from trainlint.wording.because import because_text, texts_of

ALLOW, DENY, UNKNOWN = Permission.ALLOW, Permission.DENY, Permission.UNKNOWN

CALICO = "---\n{apiVersion: projectcalico.org/v3, kind: %s, metadata: {name: g, namespace: a}, spec: {}}\n"
ADMIN = (
    "---\n{apiVersion: policy.networking.k8s.io/v1alpha1, kind: AdminNetworkPolicy, metadata: {name: g}, spec: {}}\n"
)


def test_policy_types_are_honoured() -> None:
    """P 6.50: the API ignores ingress rules under policyTypes [Egress]; Cilium does not."""
    text = knp(
        """{podSelector: {}, policyTypes: [Egress], egress: [{}],
            ingress: [{from: [{podSelector: {matchLabels: {app: y}}}]}]}"""
    )
    calico = other()
    assert ask(read(text, calico), pod("b", "z", calico), pod("a", "x", calico)).answer is ALLOW
    assert ask(read(text), pod("b", "z"), pod("a", "x")).answer is DENY


def test_missing_policy_types_mean_ingress_and_egress_where_there_are_egress_rules() -> None:
    """P 6.51."""
    calico = other()
    text = knp("{podSelector: {matchLabels: {app: x}}, egress: [{to: [{podSelector: {}}]}]}")
    policies = read(text, calico)
    assert ask(policies, pod("a", "y", calico), pod("a", "x", calico)).answer is DENY
    assert ask(policies, pod("a", "x", calico), pod("a", "y", calico)).answer is ALLOW
    assert ask(policies, pod("a", "x", calico), pod("b", "y", calico)).answer is DENY


def test_whether_an_ip_block_means_pods_is_left_to_the_plugin() -> None:
    calico = other()
    policies = read(
        knp("{podSelector: {matchLabels: {app: x}}, ingress: [{from: [{ipBlock: {cidr: 10.0.0.0/8}}]}]}"), calico
    )
    target = pod("a", "x", calico)
    assert ask(policies, pod("a", "y", calico), target).answer is UNKNOWN
    assert ask(policies, address("10.1.2.3"), target).answer is ALLOW
    assert ask(policies, address("192.0.2.1"), target).answer is DENY


def test_negative_namespace_selectors_choose_pods_only() -> None:
    calico = other()
    negative = "{matchExpressions: [{key: team, operator: NotIn, values: [ml]}]}"
    policies = read(knp(f"{{podSelector: {{}}, ingress: [{{from: [{{namespaceSelector: {negative}}}]}}]}}"), calico)
    assert ask(policies, pod("c", "y", calico), pod("a", "x", calico)).answer is ALLOW
    assert ask(policies, pod("b", "y", calico), pod("a", "x", calico)).answer is DENY
    assert ask(policies, address("192.0.2.1"), pod("a", "x", calico)).answer is DENY


def test_every_label_counts_without_cilium() -> None:
    calico = other()
    policies = read(
        knp("{podSelector: {matchLabels: {batch.kubernetes.io/job-completion-index: '0'}}, ingress: []}"), calico
    )
    rank = pod("a", "x", calico, labels={"batch.kubernetes.io/job-completion-index": "0"})
    assert ask(policies, pod("a", "y", calico), rank).answer is DENY


def test_a_pod_and_its_own_node_always_reach_each_other() -> None:
    antrea = other("antrea")
    policies = read(knp("{podSelector: {}, policyTypes: [Ingress, Egress]}"), antrea)
    near = pod("a", "h", antrea, host_network=True, node="same")
    far = pod("a", "h", antrea, host_network=True, node="other")
    assert ask(policies, near, pod("a", "x", antrea)).answer is ALLOW
    assert ask(policies, pod("a", "x", antrea), near).answer is ALLOW
    assert ask(policies, far, pod("a", "x", antrea)).answer is DENY


def test_whether_a_selector_finds_pods_on_the_host_network_is_left_to_the_plugin() -> None:
    antrea = other("antrea")
    policies = read(knp("{podSelector: {}, ingress: [{from: [{podSelector: {matchLabels: {app: h}}}]}]}"), antrea)
    far = pod("a", "h", antrea, host_network=True)
    assert ask(policies, far, pod("a", "x", antrea)).answer is UNKNOWN


def test_named_and_ranged_ports_follow_the_api() -> None:
    calico = other()
    policies = read(
        knp("{podSelector: {}, ingress: [{ports: [{port: http}, {port: 9000, endPort: 9010}, {protocol: UDP}]}]}"),
        calico,
    )
    target = pod("a", "x", calico, ports={"http": 8080})
    source = pod("a", "y", calico)
    assert [ask(policies, source, target, port).answer for port in (8080, 9010, 9011)] == [ALLOW, ALLOW, DENY]
    assert ask(policies, source, target, 5000, "UDP").answer is ALLOW


@pytest.mark.parametrize("wrap", [cnp, ccnp])
def test_cilium_kinds_do_nothing_under_another_plugin(wrap: object) -> None:
    calico = other()
    text = (cnp if wrap is cnp else ccnp)("{endpointSelector: {}, ingress: [{}]}")
    policies = read(text, calico)
    assert policies.entries == ()
    (unenforced,) = policies.unenforced
    assert because_text(unenforced.why).startswith("only Cilium enforces Cilium")
    assert because_text(unenforced.why).endswith("the network plugin here is calico")
    assert ask(policies, pod("b", "y", calico), pod("a", "x", calico)).answer is ALLOW


def test_an_unknown_plugin_may_be_cilium() -> None:
    unknown_plugin = other("")
    policies = read(cnp("{endpointSelector: {}, ingress: [{}]}"), unknown_plugin)
    assert policies.unenforced == ()
    assert ask(policies, pod("a", "y", unknown_plugin), pod("a", "x", unknown_plugin)).answer is UNKNOWN


def test_kinds_that_are_switched_off_are_not_enforced() -> None:
    text = knp("{podSelector: {}, policyTypes: [Ingress]}")
    settings = cilium(enable_k8s_networkpolicy="false")
    policies = read(text, settings)
    assert [because_text(each.why) for each in policies.unenforced] == [
        "Cilium does not read NetworkPolicy with these options"
    ]
    assert ask(policies, pod("a", "y", settings), pod("a", "x", settings)).answer is ALLOW


def test_cluster_network_policies_are_read_only_by_newer_cilium_and_on_request() -> None:
    text = """{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: k}, spec: {
        tier: Admin, priority: 1, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}}"""
    on = {"enable_k8s_cluster_network_policy": "true"}
    for settings, expected in ((cilium(**on), DENY), (cilium("1.19", **on), ALLOW), (cilium(), ALLOW)):
        policies = read(text, settings)
        assert ask(policies, pod("a", "y", settings), pod("a", "x", settings)).answer is expected
        assert bool(policies.unenforced) is (expected is ALLOW)


def test_admin_network_policies_do_nothing_under_cilium_and_are_unknown_elsewhere() -> None:
    """P 3.2."""
    assert [because_text(each.why) for each in read(ADMIN).unenforced] == [
        "Cilium does not implement AdminNetworkPolicy"
    ]
    assert ask(read(ADMIN), pod("a", "y"), pod("a", "x")).answer is ALLOW
    antrea = other("antrea")
    assert ask(read(ADMIN, antrea), pod("a", "y", antrea), pod("a", "x", antrea)).answer is UNKNOWN


def test_calico_policies_make_verdicts_unknown_where_the_plugin_is_not_stated() -> None:
    assumed = Settings(cni=Cni())
    everywhere, in_a = read(CALICO % "GlobalNetworkPolicy", assumed), read(CALICO % "NetworkPolicy", assumed)
    assert ask(everywhere, pod("b", "y", assumed), pod("c", "x", assumed)).answer is UNKNOWN
    assert ask(in_a, pod("b", "y", assumed), pod("c", "x", assumed)).answer is ALLOW
    verdict = ask(in_a, pod("b", "y", assumed), pod("a", "x", assumed))
    assert verdict.answer is UNKNOWN
    assert texts_of(verdict.ingress.uncertain) == (
        "what Calico NetworkPolicy a/g decides: only its own engine can tell",
    )
    assert [each.subject for each in in_a.unknowns] == ["Calico NetworkPolicy a/g"]


@pytest.mark.parametrize("plugin", ["cilium", "antrea", "kindnet", "ovn-kubernetes"])
def test_calico_policies_do_nothing_beside_plugins_that_enforce_their_own(plugin: str) -> None:
    settings = other(plugin)
    policies = read(CALICO % "NetworkPolicy", settings)
    (unenforced,) = policies.unenforced
    assert (
        because_text(unenforced.why)
        == f"only Calico enforces Calico NetworkPolicy, and the network plugin here is {plugin}"
    )
    assert ask(policies, pod("b", "y", settings), pod("a", "x", settings)).answer is ALLOW


@pytest.mark.parametrize("plugin", ["vpc-cni", "other", ""])
def test_calico_policies_may_be_in_force_beside_the_vpc_cni_and_unnamed_plugins(plugin: str) -> None:
    settings = other(plugin)
    policies = read(CALICO % "NetworkPolicy", settings)
    assert policies.unenforced == ()
    assert ask(policies, pod("b", "y", settings), pod("a", "x", settings)).answer is UNKNOWN


def test_what_cilium_denies_stays_denied_beside_calico_policies_if_it_is_known_to_run() -> None:
    closed = cnp("{endpointSelector: {}, ingress: [{}]}") + CALICO % "NetworkPolicy"
    assert ask(read(closed), pod("b", "y"), pod("a", "x")).answer is DENY
    admin = cnp("{endpointSelector: {}, ingress: [{}]}") + ADMIN
    assert ask(read(admin), pod("b", "y"), pod("a", "x")).answer is DENY
    assumed = Settings(cni=Cni())
    assert ask(read(closed, assumed), pod("b", "y", assumed), pod("a", "x", assumed)).answer is UNKNOWN
