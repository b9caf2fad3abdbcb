"""The cores of a refutation as the related places of a finding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from trainlint.causes.constraint import (
    Barrier,
    Constraint,
    ConstraintKind,
    Cordon,
    NodeTaint,
    PodDemand,
    ResourceRequest,
    Subject,
    Unpinned,
    Untolerated,
)
from trainlint.causes.unsat_core import Core
from trainlint.finding import Location, Related
from trainlint.model.pod import AffinityTerm, SpreadConstraint
from trainlint.model.pool import Taint
from trainlint.model.selector import Requirement
from trainlint.model.workload import Colocation
from trainlint.scheduling.node_affinity import describe
from trainlint.scheduling.taint_toleration import describe as describe_taint

if TYPE_CHECKING:
    from trainlint.facts.facts import Facts
    from trainlint.proof.cause import Cause

__all__ = ["forcing", "places_of_cores"]


def forcing(facts: Facts, cause: Cause, *places: Location) -> tuple[Related, ...]:
    """The places that together force a cause; with ``places`` only those sets that hold one of these.

    It is worked out when the finding is shown: to find the smallest sets is the dearest part of a proof.
    """
    if not facts.shown and not facts.snapshot.unrendered:  # how severe a finding is may depend on its places there
        return ()
    return places_of_cores([core for core in facts.groups.cores(cause) if not places or any(map(core.holds, places))])


def places_of_cores(cores: Sequence[Core]) -> tuple[Related, ...]:
    """The places that together force it, one cause after the other."""
    found: dict[tuple[int, Location], Related] = {}
    for number, core in enumerate(cores, 1):
        for constraint in core.constraints:
            text = _text(constraint, core)
            if len(cores) > 1:
                text = f"cause {number} of {len(cores)}: {text}"
            if not core.reduced:
                text += " (whether all of these places are needed was not tried to the end)"
            for at in constraint.places:
                found.setdefault((number, at), Related(text, at, cause=number))
    return tuple(found.values())


def _text(constraint: Constraint, core: Core) -> str:
    """What the constraint does."""
    return "; ".join(dict.fromkeys(_about(subject, constraint, core) for subject in constraint.subjects))


def _about(subject: Subject, constraint: Constraint, core: Core) -> str:
    match subject:
        case PodDemand(pod_set, part):
            return f"what {pod_set} asks for: {_asked(constraint.kind, part)}"
        case Untolerated(pod_set, taints):
            named = _taints(taint for taint in _of_nodes(core) if taint in constraint.parts) or _taints(taints)
            return f"{pod_set} has no toleration for {named}"
        case NodeTaint(taint, pool, pod_sets):
            return f"the taint {describe_taint(taint)} of pool {pool}, which {', '.join(pod_sets)} does not tolerate"
        case Cordon(pool):
            return f"the nodes of pool {pool} are cordoned"
        case Unpinned(pod_sets):
            return f"nothing keeps {', '.join(pod_sets)} in one zone with the rest"
        case Barrier(direction, policy):
            return f"{_barrier(constraint, core)} ({direction.value}, {policy})"


def _asked(kind: ConstraintKind, part: object) -> str:
    """One element of a pod spec, as what its pods ask for."""
    match part:
        case Requirement():
            return describe(part)
        case AffinityTerm():
            near = "be near" if kind is ConstraintKind.POD_AFFINITY else "keep away from"
            return f"pods to {near}, by {part.topology_key}"
        case SpreadConstraint():
            return f"to be spread over {part.topology_key}"
        case Colocation():
            return part.by
        case ResourceRequest():
            return f"{part.amount} {part.resource} for each pod"
        case None:
            return "a node affinity that matches nothing"
    return _NAMED[kind].format(part)


_NAMED = {
    ConstraintKind.NODE_NAME: "the node {}",
    ConstraintKind.QUEUE: "the queue {}",
    ConstraintKind.VOLUME: "the volume {}",
    ConstraintKind.CLAIM: "the resource claim {}",
    ConstraintKind.HOST_PORT: "ports of the node",
}
"""Elements that have a name only."""


def _barrier(constraint: Constraint, core: Core) -> str:
    if constraint.kind is ConstraintKind.MISSING_ALLOW:
        return "does not admit it"
    if any(each.at == constraint.part for each in core.constraints):
        return "makes deny the default, as every entry that denies does"
    return "denies it"


def _of_nodes(core: Core) -> Iterator[Taint]:
    """The taints of the core: of tolerations, only those that these ask for are missing."""
    for each in core.constraints:
        if each.kind is ConstraintKind.TAINT:
            yield from (part for part in each.parts if isinstance(part, Taint))


def _taints(taints: Iterable[Taint]) -> str:
    return ", ".join(dict.fromkeys(map(describe_taint, taints)))
