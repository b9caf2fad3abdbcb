"""``trainlint graph``."""

from __future__ import annotations

from pathlib import Path

import click

from trainlint.cli.exit import CLEAN, USAGE
from trainlint.cli.output import ReportOutput, columns, complain, publish, targets, use_color
from trainlint.cli.progress import Progress
from trainlint.cli.prove import apart
from trainlint.cli.question import question_options
from trainlint.config.choices import NodesFile
from trainlint.report.graph import FORMATS, writer
from trainlint.report.options import Options
from trainlint.report.terminal import escape

__all__ = ["command"]


@click.command("graph")
@click.argument("names", nargs=-1, metavar="[GROUP] [PATHS]")
@click.option("--snapshot", default="", metavar="NAME", help="The state of the repository to show.")
@question_options(FORMATS)
def command(
    *,
    names: tuple[str, ...],
    outputs: tuple[str, ...],
    snapshot: str,
    config: Path | None,
    nodes: tuple[NodesFile, ...],
    color: str,
    no_cache: bool,
) -> None:
    """Show which connections of GROUP are permitted where.

    The nodes are the roles of the group in each zone, with whether the scheduler can place them there; the edges are
    the connections that the group needs, with the verdict of the policies and the entries that decide it. GROUP may be
    a part of a name. A name that is no path is the group; default is every group of the current directory.

    svg is a picture, and needs no other program; dot is for Graphviz, graphml and json are for other programs. Of
    several snapshots the first is shown in which a group is refuted, and standard error says which.

    The exit code is 0 whatever the verdicts, 2 for a group or a snapshot that does not exist.
    """
    chosen = targets(outputs, FORMATS)
    group, paths = apart(names)
    from trainlint.engine.graph import graph_groups  # noqa: PLC0415 (heavy; not needed to complain about options)

    with Progress() as progress:
        graphs, why = graph_groups(
            paths or (Path(),), group, snapshot, config=config, nodes=nodes, progress=progress, cache=not no_cache
        )
    if why:
        complain(f"trainlint: {escape(why)}")
    screen = Options(color=use_color(color), width=columns())

    def text(target: ReportOutput) -> str:
        return writer(target.format)(graphs, screen if target.file is None else Options())

    click.get_current_context().exit(CLEAN if publish(chosen, text) else USAGE)
