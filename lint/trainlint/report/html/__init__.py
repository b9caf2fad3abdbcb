"""The report as one page of HTML that needs nothing else: no network, no server, no other file."""

from __future__ import annotations

from trainlint.report.html.page import page
from trainlint.report.options import Options
from trainlint.result import Result

__all__ = ["render"]


def render(result: Result, options: Options) -> str:
    """The whole page; the groups have pictures where the result has their graphs."""
    return f"{page(result, options)}\n"
