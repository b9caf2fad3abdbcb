"""Groups that find a place and never train: faults of their own settings and contract, whatever rule reports them.

A group is not proved while such an error stands: where it is proven the group cannot run, otherwise it is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from trainlint.fabric.facts import Fabric
from trainlint.fact import fact
from trainlint.finding import Certainty
from trainlint.model.because import Because
from trainlint.model.known import Answer
from trainlint.model.root import Root
from trainlint.model.workload import PodSet
from trainlint.proof.ground import ProofGround
from trainlint.proof.group import GroupProof
from trainlint.queues.queue_refusals import QueueRefusal
from trainlint.snapshot.build import Snapshot
from trainlint.workload.contract import Contract

__all__ = ["StoppedGroup", "nowhere", "refuted_by_faults", "stopped", "stopping"]


@fact
class StoppedGroup:
    """The pods that a fault keeps from training.

    ``certain`` is false where they may train all the same; ``why`` then says what is not known.
    """

    root: Root
    pod_sets: tuple[PodSet, ...]
    certain: bool = True
    why: Because | None = None


def stopped(
    snapshot: Snapshot, fabric: Fabric, contract: Contract, refusals: Iterable[QueueRefusal]
) -> Iterator[StoppedGroup]:
    """Everything that keeps pods from training after they found a place; warnings do not count."""
    yield from _by_fabric(fabric)
    yield from _by_contract(contract)
    for refusal in refusals:
        if not refusal.certain:
            why = Because(ProofGround.STARTED, (refusal.owner, refusal.why))
            yield StoppedGroup(Root.SCHEDULER_QUEUE, refusal.pod_sets, certain=False, why=why)
    sets = {each.owner: each.pod_sets for each in snapshot.workloads.objects}
    for lost in snapshot.emptied:
        said = tuple(dict.fromkeys(f"{use.written} by {use.becomes or 'nothing'}" for use in lost.uses))
        why = Because(ProofGround.EMPTIED, (lost.by, said, lost.owner))
        yield StoppedGroup(Root.EMPTIED_VARIABLE, sets.get(lost.owner, ()), certain=False, why=why)


def _by_fabric(fabric: Fabric) -> Iterator[StoppedGroup]:
    for root, found in (
        (Root.INTERFACE, fabric.missing_interfaces),
        (Root.LOOPBACK, fabric.loopback_interfaces),
        (Root.NETWORKS, fabric.different_networks),
        (Root.HOST_NETWORK_DNS, fabric.unresolved_names),
    ):
        yield from (StoppedGroup(root, each.pod_sets) for each in found if each.severity is None)
    for root, faults, sure in (
        (Root.ATTACHMENT, fabric.missing_attachments, True),
        (Root.VERSIONS, fabric.mixed_versions, True),
        (Root.GLOO_INTERFACE, fabric.gloo_names, False),  # only what creates a Gloo group reads it
        (Root.RDMA, fabric.unequal_roles, False),  # NCCL hangs, or falls back to TCP
    ):
        for each in faults:
            if each.severity is None:
                certain = sure and each.certainty is Certainty.PROVEN
                yield StoppedGroup(root, each.pod_sets, certain, None if certain else _although(each.what))


def _by_contract(contract: Contract) -> Iterator[StoppedGroup]:
    for root, found in (
        (Root.RENDEZVOUS, contract.meetings),
        (Root.HOST_NAMES, contract.hosts),
        (Root.PROCESS_COUNT, contract.counts),
        (Root.ELASTIC_POLICY, contract.elastic),
        (Root.NAME_LENGTH, contract.colliding),
    ):
        for each in found:
            if each.fault.stops:
                certain = each.fault.certainty is Certainty.PROVEN
                yield StoppedGroup(root, each.pod_sets, certain, None if certain else _although(each.fault))


def _although(fault: object) -> Because:
    return Because(ProofGround.ALTHOUGH, (fault,))


def stopping(stopped: Iterable[StoppedGroup], proof: GroupProof) -> Iterator[StoppedGroup]:
    """What keeps the pods of a group from training; the faults of what it only depends on are not its own."""
    members = {id(each) for index, each in enumerate(proof.group.members) if index not in proof.group.dependencies}
    for each in stopped:
        if any(id(pods) in members for pods in each.pod_sets):
            yield each


def refuted_by_faults(stopped: Iterable[StoppedGroup], proof: GroupProof) -> GroupProof:
    """The proof with what faults of the group leave of it; what places refute stays, with its causes."""
    found = tuple(stopping(stopped, proof))
    if any(each.certain for each in found):
        return replace(nowhere(proof, Answer.REFUTED), stopped=True)
    whys = tuple(dict.fromkeys(each.why for each in found if each.why is not None))
    if not whys or proof.exists is Answer.REFUTED:
        return proof
    return replace(nowhere(proof, Answer.UNKNOWN), missing=(*proof.missing, *whys))


def nowhere(proof: GroupProof, answer: Answer) -> GroupProof:
    """The proof with one answer to both questions, and without placements that would be good or bad."""
    answered = replace(proof, exists=answer, for_all=answer, needs=None)
    return replace(answered, viable_zones=(), witness={}, counterexample={}, assignments=(), bad_assignments=())
