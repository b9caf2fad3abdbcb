"""Connections around the ranks in words: what they are needed for, and what happens without them."""

from __future__ import annotations

from typing import Final

from trainlint.control_plane.mesh import MeshDenial
from trainlint.control_plane.need import Need, Purpose

__all__ = ["breaks_mesh", "breaks_need", "why_mesh", "why_needed"]

_WHY: Final = {
    Purpose.WEBHOOK: "webhook {0.named} is called for it and fails closed",
    Purpose.JOB_STATE: "it asks the head's dashboard for the state of the job ({0.port})",
    Purpose.APPLICATION_STATE: "it asks the head's dashboard for the state of its applications ({0.port})",
    Purpose.SERVE_PROBE: "it probes Serve's proxy on the head ({0.port})",
    Purpose.RAY_STORE: "{0.named} is {0.value}",
}
_BREAKS: Final = {
    Purpose.JOB_STATE: "{} never advances",
    Purpose.APPLICATION_STATE: "{} never advances",
    Purpose.SERVE_PROBE: "the head of {} never counts as ready to serve",
    Purpose.RAY_STORE: "the head of {} does not start",
    Purpose.ENGINE: "{} sees nothing of the accelerators",
}


def why_needed(need: Need) -> str:
    """What completes "needed because"."""
    if need.purpose is Purpose.ENGINE:
        return f"{need.named or 'its command'} is {need.value}"
    return _WHY[need.purpose].format(need)


def breaks_need(need: Need) -> str:
    """What happens without the connection."""
    if need.purpose is Purpose.WEBHOOK:
        more = f" and {len(need.owners) - 1} more" if len(need.owners) > 1 else ""
        return f"{need.owners[0]}{more} cannot be created"
    return _BREAKS[need.purpose].format(need.owners[0])


def why_mesh(denial: MeshDenial) -> str:
    """What the connection that a mesh refuses is needed for."""
    return why_needed(denial.needed) if isinstance(denial.needed, Need) else denial.needed.why


def breaks_mesh(denial: MeshDenial) -> str:
    """What happens as a mesh refuses the connection."""
    return breaks_need(denial.needed) if isinstance(denial.needed, Need) else f"group {denial.group} never starts"
