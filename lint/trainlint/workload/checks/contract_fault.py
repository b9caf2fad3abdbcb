"""What every fault of a workload's own contract is: data, which the rule that reports it words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from trainlint.fact import fact
from trainlint.finding import Certainty, Finding, Fix, Location, Related, Severity

__all__ = ["ContractFault"]


@fact
class ContractFault:
    """A fault: where it stands and how sure it is. Its subclass holds what is wrong.

    ``severity`` is set where the fault is less than its rule's others. ``fixes`` are what may fix it. ``refused`` says
    that the API server or the operator refuses the object for it, ``trains`` that the job trains all the same.
    """

    at: Location
    certainty: Certainty = field(default=Certainty.PROVEN, kw_only=True)
    severity: Severity | None = field(default=None, kw_only=True)
    fixes: tuple[Fix, ...] = field(default=(), kw_only=True, compare=False)
    refused = False
    trains = False

    @property
    def stops(self) -> bool:
        """Whether the fault keeps its pods from training, as sure as ``certainty`` says."""
        return self.severity is None and not self.trains

    def finding(
        self,
        message: str,
        remedy: str,
        *places: tuple[str, Location],
        evidence: Mapping[str, str | int] | None = None,
        cause: str = "",
    ) -> Finding:
        """The finding that reports the fault in the words of a rule.

        ``places`` are other places, each with its part; ``cause`` tells faults at one place apart.
        """
        return Finding(
            message=message,
            at=self.at,
            remedy=remedy,
            related=tuple(Related(role, at) for role, at in places),
            evidence=evidence or {},
            cause=cause,
            certainty=self.certainty,
            severity=self.severity,
            fixes=lambda: self.fixes,
        )
