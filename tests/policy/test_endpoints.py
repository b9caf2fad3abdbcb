"""What policies see of pods where they are placed (P 2, P 5)."""

from __future__ import annotations

import pytest
from tests.policy.cluster import NAMESPACES, ask, ccnp, cilium, cnp, other, pod, pod_set, read
from tests.unknown_values import unknown

from trainlint.model.policy import Permission
from trainlint.model.settings import ZONE, Settings
from trainlint.policy import address, dns_endpoint, endpoint, entity, zone_dependent
from trainlint.wording.verdicts import verdict_text

ALLOW, DENY, UNKNOWN = Permission.ALLOW, Permission.DENY, Permission.UNKNOWN

TEAM = "k8s:io.cilium.k8s.namespace.labels.team"
FROM_ZONE = cnp(
    f"{{endpointSelector: {{matchLabels: {{app: x}}}},"
    f" ingress: [{{fromEndpoints: [{{matchLabels: {{{ZONE}: z1}}}}]}}]}}"
)


@pytest.mark.parametrize(
    ("version", "kubernetes", "expected"),
    [
        ("1.18.6", "1.35", (ALLOW, DENY)),  # visible: PodTopologyLabels copies it, and the filter keeps it
        ("1.18.6", "1.34", (DENY, DENY)),  # no component copies it
        ("1.18.7", "1.35", (DENY, DENY)),  # dropped from the identity
        ("1.19.0", "1.35", (DENY, DENY)),
        ("1.20", "1.37", (DENY, DENY)),
    ],
)
def test_the_zone_of_a_pod_is_visible_only_between_two_releases(
    version: str, kubernetes: str, expected: tuple[Permission, Permission]
) -> None:
    """P 5.1, 5.2, 6.39."""
    settings = cilium(version, kubernetes)
    policies = read(FROM_ZONE, settings)
    target = pod("a", "x", settings)
    answers = tuple(ask(policies, pod("a", "y", settings, zone=zone), target).answer for zone in ("z1", "z2"))
    assert answers == expected
    assert zone_dependent(pod_set("a", {"app": "y"}), settings, NAMESPACES) is (expected[0] is not expected[1])


def test_a_zone_label_in_the_template_behaves_like_a_copied_one() -> None:
    written = cilium("1.18.6", "1.34")
    target = pod("a", "x", written)
    assert ask(read(FROM_ZONE, written), pod("a", "y", written, labels={ZONE: "z1"}), target).answer is ALLOW
    assert ask(read(FROM_ZONE), pod("a", "y", labels={ZONE: "z1"}), pod("a", "x")).answer is DENY


def test_a_zone_label_that_contradicts_the_node_is_unknown_where_it_is_visible() -> None:
    settings = cilium("1.18.6", "1.35")
    source = pod("a", "y", settings, labels={ZONE: "z1"}, zone="z2")
    assert ask(read(FROM_ZONE, settings), source, pod("a", "x", settings)).answer is UNKNOWN
    agreeing = pod("a", "y", settings, labels={ZONE: "z1"}, zone="z1")
    assert ask(read(FROM_ZONE, settings), agreeing, pod("a", "x", settings)).answer is ALLOW


def test_an_unknown_zone_is_unknown_and_no_zone_is_no_label() -> None:
    settings = cilium("1.18.6", "1.35")
    policies, target = read(FROM_ZONE, settings), pod("a", "x", settings)
    assert ask(policies, pod("a", "y", settings, zone=unknown("no inventory")), target).answer is UNKNOWN
    assert ask(policies, pod("a", "y", settings, zone=None), target).answer is DENY


def test_the_admission_plugin_can_be_on_before_it_is_the_default() -> None:
    base = cilium("1.18.6", "1.34")
    settings = Settings(kubernetes="1.34", cni=base.cni, admission=frozenset({"PodTopologyLabels"}))
    assert ask(read(FROM_ZONE, settings), pod("a", "y", settings, zone="z1"), pod("a", "x", settings)).answer is ALLOW


def test_equal_pods_are_one_identity_whatever_their_zone() -> None:
    one, two = (pod("a", "y", zone=zone) for zone in ("z1", "z2"))
    assert one == two
    assert hash(one) == hash(two)
    assert one != pod("a", "y", zone="z1", ports={"http": 80})


@pytest.mark.parametrize(
    ("label", "kept"),
    [
        ("app", True),
        ("app.kubernetes.io/name", True),
        ("batch.kubernetes.io/job-name", True),
        ("job-name", True),
        ("jobset.sigs.k8s.io/jobset-name", True),
        ("leaderworkerset.sigs.k8s.io/name", True),
        ("training.kubeflow.org/job-name", True),
        ("kueue.x-k8s.io/queue-name", True),
        ("node.kubernetes.io/instance-type", True),
        ("batch.kubernetes.io/job-completion-index", False),
        ("apps.kubernetes.io/pod-index", False),
        ("statefulset.kubernetes.io/pod-name", False),
        ("batch.kubernetes.io/controller-uid", False),
        ("controller-uid", False),
        ("pod-template-hash", False),
        ("controller-revision-hash", False),
        ("kubernetes.io/arch", False),
        ("beta.kubernetes.io/os", False),
        ("topology.kubernetes.io/zone", False),
        ("io.cilium.k8s.policy.cluster", True),  # the agent's own value, never the pod's (P 6.66)
    ],
)
def test_the_label_filter_keeps_what_the_specification_lists(label: str, *, kept: bool) -> None:
    """P 2.4."""
    found = pod("a", "y", cilium(cluster_name="east"), labels={label: "v"})
    assert (f"k8s:{label}" in found.labels) is kept
    assert found.labels.get("k8s:io.cilium.k8s.policy.cluster") == "east"


BY_CLUSTER = "{endpointSelector: {matchLabels: {app: x}}, ingress: [{fromEndpoints: [{matchLabels: {%s: %s}}]}]}"


@pytest.mark.parametrize(
    ("stated", "asked", "answer"),
    [({}, "prod", UNKNOWN), ({}, "default", UNKNOWN), ({"cluster_name": "prod"}, "prod", ALLOW)],
)
def test_the_name_of_the_cluster_is_not_known_unless_it_is_stated(
    stated: dict[str, str], asked: str, answer: Permission
) -> None:
    """Decision 11: a name that no document states may be any, the default one too."""
    settings = cilium(**stated)
    policies = read(cnp(BY_CLUSTER % ("k8s:io.cilium.k8s.policy.cluster", asked)), settings)
    verdict = ask(policies, pod("a", "y", settings), pod("a", "x", settings))
    assert verdict.answer is answer
    assert ("cluster-name" in verdict_text(verdict)) is (answer is UNKNOWN)


@pytest.mark.parametrize("peer", ["fromEndpoints: [{}]", "fromEntities: [cluster]"])
def test_pods_of_one_cluster_are_in_it_whatever_its_name_is(peer: str) -> None:
    """P 2.3, step 5: the implicit requirement names the local cluster."""
    policies = read(cnp(f"{{endpointSelector: {{matchLabels: {{app: x}}}}, ingress: [{{{peer}}}]}}"))
    assert ask(policies, pod("a", "y"), pod("a", "x")).answer is ALLOW


def test_a_policy_set_knows_which_labels_no_identity_carries() -> None:
    policies = read("")
    assert policies.drops("any:topology.kubernetes.io/zone")
    assert policies.drops("k8s:pod-template-hash")
    assert not policies.drops("k8s:io.cilium.k8s.namespace.labels.topology.kubernetes.io/zone")
    assert not policies.drops("any:app")
    assert not policies.drops("node:topology.kubernetes.io/zone")
    assert not policies.drops("reserved:host")
    assert not read("", cilium("1.18.6")).drops("any:topology.kubernetes.io/zone")
    assert not read("", other()).drops("any:pod-template-hash")


def test_a_placeholder_among_namespace_labels_is_unknown() -> None:
    by_team = cnp(f"{{endpointSelector: {{}}, ingress: [{{fromEndpoints: [{{matchLabels: {{{TEAM}: ml}}}}]}}]}}")
    templated = {"a": {"team": "${TEAM}"}, "b": {"team": "ml"}}
    policies = read(by_team, namespaces=templated)
    assert ask(policies, pod("a", "y", namespaces=templated), pod("b", "x")).answer is ALLOW
    in_b = read(by_team.replace("namespace: a", "namespace: b"), namespaces=templated)
    assert ask(in_b, pod("a", "y", namespaces=templated), pod("b", "x")).answer is UNKNOWN


def test_a_whitelist_drops_every_label_that_it_does_not_name() -> None:
    """P 6.68."""
    settings = cilium(labels="k8s:app")
    assert "k8s:team" not in pod("a", "y", settings, labels={"team": "t"}).labels
    assert pod("a", "y", settings).labels["k8s:app"] == "y"
    assert pod("a", "y", settings).labels["k8s:io.kubernetes.pod.namespace"] == "a"


def test_admission_gives_every_pod_a_service_account() -> None:
    """P 6.65."""
    assert pod("a", "y").labels["k8s:io.cilium.k8s.policy.serviceaccount"] == "default"
    assert pod("a", "y", service_account="train").labels["k8s:io.cilium.k8s.policy.serviceaccount"] == "train"


def test_host_policies_see_node_labels_only_under_the_host_firewall() -> None:
    """P 6.40, 6.41: labels of kubernetes.io are dropped from the host's identity too."""
    rule = "{nodeSelector: {matchLabels: {%s: z1}}, ingress: [{}]}"
    firewall = cilium(enable_host_firewall="true")
    node = pod("a", "h", firewall, host_network=True, zone="z1")
    assert ask(read(ccnp(rule % ZONE), firewall), pod("a", "y", firewall), node).answer is ALLOW
    # The other labels of the node that the pod will run on are not known.
    assert ask(read(ccnp(rule % "pool"), firewall), pod("a", "y", firewall), node).answer is UNKNOWN
    off = read(ccnp("{nodeSelector: {}, ingress: [{}]}"))
    assert ask(off, pod("a", "y"), pod("a", "h", host_network=True)).answer is ALLOW
    assert [each.at.path for each in off.unenforced] == [("spec", "nodeSelector")]


def test_node_peers_match_other_nodes_by_zone_and_never_the_own_node() -> None:
    """P 5.3, 6.60."""
    settings = cilium(enable_node_selector_labels="true")
    policies = read(
        cnp(f"{{endpointSelector: {{}}, egress: [{{toNodes: [{{matchLabels: {{{ZONE}: z1}}}}]}}]}}"), settings
    )
    source = pod("a", "x", settings)

    def answer(zone: str, node: str) -> Permission:
        return ask(policies, source, pod("a", "h", settings, host_network=True, zone=zone, node=node)).answer

    assert (answer("z1", "other"), answer("z2", "other"), answer("z1", "same")) == (ALLOW, DENY, DENY)


def test_named_ports_are_those_of_the_main_containers() -> None:
    policies = read(cnp("{endpointSelector: {matchLabels: {app: x}}, ingress: [{toPorts: [{ports: [{port: nccl}]}]}]}"))
    assert ask(policies, pod("a", "y"), pod("a", "x", ports={"nccl": 9000}), 9000).answer is ALLOW
    assert ask(policies, pod("a", "y"), pod("a", "x"), 9000).answer is DENY


def test_entities_are_who_they_are() -> None:
    settings = cilium()
    assert entity("host", settings).has("host")
    assert entity("remote-node", settings).has("remote-node")
    assert entity("kube-apiserver", settings).has("remote-node")
    assert entity("kube-apiserver", settings).has("kube-apiserver")
    assert entity("world", settings).subject is None
    assert entity("health", settings).subject is not None


def test_an_address_is_an_address() -> None:
    assert str(address("2001:db8::1").address) == "2001:db8::1"
    with pytest.raises(ValueError, match="not an IP address: example"):
        address("example")


def test_a_world_without_address_leaves_narrow_prefixes_open() -> None:
    policies = read(cnp("{endpointSelector: {}, egress: [{toCIDR: [10.0.0.0/8]}]}"))
    assert ask(policies, pod("a", "x"), entity("world", cilium())).answer is UNKNOWN
    everywhere = read(cnp("{endpointSelector: {}, egress: [{toCIDR: [0.0.0.0/0]}]}"))
    assert ask(everywhere, pod("a", "x"), entity("world", cilium())).answer is ALLOW
    assert ask(everywhere, pod("a", "x"), address("2001:db8::1")).answer is DENY


def test_match_mode_pods_leaves_pod_addresses_open() -> None:
    """P 1.3: only with policy-cidr-match-mode pods may a CIDR mean pods, whose addresses are not known."""
    policy = cnp("{endpointSelector: {matchLabels: {app: x}}, egress: [{toCIDR: [10.0.0.0/8]}]}")
    settings = cilium(policy_cidr_match_mode="nodes pods")
    assert ask(read(policy), pod("a", "x"), pod("a", "y")).answer is DENY
    assert ask(read(policy, settings), pod("a", "x", settings), pod("a", "y", settings)).answer is UNKNOWN


def test_dns_is_a_pod_of_kube_system_with_its_namespace_labels_if_known() -> None:
    found = dns_endpoint(cilium(), {"kube-system": {"team": "infra"}})
    assert found.labels["k8s:io.cilium.k8s.namespace.labels.team"] == "infra"
    assert found.names == {("dns", "UDP"): 53, ("dns-tcp", "TCP"): 53}


def test_endpoints_of_pod_sets_carry_their_own_labels_for_explanations() -> None:
    labels = {"app": "y", "pod-template-hash": "abc"}
    assert endpoint(pod_set("a", labels), cilium(), NAMESPACES).own_labels == labels
