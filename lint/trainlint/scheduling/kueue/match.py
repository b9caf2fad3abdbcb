"""Whether a flavor of a ClusterQueue takes the pods of a pod set, quota apart (S 2.2)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from enum import StrEnum

from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.kueue import Flavor
from trainlint.model.pod import PodSpec
from trainlint.model.pool import Pool, Taint
from trainlint.model.queued import TopologyRequest
from trainlint.model.selector import NodeSelectorTerm, Requirement
from trainlint.scheduling.kueue.requested import Team
from trainlint.scheduling.node import Node
from trainlint.scheduling.node_affinity import matches
from trainlint.scheduling.requirement import requirement_error
from trainlint.scheduling.taint_toleration import tolerates

__all__ = ["KueueCode", "has_levels", "level_of", "mismatch", "tolerant"]

_NUMBER = lazy_pattern(r"0|-?[1-9][0-9]{0,18}")
_FILTERED = frozenset({"NoSchedule", "NoExecute"})


class KueueCode(StrEnum):
    """Why a workload is not admitted."""

    AFFINITY = "affinity"
    AFFINITY_INVALID = "affinity-invalid"
    CLUSTER_QUEUE_INACTIVE = "cluster-queue-inactive"
    CLUSTER_QUEUE_MISSING = "cluster-queue-missing"
    DEACTIVATED = "deactivated"
    FLAVOR_NOT_TAS = "flavor-not-tas"
    FLAVOR_ONLY_TAS = "flavor-only-tas"
    LEVEL_MISSING = "level-missing"
    LIMIT_RANGE = "limit-range"
    LOCAL_QUEUE_MISSING = "local-queue-missing"
    LOCAL_QUEUE_STOPPED = "local-queue-stopped"
    NAMESPACE_MISMATCH = "namespace-mismatch"
    NAMESPACE_MISSING = "namespace-missing"
    NO_LONGER_FITS = "no-longer-fits"
    NO_TAS_FLAVOR = "no-tas-flavor"
    QUOTA = "quota"
    REQUEST_OVER_LIMIT = "request-over-limit"
    SEVERAL_TAS_FLAVORS = "several-tas-flavors"
    TAINT = "taint"
    TOPOLOGY = "topology"
    UNCOVERED = "uncovered"


def mismatch(
    team: Team, flavor: Flavor, covered: Collection[str], levels: Sequence[str], *, implied: bool
) -> KueueCode | None:
    """Why the flavor does not take the pods; ``None`` if it does.

    ``covered`` are the resources of its group, ``levels`` those of its topology; ``implied`` says that every flavor of
    the queue has a topology, so that pods without a request are placed by one too.
    """
    return _by_topology(team, flavor, covered, levels, implied=implied) or _by_nodes(team.spec, flavor)


def _by_topology(
    team: Team, flavor: Flavor, covered: Collection[str], levels: Sequence[str], *, implied: bool
) -> KueueCode | None:
    request = team.topology
    if request is None or not request.explicit:
        return KueueCode.FLAVOR_ONLY_TAS if flavor.topology and not implied else None
    if not flavor.topology:
        return KueueCode.FLAVOR_NOT_TAS if any(name in covered for name in team.requests) else None
    return None if has_levels(request, levels) else KueueCode.LEVEL_MISSING


def has_levels(request: TopologyRequest, levels: Sequence[str]) -> bool:
    """Whether a topology has every level that is asked for; a request without any level has none."""
    level = level_of(request, levels)
    return level in levels and all(each.level in levels for each in request.slices)


def level_of(request: TopologyRequest, levels: Sequence[str]) -> str | None:
    """The level in whose domains the pods are looked for; ``None`` where none is asked for."""
    if request.required is not None:
        return request.required
    if request.preferred is not None:
        return request.preferred
    if request.slices and levels:
        return levels[0]
    return levels[-1] if request.unconstrained and levels else None


def _by_nodes(spec: PodSpec, flavor: Flavor) -> KueueCode | None:
    """Taints of the flavor, and what nodeSelector and affinity say about the keys of its labels."""
    if any(not tolerant(spec, flavor, taint) for taint in flavor.node_taints if taint.effect in _FILTERED):
        return KueueCode.TAINT
    labels = {label.key: label.values[0] for label in flavor.node_labels if label.values}
    narrowed = _narrowed(spec, frozenset(labels))
    if _is_invalid(narrowed):
        return KueueCode.AFFINITY_INVALID
    return KueueCode.AFFINITY if matches(narrowed, Node(Pool(flavor.name, labels), None)) is False else None


def tolerant(spec: PodSpec, flavor: Flavor, taint: Taint) -> bool:
    """Whether the pods or the flavor tolerate a taint; Kueue honours the numeric operators."""
    return any(
        tolerates(each, taint) is True or _compares(each.key, each.operator, each.value, each.effect, taint)
        for each in (*spec.tolerations, *flavor.tolerations)
    )


def _compares(key: str, operator: str, value: str, effect: str, taint: Taint) -> bool:
    if operator not in {"Gt", "Lt"} or key != taint.key or effect not in ("", taint.effect):
        return False
    if not _NUMBER.fullmatch(value) or not _NUMBER.fullmatch(taint.value):
        return False
    return int(taint.value) > int(value) if operator == "Gt" else int(taint.value) < int(value)


def _is_invalid(spec: PodSpec) -> bool:
    """Whether what remains cannot be parsed: that ends the evaluation of the workload."""
    terms = spec.node_affinity or ()
    return any(requirement_error(each, of_node=True) for term in terms for each in term.expressions)


def _narrowed(spec: PodSpec, keys: Collection[str]) -> PodSpec:
    """nodeSelector and required affinity, as far as they are about some keys; a term that says nothing else drops all
    of them.
    """
    selector: tuple[Requirement, ...] = tuple(each for each in spec.node_selector if each.key in keys)
    terms: list[NodeSelectorTerm] = []
    for term in spec.node_affinity or ():
        left = tuple(each for each in term.expressions if each.key in keys)
        if not left:
            terms = []
            break
        terms.append(NodeSelectorTerm(left, at=term.at))
    return replace(spec, node_selector=selector, node_affinity=tuple(terms) or None)
