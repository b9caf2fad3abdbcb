"""The files of a Git revision, read from its objects: nothing is checked out, and nothing changes anywhere."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Unknown, UsageError
from trainlint.source.executables import repository_of
from trainlint.source.files import CONFIGS
from trainlint.source.git import GitError, git
from trainlint.source.git_objects import contents, entries, holds, shown
from trainlint.source.links import follow
from trainlint.source.listing import MANIFEST, git_files
from trainlint.source.vendored_code import vendored_home
from trainlint.source.world import CHART_FILE, STDIN, SourceFile, World

__all__ = ["Revision", "read_revision"]


@fact
class Revision:
    """A state of the repository that was committed. ``world`` is what ``discover`` would find in it.

    ``commit`` is the id of the commit, empty where there is none yet. ``same`` are the names of files that hold the
    same in the world that it is compared with; ``beside`` says whether that is so of all else that charts are made of.
    ``unknowns`` say what could not be compared.
    """

    name: str
    commit: str
    world: World
    same: frozenset[str]
    unknowns: tuple[Unknown, ...] = ()
    beside: bool = True


def read_revision(head: World, revision: str) -> Revision:
    """The files at ``revision`` below the directories that ``head`` was read from.

    Every difference of work tree and revision counts, committed or not: contents are compared, the index is not asked.
    The manifests of submodules are taken as they are now: their revisions are another repository's.

    Raises:
        UsageError: there is no such commit, its objects are not there, or ``head`` is not in one Git repository.
    """
    if any(file.name == STDIN for file in head.files):
        raise UsageError("--base: standard input has no base revision; name the files or directories to compare")
    homes = {repository_of(tree) for tree in head.trees}
    home = homes.pop() if len(homes) == 1 else None
    if home is None:
        raise UsageError(f"--base {revision}: {head.root} is not the work tree of one Git repository")
    commit = _commit(home, revision)
    if not commit:
        return Revision(revision, "", World(head.root, (), trees=head.trees, links={}), frozenset())
    try:
        return _Tree(head, home, revision, commit).read()
    except GitError as error:
        raise UsageError(f"--base {revision}: it cannot be read: {_first(error)}; {_FETCH.format(commit)}") from None


_FETCH: Final = "fetch it: git fetch origin {}"


def _commit(home: Path, revision: str) -> str:
    """The id of the commit; empty for the HEAD of a repository that has no commit yet."""
    wanted = f"--base {revision}"
    if not revision or revision.startswith("-") or not revision.isprintable():
        raise UsageError(f"--base {revision!r}: this is no revision; name a commit, a branch or a tag")
    try:
        return git(home, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").decode("ascii").strip()
    except GitError:
        pass
    try:
        if revision in ("HEAD", "@") and not git(home, "rev-list", "--all", "--max-count=1"):
            return ""
        shallow = git(home, "rev-parse", "--is-shallow-repository").strip() == b"true"
    except GitError as error:
        raise UsageError(f"{wanted}: {_first(error)}") from None
    where = "this shallow clone does not hold it" if shallow else "the repository holds no such commit"
    remote, _, branch = revision.partition("/")
    source = f"{remote} {branch}" if branch and _is_remote(home, remote) else f"origin {revision}"
    raise UsageError(f"{wanted}: {where}; fetch it: git fetch {'--depth=1 ' if shallow else ''}{source}")


def _is_remote(home: Path, name: str) -> bool:
    return name in git(home, "remote").decode("utf-8", "replace").splitlines()


def _first(error: GitError) -> str:
    return str(error).partition("\n")[0].removeprefix("fatal: ")


class _Tree:
    """One revision of one repository, seen from the world that it is compared with."""

    def __init__(self, head: World, home: Path, revision: str, commit: str) -> None:
        self._head = head
        self._home = home
        self._revision = revision
        self._commit = commit
        self._now = {file.name: file for file in (*head.files, *head.configs)}
        self._entries = entries(home, commit)
        self._unknowns: list[Unknown] = []
        self._missed: list[Unknown] = []

    def read(self) -> Revision:
        links = self._texts()
        has, below = self._entries.__contains__, self._below
        wanted = dict.fromkeys(name for name in self._wanted(links) if not vendored_home(name, has, below))
        contents = self._contents(name for name in wanted if not self._is_same(name))
        files: list[SourceFile] = []
        same: set[str] = set()
        for name in wanted:
            now = self._now.get(shown(name))
            content = contents.get(name)
            if content is None:
                if now is not None:
                    files.append(now)
                    same.add(now.name)
                continue
            files.append(SourceFile(str(self._home / name), shown(name), self._chart(name), content))
            if now is not None and now.chart == files[-1].chart and _equal(now, content):
                same.add(now.name)
        for file in self._of_submodules():
            files.append(file)
            same.add(file.name)
        files.sort(key=lambda file: file.name)
        world = World(
            self._head.root,
            tuple(file for file in files if posixpath.basename(file.name) not in CONFIGS),
            unknowns=tuple(self._unknowns),
            configs=tuple(file for file in files if posixpath.basename(file.name) in CONFIGS),
            trees=self._head.trees,
            links={shown(name): text for name, text in links.items()},
            blob=self._blob,
            names=self._entries.keys,
        )
        return Revision(
            self._revision, self._commit, world, frozenset(same), tuple(self._missed), self._is_same_beside()
        )

    def _is_same_beside(self) -> bool:
        """Whether nothing differs of what stands in charts and is no manifest: helpers, packed charts."""
        names = [*self._entries, *self._now]
        charts = {posixpath.dirname(name) for name in names if posixpath.basename(name) == CHART_FILE}
        if not charts:
            return True

        def beside(name: str) -> bool:
            return not MANIFEST.fullmatch(name) and not charts.isdisjoint(_above(name))

        then = {name for name, entry in self._entries.items() if not entry.is_submodule and beside(name)}
        now = {name for name in git_files(self._home) or () if beside(name) and (self._home / name).is_file()}
        try:
            return then == now and all(holds(self._entries[name], (self._home / name).read_bytes()) for name in now)
        except OSError:
            return False

    def _contents(self, names: Iterable[str]) -> dict[str, bytes]:
        return contents(self._home, ((name, self._entries[name]) for name in names))

    def _blob(self, name: str) -> bytes | None:
        """What the revision holds under any name; files of submodules as they are now."""
        entry = self._entries.get(name)
        if entry is not None:
            return None if entry.is_link or entry.is_submodule else self._contents([name]).get(name)
        if any(each.is_submodule and name.startswith(f"{module}/") for module, each in self._entries.items()):
            file = self._home / name
            return file.read_bytes() if file.is_file() else None
        return None

    def _texts(self) -> dict[str, str]:
        """What is written in each symbolic link."""
        links = [name for name, entry in self._entries.items() if entry.is_link]
        texts = {name: os.fsdecode(content) for name, content in self._contents(links).items()}
        inside = f"{self._home}{os.sep}"
        for name, text in texts.items():
            if text.startswith(inside):
                texts[name] = posixpath.relpath(text.removeprefix(inside), posixpath.dirname(name) or ".")
        return texts

    def _wanted(self, links: Mapping[str, str]) -> Iterator[str]:
        """The manifests below the directories in question, and every configuration."""
        for name, entry in self._entries.items():
            if entry.is_submodule:
                continue
            if posixpath.basename(name) not in CONFIGS and not (
                name.startswith(self._below) and MANIFEST.fullmatch(name)
            ):
                continue
            if not entry.is_link:
                if self._is_checked_out(name):
                    yield name
                continue
            target = follow(name, links)
            if target is not None and target in self._entries and not self._entries[target].is_link:
                yield target
            elif target is None or not any(other.startswith(f"{target}/") for other in self._entries):
                missing = "the symbolic link leads out of the repository, or nowhere"
                self._unknowns.append(Unknown(f"the objects in {shown(name)}", missing, "fix or remove the link"))

    @cached_property
    def _below(self) -> tuple[str, ...]:
        """The directories in question."""
        return tuple(_prefix(tree, self._home) for tree in self._head.trees)

    def _is_same(self, name: str) -> bool:
        """Whether the world holds the same bytes under this name, and they are read in the same way."""
        now = self._now.get(shown(name))
        if now is None or now.chart != self._chart(name):
            return False
        try:
            return holds(self._entries[name], now.read())
        except OSError:
            return False

    def _is_checked_out(self, name: str) -> bool:
        """A file that the index holds, and that is not there, is outside of a sparse checkout."""
        return shown(name) in self._now or (self._home / name).exists() or name not in self._sparse

    @cached_property
    def _sparse(self) -> frozenset[str]:
        listed = os.fsdecode(git(self._home, "ls-files", "-z", "-t", "--cached")).split("\0")
        return frozenset(line[2:] for line in listed if line.startswith("S "))

    def _of_submodules(self) -> Iterator[SourceFile]:
        for name, entry in self._entries.items():
            if not entry.is_submodule:
                continue
            module = shown(name)
            yield from (file for file in self._head.files if file.name.startswith(f"{module}/"))
            if f"{name}/".startswith(self._below) and self._is_other_commit(self._home / name, entry.object):
                missing = "it is a submodule of which another commit is used: its manifests are taken as they are now"
                command = f"trainlint check --base {entry.object[:12]} {module}"
                subject, remedy = f"what the change does in {module}", f"compare it by itself: {command}"
                self._missed.append(Unknown(subject, missing, remedy, command=command))

    @staticmethod
    def _is_other_commit(module: Path, commit: str) -> bool:
        if not (module / ".git").exists():
            return not module.is_dir()  # one that is not checked out is an unknown of the world already
        try:
            return git(module, "rev-parse", "HEAD").decode("ascii").strip() != commit
        except GitError:
            return True

    def _chart(self, name: str) -> str:
        """The Helm chart whose template a file is, or an empty string."""
        directory = posixpath.dirname(name)
        while directory:
            above, last = posixpath.split(directory)
            if last == "templates" and posixpath.join(above, "Chart.yaml") in self._entries:
                return shown(above) or "."
            directory = above
        return ""


def _prefix(tree: Path, home: Path) -> str:
    relative = os.path.relpath(tree, home).replace(os.sep, "/")
    return "" if relative == "." else f"{relative}/"


def _above(name: str) -> Iterator[str]:
    """The directories that a name is in; the root is empty."""
    while name:
        name = posixpath.dirname(name)
        yield name


def _equal(now: SourceFile, content: bytes) -> bool:
    """Whether a file holds what the revision holds; line ends are Git's to convert."""
    try:
        return now.read().replace(b"\r\n", b"\n") == content.replace(b"\r\n", b"\n")
    except OSError:
        return False
