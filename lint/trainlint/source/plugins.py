"""The configurations of plugins that a kustomization names, in its own text, in files and in directories."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from trainlint.source.document import Document, Field
from trainlint.source.documents import every_document, is_read
from trainlint.source.file_tree import Tree
from trainlint.source.kustomization import FILE_NAMES, is_remote
from trainlint.source.patches import Documents
from trainlint.source.relative_path import joined
from trainlint.source.safe_kustomization import PluginError, is_inline

__all__ = ["PluginReader"]

_LISTING: Final = frozenset({"apiVersion", "kind", "metadata", "resources"})
"""Fields of a kustomization that only lists files."""


class PluginReader:
    """Reads them from a tree; ``real`` gives the name behind symbolic links, ``documents`` all documents of a file."""

    def __init__(self, tree: Tree, documents: Documents, real: Callable[[str], str]) -> None:
        self._tree = tree
        self._documents = documents
        self._real = real
        self._listing: list[str] = []

    def configurations(self, directory: str, entry: str, here: str) -> Iterator[Field]:
        """The configurations of plugins that an entry of ``generators`` and the like names; ``here`` is the file of the
        kustomization.

        Raises:
            PluginError: they may be read in another way, or lead in a circle.
        """
        file = here
        text = entry.encode("utf-8", "surrogatepass")
        documents: Sequence[Document] = every_document(here, text) if is_inline(entry) else ()
        if any(document.root.mapping is not None for document in documents) or "\n" in entry:
            content: bytes | None = text
        else:
            name = joined(directory, entry)
            if name is None:
                return
            file = self._real(name)
            content = self._tree.read(file)
            if content is None:
                yield from self._of_directory(name, here)
                return
            documents = self._documents(file)
        if content is None or not is_read(file, content) or any(each.root.mapping is None for each in documents):
            raise PluginError("is written in a way that may be read in another one")
        yield from (document.root for document in documents)

    def _of_directory(self, directory: str, here: str) -> Iterator[Field]:
        """The configurations in a directory whose kustomization lists files, and does nothing else."""
        if directory in self._listing:
            raise PluginError("leads in a circle")
        self._listing.append(directory)
        for name in FILE_NAMES:
            for document in self._documents(self._real(posixpath.join(directory, name))):
                if not set(document.root.mapping or ()) <= _LISTING:
                    raise PluginError("has a configuration that a kustomization changes")
                for each in document.root["resources"].elements():
                    if is_remote(each.string or "") or is_inline(each.string or ""):
                        raise PluginError(f"is made of {each.string}, which is elsewhere")
                    yield from self.configurations(directory, each.string or "", here)
        self._listing.pop()
