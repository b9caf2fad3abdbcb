"""Whose repository a source is: this one, or another whose files are not here."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final

from trainlint.deploy.ground import DeployGround
from trainlint.fact import fact
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.source.git import GitError, git
from trainlint.source.library import Library

__all__ = ["CONTESTED", "SourceOwnership", "Sources", "normal_path", "remotes_of"]

_SCP: Final = lazy_pattern(r"(?:[\w.\-]+@)?(?P<host>[\w.\-]{2,}):(?P<path>(?!//|\\).+)")
_URL: Final = lazy_pattern(r"[a-z][a-z0-9+.\-]*://(?:[^/@]*@)?(?P<host>[^/:]+)(?::\d+)?/(?P<path>.+)", re.IGNORECASE)


CONTESTED: Final = "where there is a directory of that name, but deployers name several repositories"
"""Why it is unknown whose repository it is."""


@fact
class SourceOwnership:
    """Whether a source is this repository; ``assumes`` says what is taken for granted if that is not certain.

    ``contested``: it may be, but so may another one, and both cannot.
    """

    ours: bool
    assumes: Because | None = None
    contested: bool = False


class Sources:
    """Compares the addresses of sources with those of the repository's remotes, which are asked for when needed.

    ``named`` gives the addresses and paths that deployers name: where there is no remote, the address with most paths
    that exist here is this repository, and no other. ``artifacts`` gives the archives that deployers name, as they call
    them, and the paths in them.
    """

    def __init__(
        self,
        library: Library,
        remotes: Callable[[], Iterable[str]] = tuple,
        named: Callable[[], Iterable[tuple[str, str]]] = tuple,
        artifacts: Callable[[], Iterable[tuple[str, str]]] = tuple,
    ) -> None:
        self.library = library
        self._ask = remotes
        self._named = named
        self._artifacts = artifacts

    @cached_property
    def _remotes(self) -> frozenset[tuple[str, str]]:
        return frozenset(found for url in self._ask() if (found := _normal(url)) is not None)

    @cached_property
    def _others(self) -> frozenset[tuple[str, str]]:
        """The addresses that are not this repository, as another one fits better, or as well."""
        paths: dict[tuple[str, str], set[str]] = {}
        for url, path in self._named():
            address = _normal(url)
            if address is not None:
                paths.setdefault(address, set()).update({path} if path and self.holds(path) else ())
        most = max(map(len, paths.values()), default=0)
        best = [address for address, found in paths.items() if len(found) == most]
        return frozenset(paths) - (frozenset(best) if len(best) == 1 else frozenset())

    @cached_property
    def _homes(self) -> Mapping[str, str]:
        """The directory of this repository that an archive was made of: the one that holds most of the paths in it."""
        paths: dict[str, set[str]] = defaultdict(set)
        for artifact, path in self._artifacts():
            paths[artifact].add(path)
        by_name: dict[str, list[str]] = defaultdict(list)
        for directory in self.library.directories if paths else ():
            by_name[directory.rpartition("/")[2]].append(directory)
        found: dict[str, str] = {}
        for artifact, each in paths.items():
            homes = Counter(home for path in each if path for home in _above(path, by_name[path.rpartition("/")[2]]))
            most = max(homes.values(), default=0)
            best = [home for home, count in homes.items() if count == most]
            if len(best) == 1 and best[0]:
                found[artifact] = best[0]
        return found

    def home(self, artifact: str, address: str | None, path: str) -> str:
        """The directory of this repository that is the top of an archive (``flux push artifact --path``), where it
        holds a path of it; empty where that is unknown, or the archive's address names none of the remotes.
        """
        home = self._homes.get(artifact, "")
        known = not address or not self._remotes or any(name in address.lower() for _, name in self._remotes)
        return home if home and known and self.holds(f"{home}/{path}" if path else home) else ""

    def holds(self, path: str) -> bool:
        """Whether a file or directory is in the repository."""
        return path in self.library or path in self.library.directories

    def owner(self, url: str, path: str) -> SourceOwnership:
        """Whether what ``url`` holds at ``path`` is this repository's own.

        A path that does not exist here proves nothing about the address; where no remote has an address, or a fork has
        another, a path that does is taken for the one that is meant.
        """
        address = _normal(url)
        if address is not None and address in self._remotes:
            return SourceOwnership(ours=True)
        if not self.holds(path) or (not path and url):
            return SourceOwnership(ours=False)
        if not self._remotes:
            if address in self._others:
                return SourceOwnership(ours=False, contested=True)
            return SourceOwnership(
                ours=True,
                assumes=Because(DeployGround.NO_REMOTE, (url,)),
            )
        if address is not None and any(_name(address) == _name(other) for other in self._remotes):
            return SourceOwnership(ours=True, assumes=Because(DeployGround.FORK, (url,)))
        return SourceOwnership(ours=False)


def _above(path: str, directories: Iterable[str]) -> Iterator[str]:
    """What stands before a path in directories that end with it."""
    for directory in directories:
        if directory == path:
            yield ""
        elif directory.endswith(f"/{path}"):
            yield directory.removesuffix(f"/{path}")


def remotes_of(directory: Path) -> tuple[str, ...]:
    """The addresses of the remotes of the Git repository that holds a directory; none where there is none."""
    try:
        output = git(directory, "config", "--get-regexp", r"^remote\..*\.url$")
    except GitError:
        return ()
    return tuple(line.partition(" ")[2] for line in output.decode("utf-8", "replace").splitlines())


def normal_path(path: str) -> str:
    """A path as deployers write it (``./apps/``, ``/apps``), below the root of the repository; empty is the root."""
    found = posixpath.normpath(path.strip().lstrip("/") or ".")
    return "" if found == "." else found


def _normal(url: str) -> tuple[str, str] | None:
    """Host and path of an address; ``None`` for one on this machine."""
    found = _URL.fullmatch(url.strip()) or _SCP.fullmatch(url.strip())
    if found is None:
        return None
    path = found["path"].strip("/").removesuffix(".git").lower()
    return found["host"].lower(), path


def _name(address: tuple[str, str]) -> str:
    return address[1].rpartition("/")[2]
