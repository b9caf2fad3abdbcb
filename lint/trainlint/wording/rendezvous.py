"""Ranks that look for each other at different places, in words."""

from __future__ import annotations

from trainlint.workload.checks.rendezvous import (
    MissingServicePort,
    OtherJob,
    OtherPort,
    OtherTargetPort,
    UnknownHost,
    WaitingAlone,
)
from trainlint.workload.checks.subdomain_names import AbsentPod
from trainlint.workload.checks.trainer_names import UnmetNodes
from trainlint.workload.contract import RendezvousFault

__all__ = ["rendezvous_text"]


def rendezvous_text(fault: RendezvousFault) -> str:
    """Why the ranks do not meet, as a sentence without its end."""
    match fault:
        case OtherPort():
            return (
                f"{fault.first} meets the others on port {fault.first_port} and {fault.second} on port "
                f"{fault.second_port} of {fault.host}: rank 0 listens where the others do not look for it"
            )
        case OtherJob():
            return (
                f"{fault.second} looks for the job {fault.second_job!r} at {fault.host}:{fault.port}, and "
                f"{fault.first} for {fault.first_job!r}: they never meet"
            )
        case UnknownHost():
            return (
                f"{fault.pods} meets at {fault.host}, which no pod or Service has as its name; the operator offers "
                f"{', '.join(fault.offered)}"
            )
        case WaitingAlone():
            return (
                f"torchrun in {fault.pods} waits for {fault.nodes} nodes and is told no place to meet but the pod "
                "itself: every pod waits alone"
            )
        case MissingServicePort():
            return (
                f"{fault.pods} meets at {fault.host}:{fault.port}, and the Service {fault.service} has no port "
                f"{fault.port} (it has {', '.join(map(str, fault.listed))})"
            )
        case OtherTargetPort():
            return (
                f"{fault.pods} meets at {fault.host}:{fault.port}, which the Service {fault.service} leads to port "
                f"{fault.leads_to} of {fault.target}, where rank 0 listens on {fault.listens}"
            )
        case AbsentPod():
            names = ", ".join(first if first == last else f"{first} to {last}" for first, last in fault.names)
            return (
                f"{fault.user} looks for {fault.pod}.{fault.subdomain}, and {fault.job} has no pod {fault.pod}: its "
                f"pods are called {names}"
            )
        case UnmetNodes():
            return (
                f"Trainer tells the ranks of {fault.job} to meet at {fault.host}, and the first of them is called "
                f"{fault.name}: they look for a name that does not exist"
            )
