"""The reachability graph of groups as text, data or a picture: one module per format, loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from trainlint.report.options import Options
    from trainlint.result.graph import GroupGraph

__all__ = ["FORMATS", "writer"]

FORMATS: Final[Mapping[str, str]] = {
    "text": "trainlint.report.graph.text",
    "svg": "trainlint.report.graph.svg",
    "mermaid": "trainlint.report.graph.mermaid",
    "dot": "trainlint.report.graph.dot",
    "graphml": "trainlint.report.graph.graphml",
    "json": "trainlint.report.graph.json",
}
"""The formats, each with the module whose ``render(graphs, options) -> str`` writes it, last newline included."""


def writer(name: str) -> Callable[[Sequence[GroupGraph], Options], str]:
    """The function that writes graphs in the format ``name``; ``KeyError`` for a name that is not in FORMATS."""
    return cast("Callable[[Sequence[GroupGraph], Options], str]", import_module(FORMATS[name]).render)
