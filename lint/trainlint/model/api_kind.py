"""What a reader declares of the kinds of objects that it reads, and the one registry that all declarations make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from trainlint.fact import fact

__all__ = ["ANY_GROUP", "ApiKind", "DeclarationError", "Registry", "declared", "names"]

ANY_GROUP: Final = "*"
"""Stands for the API groups that no declaration of the kind names."""


class DeclarationError(ValueError):
    """A kind that is declared twice by one reader, or that two readers place differently."""


@fact
class ApiKind:
    """A kind of object: its API group and its name.

    ``namespaced`` says whether its objects are in a namespace; ``None``: it is a file for a program, which no API
    server ever sees.
    """

    group: str
    name: str
    namespaced: bool | None


def declared(group: str, *, namespaced: str = "", cluster: str = "", files: str = "") -> tuple[ApiKind, ...]:
    """The declarations of some kinds of one API group: names with spaces between them."""
    found = (*((name, True) for name in namespaced.split()), *((name, False) for name in cluster.split()))
    return tuple(ApiKind(group, *each) for each in (*found, *((name, None) for name in files.split())))


def names(kinds: Iterable[ApiKind]) -> frozenset[str]:
    """The names of the kinds, without their groups."""
    return frozenset(each.name for each in kinds)


class Registry:
    """Every declared kind, with the readers that read it.

    Raises:
        DeclarationError: see there.
    """

    def __init__(self, readers: Mapping[str, Iterable[ApiKind]]) -> None:
        self.readers: dict[tuple[str, str], tuple[str, ...]] = {}
        self._namespaced: dict[tuple[str, str], bool | None] = {}
        for reader, kinds in readers.items():
            for kind in kinds:
                self._add(reader, kind)
        self._of_cluster = frozenset(name for (_, name), inside in self._namespaced.items() if inside is False)
        inside = {name for (group, name), inside in self._namespaced.items() if inside or group == ANY_GROUP}
        self._anywhere = self._of_cluster - inside

    def _add(self, reader: str, kind: ApiKind) -> None:
        key = (kind.group, kind.name)
        if reader in self.readers.get(key, ()):
            raise DeclarationError(f"{reader} declares {kind.name} of {kind.group or 'core'} twice")
        if self._namespaced.setdefault(key, kind.namespaced) is not kind.namespaced:
            raise DeclarationError(f"{reader} and {self.readers[key][0]} place {kind.name} of {kind.group} differently")
        self.readers[key] = (*self.readers.get(key, ()), reader)

    def __iter__(self) -> Iterator[ApiKind]:
        for (group, name), namespaced in self._namespaced.items():
            yield ApiKind(group, name, namespaced)

    def of_cluster(self, group: str, name: str) -> bool:
        """Whether objects of the kind belong to no namespace.

        In a group that no declaration names, a kind is as it is in those that are named, if all of them agree.
        """
        if name not in self._of_cluster:
            return False
        inside = self._namespaced.get((group, name), ...)
        return name in self._anywhere if inside is ... else inside is False

    def in_namespace(self, group: str, name: str) -> bool:
        """Whether a declaration of this very group says that the objects are in a namespace."""
        return self._namespaced.get((group, name)) is True
