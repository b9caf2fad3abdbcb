"""A made-up result in which every part of a report has something to say."""

from __future__ import annotations

from trainlint.finding import Certainty, Finding, Location, Severity, Span
from trainlint.model.known import Answer
from trainlint.result import (
    GroupVerdict,
    Placed,
    PlacedRelated,
    PlacedUnknown,
    Result,
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
            snapshots=("broken", "mended"),
            id="99aa",
        ),
        span=Span(3, 1, 3, 5),
        path=("spec",),
        lines=("spec: {}",),
        reason=reason,
    )


def everything() -> Result:
    return Result(
        root="/somewhere/speech",
        snapshots=(
            SnapshotSummary("broken", 7, "broken/ and mended/ define Deployment speech/leader differently"),
            SnapshotSummary("mended", 7, "broken/ and mended/ define Deployment speech/leader differently"),
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
                counterexample={"leader": "west"},
            ),
            GroupVerdict(
                "speech/leader+trainers",
                "Deployment+Job",
                "mended",
                4,
                Answer.PROVED,
                Answer.PROVED,
                ("east",),
                witness={"leader": "gpu-1", "trainers 0-2": ["gpu-1", "gpu-2", "gpu-3"]},
                notes=("the pools are judged at their maximum size",),
            ),
            GroupVerdict(
                "lab/elastic",
                "PyTorchJob",
                "mended",
                None,
                Answer.UNKNOWN,
                Answer.UNKNOWN,
                missing=("the number of workers is ${WORKERS}",),
            ),
        ),
        unknowns=(
            PlacedUnknown("group lab/elastic", "replicas are ${WORKERS}", "write the number", "jobs/elastic.yaml", 12),
            PlacedUnknown("chart charts/serving", "the chart was not rendered", "render it: helm template"),
            PlacedUnknown("chart charts/batch", "the chart was not rendered", "render it: helm template"),
        ),
        assumptions=("the CNI is Cilium 1.20 (no file names it)",),
    )
