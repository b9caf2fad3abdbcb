"""What every fact of the project is: a value that nobody changes.

``@fact`` is ``@dataclass(frozen=True, slots=True)`` whose immutability the type checker watches and not the running
program. The guards of a frozen dataclass cost a third of its making, at start-up for each of some hundred classes, and
half of its construction, for each of some hundred thousand values; mypy, which runs in strict mode over every line,
refuses the assignment before it can happen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform, overload

__all__ = ["fact"]

Fact = TypeVar("Fact")


@overload
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def fact(cls: type[Fact], /) -> type[Fact]: ...


@overload
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def fact(*, eq: bool = True, order: bool = False, slots: bool = True) -> Callable[[type[Fact]], type[Fact]]: ...


def fact(
    cls: type[Fact] | None = None, /, *, eq: bool = True, order: bool = False, slots: bool = True
) -> type[Fact] | Callable[[type[Fact]], type[Fact]]:
    """Make a class of facts: compared and hashed by value, or by identity with ``eq=False``.

    ``slots=False`` is for classes that remember what they work out (``functools.cached_property``).
    """

    def make(cls: type[Fact]) -> type[Fact]:
        hashed = eq and "__hash__" not in cls.__dict__
        return dataclass(eq=eq, order=order, slots=slots, unsafe_hash=hashed)(cls)

    return make if cls is None else make(cls)
