"""``trainlint man``."""

from __future__ import annotations

import click

from trainlint.cli.debug import debug_option
from trainlint.cli.output import emit

__all__ = ["command"]


@click.command("man")
@debug_option
def command() -> None:
    """Print the manual page: trainlint man | man -l -

    Where trainlint was installed, man trainlint finds the same page.
    """
    from trainlint.cli.manpage import manual  # noqa: PLC0415 (loads every command)

    emit(manual(click.get_current_context().find_root().command))
