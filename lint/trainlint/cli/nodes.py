"""``--inventory``: nodes that are not in Git."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import click

from trainlint.config.choices import NodesFile
from trainlint.finding import UsageError
from trainlint.source.file_access import MAX_FILE, place_of
from trainlint.source.world import STDIN

__all__ = ["inventory_option"]

HOW: Final = "kubectl get nodes -o yaml | trainlint check --inventory -"


def _read(_context: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> tuple[NodesFile, ...]:
    """The files that the option names. Raises UsageError."""
    found = [_file(value) for value in values]
    if sum(each.name == STDIN for each in found) > 1:
        raise UsageError("--inventory: only one can be standard input")
    return tuple(found)


def _file(value: str) -> NodesFile:
    cluster, equals, name = value.partition("=")
    if not equals or Path(value).exists():
        cluster, name = "", value
    if not name or (equals and not cluster and name != value):
        raise UsageError(f"--inventory: {value!r} is not FILE, - or CLUSTER=FILE")
    if name == "-":
        return NodesFile(STDIN, _standard_input(), cluster)
    try:
        content = place_of(Path(name)).read_bytes()
    except OSError as error:
        raise UsageError(f"--inventory: cannot read {name}: {error.strerror or error}") from error
    if len(content) > MAX_FILE:
        raise UsageError(f"--inventory: {name} is larger than {MAX_FILE >> 20} MiB: split it, or leave out other kinds")
    return NodesFile(name, content, cluster)


def _standard_input() -> bytes:
    if sys.stdin.isatty():
        raise UsageError(f"--inventory: pipe the nodes in: {HOW}")
    return sys.stdin.buffer.read()


inventory_option = click.option(
    "--inventory",
    "nodes",
    metavar="[CLUSTER=]FILE|-",
    multiple=True,
    callback=_read,
    help="Nodes that are not in Git (kubectl get nodes -o yaml, an Inventory, an autoscaler's status); repeatable.",
)
