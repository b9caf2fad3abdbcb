"""What Cilium and the API server refuse: a policy that is refused protects nothing (P 7.1)."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Path
from trainlint.model.because import Because
from trainlint.model.policy import Rejection
from trainlint.model.settings import Settings
from trainlint.model.workload import ObjectRef
from trainlint.policy.admission import kubernetes_problems
from trainlint.policy.clusterschema import cluster_problems
from trainlint.policy.field_types import Problem, type_problems
from trainlint.policy.layer_seven import domain_name_problems
from trainlint.policy.matching import Rules
from trainlint.policy.options import Version
from trainlint.policy.rejection_ground import RejectionGround
from trainlint.policy.sanitize import Checks, cilium_problems
from trainlint.policy.schema import metadata_problems, name_problem, schema_problems
from trainlint.source.document import Field

__all__ = ["rejections"]

_STRICT_SINCE = (1, 36)
EXCLUSIVE_PEERS = ("podSelector", "namespaceSelector")


def rejections(root: Field, origin: ObjectRef, rules: Rules) -> Iterator[Rejection]:
    """Every reason to refuse the object, each at the field to blame; one field is blamed once."""
    templates = not rules.context.bare_engine
    version = rules.options.version
    found = [(each, True) for each in type_problems(root, origin.kind, version, templates=templates)]
    undecodable = bool(found)
    if not undecodable:
        engine = _engine_problems(root, origin.kind, rules) if rules.cilium else iter(())
        found = [(each, True) for each in engine]
        if templates:
            strict = _is_strict(rules.context.settings)
            found += [(each, False) for each in _server_problems(root, origin.kind, version, strict=strict)]
    server = {field.path for (field, _), engine_refuses in found if undecodable or not engine_refuses}
    blamed: set[Path] = set()
    for (field, why), engine_refuses in found:
        if field.path not in blamed:
            blamed.add(field.path)
            yield Rejection(origin, field.at, why, engine_refuses, server=field.path in server)


def _is_strict(settings: Settings) -> bool:
    """Whether Git says that the cluster runs a release that reads addresses strictly."""
    major, _, minor = settings.kubernetes.partition(".")
    numbers = (major, minor.partition(".")[0])
    return settings.kubernetes_stated and all(map(str.isdecimal, numbers)) and tuple(map(int, numbers)) >= _STRICT_SINCE


def _server_problems(root: Field, kind: str, version: Version, *, strict: bool) -> Iterator[Problem]:
    yield from name_problem(root)
    yield from metadata_problems(root)
    match kind:
        case "NetworkPolicy":
            yield from kubernetes_problems(root, strict=strict)
        case "ClusterNetworkPolicy":
            yield from cluster_problems(root)
        case _:
            yield from schema_problems(root, version)


def _engine_problems(root: Field, kind: str, rules: Rules) -> Iterator[Problem]:
    checks = Checks(rules.options, templates=not rules.context.bare_engine)
    match kind:
        case "NetworkPolicy":
            yield from _kubernetes_problems(root, checks)
        case "ClusterNetworkPolicy":
            yield from _cluster_problems(root, checks)
        case _:
            yield from cilium_problems(root, clusterwide=kind == "CiliumClusterwideNetworkPolicy", checks=checks)


def _kubernetes_problems(root: Field, checks: Checks) -> Iterator[Problem]:
    """Cilium checks only the protocols of a NetworkPolicy; 1.18 took it through its own checks (P 10.7, 10.11)."""
    for direction, way in (("ingress", "from"), ("egress", "to")):
        for rule in root["spec"][direction].elements():
            for port in rule["ports"].elements():
                yield from checks.protocol(port["protocol"])
            if checks.version >= (1, 19, 0):
                continue
            for peer in rule[way].elements():
                yield from _old_peer(peer, checks)
    if checks.version < (1, 19, 0):
        yield from checks.selector(root["spec"]["podSelector"], "k8s")


def _old_peer(peer: Field, checks: Checks) -> Iterator[Problem]:
    block = peer["ipBlock"]
    yield from checks.selector(peer["podSelector"], "k8s")
    yield from checks.selector(peer["namespaceSelector"], "k8s.io.cilium.k8s.namespace.labels")
    if block.present:
        yield from checks.cidr_rule(block)
        for name in EXCLUSIVE_PEERS:
            if peer[name].present:
                yield block, Because(RejectionGround.IP_BLOCK_BESIDE, (name,))


def _cluster_problems(root: Field, checks: Checks) -> Iterator[Problem]:
    """C:pkg/k8s/cluster_network_policy.go."""
    for rule in root["spec"]["egress"].elements():
        for peer in rule["to"].elements():
            if peer["pods"].present or peer["namespaces"].present:
                continue
            if peer["nodes"].present:
                if not checks.options.node_selector_labels:
                    yield peer["nodes"], Because(RejectionGround.NODE_PEERS_OFF)
            elif not peer["networks"].present and peer["domainNames"].present:
                yield from _domain_names(rule, peer["domainNames"], checks)


def _domain_names(rule: Field, names: Field, checks: Checks) -> Iterator[Problem]:
    if rule["action"].scalar in ("Deny", "Pass"):
        yield names, Because(RejectionGround.DOMAIN_NAMES_DENIED)
    elif not checks.options.l7_proxy:
        yield names, Because(RejectionGround.DOMAIN_NAMES_OFF)
    for name in names.elements():
        yield from domain_name_problems(name)
