"""The configuration file that counts: the one that was named, else the nearest one from the linted path upwards."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from trainlint.config.load import configuration_document
from trainlint.finding import UsageError
from trainlint.source.document import Document
from trainlint.source.file_access import read_regular
from trainlint.source.world import World

__all__ = ["CONFIGS", "find_configuration", "linted_directory", "unused_configurations"]

CONFIGS = ("trainlint.yaml", ".trainlint.yaml")
NAMED = 3


def find_configuration(world: World, paths: Sequence[Path], given: Path | None) -> Document | None:
    """The file that counts, as a document; ``None`` where there is none.

    Raises:
        UsageError: it cannot be read, is no YAML, or a directory holds two.
    """
    if given is not None:
        return _document(str(given), given)
    listed = {file.name: file for file in world.configs}
    for directory in _upwards(linted_directory(world, paths)):
        names = [name if directory == "." else f"{directory}/{name}" for name in CONFIGS]
        found = [name for name in names if name in listed or (world.on_disk and (world.root / name).is_file())]
        if len(found) > 1:
            raise UsageError(f"{' and '.join(found)}: only one of them can count; remove the other")
        if found:
            file = listed.get(found[0])
            return configuration_document(found[0], file.read()) if file else _document(found[0], world.root / found[0])
    return None


def unused_configurations(world: World, used: Document | None) -> Iterator[str]:
    """The configuration files below the linted path, which do not count, as an assumption."""
    names = [file.name for file in world.configs if used is None or file.name != used.file]
    if names:
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        verb = "does" if len(names) == 1 else "do"
        listed = f"{', '.join(names[:NAMED])}{more}"
        yield f"{listed} {verb} not count: settings are looked for from the linted path upwards, not below it"


def linted_directory(world: World, paths: Sequence[Path]) -> str:
    """The nearest directory above all paths, as a POSIX path below the root of the world ("." for the root)."""
    real = [Path(os.path.realpath(path)) for path in paths if str(path) != "-"] or [Path(os.path.realpath(Path()))]
    above = os.path.commonpath([str(path if path.is_dir() else path.parent) for path in real])
    relative = os.path.relpath(above, world.root)
    return "." if relative.startswith("..") else Path(relative).as_posix()


def _upwards(directory: str) -> Iterator[str]:
    yield directory
    yield from map(str, PurePosixPath(directory).parents)


def _document(name: str, path: Path) -> Document:
    try:
        return configuration_document(name, read_regular(path))
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror or error}") from None
