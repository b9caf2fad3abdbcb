"""What is copied for one root before it is rendered, and what was left out of the copy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Path, Unknown
from trainlint.source.document import Document

__all__ = ["Closure", "left_out"]

_COMMAND: Final = "kubectl kustomize | trainlint check -"


@fact(eq=False)
class Closure:
    """``files`` are the contents of the copy by name, ``links`` its symbolic links.

    ``kustomizations`` are the documents of all kustomizations that take part, by directory, as they are written.
    ``unknowns`` are what was taken out of the copy: the rest is rendered. ``lost`` are, likewise, single files that are
    not here, and generators that change what is elsewhere. ``unrestricted``: kustomize may read any file of the copy
    from any of its directories; nothing that it reads leads out of the copy. ``lenient``: it may if it must.
    ``builds``: how many kustomizations are built for it, each as often as others name it.
    """

    root: str
    files: dict[str, bytes] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    directories: set[str] = field(default_factory=set)
    kustomizations: dict[str, Document] = field(default_factory=dict)
    unknowns: list[Unknown] = field(default_factory=list)
    lost: list[Unknown] = field(default_factory=list)
    unrestricted: bool = False
    lenient: bool = False
    builds: int = 1

    @property
    def size(self) -> int:
        """The bytes of all files together."""
        return sum(map(len, self.files.values()))


def left_out(
    directory: str, document: Document, found: Iterable[tuple[str, str, Path]], done: str
) -> Iterator[Unknown]:
    """What is not known of a kustomization, by what it is, why, and where it stands; ``done`` ends the remedy."""
    for what, why, path in found:
        subject = f"{what}, in kustomization {directory or '.'}"
        remedy = f"lint what the kustomization {done}: {_COMMAND}"
        yield Unknown(subject, why, remedy, document.at(path), command=_COMMAND)
