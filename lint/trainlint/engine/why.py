"""One question about a connection, from paths to answers with their places in the files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from trainlint.config.choices import Choices
from trainlint.engine.place import EXCERPT, Places
from trainlint.engine.progress import Progress, silent
from trainlint.engine.reading import read_all
from trainlint.engine.setup import read_setup
from trainlint.engine.state import read_state
from trainlint.finding import Location
from trainlint.proof.answer import Answer, Asked
from trainlint.proof.why import why
from trainlint.result import PlacedRelated
from trainlint.snapshot.kinds import READ_KINDS
from trainlint.source.builds import open_builds
from trainlint.source.cache import open_cache
from trainlint.source.files import discover
from trainlint.source.prefilter import KindFilter

__all__ = ["ask"]


def ask(
    paths: Sequence[Path],
    asked: Asked,
    *,
    config: Path | None = None,
    progress: Progress | None = None,
    cache: bool = False,
) -> tuple[tuple[Answer, ...], Mapping[Location, PlacedRelated]]:
    """The answers about the repository at ``paths``, and every place that they name with its source lines.

    Raises:
        UsageError: a path that is not there, a wrong configuration, an end that nobody knows or that may be several.
    """
    world = discover(paths)
    store = open_cache(world, KindFilter(READ_KINDS)) if cache else None
    setup = read_setup(world, paths, config, Choices())
    tell = progress or silent
    state = read_state(world, read_all(world, tell, cache=store), setup, open_builds(keep=cache), tell)
    answers = why(state.facts, asked)
    places = {at: _placed(at, state.places) for answer in answers for at in answer.locations()}
    return answers, places


def _placed(at: Location, places: Places) -> PlacedRelated:
    at = places.written(at)
    path, span = places.locate(at)
    lines = places.lines(at.file)[span.line - 1 : min(span.end_line, span.line + EXCERPT - 1)]
    return PlacedRelated("", at.file, span, path, lines)
