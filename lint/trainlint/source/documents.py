"""Every document of a file, whatever its kind: what a kustomization refers to need not be an object."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.source.document import Document
from trainlint.source.events import AliasError, TooDeepError, YamlError
from trainlint.source.loader import load
from trainlint.source.reading import parts_of
from trainlint.source.text import NotTextError, decode

__all__ = ["endless", "every_document", "is_read"]


def every_document(file: str, content: bytes) -> tuple[Document, ...]:
    """The documents of a file under the indices that ``read`` gives them; those that do not parse are left out."""
    try:
        text = decode(content)
    except NotTextError:
        return ()
    return tuple(_loaded(file, text))


def is_read(file: str, content: bytes) -> bool:
    """Whether all documents of a file parse, each key once: what is read elsewhere then reads the same."""
    try:
        text = decode(content)
    except NotTextError:
        return False
    documents = list(_loaded(file, text))
    return len(documents) == sum(1 for _ in parts_of(file, text)) and not any(each.duplicates for each in documents)


def endless(file: str, content: bytes) -> str:
    """What is wrong with the aliases of a file, if it is that they stand for something endless or far too large."""
    if b"&" not in content or b"*" not in content:
        return ""
    try:
        text = decode(content)
    except NotTextError:
        return ""
    for part, known in parts_of(file, text):
        try:
            _ = known or load(part.text)
        except (AliasError, TooDeepError) as error:
            return error.message
        except YamlError:
            continue
    return ""


def _loaded(file: str, text: str) -> Iterator[Document]:
    for index, (part, known) in enumerate(parts_of(file, text)):
        try:
            found = known or load(part.text)
        except (YamlError, TooDeepError):
            continue
        yield Document(file, index, part.line, part.text, found.data, found.duplicates)
