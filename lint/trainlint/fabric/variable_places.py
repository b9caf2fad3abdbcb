"""Where a variable of a rank is set, beside the place of its value."""

from __future__ import annotations

from trainlint.fabric.process import Rank
from trainlint.finding import Location
from trainlint.launch.environment import Variable

__all__ = ["variable_places"]


def variable_places(rank: Rank, variable: Variable) -> tuple[tuple[str, Location], ...]:
    """The place at which the rank takes the variable, with its part; empty where its own manifest holds the value."""
    name = rank.pod_set.name
    if rank.teller is not rank.pod_set:
        return ((f"its ranks get it ({name})", rank.container.at or rank.pod_set.at),)
    if variable.origin is not None:
        return ((f"takes it from there ({name})", variable.at),)
    if rank.container.at is not None and variable.at.file != rank.container.at.file:
        return ((f"its pods read it ({name})", rank.container.at),)
    return ()
