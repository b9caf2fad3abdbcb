"""What a first look at a repository found, for a first configuration."""

from __future__ import annotations

from pathlib import Path

from trainlint.fact import fact

__all__ = ["MissingFact", "Start"]


@fact
class MissingFact:
    """A fact that verdicts may depend on, why, and the command that supplies it."""

    what: str
    why: str
    command: str


@fact
class Start:
    """What was found: groups, policies, where the nodes are described, the platform, the clusters that deployers make
    (by name); and what is missing.
    """

    root: Path
    groups: int
    policies: int
    inventories: tuple[str, ...]
    profile: str
    because: str
    cni: str
    missing: tuple[MissingFact, ...]
    clusters: tuple[str, ...] = ()
