"""Files that are no manifests by themselves and are read when a manifest names them: values, variables, settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from trainlint.source.document import Document
from trainlint.source.events import TooDeepError, YamlError
from trainlint.source.loader import load
from trainlint.source.reading import MAX_BYTES
from trainlint.source.text import NotTextError, decode, split
from trainlint.source.world import SourceFile

__all__ = ["Library"]


class Library:
    """The files of a world by name; each is read once, and only if it is asked for."""

    def __init__(self, files: Iterable[SourceFile] = ()) -> None:
        self._files = {file.name: file for file in files}
        self._contents: dict[str, bytes] = {}
        self._documents: dict[str, tuple[Document, ...]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._files

    @property
    def names(self) -> Iterable[str]:
        """The names of all files."""
        return self._files.keys()

    @cached_property
    def directories(self) -> frozenset[str]:
        """Every directory that holds a file, itself or further down; the top one is empty."""
        found: set[str] = {""}
        for name in self._files:
            here = name.rpartition("/")[0]
            while here not in found:
                found.add(here)
                here = here.rpartition("/")[0]
        return frozenset(found)

    def documents(self, name: str) -> tuple[Document, ...]:
        """The documents of a file, of any kind or none; nothing where it is no YAML, or not there."""
        if name not in self._documents:
            self._documents[name] = tuple(_documents(name, self._content(name)))
        return self._documents[name]

    def first(self, name: str) -> Document | None:
        """The first document of a file; ``None`` where it holds none."""
        return next(iter(self.documents(name)), None)

    def text(self, name: str) -> str | None:
        """The text of a file; ``None`` where it is not there, or no text."""
        if name not in self._files:
            return None
        try:
            return decode(self._content(name))
        except NotTextError:
            return None

    def holding(self, *words: bytes) -> Iterator[str]:
        """The files that hold all of these words."""
        for name in self._files:
            content = self._content(name)
            if all(word in content for word in words):
                yield name

    def _content(self, name: str) -> bytes:
        if name not in self._contents:
            self._contents[name] = _read(self._files.get(name))
        return self._contents[name]


def _read(file: SourceFile | None) -> bytes:
    try:
        return b"" if file is None or file.size() > MAX_BYTES else file.read()
    except OSError:
        return b""


def _documents(name: str, content: bytes) -> Iterator[Document]:
    try:
        parts = list(split(decode(content)))
    except NotTextError:
        return
    for index, part in enumerate(parts):
        try:
            loaded = load(part.text)
        except (TooDeepError, YamlError):
            continue
        yield Document(name, index, part.line, part.text, loaded.data, loaded.duplicates)
