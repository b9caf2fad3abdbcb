"""``trainlint inventory``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from trainlint.cli.debug import debug_option
from trainlint.cli.exit import CLEAN
from trainlint.cli.output import emit
from trainlint.finding import UsageError

if TYPE_CHECKING:
    from trainlint.model.pool import Pool

__all__ = ["command"]

_MANY: Final = 3
HOW: Final = "kubectl get nodes -o yaml | trainlint inventory - > inventory.yaml"


@click.command("inventory")
@click.argument("file", default="-", metavar="[FILE|-]", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--name", default="cluster", show_default=True, help="The name of the Inventory.")
@click.option(
    "--ignore-label", "ignored", multiple=True, metavar="GLOB", help="Leave out labels with such a key; repeatable."
)
@debug_option
def command(*, file: Path, name: str, ignored: tuple[str, ...]) -> None:
    """Turn a cluster's nodes into an Inventory that can be committed.

    FILE is what `kubectl get nodes -o yaml` or `-o json` prints; default is standard input. With
    `kubectl get nodes,resourceslices -o yaml` the devices of resource claims come too, without what tells one device
    from another (uuid, PCI address). Nodes that are equal but
    for 1 Gi or 1 percent become one pool, with the least that one of them has. Names, addresses, annotations and
    everything else that placement does not need stay behind; a cordon is taken as momentary, and a comment says so.
    """
    if str(file) == "-" and sys.stdin.isatty():
        raise UsageError(f"inventory: give it the nodes: {HOW}")
    name_of, content = _content(file)
    from trainlint.inventory.summary import summary  # noqa: PLC0415 (not needed to complain about options)
    from trainlint.report.inventory import HEAD, inventory_yaml  # noqa: PLC0415
    from trainlint.source.prefilter import KindFilter  # noqa: PLC0415
    from trainlint.source.reading import objects, read  # noqa: PLC0415

    found = read(name_of, content, KindFilter({"Node", "ResourceSlice"}))
    for broken in found.broken:
        raise UsageError(f"inventory: {name_of}:{broken.span.line}:{broken.span.column}: {broken.message}")
    for unknown in found.unknowns:
        raise UsageError(f"inventory: {name_of}: {unknown.missing}")
    items = [item for document in found.documents for item in objects(document)]
    nodes = [item for item in items if item["kind"].string == "Node" and item["apiVersion"].string == "v1"]
    if not nodes:
        raise UsageError(f"inventory: there is no Node in {name_of}; try: {HOW}")
    slices = [item for item in items if item["kind"].string == "ResourceSlice"]
    pools = summary(nodes, ignored, slices)
    emit(inventory_yaml(pools, name, (*HEAD, *_hint(pools))))
    click.get_current_context().exit(CLEAN)


def _hint(pools: Sequence[Pool]) -> Iterator[str]:
    """A line about the label that splits pools most, where it makes many of few."""
    from trainlint.inventory.summary import splitting  # noqa: PLC0415 (as above)

    label, fewer = splitting(pools)
    if fewer >= _MANY:
        yield f"Pools differ in {label} alone: --ignore-label '{label}' leaves {len(pools) - fewer} of {len(pools)}."


def _content(file: Path) -> tuple[str, bytes]:
    if str(file) == "-":
        return "standard input", sys.stdin.buffer.read()
    try:
        return str(file), file.read_bytes()
    except OSError as error:
        raise UsageError(f"inventory: cannot read {file}: {error.strerror or error}") from error
