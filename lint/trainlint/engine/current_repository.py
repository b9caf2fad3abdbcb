"""A repository as it is now, read for a question about it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trainlint.config.choices import Choices
from trainlint.engine.progress import Progress, silent
from trainlint.engine.reading import read_all
from trainlint.engine.repository_state import State, read_state
from trainlint.engine.setup import Setup, read_setup
from trainlint.snapshot.kinds import READ_KINDS
from trainlint.source.build_cache import open_builds
from trainlint.source.cache import open_cache
from trainlint.source.files import discover
from trainlint.source.prefilter import KindFilter

__all__ = ["opened"]


def opened(
    paths: Sequence[Path],
    config: Path | None = None,
    progress: Progress | None = None,
    *,
    given: Choices = Choices(),  # noqa: B008 (a fact never changes)
    cache: bool = False,
) -> tuple[State, Setup]:
    """The repository at ``paths`` and how it is to be judged; with ``cache``, what earlier runs read counts.

    Raises:
        UsageError: a path that is not there, a configuration or an Inventory that is wrong.
    """
    tell = progress or silent
    world = discover(paths)
    store = open_cache(world, KindFilter(READ_KINDS)) if cache else None
    setup = read_setup(world, paths, config, given)
    state = read_state(world, read_all(world, tell, cache=store), setup, open_builds(keep=cache), tell)
    state.severities = setup.severities
    return state, setup
