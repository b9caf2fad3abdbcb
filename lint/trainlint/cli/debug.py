"""The option ``--debug``, the same on every command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

__all__ = ["debug_option"]

F = TypeVar("F", bound=Callable[..., Any])


def _remember(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:  # noqa: FBT001 (click's signature)
    ctx.meta["debug"] = value


def debug_option(function: F) -> F:
    """Add ``--debug``: an internal error then shows where it happened. The command does not see it."""
    return click.option(
        "--debug", is_flag=True, expose_value=False, callback=_remember, help="Show the traceback of an internal error."
    )(function)
