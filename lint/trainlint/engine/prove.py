"""The proofs of groups as tables, from paths."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trainlint.config.choices import Choices, NodesFile
from trainlint.engine.current_repository import opened
from trainlint.engine.progress import Progress
from trainlint.questions.table import GroupTable, tables
from trainlint.rule import told_by

__all__ = ["prove_groups"]


def prove_groups(
    paths: Sequence[Path],
    group: str = "",
    *,
    config: Path | None = None,
    nodes: tuple[NodesFile, ...] = (),
    progress: Progress | None = None,
    cache: bool = False,
) -> tuple[GroupTable, ...]:
    """The table of every group of the repository at ``paths`` in every snapshot, or of the one that is named.

    Raises:
        UsageError: a path that is not there, a wrong configuration, a group that does not exist.
    """
    state, _ = opened(paths, config, progress, given=Choices(nodes=nodes), cache=cache)
    return tables(state.facts, told_by(), group)
