"""One question about a connection, from paths to answers with their places in the files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from trainlint.config.choices import Choices, NodesFile
from trainlint.engine.current_repository import opened
from trainlint.engine.progress import Progress
from trainlint.engine.source_places import EXCERPT, Places
from trainlint.finding import Location
from trainlint.questions.answer import Asked, ConnectionAnswer
from trainlint.questions.why import why
from trainlint.result import PlacedRelated

__all__ = ["ask"]


def ask(
    paths: Sequence[Path],
    asked: Asked,
    *,
    config: Path | None = None,
    nodes: tuple[NodesFile, ...] = (),
    progress: Progress | None = None,
    cache: bool = False,
) -> tuple[tuple[ConnectionAnswer, ...], Mapping[Location, PlacedRelated]]:
    """The answers about the repository at ``paths``, and every place that they name with its source lines.

    Raises:
        UsageError: a path that is not there, a wrong configuration, an end that is unknown or may be several.
    """
    state, _ = opened(paths, config, progress, given=Choices(nodes=nodes), cache=cache)
    answers = why(state.facts, asked)
    places = {at: _placed(at, state.places) for answer in answers for at in answer.locations()}
    return answers, places


def _placed(at: Location, places: Places) -> PlacedRelated:
    at = places.written(at)
    path, span = places.locate(at)
    lines = places.lines(at.file)[span.line - 1 : min(span.end_line, span.line + EXCERPT - 1)]
    return PlacedRelated("", at.file, span, path, lines)
