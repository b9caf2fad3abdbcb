"""``trainlint rule``."""

from __future__ import annotations

import click

from trainlint.cli.debug import debug_option
from trainlint.cli.names import unknown_name
from trainlint.cli.output import columns, emit, use_color
from trainlint.finding import UsageError
from trainlint.report.options import Options

__all__ = ["command"]


@click.command("rule")
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
@debug_option
def command(*, name: str | None, color: str) -> None:
    """Explain the rule NAME, or list all rules.

    The page of a rule says what it finds, why that breaks training, and shows good and bad examples.
    """
    from trainlint.report.rules import page, rules_table  # noqa: PLC0415 (only this command needs it)
    from trainlint.rule import all_rules  # noqa: PLC0415 (loads all rules)

    rules = {rule.name: rule for rule in all_rules()}
    options = Options(color=use_color(color), width=columns())
    if name is None:
        emit(rules_table(rules.values(), options))
        return
    # Names in suppressions and reports are often copied with their frame: severity[rule].
    wanted = name.strip().rpartition("[")[2].rstrip("]")
    if wanted not in rules:
        raise UsageError(unknown_name("rule", wanted, sorted(rules)))
    emit(page(rules[wanted], options))
