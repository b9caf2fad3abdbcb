"""The proofs of groups as tables, from paths."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trainlint.config.choices import Choices
from trainlint.engine.progress import Progress, silent
from trainlint.engine.reading import read_all
from trainlint.engine.setup import read_setup
from trainlint.engine.state import read_state
from trainlint.proof.table import GroupTable, tables
from trainlint.snapshot.kinds import READ_KINDS
from trainlint.source.builds import open_builds
from trainlint.source.cache import open_cache
from trainlint.source.files import discover
from trainlint.source.prefilter import KindFilter

__all__ = ["prove_groups"]


def prove_groups(
    paths: Sequence[Path],
    group: str = "",
    *,
    config: Path | None = None,
    progress: Progress | None = None,
    cache: bool = False,
) -> tuple[GroupTable, ...]:
    """The table of every group of the repository at ``paths`` in every snapshot, or of the one that is named.

    Raises:
        UsageError: a path that is not there, a wrong configuration, a group that nobody knows.
    """
    world = discover(paths)
    store = open_cache(world, KindFilter(READ_KINDS)) if cache else None
    setup = read_setup(world, paths, config, Choices())
    tell = progress or silent
    state = read_state(world, read_all(world, tell, cache=store), setup, open_builds(keep=cache), tell)
    return tables(state.facts, group)
