"""``trainlint prove``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from trainlint.cli.exit import CLEAN, USAGE
from trainlint.cli.output import ReportOutput, columns, publish, targets, use_color
from trainlint.cli.progress import Progress
from trainlint.cli.question import question_options
from trainlint.config.choices import NodesFile
from trainlint.finding import UsageError
from trainlint.report.options import Options

__all__ = ["apart", "command"]

FORMATS: Final = ("text", "json", "markdown")


@click.command("prove")
@click.argument("names", nargs=-1, metavar="[GROUP] [PATHS]")
@question_options(FORMATS)
def command(
    *,
    names: tuple[str, ...],
    config: Path | None,
    nodes: tuple[NodesFile, ...],
    outputs: tuple[str, ...],
    color: str,
    no_cache: bool,
) -> None:
    """Show where the pods of GROUP can run and which pods they reach there.

    For each group (or the one named namespace/name): a placement that works, pod by pod with its pool, zone, GPUs and
    the peers that it reaches; one that the scheduler may choose and that does not work, if there is any; and for each
    zone what is missing there. A name that is no path is the group; default is every group of the current directory.

    The exit code is 0 whatever the answers, 2 for a group that does not exist.
    """
    chosen = targets(outputs, FORMATS)
    group, paths = apart(names)
    from trainlint.engine.prove import prove_groups  # noqa: PLC0415 (heavy; not needed to complain about options)
    from trainlint.report.prove import proof_markdown, proof_text  # noqa: PLC0415
    from trainlint.report.prove_json import proof_json  # noqa: PLC0415

    with Progress() as progress:
        found = prove_groups(
            paths or (Path(),), group, config=config, nodes=nodes, progress=progress, cache=not no_cache
        )
    screen = Options(color=use_color(color), width=columns())

    def text(target: ReportOutput) -> str:
        if target.format == "json":
            return proof_json(found)
        if target.format == "markdown":
            return proof_markdown(found)
        return proof_text(found, screen if target.file is None else Options())

    click.get_current_context().exit(CLEAN if publish(chosen, text) else USAGE)


def apart(names: tuple[str, ...]) -> tuple[str, tuple[Path, ...]]:
    """The group and the paths among the arguments.

    Raises:
        UsageError: more than one argument is no path.
    """
    groups = [name for name in names if not Path(name).exists()]
    if len(groups) > 1:
        raise UsageError(f"only one of {', '.join(map(repr, groups))} can be a group, and none is a path")
    return (groups[0] if groups else ""), tuple(Path(name) for name in names if name not in groups)
