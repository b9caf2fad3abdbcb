"""``trainlint explain``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from trainlint.cli.exit import CLEAN, USAGE
from trainlint.cli.output import ReportOutput, columns, publish, targets, use_color
from trainlint.cli.progress import Progress
from trainlint.cli.question import question_options
from trainlint.config.choices import NodesFile
from trainlint.report.options import Options

__all__ = ["command"]

FORMATS: Final = ("text", "json")


@click.command("explain")
@click.argument("wanted", metavar="FINDING-ID|GROUP")
@click.argument("paths", nargs=-1, metavar="[PATHS]", type=click.Path(exists=True, path_type=Path))
@click.option("--snapshot", "snapshots", multiple=True, metavar="NAME", help="Only this snapshot; repeatable.")
@question_options(FORMATS)
def command(
    *,
    wanted: str,
    paths: tuple[Path, ...],
    snapshots: tuple[str, ...],
    config: Path | None,
    nodes: tuple[NodesFile, ...],
    outputs: tuple[str, ...],
    color: str,
    no_cache: bool,
) -> None:
    """Give the proof in words, step by step, with every place.

    The way of its jobs through their queues, with the quota that is needed and that is there; which nodes the pods of
    each role may use, and why not the others; which connections the group needs, and where that is written; which
    policy entries decide about them; what each zone lacks; what the scheduler may choose; the lines that force a
    refutation, none of which can be left out; and what all of it rests on.

    A finding is meant by its id or the beginning of it ("trainlint check --output json" shows them, as does an id that
    is unknown), a group by namespace/name or its name alone. "trainlint prove" shows the same as tables of pods.

    The exit code is 0 whatever the answers, 2 for a name that is unknown or may mean several.
    """
    chosen = targets(outputs, FORMATS)
    from trainlint.engine.explain import explain  # noqa: PLC0415 (heavy; not needed to complain about options)
    from trainlint.report.explain import argument_text  # noqa: PLC0415
    from trainlint.report.explain_json import argument_json  # noqa: PLC0415

    with Progress() as progress:
        found = explain(
            paths or (Path(),),
            wanted,
            snapshots=snapshots,
            config=config,
            nodes=nodes,
            progress=progress,
            cache=not no_cache,
        )
    screen = Options(color=use_color(color), width=columns())

    def text(target: ReportOutput) -> str:
        if target.format == "json":
            return argument_json(*found)
        return argument_text(*found, screen if target.file is None else Options())

    click.get_current_context().exit(CLEAN if publish(chosen, text) else USAGE)
