"""``trainlint check``."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from trainlint.cli.baseline import accept_all, baseline_file
from trainlint.cli.debug import debug_option
from trainlint.cli.exit import exit_code
from trainlint.cli.fixing import fix_options, fixed, wanted
from trainlint.cli.names import rule_names
from trainlint.cli.nodes import inventory_option
from trainlint.cli.output import ReportOutput, columns, is_screen, output_option, publish, targets, use_color
from trainlint.cli.progress import Progress
from trainlint.cli.question import cache_option, config_option
from trainlint.config.choices import NodesFile
from trainlint.finding import Severity, UsageError
from trainlint.report import DRAWN, FORMATS, Options, reporter
from trainlint.source.world import STDIN

__all__ = ["command"]

FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("check")
@click.argument("paths", nargs=-1, metavar="[PATHS]", type=click.Path(exists=True, allow_dash=True, path_type=Path))
@output_option(FORMATS)
@click.option("--select", multiple=True, metavar="NAMES", help="Only these rules or categories (a,b; repeatable).")
@click.option("--ignore", multiple=True, metavar="NAMES", help="Not these rules or categories (a,b; repeatable).")
@click.option(
    "--fail-on",
    type=click.Choice([severity.value for severity in Severity]),
    help="The least severity that makes the exit code 1 (error, unless trainlint.yaml says otherwise).",
)
@click.option("--strict", is_flag=True, help="Exit with 3 if something stayed unknown, 4 if nothing was analysed.")
@click.option("--quiet", "-q", is_flag=True, help="Only the findings: no groups, no unknowns, no summary.")
@click.option("--verbose", "-v", is_flag=True, help="Every unknown and every assumption, none of them folded.")
@click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="auto: on a terminal, no NO_COLOR."
)
@config_option
@inventory_option
@click.option(
    "--base",
    metavar="REV",
    help="Report only what the work tree has and this Git revision has not; nothing is checked out.",
)
@click.option("--baseline", metavar="FILE", type=FILE, help="Report only findings that FILE does not accept.")
@click.option(
    "--write-baseline",
    metavar="[FILE]",
    is_flag=False,
    flag_value="",
    help="Accept all findings: write them to FILE, or to that of --baseline.",
)
@fix_options
@click.option("--require-reason", is_flag=True, help="A suppression without a reason does not suppress.")
@click.option("--show-suppressed", is_flag=True, help="Show suppressed findings too.")
@cache_option
@debug_option
def command(
    *,
    paths: tuple[Path, ...],
    outputs: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str | None,
    strict: bool,
    quiet: bool,
    verbose: bool,
    color: str,
    config: Path | None,
    nodes: tuple[NodesFile, ...],
    base: str | None,
    baseline: Path | None,
    write_baseline: str | None,
    require_reason: bool,
    show_suppressed: bool,
    no_cache: bool,
    diff: bool,
    fix: bool,
    unsafe_fixes: bool,
) -> None:
    """Prove that all training groups can run.

    Or show why one cannot, with the manifest lines that together cause it.

    PATHS are directories, files, or - for standard input; default is the current directory. A directory is the world;
    a file only narrows the report, its world is the repository.

    Exit codes: 0 clean, 1 findings, 2 wrong usage or configuration, 3 something unknown and 4 nothing to analyse
    (both with --strict only), 70 internal error.
    """
    chosen = targets(outputs, FORMATS)
    if write_baseline and Path(write_baseline).is_dir():  # no file, but the first of PATHS
        paths, write_baseline = (Path(write_baseline), *paths), ""
    accepted = baseline_file(baseline, write_baseline, base)
    selected, ignored = rule_names("--select", select), rule_names("--ignore", ignore)
    asked = wanted(
        diff=diff, fix=fix, unsafe=unsafe_fixes, stdin=Path("-") in paths, baseline=write_baseline is not None
    )
    if Path("-") in paths and any(each.name == STDIN for each in nodes):
        raise UsageError("standard input can be PATHS or --inventory, not both")
    stdin = sys.stdin.buffer.read() if Path("-") in paths else None
    from trainlint.engine import check  # noqa: PLC0415 (heavy; not needed to complain about options)

    with Progress(enabled=not quiet) as progress:
        look = partial(
            check,
            paths or (Path(),),
            config=config,
            nodes=nodes,
            select=selected,
            ignore=ignored,
            require_reason=require_reason or None,
            stdin=stdin,
            progress=progress,
            base=base,
            cache=not no_cache,
            graphs=any(target.format in DRAWN for target in chosen),
            baseline=accepted if write_baseline is None or accepted is None or accepted.exists() else None,
        )
        result = look(repairs=asked)
    complete = True
    if fix:
        result, complete = fixed(result, look)
    if write_baseline is not None and accepted is not None:
        result = accept_all(result, accepted)
    least = Severity(fail_on) if fail_on else result.fail_on
    plain = Options(quiet=quiet, show_suppressed=show_suppressed, verbose=verbose, fail_on=least)
    screen = replace(plain, color=use_color(color), screen=is_screen(), width=columns())
    shown = "diff" if diff and not any("=" not in each for each in outputs) else ""

    def text(target: ReportOutput) -> str:
        if target.file is None:
            return reporter(shown or target.format)(result, screen)
        return reporter(target.format)(result, plain)

    written = publish(chosen, text) and complete
    click.get_current_context().exit(exit_code(result, fail_on=least, strict=strict, usage_error=not written))
