"""Which files are read: the Git index or a walk that honours ignore files, named paths, and standard input."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from trainlint.finding import Unknown, UsageError
from trainlint.source.executables import repository_of
from trainlint.source.file_access import place_of
from trainlint.source.listing import MANIFEST, git_files, git_modules, walk
from trainlint.source.vendored_code import vendored_home
from trainlint.source.world import CHART_FILE, STDIN, SourceFile, World

__all__ = ["CONFIGS", "NotFound", "bringers", "discover"]

CONFIGS: Final = frozenset({"trainlint.yaml", ".trainlint.yaml"})


class NotFound(UsageError):  # noqa: N818 (named like the HTTP status and click's own)
    """A path that was named does not exist."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path}: no such file or directory")
        self.path = path


def discover(paths: Sequence[Path], *, stdin: bytes | None = None) -> World:
    """Find the files to read for the paths that were named (none: the current directory).

    A directory is the world: only what is below it is read. For a single file the world is its repository (outside Git:
    its directory), and the report is narrowed to it. ``-`` is standard input, whose content is ``stdin``.

    Raises:
        NotFound: a path that is not there.
        UsageError: one that is neither a file nor a directory; the current directory is not there any more.
    """
    named = [path for path in paths if str(path) != "-"]
    if not named and not paths:
        named = [Path()]
    if not named or not all(path.is_absolute() for path in named):
        _current_directory()
    for path in named:
        if not _exists(path):
            raise NotFound(path)
        if not (path.is_file() or path.is_dir()):
            raise UsageError(f"{path} is neither a file nor a directory; to read what a program writes, pipe it into -")
    real = [place_of(path) for path in named]
    given = [path for path in real if not path.is_dir()]
    directories = [path for path in real if path.is_dir()]
    homes = {path: repository_of(path if path.is_dir() else path.parent) for path in real}
    root = _root(homes, directories, given)
    worlds = directories
    if given:
        worlds = list(dict.fromkeys([*(homes[path] or path.parent for path in given), *directories]))
    finder = _Finder(root)
    for world in worlds:
        finder.add_world(world)
    for path in given:
        finder.add(str(path))
    files, configs = finder.found()
    if any(str(path) == "-" for path in paths):
        files = (*files, SourceFile("-", STDIN, content=stdin or b""))
    scope = None
    if given:
        prefixes = tuple(f"{path}{os.sep}" for path in directories)
        chosen = {str(path) for path in given}
        scope = frozenset(
            file.name for file in files if file.path in chosen or file.path.startswith(prefixes) or file.name == STDIN
        )
    return World(root, files, scope, finder.unknowns(), configs, tuple(worlds), vendored=finder.vendored)


def bringers(chart: str) -> frozenset[str]:
    """The directory of a chart, and those of the charts that bring it in (``a/charts/b`` is a part of ``a``)."""
    found = {chart}
    while f"/{chart}".count("/charts/"):
        chart = f"/{chart}".rpartition("/charts/")[0].lstrip("/") or "."
        found.add(chart)
    return frozenset(found)


def _current_directory() -> None:
    try:
        Path.cwd()
    except OSError as error:
        raise UsageError("the current directory is not there any more: change to one that is") from error


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a directory above it may not be entered
        return False


def _root(homes: dict[Path, Path | None], directories: list[Path], given: list[Path]) -> Path:
    """The work tree that holds all paths, or else the nearest directory above them all."""
    if not homes:
        return Path(os.path.realpath(Path()))
    trees = set(homes.values())
    if len(trees) == 1 and (tree := trees.pop()) is not None:
        return tree
    return Path(os.path.commonpath([str(path) for path in (*directories, *(path.parent for path in given))]))


class _Finder:
    """Collects files below a root, each once, however many names lead to it."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._below = os.path.join(self._root, "")  # noqa: PTH118 (with the separator that a Path has not)
        self._files: dict[str, str] = {}
        self._unknowns: dict[str, Unknown] = {}
        self._charts: dict[str, str] = {}
        self._known: dict[str, bool] = {}
        self._trees: list[str] = []
        self.vendored: dict[str, int] = {}

    def found(self) -> tuple[tuple[SourceFile, ...], tuple[SourceFile, ...]]:
        """The manifests and the configuration files, by name."""
        found = [
            SourceFile(path, name, self._chart(path.rpartition(os.sep)[0]))
            for path, name in sorted(self._files.items(), key=lambda entry: entry[1])
            if not self._vendored(name)
        ]
        configs = tuple(file for file in found if file.name.rpartition("/")[2] in CONFIGS)
        return tuple(file for file in found if file.name.rpartition("/")[2] not in CONFIGS), configs

    def _vendored(self, name: str) -> bool:
        home = vendored_home(name, self._exists, self._trees)
        if home:
            self.vendored[home] = self.vendored.get(home, 0) + 1
        return bool(home)

    def _exists(self, name: str) -> bool:
        if name not in self._known:
            self._known[name] = Path(self._root, name).is_file()
        return self._known[name]

    def unknowns(self) -> tuple[Unknown, ...]:
        """What could not be read, and what would help."""
        return tuple(self._unknowns.values())

    def add_world(self, directory: Path) -> None:
        """Add a directory that was named, or the world of a file that was."""
        name = self._name(str(directory))
        self._trees.append("" if name == "." else f"{name}/")
        self.add_tree(directory)

    def add_tree(self, directory: Path) -> None:
        """Add all manifests below a directory: by Git where it can, else by a walk."""
        tree = repository_of(directory)
        listed = git_files(directory) if tree is not None else None
        if not listed:  # no Git, or a directory that Git ignores but the user named
            for path in walk(str(directory), self._unreadable):
                self.add(path)
            return
        for name in listed:
            path = f"{directory}{os.sep}{name}"  # thousands of names: joining as text is what makes this fast
            if name.endswith("/"):
                self.add_tree(Path(path))  # a repository inside this one
            elif MANIFEST.fullmatch(name):
                self.add(path)
        if tree is not None and (tree / ".gitmodules").exists():
            for module in git_modules(directory):
                self._add_module(Path(directory, module))

    def _add_module(self, directory: Path) -> None:
        if (directory / ".git").exists():
            self.add_tree(directory)
        elif directory.is_dir():
            name = self._name(str(directory))
            self._unknowns[name] = Unknown(
                f"the manifests in {name}", "the submodule is not checked out", "run `git submodule update --init`"
            )

    def _unreadable(self, directory: str, error: OSError) -> None:
        name = self._name(directory)
        missing = f"the directory cannot be read: {error.strerror or type(error).__name__}"
        self._unknowns[name] = Unknown(f"the manifests in {name}", missing, "make it readable")

    def add(self, path: str) -> None:
        """Add one file under its real path; a link that leads nowhere or out of the root is an unknown."""
        try:
            mode = os.lstat(path).st_mode
        except OSError:
            return  # deleted from the work tree, but still in the index
        if stat.S_ISLNK(mode):
            self._add_link(path)
        elif stat.S_ISREG(mode):
            self._files.setdefault(path, self._name(path))

    def _add_link(self, path: str) -> None:
        name = self._name(path)
        real = os.path.realpath(path)
        if not Path(real).exists():
            missing, remedy = "the symbolic link leads nowhere", "fix or remove the link"
        elif os.path.commonpath([real, self._root]) != self._root:
            missing, remedy = "the symbolic link leads out of the repository", "put a copy of the file in its place"
        else:
            if Path(real).is_file():
                self._files.setdefault(real, self._name(real))
            return
        self._unknowns[name] = Unknown(f"the objects in {name}", missing, remedy)

    def _name(self, path: str) -> str:
        below = path.startswith(self._below)  # almost all are, and the library takes its time
        name = path[len(self._below) :] if below else os.path.relpath(path, self._root)
        if os.sep != "/":
            name = name.replace(os.sep, "/")
        return name if name.isascii() else name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

    def _chart(self, directory: str) -> str:
        """The chart whose templates/ directory holds a directory, or an empty string."""
        known = self._charts.get(directory)
        if known is not None:
            return known
        above, _, name = directory.rpartition(os.sep)
        chart = ""
        if name == "templates" and Path(above, CHART_FILE).is_file():
            chart = self._name(above)
        elif above and len(directory) >= len(self._root):
            chart = self._chart(above)
        self._charts[directory] = chart
        return chart
