"""``trainlint init``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from trainlint.cli.debug import debug_option
from trainlint.cli.exit import CLEAN
from trainlint.cli.output import emit, write
from trainlint.finding import UsageError

__all__ = ["command"]

NAMES: Final = ("trainlint.yaml", ".trainlint.yaml")
IDENTIFIER: Final = "urn:trainlint:schema:config:1"
"""The ``$id`` of the schema, which editors can map to a file of their own."""


@click.command("init")
@click.argument(
    "directory", default=".", metavar="[DIRECTORY]", type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@debug_option
def command(*, directory: Path) -> None:
    """Write a commented trainlint.yaml; name the missing facts.

    DIRECTORY is where the repository begins; default is the current one. The manifests are read, nothing else is
    written, and no cluster is asked: for each missing fact you see the command that supplies it.
    """
    for name in NAMES:
        if (directory / name).exists():
            raise UsageError(f"init: {directory / name} is there already; `trainlint config` shows what it says")
    from trainlint.engine.start import first_look  # noqa: PLC0415 (heavy)
    from trainlint.report.start import configuration_text, start_text  # noqa: PLC0415

    start = first_look((directory,), cache=True)
    file = directory / NAMES[0]
    write(file, configuration_text(start, _schema(directory)), option="init")
    emit(start_text(start, str(file)))
    click.get_current_context().exit(CLEAN)


def _schema(directory: Path) -> str:
    """The installed schema where it lies below the directory (a virtual environment), else its identifier."""
    from importlib.resources import files  # noqa: PLC0415

    file, home = Path(str(files("trainlint_schemas") / "config.json")).resolve(), directory.resolve()
    return file.relative_to(home).as_posix() if file.is_relative_to(home) else IDENTIFIER
