"""Documents and the cursor that walks them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import field
from typing import Any, Final, TypeVar

from trainlint.fact import fact
from trainlint.finding import Location, Path

__all__ = ["MISSING", "Document", "Field"]

T = TypeVar("T")


class _Missing:
    """The value of a field that is not there (``null`` is ``None``)."""

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False


MISSING: Final = _Missing()


def _below(value: Any, step: str | int) -> Any:
    if type(value) is dict:
        return value.get(step, MISSING)
    if type(value) is list and type(step) is int and -len(value) <= step < len(value):
        return value[step]
    return MISSING


@fact(eq=False)
class Document:
    """One YAML or JSON document of a file.

    ``data`` holds plain values (dict, list, str, int, float, bool, None) as Kubernetes' own reader sees them: YAML 1.1
    scalars, string keys, the last of two equal keys. ``line`` is the line of the file at which ``text`` begins (from
    1). ``duplicates`` are the paths of keys that stand twice.

    A rendered document stands in ``file`` for what deploys it (the kustomization or chart at the top), and ``origin``
    tells where each of its paths was written: in a base, a patch, a template, a values file. Facts carry the places in
    the rendered document, from which its values can be found again; the engine asks for the origin of what it reports.
    ``known`` is what was read of it (``Field.once``).
    """

    file: str
    index: int
    line: int
    text: str = field(repr=False)
    data: Any = field(repr=False)
    duplicates: tuple[Path, ...] = ()
    origin: Callable[[Path], Location] | None = field(default=None, repr=False)
    known: dict[Hashable, Any] = field(default_factory=dict, repr=False, init=False)

    def at(self, path: Path) -> Location:
        """Where the value at a path is written (or would be), for people: in another file if it was rendered."""
        return Location(self.file, self.index, path) if self.origin is None else self.origin(path)

    @property
    def root(self) -> Field:
        """The cursor at the top of the document."""
        return Field(self, (), self.data)


@fact
class Field:
    """A value of a document together with its path: read leniently, and never lose where a fact stands."""

    document: Document
    path: Path
    value: Any

    @property
    def at(self) -> Location:
        """Where this field stands (or would stand) in its own document."""
        return Location(self.document.file, self.document.index, self.path)

    @property
    def present(self) -> bool:
        """Whether the field is there and not null."""
        return self.value is not MISSING and self.value is not None

    def __getitem__(self, step: str | int) -> Field:
        return Field(self.document, (*self.path, step), _below(self.value, step))

    def once(self, read: Callable[[Field], T]) -> T:
        """What ``read``, which rests on nothing but the field, makes of it: worked out once for all callers."""
        key = (read, self.path)
        found = self.document.known.get(key)
        if found is None or found[0] is not self.value:  # the items of typed lists are completed when they are read
            found = self.document.known[key] = (self.value, read(self))
        made: T = found[1]
        return made

    def down(self, *steps: str | int) -> Field:
        """The field several steps below."""
        value = self.value
        for step in steps:
            value = _below(value, step)
        return Field(self.document, (*self.path, *steps), value)

    def items(self) -> Iterator[tuple[str, Field]]:
        """The entries of a mapping, in order; nothing for any other value."""
        if isinstance(self.value, dict):
            for key, value in self.value.items():
                yield key, Field(self.document, (*self.path, key), value)

    def elements(self) -> Iterator[Field]:
        """The elements of a list; nothing for any other value."""
        if isinstance(self.value, list):
            for index, value in enumerate(self.value):
                yield Field(self.document, (*self.path, index), value)

    @property
    def mapping(self) -> dict[str, Any] | None:
        """The value if it is a mapping, else ``None``."""
        return self.value if isinstance(self.value, dict) else None

    @property
    def string(self) -> str | None:
        """The value if it is a string, else ``None``."""
        return self.value if isinstance(self.value, str) else None

    @property
    def scalar(self) -> str | None:
        """The value as the text that it has in JSON, if it is a string, a number or a boolean, else ``None``."""
        if type(self.value) is str:
            return self.value
        match self.value:
            case bool():
                return "true" if self.value else "false"
            case float() if self.value.is_integer():
                return str(int(self.value))
            case int() | float():
                return str(self.value)
            case _:
                return None
