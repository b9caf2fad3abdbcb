"""Something wrong in a workload's own contract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from trainlint.fact import fact
from trainlint.finding import Certainty, Finding, Fix, Location, Related, Severity

__all__ = ["Fault"]


@fact
class Fault:
    """What is wrong, in one sentence, where, and what fixes it; ``related`` are other places, each with its part.

    ``cause`` tells faults at one place apart; ``severity`` is there where the fault is less than its rule's others.
    ``fixes`` are what may fix it. ``of_key`` says that the key at the place is wrong, whatever its value.
    ``refused`` says that the API server or the operator refuses the object for it, ``trains`` that the job trains all
    the same; ``assumes`` is what it rests on.
    """

    text: str
    at: Location
    remedy: str
    related: tuple[tuple[str, Location], ...] = ()
    evidence: Mapping[str, str | int] = field(default_factory=dict)
    cause: str = ""
    certainty: Certainty = Certainty.PROVEN
    severity: Severity | None = None
    fixes: tuple[Fix, ...] = ()
    of_key: bool = False
    refused: bool = False
    trains: bool = False
    assumes: tuple[str, ...] = ()

    def finding(self) -> Finding:
        """The finding that reports it."""
        return Finding(
            message=self.text,
            at=self.at,
            remedy=self.remedy,
            related=tuple(Related(role, at) for role, at in self.related),
            evidence=self.evidence,
            cause=self.cause,
            certainty=self.certainty,
            severity=self.severity,
            of_key=self.of_key,
            assumes=self.assumes,
            fixes=lambda: self.fixes,
        )
