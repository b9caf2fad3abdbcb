"""What only the API server refuses in Cilium's own kinds: the schema of their CRDs (P 7.1)."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.kube.values import is_placeholder
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.policy.addresses import parse_prefix
from trainlint.policy.cilium import SECTIONS, rules
from trainlint.policy.field_types import Problem
from trainlint.policy.options import Version
from trainlint.policy.rejection_ground import RejectionGround
from trainlint.policy.syntax import key_problem, value_problem
from trainlint.source.document import Field

__all__ = ["group_problems", "metadata_problems", "name_problem", "schema_problems"]

PROTOCOLS = ("TCP", "UDP", "SCTP", "VRRP", "IGMP", "ANY")
TUNNEL_PROTOCOLS = ("GRE", "IPIP", "IPV6", "ESP", "AH")
MODES = ("disabled", "required", "test-always-fail")
UNLISTED_ENTITIES = ("world-ipv4", "world-ipv6")
MAX_LOG = 32
_DNS_NAME = lazy_pattern(r"[-a-zA-Z0-9_]+(\.[-a-zA-Z0-9_]+)*\.?")
_DNS_PATTERN = lazy_pattern(r"[-a-zA-Z0-9_*]+(\.[-a-zA-Z0-9_*]+)*\.?")
_BLANK = lazy_pattern(r"\b[A-Z][A-Z0-9_]{2,}(?:-[A-Z0-9_]+)*\b")
"""Words in capitals stand for names to fill in: NAMESPACE, or the RELEASE-NAME of `helm template`."""
_OBJECT_NAME = lazy_pattern(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


def name_problem(root: Field) -> Iterator[Problem]:
    """An object's name is a DNS subdomain; one that is generated is right by itself."""
    name = root["metadata"]["name"]
    text = name.scalar
    if text is None:
        if not root["metadata"]["generateName"].present:
            yield name, Because(RejectionGround.NO_OBJECT_NAME)
    elif not is_placeholder(text) and (len(text) > 253 or not _OBJECT_NAME.fullmatch(_BLANK.sub("x", text))):
        yield name, Because(RejectionGround.OBJECT_NAME, (repr(text),))


def metadata_problems(root: Field) -> Iterator[Problem]:
    """Keys and values of labels, and keys of annotations, that no object may have."""
    for key, value in root["metadata"]["labels"].items():
        if is_placeholder(key) or is_placeholder(value.scalar or ""):
            continue
        if problem := key_problem(key):
            yield value, Because(RejectionGround.LABEL_KEY, (repr(key), problem))
        elif problem := value_problem(value.scalar or ""):
            yield value, problem
    for key, value in root["metadata"]["annotations"].items():
        if not is_placeholder(key) and (problem := key_problem(key.lower())):
            yield value, Because(RejectionGround.ANNOTATION_KEY, (repr(key), problem))


def schema_problems(root: Field, version: Version) -> Iterator[Problem]:
    """Everything that the schema of CiliumNetworkPolicy and CiliumClusterwideNetworkPolicy refuses."""
    for rule in rules(root):
        log = rule["log"]["value"]
        if len(log.scalar or "") > MAX_LOG:
            yield log, Because(RejectionGround.LOG_LENGTH, (MAX_LOG,))
        for section, _, _ in SECTIONS:
            for element in rule[section].elements():
                yield from _element(element, "to" if section.startswith("egress") else "from", version)


def _element(element: Field, way: str, version: Version) -> Iterator[Problem]:
    written = element.mapping or {}
    if f"{way}Entities" in written:
        for field in element[f"{way}Entities"].elements():
            if field.scalar in UNLISTED_ENTITIES:
                yield field, Because(RejectionGround.ENTITY, (repr(field.scalar),))
    if written.get(f"{way}Requires") and version >= (1, 19, 0):
        yield element[f"{way}Requires"], Because(RejectionGround.REQUIRES, (way,))
    if f"{way}CIDR" in written:
        for field in element[f"{way}CIDR"].elements():
            yield from _cidr(field)
    if f"{way}CIDRSet" in written:
        for rule in element[f"{way}CIDRSet"].elements():
            for field in (rule["cidr"], *rule["except"].elements()):
                yield from _cidr(field)
    if written.get("authentication") is not None and not _one_of(mode := element["authentication"]["mode"], MODES):
        yield mode, Because(RejectionGround.AUTHENTICATION_MODE, (MODES,))
    if "toFQDNs" in written:
        for name in element["toFQDNs"].elements():
            yield from _dns_names(name)
    yield from _ports(element, version)


def _one_of(field: Field, values: tuple[str, ...]) -> bool:
    return (field.scalar or "") in values or is_placeholder(field.scalar or "")


def _cidr(field: Field) -> Iterator[Problem]:
    text = field.scalar or ""
    if text and not is_placeholder(text) and parse_prefix(text) is None:
        yield field, Because(RejectionGround.PREFIX, (repr(text),))


def _dns_names(field: Field) -> Iterator[Problem]:
    for name, syntax in (("matchName", _DNS_NAME), ("matchPattern", _DNS_PATTERN)):
        text = field[name].scalar or ""
        if text and not is_placeholder(text) and (len(text) > 255 or not syntax.fullmatch(text)):
            yield field[name], Because(RejectionGround.DNS_NAME, (repr(text),))


def _ports(element: Field, version: Version) -> Iterator[Problem]:
    protocols = (*PROTOCOLS, *(TUNNEL_PROTOCOLS if version >= (1, 20, 0) else ()))
    for rule in element["toPorts"].elements():
        for port in rule["ports"].elements():
            if port["protocol"].present and not _one_of(port["protocol"], protocols):
                yield port["protocol"], Because(RejectionGround.PROTOCOL_IN_CAPITALS, (protocols,))
            end = port["endPort"].value
            if isinstance(end, int) and not 0 <= end <= 65535:
                yield port["endPort"], Because(RejectionGround.PORT_BOUNDS)
        for name in rule["rules"]["dns"].elements():
            yield from _dns_names(name)
    for rule in element["icmps"].elements():
        for field in rule["fields"].elements():
            text = field["type"].scalar or ""
            if text.lstrip("-").isdigit() and not 0 <= int(text) <= 255:
                yield field["type"], Because(RejectionGround.ICMP_BOUNDS)


def group_problems(root: Field) -> Iterator[Problem]:
    """A CiliumCIDRGroup holds prefixes."""
    for field in root["spec"]["externalCIDRs"].elements():
        yield from _cidr(field)
