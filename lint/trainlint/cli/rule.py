"""``trainlint rule``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import click
from click.shell_completion import CompletionItem

from trainlint.cli.debug import debug_option
from trainlint.cli.exit import CLEAN, USAGE
from trainlint.cli.names import unknown_name
from trainlint.cli.output import ReportOutput, columns, output_option, publish, targets, use_color
from trainlint.finding import UsageError
from trainlint.report.options import Options

if TYPE_CHECKING:
    from collections.abc import Collection

    from trainlint.rule import Rule

__all__ = ["command"]

FORMATS: Final = ("text", "json", "markdown")


def _names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The rules whose names begin so, for the shell."""
    del ctx, param
    from trainlint.rule import all_rules  # noqa: PLC0415 (loads all rules)

    return [CompletionItem(each.name, help=each.summary) for each in all_rules() if each.name.startswith(incomplete)]


@click.command("rule")
@click.argument("name", required=False, metavar="[NAME]", shell_complete=_names)
@click.option("--all", "everything", is_flag=True, help="The pages of all rules, instead of a list.")
@output_option(FORMATS)
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
@debug_option
def command(*, name: str | None, everything: bool, outputs: tuple[str, ...], color: str) -> None:
    """Explain the rule NAME, or list all rules.

    The page of a rule says what it finds, why that breaks training, and shows good and bad examples.
    """
    chosen = targets(outputs, FORMATS)
    if everything and name is not None:
        raise UsageError("name one rule, or ask for --all")
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
    render = partial(_text, rules=rules.values(), one=one, everything=everything, screen=screen)
    click.get_current_context().exit(CLEAN if publish(chosen, render) else USAGE)


def _text(target: ReportOutput, rules: Collection[Rule], one: Rule | None, *, everything: bool, screen: Options) -> str:
    """The page of one rule, or all rules, in the format of the target."""
    from trainlint.report import rulepage  # noqa: PLC0415 (only used here)
    from trainlint.report.rules import page, pages, rules_table  # noqa: PLC0415

    if target.format == "json":
        return rulepage.rules_json(rules if one is None else [one])
    options = screen if target.file is None else Options()
    if one is not None:
        return rulepage.markdown_page(one) if target.format == "markdown" else page(one, options)
    if target.format == "markdown":
        return rulepage.markdown_pages(rules) if everything else rulepage.markdown_table(rules)
    return pages(rules, options) if everything else rules_table(rules, options)
