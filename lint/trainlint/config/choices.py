"""What people choose about the linter itself: which rules run, how bad their findings are, what is left out."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from trainlint.fact import fact
from trainlint.finding import Location, Severity

if TYPE_CHECKING:
    from trainlint.config.model import Config
    from trainlint.source.document import Document, Field

__all__ = ["Choices", "NodesFile", "PathIgnore", "choices_of", "named_rules"]


@fact
class PathIgnore:
    """Findings of some rules or categories that are left out in some files (patterns as in .gitignore)."""

    paths: tuple[str, ...]
    rules: tuple[str, ...]
    at: Location
    reason: str = ""
    until: dt.date | None = None


@fact(eq=False)
class NodesFile:
    """A file that says which nodes a cluster has, for one run; ``cluster`` is empty where it is not said which."""

    name: str
    content: bytes = field(repr=False)
    cluster: str = ""


@fact
class Choices:
    """The choices of one source: the file, or the options of the command line. ``None`` and empty: nothing was said.

    ``severities`` maps rules to a severity; ``None`` stands for off.
    """

    select: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()
    severities: Mapping[str, Severity | None] = field(default_factory=dict)
    ignores: tuple[PathIgnore, ...] = ()
    fail_on: Severity | None = None
    require_reason: bool | None = None
    nodes: tuple[NodesFile, ...] = ()


def choices_of(config: Config, document: Document) -> Choices:
    """The choices that the configuration file makes."""
    root = document.root
    return Choices(
        select=frozenset(config.rules.select),
        ignore=frozenset(config.rules.ignore),
        severities={
            name: Severity(level) if level and level != "off" else None for name, level in config.rules.severity.items()
        },
        ignores=tuple(
            PathIgnore(tuple(each.paths), tuple(each.rules), root.down("ignore", index).at, each.reason, each.until)
            for index, each in enumerate(config.ignore)
        ),
        fail_on=Severity(config.fail_on) if root["fail_on"].present else None,
        require_reason=config.require_reason if root["require_reason"].present else None,
    )


def named_rules(document: Document) -> Iterator[tuple[str, Field, bool]]:
    """Every name of a rule in the file, with its place, and whether a category may stand there too."""
    rules = document.root["rules"]
    for each in (*rules["select"].elements(), *rules["ignore"].elements()):
        yield str(each.value), each, True
    for name, each in rules["severity"].items():
        yield name, each, False
    for entry in document.root["ignore"].elements():
        for each in entry["rules"].elements():
            yield str(each.value), each, True
