"""What every fact of the project is: a value that never changes.

``@fact`` is ``@dataclass(frozen=True, slots=True)`` whose immutability the type checker watches and not the running
program. The guards of a frozen dataclass cost a third of its making, at start-up for each of some hundred classes, and
half of its construction, for each of some hundred thousand values; mypy, which runs in strict mode over every line,
refuses the assignment before it can happen. For the same reason comparison, hash and text are not generated as code for
each class: these three do the same for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import wraps
from operator import attrgetter
from typing import Any, Final, ParamSpec, TypeVar, dataclass_transform, overload

__all__ = ["fact", "remembered", "together"]

Fact = TypeVar("Fact")
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_MOST: Final = 4096
"""How many results a function remembers, before it forgets them all and begins anew."""


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
        if order:
            return dataclass(order=True, slots=slots, unsafe_hash=True)(cls)
        own = cls.__dict__
        made = dataclass(eq=False, repr=False, slots=slots)(cls)
        if "__repr__" not in own:
            setattr(made, "__repr__", _shown)  # noqa: B010 (a class that mypy knows by its own methods only)
        if eq and "__eq__" not in own:
            _compare_by_value(made, hashed="__hash__" not in own)
        return made

    return make if cls is None else make(cls)


def _shown(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _compare_by_value(made: type[Any], *, hashed: bool) -> None:
    names = [each.name for each in fields(made) if each.compare]
    values: Callable[[Any], object] = attrgetter(*names) if names else lambda _: ()

    def equal(self: object, other: object) -> Any:
        if self.__class__ is not other.__class__:
            return NotImplemented
        return self is other or values(self) == values(other)

    setattr(made, "__eq__", equal)  # noqa: B010
    if hashed:
        setattr(made, "__hash__", lambda self: hash(values(self)))  # noqa: B010


def remembered(function: Callable[Parameters, Result], most: int = _MOST) -> Callable[Parameters, Result]:
    """Let a function of facts remember what it made of the very same ones: told by identity, without comparing them.

    The facts are kept with the result, so that no other can get the identity of one. Who is given a mutable result must
    not change it. Calls with names of parameters are not remembered.
    """
    known: dict[tuple[int, ...], tuple[tuple[Any, ...], Result]] = {}

    @wraps(function)
    def remembering(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        if kwargs:
            return function(*args, **kwargs)
        key = tuple(map(id, args))
        found = known.get(key)
        if found is None:
            if len(known) >= most:
                known.clear()
            found = known[key] = (args, function(*args, **kwargs))
        return found[1]

    return remembering


@remembered
def together(*facts: Fact) -> tuple[Fact, ...]:
    """The facts as one: the very same ones give the very same tuple, so that a function can remember what it makes of
    them all.
    """
    return facts
