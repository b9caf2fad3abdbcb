"""Lists of the manifests below a directory: from Git, or from a walk that honours ignore files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.executables import repository_of
from trainlint.source.git import GitError, git
from trainlint.source.template_names import TEMPLATE_SUFFIXES

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

__all__ = ["MANIFEST", "git_files", "git_modules", "simple_lines", "walk"]

MANIFEST: Final = lazy_pattern(
    rf"(?:.*/)?(?:Kustomization|[^/]+\.(?:ya?ml|json)(?:[.\-_](?:{'|'.join(TEMPLATE_SUFFIXES)}))?)", re.DOTALL
)
"""Names of files that may hold manifests, or templates of them."""

MAX_IGNORED: Final = 1 << 20
"""Characters of an ignore file that are read."""
MAX_STARS: Final = 6

_OF_TOOLS: Final = frozenset({".git", ".hg", ".svn", ".jj"})
"""Directories in which version control keeps its own data."""


def _git(directory: Path, *arguments: str) -> bytes | None:
    """The output of a Git command, or ``None`` where there is no Git or it refuses the repository."""
    try:
        return git(directory, *arguments)
    except GitError:
        return None


def git_files(directory: Path) -> list[str] | None:
    """Tracked files and untracked ones that are not ignored, relative to the directory; ``None`` where Git does not
    say.
    """
    inside, pathspec = _inside(directory)
    output = _git(directory, "ls-files", "-z", "--cached", "--others", "--exclude-standard", *pathspec)
    if output is None:
        return None
    names = dict.fromkeys(os.fsdecode(output).split("\0")[:-1])
    return [name.removeprefix(inside) for name in names] if inside else list(names)


def git_modules(directory: Path) -> list[str]:
    """The directories of submodules, relative to the directory."""
    inside, pathspec = _inside(directory)
    output = _git(directory, "ls-files", "-z", "--stage", *pathspec) or b""
    entries = os.fsdecode(output).split("\0")
    return [entry.partition("\t")[2].removeprefix(inside) for entry in entries if entry.startswith("160000 ")]


def _inside(directory: Path) -> tuple[str, tuple[str, ...]]:
    """What names below a directory begin with at the root of the work tree, and the arguments that ask for them."""
    real = Path(os.path.realpath(directory))
    home = repository_of(real)
    if home is None or home == real:
        return "", ()
    inside = f"{real.relative_to(home).as_posix()}/"
    return inside, ("--", inside)


def walk(top: str, unreadable: Callable[[str, OSError], None]) -> Iterator[str]:
    """Manifests below a directory, without those that ignore files exclude and without the data of version control.

    ``unreadable`` is told of directories that cannot be read.
    """
    pending: list[tuple[str, tuple[tuple[str, GitIgnoreSpec], ...]]] = [(top, ())]
    while pending:
        directory, specs = pending.pop()
        try:
            with os.scandir(directory) as scanned:
                entries = sorted(scanned, key=lambda entry: entry.name)
        except OSError as error:
            unreadable(directory, error)
            continue
        if any(entry.name == ".gitignore" and entry.is_file(follow_symlinks=False) for entry in entries):
            specs = (*specs, *_ignore_file(directory))
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _OF_TOOLS and not _ignored(entry.path + "/", specs):
                    pending.append((entry.path, specs))
            elif MANIFEST.fullmatch(entry.name) and not _ignored(entry.path, specs):
                yield entry.path


def _ignore_file(directory: str) -> Iterable[tuple[str, GitIgnoreSpec]]:
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 (only needed outside Git)

    try:
        with Path(directory, ".gitignore").open(encoding="utf-8", errors="replace") as stream:
            text = stream.read(MAX_IGNORED)
        return [(directory + os.sep, GitIgnoreSpec.from_lines(simple_lines(text)))]
    except (OSError, ValueError):
        return []


def simple_lines(text: str) -> list[str]:
    """The patterns of an ignore file, without those of so many stars that matching them takes minutes."""
    return [line for line in text.splitlines() if line.count("*") <= MAX_STARS]


def _ignored(path: str, specs: tuple[tuple[str, GitIgnoreSpec], ...]) -> bool:
    """Whether the nearest ignore file that speaks of a path excludes it."""
    for base, spec in reversed(specs):
        include = spec.check_file(path.removeprefix(base)).include
        if include is not None:
            return include
    return False
