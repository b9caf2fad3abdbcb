"""What can be proposed for a group that cannot run or may be placed badly; the search combines and tries it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from trainlint.checks.zone_labels import ZoneLabel
from trainlint.facts.facts import Facts
from trainlint.finding import Fix, Location, Put, Remove
from trainlint.model.known import Answer
from trainlint.model.policy import Verdict
from trainlint.model.pool import Taint
from trainlint.model.workload import Flow, Group, PodSet
from trainlint.proof.cause import CutCause, DeadlockCause, FlowCause, SpreadCause
from trainlint.proof.group import GroupProof
from trainlint.questions.lookalikes import may_be_labelled
from trainlint.questions.named_pods import naming_labels
from trainlint.repairs.policy_edits import admit_flows
from trainlint.scheduling import taint_toleration
from trainlint.scheduling.filter import Refusal
from trainlint.scheduling.fixes import follow, pin, tolerate
from trainlint.scheduling.taint_toleration import untolerated

__all__ = ["deadlock_fixes", "denied_fixes", "dropped_spread", "group_fixes", "tolerate", "tolerations", "true_label"]

_OWN_DOMAINS = ("node.kubernetes.io/", "node-role.kubernetes.io/", "node.cloudprovider.kubernetes.io/")
"""Taints of nodes that are not ready, or not meant for workloads."""


def group_fixes(facts: Facts, proof: GroupProof) -> Iterator[Fix]:
    """Everything that may help a group, the likeliest first; for one that is fine, nothing."""
    if Answer.REFUTED not in (proof.exists, proof.for_all):
        return
    group = proof.group
    own = [each for index, each in enumerate(group.members) if index not in group.dependencies and each.replicas != 0]
    for member in own:
        yield from tolerations(facts, [member])
    for label in facts.connections.contradicting_labels:
        if any(label.pod_set is each for each in own):
            yield from true_label(facts, label)
    for cause in proof.causes:
        match cause:
            case FlowCause():
                yield from denied_fixes(facts, group, cause.flows)
            case SpreadCause():
                yield from dropped_spread(cause)
            case CutCause():
                yield from _together(facts, proof, own)
                yield from denied_fixes(facts, group, ((pair.flow, pair.verdict) for pair in cause.pairs))
    yield from _together(facts, proof, own)


def denied_fixes(facts: Facts, group: Group, denied: Iterable[tuple[Flow, Verdict]]) -> Iterator[Fix]:
    """What opens connections that policies deny: labels and ports first, then what the policies would have to admit."""
    from trainlint.repairs.opening_edits import flow_fixes  # noqa: PLC0415 (heavy, and most checks propose nothing)

    found = list(denied)
    yield from flow_fixes(facts, group, dict.fromkeys(flow for flow, _ in found))
    yield from admit_flows(facts, group, found)


def deadlock_fixes(facts: Facts, cause: DeadlockCause) -> Iterator[Fix]:
    """What lets the target go where its followers can be; for two that wait for each other, one waits no more."""
    if cause.mutual:
        yield Fix(f"let {cause.pod_set.name} start without {cause.target.name}", (Remove(cause.at),))
        return
    yield from tolerations(facts, [cause.target])
    for proof in facts.proofs:
        if any(member is cause.target for member in proof.group.members):
            yield from group_fixes(facts, proof)


def tolerations(facts: Facts, pod_sets: Sequence[PodSet]) -> Iterator[Fix]:
    """Tolerations that let pods onto pools which nothing else keeps from the first set, one for each set of taints."""
    judged = facts.verdicts.of(pod_sets[0])
    if judged is None:
        return
    feasibility, nodes = judged
    seen: set[tuple[Taint, ...]] = set()
    for index, verdict in feasibility.verdicts.items():
        plugins = {each.plugin if isinstance(each, Refusal) else "" for each in verdict}
        taints = untolerated(nodes[index].pool.taints, feasibility.pod.spec)
        if plugins != {taint_toleration.PLUGIN} or taints in seen or any(map(_own, taints)):
            continue
        seen.add(taints)
        fix = tolerate(pod_sets, taints)
        if fix is not None:
            yield fix


def _own(taint: Taint) -> bool:
    return taint.key.startswith(_OWN_DOMAINS)


def true_label(facts: Facts, label: ZoneLabel) -> Iterator[Fix]:
    """The label of the zone where the pods are, if there is one only, and people set it."""
    if len(label.zones) == 1 and may_be_labelled(facts, label.pod_set, {label.key: label.zones[0]}):
        at = label.pod_set.template.child("metadata", "labels", label.key)
        yield Fix(f"set {label.key} to {label.zones[0]} on {label.pod_set.name}", (Put(at, label.zones[0]),))


def dropped_spread(cause: SpreadCause) -> Iterator[Fix]:
    """The constraint goes; the list too if it held nothing else."""
    spec = cause.pod_set.spec
    alone = len(spec.spread) == 1 and "topologySpreadConstraints" not in spec.undetermined
    at = cause.at
    if alone and at.path and isinstance(at.path[-1], int):
        at = Location(at.file, at.document, at.path[:-1])
    yield Fix(f"remove the spread constraint over zones from {cause.pod_set.name}", (Remove(at),))


def _together(facts: Facts, proof: GroupProof, own: Sequence[PodSet]) -> Iterator[Fix]:
    """One zone for all: by following the role that has the least choice, or by name."""
    zones = {id(each): set(facts.verdicts.zones(each) or ()) for each in own}
    if not all(zones.values()):
        wanted = set.union(*zones.values()) if zones else set()
        for zone in sorted(wanted):
            yield from _pins([each for each in own if zone in zones[id(each)]], zones, proof.topology_key, zone)
        return
    shared = sorted(set.intersection(*zones.values()))
    good = [zone for zone in shared if not proof.viable_zones or zone in proof.viable_zones]
    free = [each for each in own if len(zones[id(each)]) > 1]
    if len(good) > 1:
        leader = min(own, key=lambda each: (len(zones[id(each)]), own.index(each)))
        labels, key = naming_labels(facts, [leader]) or naming_labels(facts, own), proof.topology_key
        made = [fix for each in free if (fix := follow(each, leader, labels, key)) is not None]
        yield from made
        if 1 < len(made) == len(free):
            edits = tuple(edit for fix in made for edit in fix.edits)
            yield Fix(f"let {', '.join(each.name for each in free)} follow {leader.name} into its zone", edits)
    for zone in good:
        yield from _pins(free, zones, proof.topology_key, zone)


def _pins(pod_sets: Sequence[PodSet], zones: dict[int, set[str]], key: str, zone: str) -> Iterator[Fix]:
    free = [each for each in pod_sets if zones[id(each)] != {zone}]
    for each in free:
        if (fix := pin([each], key, zone)) is not None:
            yield fix
    if len(free) > 1 and (fix := pin(free, key, zone)) is not None:
        yield fix
