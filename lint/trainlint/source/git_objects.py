"""What a Git commit holds: its names, and the contents of those that are asked for."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from trainlint.fact import fact
from trainlint.source.git import GitError, git

__all__ = ["TreeEntry", "contents", "entries", "holds", "shown"]

LINK = "120000"
SUBMODULE = "160000"


@fact
class TreeEntry:
    """What a commit holds under one name: its kind, and the id of the object."""

    mode: str
    object: str

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link; its content is then where it leads."""
        return self.mode == LINK

    @property
    def is_submodule(self) -> bool:
        """Whether it is a commit of another repository."""
        return self.mode == SUBMODULE


def entries(home: Path, commit: str) -> dict[str, TreeEntry]:
    """Everything that a commit holds, by its name below the root of the repository. Raises GitError."""
    return dict(_entries(os.fsdecode(git(home, "ls-tree", "-r", "-z", "--full-tree", commit))))


def _entries(listing: str) -> Iterator[tuple[str, TreeEntry]]:
    for line in listing.split("\0")[:-1]:
        head, _, name = line.partition("\t")
        mode, _, identity = head.split(" ")
        yield name, TreeEntry(mode, identity)


def contents(home: Path, wanted: Iterable[tuple[str, TreeEntry]]) -> dict[str, bytes]:
    """The content of each entry, by its name. Raises GitError for objects that are not there."""
    wanted = list(wanted)
    if not wanted:
        return {}
    request = "".join(f"{entry.object}\n" for _, entry in wanted).encode("ascii")
    output = git(home, "cat-file", "--batch", stdin=request)
    found: dict[str, bytes] = {}
    at = 0
    for name, _ in wanted:
        start = output.index(b"\n", at) + 1
        _, kind, *size = output[at : start - 1].split(b" ")
        if kind != b"blob":
            raise GitError(f"the content of {shown(name)} is not in this clone")
        at = start + int(size[0])
        found[name] = output[start:at]
        at += 1
    return found


def holds(entry: TreeEntry, content: bytes) -> bool:
    """Whether a content is that of an entry, byte by byte: told by its id."""
    algorithm = "sha1" if len(entry.object) == 40 else "sha256"
    digest = hashlib.new(algorithm, b"blob %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest() == entry.object


def shown(name: str) -> str:
    """A name as reports show it."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
