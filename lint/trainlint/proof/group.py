"""What is proved about one group."""

from __future__ import annotations

from dataclasses import field

from trainlint.fact import fact
from trainlint.model.because import Because
from trainlint.model.known import Answer
from trainlint.model.needs import Needs
from trainlint.model.settings import ZONE
from trainlint.model.workload import Group
from trainlint.proof.cause import Assignment, Cause, Where
from trainlint.proof.zones import Zone
from trainlint.reachability import Reachability

__all__ = ["GroupProof"]


@fact(eq=False)
class GroupProof:
    """The answers for one group. ``causes`` are those that rules about groups render; placement rules see pod sets.

    ``zones`` are the zones one by one; ``assignments`` and ``bad_assignments`` are the witness and the counterexample,
    down to pools.
    ``connections`` says whether all needed flows are permitted, ``needs`` what a conditional answer rests on.
    ``ideal`` says that it is refuted on every cluster that could exist, ``stopped`` that its own faults keep it from
    training wherever it is placed.
    """

    group: Group
    exists: Answer
    for_all: Answer
    viable_zones: tuple[str, ...] = ()
    witness: Where = field(default_factory=dict)
    counterexample: Where = field(default_factory=dict)
    causes: tuple[Cause, ...] = ()
    notes: tuple[Because, ...] = ()
    missing: tuple[Because, ...] = ()
    topology_key: str = ZONE
    zones: tuple[Zone, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    bad_assignments: tuple[Assignment, ...] = ()
    reach: Reachability | None = None
    connections: Answer = Answer.UNKNOWN
    needs: Needs | None = None
    ideal: bool = False
    stopped: bool = False
