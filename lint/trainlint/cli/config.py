"""``trainlint config``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from trainlint.cli.debug import debug_option
from trainlint.cli.exit import CLEAN, USAGE
from trainlint.cli.names import rule_names
from trainlint.cli.output import ReportOutput, columns, output_option, publish, targets, use_color
from trainlint.config.choices import Choices
from trainlint.finding import Severity
from trainlint.report.options import Options

__all__ = ["command"]

FORMATS: Final = ("text", "json", "markdown")


@click.command("config")
@click.argument("paths", nargs=-1, metavar="[PATHS]", type=click.Path(exists=True, path_type=Path))
@output_option(FORMATS)
@click.option("--select", multiple=True, metavar="NAMES", help="As for check.")
@click.option("--ignore", multiple=True, metavar="NAMES", help="As for check.")
@click.option("--fail-on", type=click.Choice([severity.value for severity in Severity]), help="As for check.")
@click.option("--require-reason", is_flag=True, help="As for check.")
@click.option(
    "--config", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="As for check."
)
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
@debug_option
def command(
    *,
    paths: tuple[Path, ...],
    outputs: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str | None,
    require_reason: bool,
    config: Path | None,
    color: str,
) -> None:
    """Show the settings in force, and where each comes from.

    That is a line of trainlint.yaml, an option, the repository itself, or the default. With the options that you give
    to check you see the settings with which it would run.
    """
    chosen = targets(outputs, FORMATS)
    given = Choices(
        select=rule_names("--select", select),
        ignore=rule_names("--ignore", ignore),
        fail_on=Severity(fail_on) if fail_on else None,
        require_reason=require_reason or None,
    )
    from trainlint.engine.effective_settings import effective_settings  # noqa: PLC0415 (heavy)
    from trainlint.report.settings import settings_json, settings_markdown, settings_text  # noqa: PLC0415

    settings = effective_settings(paths or (Path(),), config=config, given=given, cache=True)
    screen = Options(color=use_color(color), width=columns())

    def text(target: ReportOutput) -> str:
        if target.format == "json":
            return settings_json(settings)
        if target.format == "markdown":
            return settings_markdown(settings)
        return settings_text(settings, screen if target.file is None else Options())

    click.get_current_context().exit(CLEAN if publish(chosen, text) else USAGE)
