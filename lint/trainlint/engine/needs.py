"""What groups need of a cluster, from paths."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trainlint.config.choices import Choices, NodesFile
from trainlint.engine.current_repository import opened
from trainlint.engine.progress import Progress
from trainlint.engine.verdict import verdicts
from trainlint.finding import UsageError
from trainlint.questions.table import no_group, proofs_of
from trainlint.result import GroupVerdict

__all__ = ["needs_of_groups"]


def needs_of_groups(
    paths: Sequence[Path],
    group: str = "",
    *,
    config: Path | None = None,
    nodes: tuple[NodesFile, ...] = (),
    progress: Progress | None = None,
    cache: bool = False,
) -> tuple[GroupVerdict, ...]:
    """The verdict on every group of the repository at ``paths``, or on the one that is named, with its needs.

    Groups of which the nodes are known have none.

    Raises:
        UsageError: a path that is not there, a wrong configuration, a group that does not exist.
    """
    state, _ = opened(paths, config, progress, given=Choices(nodes=nodes), cache=cache)
    found = tuple(state.places.group(verdict) for verdict, _, _ in verdicts(state.facts, state.repository))
    if not group:
        return found
    names = {proof.group.name for proof, _ in proofs_of(group, state.facts)}
    if not names:
        raise UsageError(no_group(group, sorted({each.name for each in found})))
    return tuple(each for each in found if each.name in names)
