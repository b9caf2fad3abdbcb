"""Which pods answer for the cluster's DNS: cilium/cilium:pkg/loadbalancer/redirectpolicy/controller.go."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.policy.cluster import ask, ccnp, cilium, cnp, other, pod, pod_set, read

from trainlint.model.pod import Container
from trainlint.model.policy import Permission
from trainlint.model.settings import Settings
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.policy import PolicySet
from trainlint.wording.verdicts import verdict_text

ALLOW, DENY, UNKNOWN = Permission.ALLOW, Permission.DENY, Permission.UNKNOWN
PORTS = "[{port: '%d', name: dns, protocol: UDP}, {port: '%d', name: dns-tcp, protocol: TCP}]"
TO_DNS = "{endpointSelector: {}, egress: [{toEndpoints: [{matchLabels: {%s, io.kubernetes.pod.namespace: %s}}]%s}]}"
KUBE_DNS = cnp(TO_DNS % ("k8s-app: kube-dns", "kube-system", ""))
CACHE = cnp(TO_DNS % ("k8s-app: node-local-dns", "kube-system", ""))
NO_PEER = cnp("{endpointSelector: {}, egress: [{}]}")
ON = cilium(enable_local_redirect_policy="true")
OFF = cilium(enable_local_redirect_policy="false")
SERVICE = "serviceMatcher: {serviceName: kube-dns, namespace: kube-system}"


def redirect(frontend: str = SERVICE, port: int = 53, namespace: str = "kube-system") -> str:
    return (
        "---\n{apiVersion: cilium.io/v2, kind: CiliumLocalRedirectPolicy, "
        f"metadata: {{name: cache, namespace: {namespace}}}, spec: {{redirectFrontend: {{{frontend}}}, "
        "redirectBackend: {localEndpointSelector: {matchLabels: {k8s-app: node-local-dns}}, "
        f"toPorts: {PORTS % (port, port)}}}}}}}\n"
    )


def cache(*, host_network: bool = False) -> PodSet:
    made = pod_set("kube-system", {"k8s-app": "node-local-dns"}, host_network=host_network)
    spec = replace(made.spec, containers=(Container(image="registry.k8s.io/dns/k8s-dns-node-cache:1.26.0"),))
    return replace(made, owner=ObjectRef("DaemonSet", "kube-system", "node-local-dns"), spec=spec)


def asked(policies: PolicySet, settings: Settings | None = None, protocol: str = "UDP") -> Permission:
    return ask(policies, pod("a", "x", settings), policies.dns.main, 53, protocol).answer


@pytest.mark.parametrize(
    ("policy", "settings", "answer"),
    [
        (KUBE_DNS, ON, DENY),
        (CACHE, ON, ALLOW),
        (KUBE_DNS, OFF, ALLOW),
        (CACHE, OFF, DENY),
        (KUBE_DNS, cilium(), DENY),  # as far as Cilium follows the redirect, which is then said
        (CACHE, cilium(), UNKNOWN),
        (NO_PEER, cilium(), DENY),
    ],
)
def test_a_redirect_of_the_dns_service_leads_to_its_backend(
    policy: str, settings: Settings, answer: Permission
) -> None:
    found = read(policy + redirect(), settings)
    assert [asked(found, settings, each) for each in ("UDP", "TCP")] == [answer, answer]


def test_the_backend_in_git_is_seen_with_all_its_labels_and_policies_of_its_own() -> None:
    wall = ccnp("{endpointSelector: {matchLabels: {k8s-app: node-local-dns}}, ingress: [{fromEntities: [host]}]}")
    assert asked(read(redirect() + wall, ON, dns_caches=(cache(),)), ON) is DENY
    assert asked(read(redirect() + wall, OFF, dns_caches=(cache(),)), OFF) is ALLOW


def test_the_port_is_the_one_on_which_the_backend_listens() -> None:
    narrow = ", toPorts: [{ports: [{port: '%d', protocol: ANY}]}]"
    for port, answer in ((53, DENY), (1053, ALLOW)):
        policy = cnp(TO_DNS % ("k8s-app: node-local-dns", "kube-system", narrow % port))
        assert asked(read(policy + redirect(port=1053), ON), ON) is answer


def test_protocols_that_are_not_redirected_go_to_the_dns_itself() -> None:
    only_udp = SERVICE.replace("}", ", toPorts: [{port: '53', name: dns, protocol: UDP}]}")
    found = read(KUBE_DNS + redirect(only_udp), ON)
    assert (asked(found, ON, "UDP"), asked(found, ON, "TCP")) == (DENY, ALLOW)


@pytest.mark.parametrize(
    "elsewhere",
    [
        redirect(SERVICE, namespace="a"),  # a policy redirects Services of its own namespace only
        redirect("serviceMatcher: {serviceName: metrics, namespace: kube-system}"),
        redirect("addressMatcher: {ip: 169.254.169.254, toPorts: [{port: '80', protocol: TCP}]}"),
    ],
)
def test_redirects_of_something_else_do_not_count(elsewhere: str) -> None:
    assert asked(read(KUBE_DNS + elsewhere, ON), ON) is ALLOW


def test_a_dns_service_of_another_name_is_known_by_its_selector() -> None:
    service = "---\n{apiVersion: v1, kind: Service, metadata: {name: rke2-dns, namespace: kube-system}, "
    service += "spec: {selector: {k8s-app: kube-dns}, ports: [{port: 53, protocol: UDP}]}}\n"
    named = redirect("serviceMatcher: {serviceName: rke2-dns, namespace: kube-system}")
    assert asked(read(KUBE_DNS + named + service, ON), ON) is DENY
    assert asked(read(KUBE_DNS + named, ON), ON) is ALLOW


def test_whether_pods_ask_an_address_of_its_own_is_not_known() -> None:
    frontend = f"addressMatcher: {{ip: 169.254.20.10, toPorts: {PORTS % (53, 53)}}}"
    for policy in (KUBE_DNS, CACHE):
        assert asked(read(policy + redirect(frontend), ON), ON) is UNKNOWN
    assert asked(read(NO_PEER + redirect(frontend), ON), ON) is DENY


@pytest.mark.parametrize("settings", [cilium(), other("antrea")])
def test_a_cache_on_the_host_network_leaves_open_who_is_asked(settings: Settings) -> None:
    closed = "{podSelector: {}, policyTypes: [Egress]}"
    text = "---\n{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: k, namespace: a}, "
    found = read(f"{text}spec: {closed}}}\n", settings, dns_caches=(cache(host_network=True),))
    verdict = ask(found, pod("a", "x", settings), found.dns.main, 53, "UDP")
    if settings.cni.name == "cilium":  # neither the host nor kube-dns is admitted
        assert verdict.answer is DENY
    else:  # the NetworkPolicy API always lets a pod reach its own node
        assert verdict.answer is UNKNOWN
        assert "DaemonSet kube-system/node-local-dns, which is on the host network" in verdict_text(verdict)


def test_a_cache_on_the_host_network_behind_a_redirect_is_not_known() -> None:
    assert asked(read(KUBE_DNS + redirect(), ON, dns_caches=(cache(host_network=True),)), ON) is UNKNOWN


def test_a_cache_on_the_pod_network_without_a_redirect_is_not_asked() -> None:
    assert asked(read(KUBE_DNS, ON, dns_caches=(cache(),)), ON) is ALLOW
