"""Functions over lists: ``sum``, ``min``, ``indexOf``, ... (k8s.io/apiserver:pkg/cel/library/lists.go)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from trainlint.cel.opaque import QUANTITY, SEMVER, type_of
from trainlint.cel.quantities import amount
from trainlint.cel.versions import compare

__all__ = ["index_of", "is_sorted", "largest", "last_index_of", "smallest", "total"]


def is_sorted(values: Sequence[Any]) -> bool:
    """Whether no value is less than the one before it."""
    return all(_order(one, other) <= 0 for one, other in pairwise(values))


def total(values: Sequence[Any]) -> Any:
    """The sum; 0 of none."""
    if not values:
        return 0
    found = values[0]
    for each in values[1:]:
        _same(found, each)
        found += each
    if isinstance(found, int) and not -(2**63) <= found < 2**63:
        raise ValueError("integer overflow")
    return found


def smallest(values: Sequence[Any]) -> Any:
    """The least value. Raises ValueError where there is none."""
    return _chosen(values, "min", lambda order: order < 0)


def largest(values: Sequence[Any]) -> Any:
    """The greatest value. Raises ValueError where there is none."""
    return _chosen(values, "max", lambda order: order > 0)


def _chosen(values: Sequence[Any], name: str, better: Callable[[int], bool]) -> Any:
    if not values:
        raise ValueError(f"{name} called on empty list")
    found = values[0]
    for each in values[1:]:
        if better(_order(each, found)):
            found = each
    return found


def index_of(values: Sequence[Any], wanted: Any) -> int:
    """The index at which a value stands first; -1 where it does not."""
    return next((index for index, each in enumerate(values) if _equal(each, wanted)), -1)


def last_index_of(values: Sequence[Any], wanted: Any) -> int:
    """The index at which a value stands last; -1 where it does not."""
    found = [index for index, each in enumerate(values) if _equal(each, wanted)]
    return found[-1] if found else -1


def _equal(one: Any, other: Any) -> bool:
    """True is no 1 in CEL."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _same(one: Any, other: Any) -> None:
    if type(one) is not type(other):
        raise ValueError("no such overload")


def _order(one: Any, other: Any) -> int:
    """-1, 0 or 1. Raises ValueError for values that have no order."""
    if type_of(one) == type_of(other) == QUANTITY:
        left, right = amount(one), amount(other)
        return (left > right) - (left < right)
    if type_of(one) == type_of(other) == SEMVER:
        return compare(one, other)
    _same(one, other)
    if isinstance(one, (dict, list, type(None))):
        raise ValueError("no such overload")  # noqa: TRY004 (the one error of all functions)
    return int(one > other) - int(one < other)
