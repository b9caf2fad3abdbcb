"""The proof of a group as tables: where each pod is in the witness and in the counterexample, and what it reaches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from trainlint.checks.stopped_groups import stopping
from trainlint.fact import fact
from trainlint.facts.facts import Facts
from trainlint.finding import UsageError
from trainlint.model.known import Answer
from trainlint.model.policy import Permission
from trainlint.model.root import Root
from trainlint.model.workload import DNS_PEER, Group, PodSet
from trainlint.proof.cause import Assignment, CutCause, SplitCause, StrandedCause
from trainlint.proof.group import GroupProof
from trainlint.proof.zones import Zone
from trainlint.reachability import Place, Reachability
from trainlint.scheduling.admission import admit
from trainlint.wording.because import texts_of
from trainlint.wording.needs import need_words
from trainlint.wording.zones import reason_text
from trainlint.workload.accelerators import is_accelerator

__all__ = [
    "GroupTable",
    "Row",
    "ToldBy",
    "ZoneRow",
    "accelerators",
    "blamed",
    "named",
    "no_group",
    "proofs_of",
    "table_of",
    "tables",
]


ToldBy = Mapping[Root, str]
"""The rule that tells each root."""


@fact
class Row:
    """Equal pods on nodes of one pool; ``pool`` is empty and ``nodes`` 0 where a counterexample fixes the zone only.

    ``gpus`` is what all of them ask for together; ``reaches``, ``cut`` and ``unsure`` name peers of this placement.
    """

    pods: str
    role: str
    count: int
    pool: str
    zone: str
    nodes: int
    gpus: int | None
    reaches: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()


@fact
class ZoneRow:
    """Whether a zone takes the whole group, and what is missing there."""

    name: str
    answer: Answer
    lacks: tuple[str, ...] = ()


@fact
class GroupTable:
    """Everything that is proved about one group in one snapshot.

    ``why_bad`` says what is wrong with the counterexample; ``blamed`` are the rules that name a root cause, ``needs``
    what a cluster must have, in words, where an answer is conditional.
    """

    group: str
    kind: str
    snapshot: str
    exists: Answer
    for_all: Answer
    witness: tuple[Row, ...] = ()
    counterexample: tuple[Row, ...] = ()
    why_bad: str = ""
    zones: tuple[ZoneRow, ...] = ()
    blamed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


def tables(snapshots: Sequence[Facts], told_by: ToldBy, wanted: str = "") -> tuple[GroupTable, ...]:
    """The tables of all groups, or of those with one name (``namespace/name``, or the name alone).

    Raises:
        UsageError: no group has that name.
    """
    proofs = [(proof, facts) for facts in snapshots for proof in facts.proofs]
    if wanted:
        proofs = proofs_of(wanted, snapshots)
        if not proofs:
            raise UsageError(
                no_group(wanted, sorted({each.group.name for facts in snapshots for each in facts.proofs}))
            )
    return tuple(table_of(proof, facts, told_by) for proof, facts in proofs)


def proofs_of(wanted: str, snapshots: Sequence[Facts]) -> list[tuple[GroupProof, Facts]]:
    """The proofs of the groups with a name (``namespace/name``, or the name alone), in every snapshot."""
    proofs = [(proof, facts) for facts in snapshots for proof in facts.proofs]
    exact = [each for each in proofs if each[0].group.name == wanted]
    return exact or [each for each in proofs if each[0].group.name.partition("/")[2] == wanted]


def no_group(wanted: str, names: Sequence[str]) -> str:
    """The complaint about a group that does not exist, with the nearest name, or all."""
    from difflib import get_close_matches  # noqa: PLC0415 (only needed for a mistake)

    near = get_close_matches(wanted, names, n=1, cutoff=0.6)
    if near:
        return f"there is no group {wanted!r}; did you mean {near[0]!r}?"
    return f"there is no group {wanted!r}; " + (f"there are: {', '.join(names)}" if names else "there are no groups")


def table_of(proof: GroupProof, facts: Facts, told_by: ToldBy) -> GroupTable:
    """The table of one group; ``told_by`` names the rule of each root."""
    gpus = {each.name: accelerators(each, facts) for each in proof.group.members}
    unknown = Answer.UNKNOWN in (proof.exists, proof.for_all)
    return GroupTable(
        group=proof.group.name,
        kind=proof.group.kind,
        snapshot=facts.snapshot.name,
        exists=proof.exists,
        for_all=proof.for_all,
        witness=tuple(_rows(proof, proof.assignments, gpus)),
        counterexample=tuple(_rows(proof, proof.bad_assignments, gpus)),
        why_bad=_why_bad(proof),
        zones=tuple(ZoneRow(each.name, each.answer, tuple(dict.fromkeys(_lacks(each, proof)))) for each in proof.zones),
        blamed=named(blamed(proof, facts), told_by),
        missing=tuple(dict.fromkeys(texts_of(proof.missing))) if unknown else (),
        notes=texts_of(proof.notes),
        needs=() if proof.needs is None else tuple(need_words(proof.needs)),
    )


def _lacks(zone: Zone, proof: GroupProof) -> Iterator[str]:
    yield from (reason_text(each, proof.group) for each in zone.reasons)
    if zone.flows is Answer.REFUTED and proof.reach is not None and proof.reach.denied:
        yield "needed connections are denied wherever the pods land"
    yield from texts_of(zone.missing)


def accelerators(pod_set: PodSet, facts: Facts) -> int | None:
    """The accelerators that one pod asks for; ``None`` where it is unknown."""
    amounts = admit(pod_set, facts.snapshot.settings, facts.cluster.admission).pod.requests.amounts
    asked = [amount for resource, amount in amounts.items() if is_accelerator(resource)]
    known = [amount for amount in asked if isinstance(amount, int)]
    return sum(known) if len(known) == len(asked) else None


def _rows(proof: GroupProof, assignments: Sequence[Assignment], gpus: Mapping[str, int | None]) -> Iterator[Row]:
    members = {each.name: index for index, each in enumerate(proof.group.members)}
    placed: dict[str, int] = {}
    for assignment in sorted(
        assignments, key=lambda assignment: (members.get(assignment.pod_set, 0), assignment.zone, assignment.pool)
    ):
        index = members.get(assignment.pod_set)
        if index is None:
            continue
        pod_set, each = proof.group.members[index], gpus[assignment.pod_set]
        first = placed.get(assignment.pod_set, 0)
        placed[assignment.pod_set] = first + assignment.pods
        peers = _peers(proof.group, proof.reach, index, assignment, assignments) if proof.reach is not None else {}
        yield Row(
            pods=_names(pod_set, first, assignment.pods),
            role=pod_set.role or pod_set.owner.name,
            count=assignment.pods,
            pool=assignment.pool,
            zone=assignment.zone,
            nodes=assignment.nodes,
            gpus=None if each is None else each * assignment.pods,
            reaches=tuple(name for name, permission in peers.items() if permission is Permission.ALLOW),
            cut=tuple(name for name, permission in peers.items() if permission is Permission.DENY),
            unsure=tuple(name for name, permission in peers.items() if permission is Permission.UNKNOWN),
        )


def _names(pod_set: PodSet, first: int, count: int) -> str:
    """The host names of pods that are numbered, else how many there are; which of them land here is unknown."""
    if pod_set.hostname.count("{}") != 1 or pod_set.instances != 1:
        return f"{count} pods" if count > 1 else "1 pod"
    return pod_set.hostname.replace("{}", str(first) if count == 1 else f"{first}..{first + count - 1}")


def _peers(
    group: Group, reach: Reachability, index: int, assignment: Assignment, assignments: Sequence[Assignment]
) -> dict[str, Permission]:
    """The pods of this placement that those of one assignment must talk to, either way, each with the verdict."""
    places = {place.name: place for place in reach.places}
    here = places.get(assignment.zone)
    found: dict[str, Permission] = {}
    if here is None:
        return found
    for flow in group.flows:
        if flow.source == index and flow.target is None:
            _worse(found, DNS_PEER, reach.crossing(flow, here, here).permission)
        elif index in (flow.source, flow.target) and flow.target is not None:
            other = flow.target if flow.source == index else flow.source
            for name, there in _others(group, other, assignment, assignments, places):
                ends = (here, there) if flow.source == index else (there, here)
                _worse(found, name, reach.crossing(flow, *ends).permission)
    return found


def _others(
    group: Group, other: int, assignment: Assignment, assignments: Sequence[Assignment], places: Mapping[str, Place]
) -> Iterator[tuple[str, Place]]:
    pod_set = group.members[other]
    short = pod_set.role or pod_set.owner.name
    for zone in dict.fromkeys(each.zone for each in assignments if each.pod_set == pod_set.name):
        alone = sum(each.pods for each in assignments if each.pod_set == pod_set.name and each.zone == zone) == 1
        if zone in places and not (alone and assignment.pod_set == pod_set.name and assignment.zone == zone):
            yield (short if zone == assignment.zone else f"{short} in {zone}"), places[zone]


def _worse(found: dict[str, Permission], name: str, permission: Permission) -> None:
    """Keep the worst verdict on a peer."""
    order = (Permission.ALLOW, Permission.UNKNOWN, Permission.DENY)
    found[name] = max(found.get(name, permission), permission, key=order.index)


def _why_bad(proof: GroupProof) -> str:
    for cause in proof.causes:
        match cause:
            case StrandedCause():
                waiting = ", ".join(each.name for each in cause.waiting)
                return f"after these pods are placed, {waiting} finds no node"
            case CutCause():
                return "needed connections are denied between these places"
            case SplitCause():
                return f"it is spread over {', '.join(cause.zones)}: slow and billed"
    return ""


def blamed(proof: GroupProof, facts: Facts) -> Iterator[Root]:
    """What is at the root of the answers about the group or one of its pod sets; rules tell it."""
    members = {id(each) for each in proof.group.members}
    yield from (cause.root for cause in proof.causes)
    for each in proof.group.members:
        judged = facts.verdicts.of(each)
        if judged is not None and judged[0].cause is not None:
            yield judged[0].cause.root
    yield from (
        each.cause.root for each in facts.placement.impossible if each.cause is not None and id(each.pod_set) in members
    )
    if any(id(cause.pod_set) in members for cause in facts.placement.missing_targets):
        yield Root.AFFINITY_TARGET
    for root, causes in (
        (Root.QUOTA, [cause.pod_sets for cause in facts.queues.over_quota]),
        (Root.REFERENCE, [cause.pod_sets for cause in facts.objects.dangling_references]),
        (Root.SHARED_CLAIM, [cause.pod_sets for cause in facts.placement.shared_claims]),
        (Root.EXCLUSIVE_TOPOLOGY, [cause.pod_sets for cause in facts.placement.exclusive_shortages]),
        (Root.GANG_SIZE, [gang.pod_sets for gang, _ in facts.queues.oversized_gangs]),
        (Root.KUEUE, [cause.pod_sets for cause in facts.repository.never_admitted]),
    ):
        if any(id(pod_set) in members for pod_sets in causes for pod_set in pod_sets):
            yield root
    if any(id(each) in members for setting in facts.repository.missing_settings for each in setting.pod_sets):
        yield Root.REFERENCE
    for refused in facts.objects.refused:
        if any(id(pod_set) in members for pod_set in refused.pod_sets):
            yield refused.root
    yield from (each.root for each in stopping(facts.groups.stopped, proof) if each.certain)
    if any(facts.control_plane.cut_off.get(each.owner, ("", False))[1] for each in proof.group.members):
        yield Root.CONTROL_PLANE


def named(roots: Iterable[Root], told_by: ToldBy) -> tuple[str, ...]:
    """The rules that tell some roots, each once."""
    return tuple(dict.fromkeys(told_by[root] for root in roots if root in told_by))
