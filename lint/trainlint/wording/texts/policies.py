"""Why verdicts of policies are what they are, or not known, in words."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from trainlint.model.policy import Condition
from trainlint.policy.ground import MergeGround, MissGround, VerdictGround

__all__ = ["POLICIES"]

POLICIES: Final[Mapping[Enum, str]] = {
    VerdictGround.DNS_NAMES: "which addresses a DNS name stands for is only known in the cluster",
    VerdictGround.CLOUD_GROUPS: "which addresses a cloud provider's group holds is only known in the cluster",
    VerdictGround.NO_CIDR_GROUP: "the CiliumCIDRGroup that this names is not in Git",
    VerdictGround.SERVICE_ADDRESSES: "the addresses behind {} are not in Git",
    VerdictGround.NO_SERVICE: "the Service that this names is not in Git",
    VerdictGround.UNDECIDABLE: "{0}: {1}",
    VerdictGround.LABEL: "{0} asks for the label {1} of {2}: {3}",
    VerdictGround.NAMESPACE_LABEL: "{0} asks for the label {1} of namespace {2}, which is not in Git",
    VerdictGround.UNREAD_LABEL: "{0} asks for the label {1}, and whether {2} has it is not known",
    VerdictGround.ONLY_EXCLUDES: "{0} has a peer that only excludes, which matches every pod in builds of Cilium {1}",
    VerdictGround.ADDRESS: "{0} may be about {1}: its address, or a placeholder in the policy, is not known",
    VerdictGround.NOT_COMPUTED: "Cilium cannot compute a policy, because {}",
    VerdictGround.FOREIGN: "what {} decides: only its own engine can tell",
    VerdictGround.SOURCE_PORT: "it asks for a port at the source, which each connection chooses anew",
    VerdictGround.ICMP_CODE: "it asks for a code of ICMP messages",
    VerdictGround.ADDRESS_FAMILY: "it is about IPv6 only",
    VerdictGround.OWN_ADDRESS: "it asks for the address of its own pods ({})",
    VerdictGround.UNREAD_SERVICE: "the Service {} is not in Git",
    VerdictGround.HOST_ENDPOINT: "whether the policies of {} are about this node: they would not allow it",
    VerdictGround.FORWARDED: "what {} does with traffic that nodes forward (applyOnForward)",
    VerdictGround.DOUBTFUL: "{0} may be about it: {1}",
    VerdictGround.SELECTOR: "{0} has a selector of which it is not known whether {1} meets it",
    VerdictGround.HOST_CACHE: (
        "whether pods ask the cluster's DNS or {}, which is on the host network: the kubelet and the cache's own setup "
        "decide that"
    ),
    VerdictGround.REDIRECTED_ADDRESS: "whether pods ask the cluster's DNS or the address that {} redirects",
    VerdictGround.REDIRECTED_TO_HOST: "whether {0} leads to {1}, which is on the host network",
    VerdictGround.REDIRECTS: "whether Cilium follows {}: no manifest shows enable-local-redirect-policy",
    VerdictGround.OWN_POD: "a pod reaches itself, directly or through a Service, without any policy",
    VerdictGround.REPLY: "replies to a connection that is open need no permission of their own",
    VerdictGround.OTHER_INTERFACE: "policies see the pod's own interface only, not RDMA devices and attached networks",
    MergeGround.LISTENER_NAMESPACE: "{} looks for a CiliumEnvoyConfig, and this end has no namespace",
    MergeGround.AUTHENTICATIONS: "[{1?}{0} and {1} ask|{0} asks] for authentication {2} and {3} of the same peers",
    MergeGround.PROXIES: "[{1?}{0} and {1} ask|{0} asks] for {2} on the same ports of the same peers",
    MergeGround.PARSERS: "the parsers {0} and {1}",
    MergeGround.LISTENERS: "the listeners {0} and {1} of one priority",
    MergeGround.TLS_CONTEXTS: "different {} TLS contexts",
    MergeGround.NO_TERMINATION: "server names and layer-7 rules without TLS termination",
    MissGround.REQUIRED_OF_ALL: "{} does not meet what another entry requires of all peers",
    MissGround.NO_PEERS: "an empty list of peers matches no peer",
    MissGround.NEITHER: "neither a peer nor a port is written, which matches no peer",
    MissGround.UNDECIDABLE: "{0}: {1}",
    MissGround.ENTITY: "{0} is not in {1}",
    MissGround.NODE_BY_LABELS: (
        "names pods by their labels; policies see {} as a node, whose identity has no labels of pods"
    ),
    MissGround.NO_POD_BY_LABELS: "names pods by their labels; {} is no pod",
    MissGround.INSIDE: "{0} is about addresses outside the cluster, {1} is inside",
    MissGround.MAY_LIE_IN: "whether {0} lies in {1} depends on its address",
    MissGround.EXCEPT: "{0} is not in {1} except {2}",
    MissGround.NOT_IN: "{0} is not in {1}",
    MissGround.NO_PORT: "its port list names no port, which means none",
    MissGround.PORTS: "lists {0} and not {1}",
    MissGround.OUTSIDE: "whether {0} lies in {1} is not known",
    MissGround.NAMED_PORT: "names the port {0}, which {1} does not declare",
    Condition.HTTP: "the requests match the HTTP rules",
    Condition.DNS: "the requests match the DNS rules",
    Condition.KAFKA: "the requests match the Kafka rules",
    Condition.LAYER_SEVEN: "the requests match the layer-7 rules",
    Condition.SERVER_NAME: "the TLS server name is one of those listed",
    Condition.LISTENER: "the Envoy listener passes it on",
    Condition.AUTHENTICATION: "mutual authentication succeeds",
    Condition.NAME: "the name asked for is listed",
}
