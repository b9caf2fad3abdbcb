"""What got worse, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from trainlint.model.known import Answer
from trainlint.model.needs import RoleNeed
from trainlint.model.settings import ZONE
from trainlint.proof.ground import ProofGround
from trainlint.proof.group import GroupProof
from trainlint.scheduling.node_affinity import describe
from trainlint.wording.because import because_text, texts_of
from trainlint.wording.needs import amounts, domain_word, listed, object_words, short_need
from trainlint_rules.placement.answer_worsened.comparison import Aspect, Worsening
from trainlint_rules.placement.answer_worsened.growth import Growth, More

__all__ = ["message", "predicate", "remedy", "states"]

PARTS: Final = 3
"""Parts of a need, and reasons, that are listed."""
NOT_NODES: Final = frozenset({More.OBJECTS, More.CLAIMS, More.OTHERS})
"""Parts of a need that are no nodes."""


def message(worse: Worsening) -> str:
    """What the change does to the group, and what was before."""
    name = worse.now.group.name
    match worse.aspect:
        case Aspect.PLACEMENT:
            return f"this change {_placement(worse.now)}; before, {_was(worse.before)}"
        case Aspect.NEED:
            return f"with this change {name} needs more: {_needed(worse)}"
        case Aspect.EVERY:
            return f"{_every(worse.now)}; before, every placement was good"
        case Aspect.CONNECTIONS:
            why = _reasons(worse.now)
            return (
                f"this change makes it unknown whether the pods of {name} may reach each other{why}; "
                "before, all connections that they need were permitted"
            )


def predicate(worse: Worsening) -> str:
    """What the group needs more than before, without the group's name; empty where something else got worse."""
    return f"needs {_needed(worse)}" if worse.aspect is Aspect.NEED else ""


def _needed(worse: Worsening) -> str:
    parts = [text for each in worse.growths for text in _grown(each)]
    more = f" and {len(parts) - PARTS} more" if len(parts) > PARTS else ""
    return f"{'; '.join(parts[:PARTS])}{more}"


def remedy(worse: Worsening) -> str:
    """What to do about it."""
    name = worse.now.group.name
    if worse.aspect is Aspect.CONNECTIONS:
        return "write out what is not known here, or take this part of the change back"
    if worse.aspect is Aspect.EVERY and worse.now.for_all is Answer.CONDITIONAL:
        return "keep the pods together: required pod affinity, or a nodeSelector for one zone"
    if Answer.UNKNOWN in (worse.now.exists, worse.now.for_all):
        return "write out what is not known here, or take this part of the change back"
    if worse.aspect is Aspect.EVERY:
        return "give the nodes more room, or place the group as one (gang scheduling)"
    if worse.more in NOT_NODES:
        return (
            f"make sure that the cluster has it before you merge, or add it to Git (`trainlint needs {name}` lists all)"
        )
    ask = f"trainlint needs {name} --output kubectl"
    return f"make sure that the cluster has it before you merge: `{ask}` prints the question for the cluster"


def states(worse: Worsening) -> Mapping[str, str]:
    """Which answer it is, and what it was and is where that differs."""
    answers = {
        Aspect.PLACEMENT: (worse.before.exists, worse.now.exists),
        Aspect.NEED: (worse.before.exists, worse.now.exists),
        Aspect.EVERY: (worse.before.for_all, worse.now.for_all),
        Aspect.CONNECTIONS: (worse.before.connections, worse.now.connections),
    }
    before, now = answers[worse.aspect]
    return {"answer": worse.aspect, "before": before, "now": now} if before != now else {"answer": worse.aspect}


def _placement(now: GroupProof) -> str:
    name = now.group.name
    if now.exists is Answer.UNKNOWN or now.needs is None:
        return f"makes it unknown whether {name} can run{_reasons(now)}"
    what = short_need(now.needs) or "what it needs"
    if now.needs.domain and not now.needs.zones:
        what += f" in one {domain_word(now.needs.domain)}"
    return f"makes {name} wait for {what}, which Git does not show"


def _was(before: GroupProof) -> str:
    if before.exists is Answer.PROVED:
        where = f" in {listed(before.viable_zones, ' or ')}" if before.viable_zones else ""
        return f"it was proved to run{where}"
    if before.needs is None:
        return "it could run if the cluster had what it needs"
    return f"it could run if the cluster had {short_need(before.needs)}"


def _every(now: GroupProof) -> str:
    name = now.group.name
    if now.for_all is Answer.CONDITIONAL:
        word = domain_word(now.needs.together if now.needs is not None else ZONE)
        alone = f"it is placed well only where all its nodes are in one {word}"
        return f"with this change nothing keeps {name} together, so {alone}"
    if now.for_all is Answer.REFUTED:
        why = f" ({because_text(now.notes[0])})" if now.notes else ""
        return f"this change lets the scheduler place {name} so that it cannot run{why}"
    return f"this change makes it unknown whether every placement of {name} is good{_reasons(now)}"


def _reasons(proof: GroupProof) -> str:
    """Why it is not known: that of the nodes last, for unknown nodes alone leave an answer conditional."""
    found = sorted(proof.missing, key=lambda each: each.ground is ProofGround.NO_INVENTORY)
    return f" ({'; '.join(texts_of(found[:PARTS]))})" if found else ""


def _grown(growth: Growth) -> Iterator[str]:
    role, before = growth.role, growth.before
    if growth.more is More.OBJECTS:
        yield from (f"{object_words(each)}, which Git does not hold" for each in growth.objects)
    elif growth.more is More.DOMAINS:
        yield from (f"one {domain_word(key)} for all pods, not before" for key in growth.names)
    elif growth.more is More.ZONES:
        yield f"nodes in {listed(growth.names, ' or ')}, others would do before"
    elif role is None:
        yield from texts_of(growth.others)
    elif growth.more is More.PODS:
        yield f"{_pods(role)}, {before.pods if before is not None else 'none'} before"
    elif before is not None:
        yield from _of_pod(growth, role, before)


def _pods(role: RoleNeed) -> str:
    what = amounts(role)
    if role.unsaid:
        why = because_text(role.unsaid)
        return f"pods of {role.role}{f' with {what} each' if what else ''}, how many is not known ({why})"
    if role.apart and role.pods > 1:
        return f"{role.pods} nodes{f' with {what} free' if what else ''} for {role.role}"
    each = " each" if role.pods > 1 else ""
    return f"{role.pods} pod{'' if role.pods == 1 else 's'} of {role.role}{f' with {what}{each}' if what else ''}"


def _of_pod(growth: Growth, role: RoleNeed, before: RoleNeed) -> Iterator[str]:
    match growth.more:
        case More.AMOUNTS:
            for name in growth.names:
                yield f"{role.requests[name]} {name} for each pod of {role.role}, {before.requests.get(name, 0)} before"
        case More.LABELS:
            yield f"nodes with {_ways(role)} for {role.role}, {_nodes(before)} before"
        case More.TAINTS:
            yield f"nodes without the taint {listed(growth.names)} for {role.role}, which tolerated it before"
        case More.ONE_NODE:
            yield f"a pod of {listed(growth.names)} on the node of each pod of {role.role}, not before"
        case More.APART:
            yield f"a node of its own for each pod of {role.role}, not before"
        case _:
            yield from (f"{name} for {role.role}, not before" for name in growth.names)


def _ways(role: RoleNeed) -> str:
    ways = [" and ".join(map(describe, way)) for way in role.labels if way]
    return listed(ways, ", or with ")


def _nodes(role: RoleNeed) -> str:
    return f"with {_ways(role)}" if all(role.labels) and role.labels else "any"
