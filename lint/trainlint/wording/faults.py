"""Faults that may keep a group from training, in words."""

from __future__ import annotations

from trainlint.wording.host_names import host_name_text
from trainlint.wording.network_faults import NetworkCause, network_text
from trainlint.wording.process_counts import count_text
from trainlint.wording.rendezvous import rendezvous_text
from trainlint.workload.checks.contract_fault import ContractFault
from trainlint.workload.checks.host_name_fault import HostNameFault
from trainlint.workload.contract import CountFault, RendezvousFault

__all__ = ["fault_text"]


def fault_text(fault: ContractFault | NetworkCause) -> str:
    """What is wrong, as a sentence without its end.

    Raises:
        TypeError: only its rule has words for such a fault.
    """
    if isinstance(fault, HostNameFault):
        return host_name_text(fault)
    if isinstance(fault, CountFault):
        return count_text(fault)
    if isinstance(fault, RendezvousFault):
        return rendezvous_text(fault)
    if isinstance(fault, NetworkCause):
        return network_text(fault)
    raise TypeError(f"{type(fault).__name__} has no words")
