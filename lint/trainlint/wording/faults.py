"""Faults that may keep a group from training, in words."""

from __future__ import annotations

from trainlint.wording.process_counts import count_text
from trainlint.workload.checks.contract_fault import ContractFault
from trainlint.workload.contract import CountFault

__all__ = ["fault_text"]


def fault_text(fault: ContractFault) -> str:
    """What is wrong, as a sentence without its end.

    Raises:
        TypeError: nothing is said of such a fault but by its rule.
    """
    if isinstance(fault, CountFault):
        return count_text(fault)
    raise TypeError(f"{type(fault).__name__} has no words")
