"""The objects, variables, values and files in Git to which the fields of a deployer refer."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any

from trainlint.deploy.sources import Sources
from trainlint.fact import fact
from trainlint.kube.meta import Meta, read_meta
from trainlint.source.document import MISSING, Document, Field
from trainlint.source.events import TooDeepError, YamlError
from trainlint.source.loader import load
from trainlint.source.reading import objects

__all__ = ["ConfigMaps", "DeployContext", "parsed", "yaml_of"]


@fact(eq=False)
class DeployContext:
    """``known`` holds objects that deployers refer to, by kind, namespace and name."""

    sources: Sources
    config_maps: ConfigMaps
    known: Mapping[tuple[str, str, str], Field]

    def find(self, kind: str, namespace: str, name: str) -> Field | None:
        """The object of this kind and name; one whose namespace is given by its deployer counts, if it is alone;
        ``None`` where there is none, or several.
        """
        exact = self.known.get((kind, namespace, name))
        if exact is not None:
            return exact
        others = [item for (of, where, named), item in self.known.items() if of == kind and named == name]
        return others[0] if len(others) == 1 else None


class ConfigMaps:
    """The data of ConfigMaps: of objects, and of those that kustomizations generate."""

    def __init__(self, sources: Sources, kustomizations: Iterable[Document] = ()) -> None:
        self._library = sources.library
        self._kustomizations = tuple(kustomizations)
        self._known: dict[str, Mapping[str, Field] | None] = {}

    def data(self, name: str) -> Mapping[str, Field] | None:
        """The entries of the ConfigMap of this name, each as a field that holds text; ``None`` where it is not in Git.

        Where several clusters have one of the name, it is unknown which is meant, and none is used.
        """
        if name not in self._known:
            found = [*self._written(name), *self._generated(name)]
            self._known[name] = found[0] if len(found) == 1 else None
        return self._known[name]

    def _written(self, name: str) -> Iterator[Mapping[str, Field]]:
        for file in self._holders:
            for document in self._library.documents(file):
                for item in objects(document):
                    meta: Meta = read_meta(item)
                    if meta.kind == "ConfigMap" and meta.name == name and item["data"].mapping is not None:
                        yield dict(item["data"].items())

    @cached_property
    def _holders(self) -> tuple[str, ...]:
        return tuple(self._library.holding(b"ConfigMap", b"data"))

    def _generated(self, name: str) -> Iterator[Mapping[str, Field]]:
        for document in self._kustomizations:
            for entry in document.root["configMapGenerator"].elements():
                if entry["name"].string == name:
                    yield dict(self._entries(document, entry))

    def _entries(self, document: Document, entry: Field) -> Iterator[tuple[str, Field]]:
        for literal in entry["literals"].elements():
            key, _, value = (literal.string or "").partition("=")
            yield key, Field(literal.document, literal.path, value.strip("'\""))
        for each in entry["files"].elements():
            key, equals, path = (each.string or "").partition("=")
            path = path if equals else key
            file = posixpath.normpath(posixpath.join(posixpath.dirname(document.file), path))
            text = self._library.text(file)
            if text is not None:
                yield key if equals else posixpath.basename(path), Field(Document(file, 0, 1, text, text), (), text)


@lru_cache(maxsize=4096)
def yaml_of(text: str) -> Any:
    """What a text of YAML holds, MISSING where it is none. Many deployers share the text: it must not be changed."""
    try:
        return load(text).data
    except (TooDeepError, YamlError):
        return MISSING


def parsed(text: Field) -> Field | None:
    """The mapping that a text of YAML holds; its places are those of its own file, where it has one; ``None`` where the
    field is no text, or no mapping.
    """
    if not isinstance(text.value, str):
        return None
    value = yaml_of(text.value)
    if value is None:
        value = {}
    if not isinstance(value, dict):
        return None
    whole = not text.path and text.document.text == text.value
    document = Document(text.document.file, 0, 1, text.value, value) if whole else text.document
    return Field(document, text.path, value)
