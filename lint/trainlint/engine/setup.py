"""The setup of one run: the configuration that counts, the choices of the command line, and what follows from both."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.config.choices import Choices, NodesFile
from trainlint.config.load import Configuration, load_configuration
from trainlint.engine.configuration import find_configuration, linted_directory, unused_configurations
from trainlint.engine.selection import select
from trainlint.fact import fact
from trainlint.finding import Severity
from trainlint.model.settings import Settings
from trainlint.rule import Rule, all_rules
from trainlint.source.document import Document
from trainlint.source.world import World

if TYPE_CHECKING:
    from trainlint.inventory.external_inventory import GivenNodes

__all__ = ["Setup", "read_setup"]


@fact
class Setup:
    """``base`` is the directory from which the paths of the configuration count; ``whole`` says that all below it was
    linted. ``severities`` replace those that rules give. ``given`` are the choices of the command line.
    ``settings`` are those of every cluster, with paths below the root of the world; ``nodes`` are not in Git.
    """

    configuration: Configuration = field(default_factory=Configuration)
    given: Choices = field(default_factory=Choices)
    rules: tuple[Rule, ...] = ()
    severities: Mapping[str, Severity] = field(default_factory=dict)
    base: str = "."
    whole: bool = True
    assumptions: tuple[str, ...] = ()
    settings: tuple[Settings, ...] = (Settings(),)
    nodes: tuple[GivenNodes, ...] = ()

    @property
    def fail_on(self) -> Severity:
        """The least severity that fails a run."""
        return self.given.fail_on or self.configuration.choices.fail_on or Severity.ERROR

    @property
    def require_reason(self) -> bool:
        """Whether a suppression must give a reason."""
        given = self.given.require_reason
        return bool(self.configuration.choices.require_reason if given is None else given)


def read_setup(world: World, paths: Sequence[Path], config: Path | None, given: Choices) -> Setup:
    """Find and read the configuration (``config`` if it is named) and choose the rules.

    Raises:
        UsageError: the configuration is wrong, or a file of nodes.
    """
    document = find_configuration(world, paths, config)
    configuration = load_configuration(document)
    selection = select(all_rules(), given, configuration.choices, document)
    base = _base(world, document.file if document else "", named=config is not None)
    linted = linted_directory(world, paths)
    return Setup(
        configuration=configuration,
        given=given,
        rules=selection.rules,
        severities=selection.severities,
        base=base,
        whole=linted in (".", base) or base.startswith(f"{linted}/"),
        settings=_located(configuration.settings, document, world, base),
        nodes=_nodes(given.nodes),
        assumptions=() if config is not None else tuple(unused_configurations(world, document)),
    )


def _nodes(files: Sequence[NodesFile]) -> tuple[GivenNodes, ...]:
    """What the files say. Raises UsageError."""
    if not files:
        return ()
    from trainlint.inventory.external_inventory import read_given  # noqa: PLC0415 (only where nodes are given)

    return tuple(map(read_given, files))


def _located(settings: Sequence[Settings], document: Document | None, world: World, base: str) -> tuple[Settings, ...]:
    """The settings with the files and directories that their paths stand for. Raises UsageError."""
    if document is None or not any(each.paths or each.inventories for each in settings):
        return tuple(settings)
    from trainlint.engine.cluster_paths import located  # noqa: PLC0415 (only where paths are stated)

    return located(settings, document, world, base)


def _base(world: World, file: str, *, named: bool) -> str:
    """The directory of the configuration, below the root of the world; the root for a file that is elsewhere."""
    if named:
        file = posixpath.relpath(str(Path(file).resolve()), str(world.root))
    return "." if file.startswith("..") else posixpath.dirname(file) or "."
