"""Why Calico refuses policies, in words."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from trainlint.policy.calico_ground import CalicoGround

__all__ = ["CALICO"]

CALICO: Final[Mapping[Enum, str]] = {
    CalicoGround.NAME: "the name has lower-case letters, digits and hyphens, and at most one dot (behind its tier)",
    CalicoGround.NO_LIST: "this is a list of rules",
    CalicoGround.TOO_MANY_RULES: "a policy has {} rules of one direction at most",
    CalicoGround.TYPE: "a type is Ingress or Egress",
    CalicoGround.TYPE_TWICE: "the type {} stands twice",
    CalicoGround.GLOBAL_ELSEWHERE: "global() stands only in the namespaceSelector of a rule's source or destination",
    CalicoGround.GLOBAL_BESIDE: "global() stands alone",
    CalicoGround.NOT_FORWARDED: "it needs applyOnForward: true",
    CalicoGround.TWO_STAGES: "preDNAT and doNotTrack exclude each other",
    CalicoGround.EGRESS_RULES: "a policy with preDNAT has no egress rules",
    CalicoGround.EGRESS_TYPE: "a policy with preDNAT is not about egress",
    CalicoGround.ACTION: "the action is one of {}",
    CalicoGround.IP_VERSION: "the IP version is 4 or 6",
    CalicoGround.HTTP_EGRESS: "http stands in ingress rules only",
    CalicoGround.HTTP_ACTION: "http stands in rules that allow only",
    CalicoGround.HTTP_PROTOCOL: "http needs protocol TCP, or none",
    CalicoGround.PROTOCOL_NUMBER: "a protocol by number is between 1 and 255",
    CalicoGround.PROTOCOL: "the protocol is one of {}, or a number",
    CalicoGround.ICMP_PROTOCOL: "icmp needs protocol ICMP or ICMPv6",
    CalicoGround.ICMP_CODE_ALONE: "a code needs a type",
    CalicoGround.ICMP_NUMBER: "the {0} is between 0 and {1}",
    CalicoGround.PROTOCOL_VERSION: "{0} is of IP version {1}",
    CalicoGround.PORTS_PROTOCOL: "rules with ports need protocol TCP, UDP or SCTP",
    CalicoGround.NO_PORT: "{} is no port: a number, a range like 1000:2000, or a name",
    CalicoGround.NUMBERS_PROTOCOL: "rules with ports by number need protocol TCP, UDP or SCTP",
    CalicoGround.PORT: "a port is between 1 and 65535, and a range begins with the smaller one",
    CalicoGround.NO_ADDRESS: "{} is no address, and no address with a prefix length",
    CalicoGround.NOTHING_LEFT: "it leaves out every address, so that the rule matches nothing",
    CalicoGround.TWO_VERSIONS: "a rule does not mix IPv4 and IPv6",
    CalicoGround.OTHER_VERSION: "the IP version of the rule is another one",
    CalicoGround.SERVICES_SIDE: "services do not stand in the {0} of {1} rules",
    CalicoGround.SERVICES_NAME: "services need the name of a Service",
    CalicoGround.SERVICES_NAMESPACE: "in a policy of the cluster services need a namespace",
    CalicoGround.SERVICES_BESIDE: "{} and services exclude each other",
    CalicoGround.NO_OPERATOR: "after the label {} an operator is needed",
    CalicoGround.UNCLOSED_CALL: "{}() is not closed as it should be",
    CalicoGround.LONG_LABEL: "the name of a label is too long",
    CalicoGround.NOT_JOINED: "two conditions need && or ||",
    CalicoGround.UNCLOSED: "a parenthesis is not closed",
    CalicoGround.ENDS_EARLY: "it ends where a condition is needed",
    CalicoGround.NO_CONDITION: "{} stands where a condition is needed",
    CalicoGround.TEXT_NEEDED: "after {0} {1} a quoted text is needed",
    CalicoGround.NO_SET: "a set is written in braces",
    CalicoGround.OPEN_SET: "a set of quoted texts ends with a brace",
    CalicoGround.OPEN_TEXT: "a text is not closed",
    CalicoGround.SINGLE_SIGN: "{} stands alone: it is written twice",
    CalicoGround.LINE_BREAK: "a line break is no blank in a selector",
    CalicoGround.SIGN: "{} is not part of the language",
    CalicoGround.LONG_SELECTOR: "a selector has {} characters at most",
    CalicoGround.NO_SELECTOR: "{0} is no selector: {1}",
}
