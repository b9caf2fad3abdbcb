"""The options of the commands that answer a question about a repository."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

import click

from trainlint.cli.debug import debug_option
from trainlint.cli.nodes import inventory_option
from trainlint.cli.output import output_option

__all__ = ["cache_option", "config_option", "question_options"]

Command = Callable[..., None]

config_option = click.option(
    "--config",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Settings, instead of the trainlint.yaml of the repository.",
)
cache_option = click.option("--no-cache", is_flag=True, help="Read every file anew, and keep nothing for the next run.")
_color_option = click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")


def question_options(formats: Collection[str]) -> Callable[[Command], Command]:
    """Add ``--config``, ``--inventory``, ``--output`` with these formats, ``--color``, ``--no-cache``, ``--debug``."""

    def add(command: Command) -> Command:
        options = (debug_option, cache_option, _color_option, output_option(formats), inventory_option, config_option)
        for option in options:
            command = option(command)
        return command

    return add
