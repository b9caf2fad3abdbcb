"""A made-up result in which every part of a report has something to say."""

from __future__ import annotations

from trainlint.finding import Certainty, Finding, Location, Severity, Span
from trainlint.model.known import Answer
from trainlint.result import (
    Failure,
    GroupVerdict,
    NeededFlow,
    Placed,
    PlacedRelated,
    PlacedUnknown,
    Result,
    RoleVerdict,
    SnapshotSummary,
)

TAINT = "      taints: [{key: reserved-for, value: accelerators, effect: NoSchedule}]"
POLICY = "  endpointSelector: {matchLabels: {lane: east}}"


def no_viable_zone() -> Placed:
    return Placed(
        finding=Finding(
            rule="no-viable-zone",
            category="topology",
            severity=Severity.ERROR,
            message="no zone can run speech/leader+trainers: the leader can only land in west, the trainers only in "
            "east, so the GPUs of the trainers wait for a leader that they cannot reach",
            at=Location("broken/training.yaml", 1, ("spec", "template", "spec", "tolerations")),
            remedy="let the leader tolerate the taint of the pool east-gpu:\n"
            "      tolerations: [{key: reserved-for, operator: Equal}]",
            evidence={"east": "leader does not tolerate reserved-for=accelerators:NoSchedule", "west": ["no GPU"]},
            counterexample={"leader": "west (cpu-1)", "trainers 0-2": "east (gpu-1, gpu-2, gpu-3)"},
            assumes=("the CNI is Cilium 1.20",),
            snapshots=("broken",),
            id="4f1d2c",
        ),
        span=Span(17, 5, 17, 10),
        path=("spec", "template", "spec"),
        lines=("    spec:",),
        related=(
            PlacedRelated(
                "who keeps the leader out",
                "cluster/nodes.yaml",
                Span(112, 7, 112, 12),
                ("pools", 0, "taints"),
                (TAINT,),
            ),
            PlacedRelated(
                "what keeps the trainers in east",
                "broken/training.yaml",
                Span(45, 7, 47, 31),
                ("spec",),
                ("a:", "  b:"),
            ),
        ),
    )


def likely_note(reason: str = "") -> Placed:
    return Placed(
        finding=Finding(
            rule="soft-colocation",
            category="topology",
            severity=Severity.NOTE,
            certainty=Certainty.LIKELY,
            message="only a preference keeps the group together",
            at=Location("jobs/a.yaml", 0, ("spec",)),
            snapshots=("broken", "fixed"),
            id="99aa",
        ),
        span=Span(3, 1, 3, 5),
        path=("spec",),
        lines=("spec: {}",),
        reason=reason,
    )


EVIL = (
    'a"]; click p0 "javascript:alert(1)" <img src=x onerror=alert(1)> `x` ``` #35; %%{init}%% end &amp; @octocat #1 '
    "ml/train#2 [l](http://e.example) ![i](http://e.example) |x| a\\|b $x$ www.e.example :tada: %0A::error::x ]]> "
    "\x1b[2J \u202e"
)
"""What a name or a value in a manifest may hold at worst (a name in YAML may be any text)."""


def evil() -> Result:
    """A result in which every text comes from an attacker."""
    finding = Finding(
        rule="flow-denied",
        category="policy",
        severity=Severity.ERROR,
        message=f"group {EVIL} starts and then hangs:\n::error::{EVIL}",
        at=Location(EVIL, 0, (EVIL,)),
        remedy=f"{EVIL}\n  ```\n  {EVIL}",
        evidence={EVIL: EVIL},
        counterexample={EVIL: EVIL},
        assumes=(EVIL,),
        snapshots=(EVIL,),
        cause=EVIL,
        id="e0",
    )
    related = PlacedRelated(EVIL, EVIL, Span(1, 1, 1, 3), (EVIL,), (EVIL,))
    placed = Placed(finding, Span(1, 1, 1, 2), (EVIL,), (related,), (EVIL,), EVIL)
    group = GroupVerdict(
        EVIL,
        EVIL,
        EVIL,
        2,
        Answer.REFUTED,
        Answer.UNKNOWN,
        (EVIL,),
        missing=(EVIL,),
        notes=(EVIL,),
        roles=(RoleVerdict(EVIL, 1, (EVIL,)), RoleVerdict("two", 1, (EVIL, "b"))),
        flows=(NeededFlow(EVIL, "two", EVIL, denied=True),),
    )
    return Result(
        EVIL,
        (SnapshotSummary(EVIL, 1, EVIL), SnapshotSummary("b", 1)),
        findings=(placed,),
        suppressed=(placed,),
        groups=(group,),
        unknowns=(PlacedUnknown(EVIL, EVIL, EVIL, EVIL, 1),),
        assumptions=(EVIL,),
        failures=(Failure("flow-denied", EVIL),),
    )


def many(errors: int, warnings: int = 0, notes: int = 0) -> Result:
    """A result with so many findings, the mildest first, each at a line of its own."""
    levels = [*[Severity.NOTE] * notes, *[Severity.WARNING] * warnings, *[Severity.ERROR] * errors]
    return Result(
        "/",
        findings=tuple(
            Placed(
                Finding(f"fault {n}", Location("a.yaml", 0), severity=level, rule="flow-denied", id=f"{n:x}"),
                Span(n, 1, n, 5),
            )
            for n, level in enumerate(levels, 1)
        ),
    )


def everything() -> Result:
    return Result(
        root="/somewhere/speech",
        snapshots=(
            SnapshotSummary("broken", 7, "broken/ and fixed/ define Deployment speech/leader differently"),
            SnapshotSummary("fixed", 7, "broken/ and fixed/ define Deployment speech/leader differently"),
        ),
        findings=(no_viable_zone(),),
        suppressed=(likely_note("measured, fast enough"),),
        groups=(
            GroupVerdict(
                "speech/leader+trainers",
                "Deployment+Job",
                "broken",
                4,
                Answer.REFUTED,
                Answer.REFUTED,
                counterexample={"leader": {"west": 1}, "trainers": {"east": 3}},
                roles=(
                    RoleVerdict("leader", 1, ("west",), at=Location("broken/training.yaml", 1)),
                    RoleVerdict("trainers", 3, ("east",), at=Location("broken/training.yaml", 2)),
                ),
                flows=(NeededFlow("trainers", "leader", "TCP 7100", denied=True, cut=(("east", "west"),)),),
                connections=Answer.REFUTED,
            ),
            GroupVerdict(
                "speech/leader+trainers",
                "Deployment+Job",
                "fixed",
                4,
                Answer.PROVED,
                Answer.PROVED,
                ("east",),
                witness={"leader": "gpu-1", "trainers 0-2": ["gpu-1", "gpu-2", "gpu-3"]},
                notes=("the pools are judged at their maximum size",),
                connections=Answer.PROVED,
            ),
            GroupVerdict(
                "lab/elastic",
                "PyTorchJob",
                "fixed",
                None,
                Answer.UNKNOWN,
                Answer.UNKNOWN,
                missing=("the number of workers is ${WORKERS}",),
                roles=(RoleVerdict("elastic/worker", None),),
            ),
        ),
        unknowns=(
            PlacedUnknown("group lab/elastic", "replicas are ${WORKERS}", "write the number", "jobs/elastic.yaml", 12),
            PlacedUnknown("chart charts/serving", "the chart was not rendered", "render it: helm template"),
            PlacedUnknown("chart charts/batch", "the chart was not rendered", "render it: helm template"),
        ),
        assumptions=("the CNI is Cilium 1.20 (no file names it)",),
    )
