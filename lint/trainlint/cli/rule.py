"""``trainlint rule``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from trainlint.cli.debug import debug_option
from trainlint.cli.exit import CLEAN, USAGE
from trainlint.cli.names import unknown_name
from trainlint.cli.output import Target, columns, output_option, publish, targets, use_color
from trainlint.finding import UsageError
from trainlint.report.options import Options

if TYPE_CHECKING:
    from collections.abc import Collection

    from trainlint.rule import Rule

__all__ = ["command"]

FORMATS: Final = ("text", "json", "markdown")


@click.command("rule")
@click.argument("name", required=False, metavar="[NAME]")
@output_option(FORMATS)
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
@debug_option
def command(*, name: str | None, outputs: tuple[str, ...], color: str) -> None:
    """Explain the rule NAME, or list all rules.

    The page of a rule says what it finds, why that breaks training, and shows good and bad examples.
    """
    chosen = targets(outputs, FORMATS)
    from trainlint.rule import all_rules  # noqa: PLC0415 (loads all rules)

    rules = {rule.name: rule for rule in all_rules()}
    one = None
    if name is not None:
        # Names in suppressions and reports are often copied with their frame: severity[rule].
        wanted = name.strip().rpartition("[")[2].rstrip("]")
        if wanted not in rules:
            raise UsageError(unknown_name("rule", wanted, sorted(rules)))
        one = rules[wanted]
    screen = Options(color=use_color(color), width=columns())
    written = publish(chosen, lambda target: _text(target, rules.values(), one, screen))
    click.get_current_context().exit(CLEAN if written else USAGE)


def _text(target: Target, rules: Collection[Rule], one: Rule | None, screen: Options) -> str:
    """The page of one rule, or all rules, in the format of the target."""
    from trainlint.report.rulepage import markdown_page, markdown_table, rules_json  # noqa: PLC0415 (only used here)
    from trainlint.report.rules import page, rules_table  # noqa: PLC0415

    if target.format == "json":
        return rules_json(rules if one is None else [one])
    if target.format == "markdown":
        return markdown_table(rules) if one is None else markdown_page(one)
    options = screen if target.file is None else Options()
    return rules_table(rules, options) if one is None else page(one, options)
