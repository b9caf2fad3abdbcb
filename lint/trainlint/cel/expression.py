"""Expressions: compiled once, evaluated over values of variables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, cached_property, lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from trainlint.cel.evaluation import Evaluation
from trainlint.cel.growth import grows
from trainlint.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["NOT_INSTALLED", "Expression", "Variables", "expression", "is_installed"]

NOT_INSTALLED: Final = "cel-expr-python is not installed (pip install 'trainlint[cel]')"
"""Why nothing is evaluated where the library is not there."""

Variables = tuple[tuple[str, str], ...]
"""The variables of an environment by name, each with its type, such as ``map<string, kubernetes.Quantity>``."""

_UNDECLARED: Final = lazy_pattern(r"undeclared reference to '([^']*)'")
_UNBOUND: Final = lazy_pattern(r'No value with name "([^"]*)" found')
_BUDGET: Final = ("Iteration budget exceeded", "recursion limit", "recursion depth", "expression size exceeds")
_LACKING: Final = ("No overload found in reference resolve step", "No matching overloads found : orValue")
"""transformMap, and orValue of what a format finds, which the library does itself."""
_COSTS: Final = "it costs more than is allowed here"
_MOST: Final = 4096


class Expression:
    """An expression over variables. ``invalid`` says why the API server refuses it, ``unknown`` why it cannot be
    evaluated here.
    """

    def __init__(self, text: str, variables: Variables) -> None:
        self.text = text
        self._variables = variables

    @cached_property
    def _compiled(self) -> Any:
        """The compiled expression, or the outcome of every evaluation."""
        if grows(self.text):
            return Evaluation(unknown=_COSTS)
        try:
            self._check()
            return _environment(self._variables, checks=False).compile(self.text)
        except ImportError:
            return Evaluation(unknown=NOT_INSTALLED)
        except Exception as error:
            return _refused(str(error), self.text)

    def _check(self) -> None:
        _environment(self._variables, checks=True).compile(self.text)

    @property
    def fault(self) -> Evaluation | None:
        """Why it can never be evaluated: it does not compile, or not here; ``None`` where it can be evaluated."""
        return self._compiled if isinstance(self._compiled, Evaluation) else None

    def evaluate(self, values: Mapping[str, Any]) -> Evaluation:
        """What it comes to; a variable without a value is unknown."""
        compiled = self._compiled
        if isinstance(compiled, Evaluation):
            return compiled
        try:
            found = compiled.eval(data=dict(values))
            value = found.plain_value()
        except Exception as error:
            return _failed(str(error))
        return _failed(str(value)) if found.type().name() == "ERROR" else Evaluation(value)


@cache
def is_installed() -> bool:
    """Whether the library is there: it has no wheel for musl, as Alpine has it."""
    return find_spec("cel_expr_python") is not None


@lru_cache(maxsize=_MOST)
def expression(text: str, variables: Variables) -> Expression:
    """The expression, compiled once for all that ask for it."""
    return Expression(text, variables)


@lru_cache(maxsize=256)
def _environment(variables: Variables, *, checks: bool) -> Any:
    from trainlint.cel.library import environment, type_named  # noqa: PLC0415 (only where there is an expression)

    return environment({name: type_named(kind, checks=checks) for name, kind in variables}, checks=checks)


def _refused(message: str, text: str) -> Evaluation:
    if any(each in message for each in _BUDGET):
        return Evaluation(unknown=_COSTS)
    if any(each in message for each in _LACKING):
        return Evaluation(unknown="it uses a function that is not known here")
    names = [each for each in _UNDECLARED.findall(message) if _is_function(each, text)]
    if names and not _declared(names[0]):
        return Evaluation(unknown=f"the function {names[0]} is not known here", function=True)
    return Evaluation(error=_short(message), invalid=True)


def _declared(name: str) -> bool:
    """Whether Kubernetes declares a function of the name, which is called in another way: ``sign(q)``."""
    from trainlint.cel.library import names  # noqa: PLC0415 (only where there is an expression)

    return name in names()


def _is_function(name: str, text: str) -> bool:
    """Whether a name is called, or is what the name of a function begins with: a newer Kubernetes may have it."""
    return re.search(rf"(?<![\w.]){re.escape(name)}(?:\.\w+)*\s*\(|\.{re.escape(name)}\s*\(", text) is not None


def _failed(message: str) -> Evaluation:
    if any(each in message for each in _BUDGET):
        return Evaluation(unknown=_COSTS)
    if any(each in message for each in _LACKING):
        return Evaluation(unknown="it uses a function that is not known here")
    if names := _UNBOUND.findall(message):
        return Evaluation(unknown=f"{_listed(names)} is not known")
    return Evaluation(error=_short(message))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _short(message: str) -> str:
    """The first line, without the place that the library adds."""
    first = message.partition("\n")[0]
    return re.sub(r"^[A-Z_]+: (?:ERROR: <input>:\d+:\d+: )?", "", first)[:200]
