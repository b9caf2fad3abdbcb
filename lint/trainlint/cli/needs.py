"""``trainlint needs``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from trainlint.cli.exit import CLEAN, USAGE
from trainlint.cli.output import ReportOutput, columns, publish, targets, use_color
from trainlint.cli.progress import Progress
from trainlint.cli.prove import apart
from trainlint.cli.question import question_options
from trainlint.config.choices import NodesFile
from trainlint.report.options import Options

__all__ = ["command"]

FORMATS: Final = ("text", "json", "inventory", "kubectl")


@click.command("needs")
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
    """Say what the cluster must have so that GROUP runs.

    For each group whose nodes are not in Git (or the one named namespace/name): how many pods, what each asks for,
    which labels their nodes carry, which taints these may have, and which objects must exist. A name that is no path is
    the group; default is every group of the current directory.

    Formats: text says it in words, inventory is the smallest Inventory on which the group runs, to be edited, kubectl
    asks the cluster for such nodes.

    The exit code is 0 whatever the answers, 2 for a group that does not exist.
    """
    chosen = targets(outputs, FORMATS)
    group, paths = apart(names)
    from trainlint.engine.needs import needs_of_groups  # noqa: PLC0415 (heavy; not needed to complain about options)
    from trainlint.report.needs import needs_inventory, needs_json, needs_kubectl, needs_text  # noqa: PLC0415

    with Progress() as progress:
        found = needs_of_groups(
            paths or (Path(),), group, config=config, nodes=nodes, progress=progress, cache=not no_cache
        )
    screen = Options(color=use_color(color), width=columns())

    def text(target: ReportOutput) -> str:
        match target.format:
            case "json":
                return needs_json(found)
            case "inventory":
                return needs_inventory(found)
            case "kubectl":
                return needs_kubectl(found)
            case _:
                return needs_text(found, screen if target.file is None else Options())

    click.get_current_context().exit(CLEAN if publish(chosen, text) else USAGE)
