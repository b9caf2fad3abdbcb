"""One run, from paths to a result."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.config.choices import Choices, NodesFile
from trainlint.engine.progress import Progress, silent
from trainlint.engine.request import CheckRequest, Repairs
from trainlint.engine.run import run
from trainlint.snapshot.kinds import READ_KINDS
from trainlint.source.cache import open_cache
from trainlint.source.files import discover
from trainlint.source.prefilter import KindFilter

if TYPE_CHECKING:
    from trainlint.result import Result

__all__ = ["check"]


def check(
    paths: Sequence[Path],
    *,
    config: Path | None = None,
    nodes: tuple[NodesFile, ...] = (),
    select: frozenset[str] = frozenset(),
    ignore: frozenset[str] = frozenset(),
    require_reason: bool | None = None,
    stdin: bytes | None = None,
    progress: Progress | None = None,
    today: dt.date | None = None,
    base: str | None = None,
    baseline: Path | None = None,
    cache: bool = False,
    graphs: bool = False,
    repairs: Repairs | None = None,
) -> Result:
    """Everything that can be said about the repository at ``paths``.

    ``select`` and ``ignore`` hold names of rules or categories (nothing selected means all) and win over what the
    configuration says, as does ``require_reason`` (a suppression must give one). ``nodes`` are files that say which
    nodes there are beside those in Git. ``progress`` is told the stage,
    how many of its steps are done and how many there are; ``today`` decides which suppressions are over.
    With ``base``, a Git revision, only findings that it has not are reported; with ``baseline`` only those that the
    file does not accept. With ``cache``, what was read is kept for later runs in the user's cache directory. With
    ``graphs`` the result has the graph of every group, which pictures are made of. With ``repairs``, what would fix
    the findings is looked for and tried; nothing is written.

    Raises:
        UsageError: a path or a revision that is not there; a configuration, Inventory or baseline that is wrong.
    """
    given = Choices(select=select, ignore=ignore, require_reason=require_reason, nodes=nodes)
    day = today or dt.datetime.now(tz=dt.UTC).date()
    request = CheckRequest(tuple(paths), config, given, progress or silent, day, base, baseline, graphs, repairs)
    world = discover(paths, stdin=stdin)
    store = open_cache(world, KindFilter(READ_KINDS)) if cache else None
    return run(world, request, store)
