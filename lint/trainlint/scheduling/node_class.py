"""Classes of nodes that no filter can tell apart for a group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import field, replace

from trainlint.fact import fact
from trainlint.scheduling.node import OWN, Node
from trainlint.scheduling.pod import Pod

__all__ = ["Cell", "GroupNodeClass", "domain_among", "shared_values", "united"]


@fact(eq=False)
class Cell:
    """``size`` equal nodes, each of which already holds the ``bound`` pods."""

    node: Node
    size: int = 1
    bound: tuple[Pod, ...] = ()


@fact
class GroupNodeClass:
    """``size`` nodes that are equal for the group: who may come at all, what is free on one, its domains.

    ``domains`` hold, per counter, ``None`` (the key is missing), ``OWN`` or the value; ``counted`` whether pods there
    count; ``own`` what the bound pods of one node contribute. ``limits`` and ``volumes`` are those of CSI drivers,
    ``members`` the cells: name and size.
    """

    size: int = field(compare=False)
    members: tuple[tuple[str, int], ...] = field(compare=False)
    zone: str | None
    open: tuple[bool, ...]
    free: tuple[int, ...]
    slots: int
    domains: tuple[str | None, ...]
    counted: tuple[bool, ...]
    own: tuple[int, ...]
    limits: tuple[tuple[str, int], ...]
    volumes: frozenset[tuple[str, str]]

    def node_names(self) -> Iterator[str]:
        """A name for each node: its own, or the pool's with a number."""
        for name, size in self.members:
            yield from (name,) if size == 1 else (f"{name}/{number}" for number in range(1, size + 1))


def united(classes: Iterable[GroupNodeClass]) -> tuple[GroupNodeClass, ...]:
    """Classes whose facts are all the same, as one."""
    found: dict[GroupNodeClass, list[GroupNodeClass]] = defaultdict(list)
    for each in classes:
        found[each].append(each)
    return tuple(
        replace(
            first, size=sum(each.size for each in same), members=tuple(pair for each in same for pair in each.members)
        )
        for first, same in found.items()
    )


def shared_values(cells: Iterable[Cell], keys: Collection[str]) -> set[tuple[str, str]]:
    """The values of topology keys that several nodes have in common."""
    holders: dict[tuple[str, str], int] = defaultdict(int)
    for cell in cells:
        for key in keys:
            value = cell.node.domain(key)
            if isinstance(value, str):
                holders[key, value] += cell.size
    return {pair for pair, nodes in holders.items() if nodes > 1}


def domain_among(cell: Cell, key: str, shared: Collection[tuple[str, str]]) -> str | None:
    """The domain of a cell's nodes; a value that no other node has is as good as a domain of their own. ``None`` where
    they have none, or it is not known.
    """
    value = cell.node.domain(key)
    if not isinstance(value, str):
        return None
    return value if (key, value) in shared else OWN
