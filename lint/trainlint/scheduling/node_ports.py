"""NodePorts (S 1.4)."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.scheduling.pod import HostPort, Pod
from trainlint.scheduling.refusal import Code

__all__ = ["PLUGIN", "conflict", "verdict"]

PLUGIN = "NodePorts"


def conflict(wanted: Iterable[HostPort], used: Iterable[HostPort]) -> HostPort | None:
    """The first wanted port that one in use excludes; ``None`` where there is none."""
    taken = list(used)
    return next((port for port in wanted if any(port.conflicts(other) for other in taken)), None)


def verdict(pod: Pod, placed: Iterable[Pod]) -> Code | None:
    """Whether the pod's host ports are free on a node that holds the placed pods; ``None`` if they are."""
    taken = (port for other in placed for port in other.host_ports)
    return Code.UNSCHEDULABLE if conflict(pod.host_ports, taken) is not None else None
