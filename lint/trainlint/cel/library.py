"""The functions that Kubernetes adds to CEL, as the library is told of them (k8s.io/apiserver:pkg/cel/environment).

Expressions are compiled twice: with a type for each of those that Kubernetes adds, which finds what the API server
refuses, and with mappings in their place, which is what is evaluated (``opaque.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from cel_expr_python import cel
from cel_expr_python.ext import ext_strings

from trainlint.cel import addresses, formats, lists, opaque, quantities, urls, versions
from trainlint.cel.patterns import find, find_all

__all__ = ["environment", "library", "names", "type_named"]

T: Final = cel.Type
_EXTENSIONS: Final = ("bindings", "encoders", "lists", "optional", "sets", "two-var-comprehensions")
_STRINGS: Final = 2
"""The version of the functions of strings; reverse came with the next one."""

Types = Callable[[str], Any]
"""The type of a name of ``opaque.py``."""
Row = tuple[str, Any, tuple[Any, ...], bool, Callable[..., Any]]
"""A function: its name, what it returns, its parameters, whether it is a method, and what it does."""


def _rows(of: Types) -> Iterator[Row]:
    yield from _quantities(of(opaque.QUANTITY))
    yield from _versions(of(opaque.SEMVER))
    yield from _addresses(of(opaque.IP), of(opaque.CIDR))
    yield from _urls(of(opaque.URL))
    yield from _formats(of(opaque.FORMAT), of(opaque.ERRORS))
    for name, returned, does in (
        ("isSorted", T.BOOL, lists.is_sorted),
        ("sum", T.DYN, lists.total),
        ("min", T.DYN, lists.smallest),
        ("max", T.DYN, lists.largest),
    ):
        yield name, returned, (T.LIST,), True, does
    yield "indexOf", T.INT, (T.LIST, T.DYN), True, lists.index_of
    yield "lastIndexOf", T.INT, (T.LIST, T.DYN), True, lists.last_index_of
    yield "find", T.STRING, (T.STRING, T.STRING), True, find
    yield "findAll", T.List(T.STRING), (T.STRING, T.STRING), True, find_all
    yield "findAll", T.List(T.STRING), (T.STRING, T.STRING, T.INT), True, find_all


def _quantities(of: Any) -> Iterator[Row]:
    yield "quantity", of, (T.STRING,), False, quantities.quantity
    yield "isQuantity", T.BOOL, (T.STRING,), False, quantities.is_quantity
    yield "sign", T.INT, (of,), False, quantities.sign  # no method: so it is declared there
    yield "isInteger", T.BOOL, (of,), True, quantities.is_integer
    yield "asInteger", T.INT, (of,), True, quantities.as_integer
    yield "asApproximateFloat", T.DOUBLE, (of,), True, quantities.approximate
    for other in (of, T.INT):
        yield "add", of, (of, other), True, quantities.add
        yield "sub", of, (of, other), True, quantities.subtract
    yield from _ordered(of)


def _versions(of: Any) -> Iterator[Row]:
    for more in ((), (T.BOOL,)):
        yield "semver", of, (T.STRING, *more), False, versions.semver
        yield "isSemver", T.BOOL, (T.STRING, *more), False, versions.is_semver
    yield "major", T.INT, (of,), True, lambda value: versions.part(value, 0)
    yield "minor", T.INT, (of,), True, lambda value: versions.part(value, 1)
    yield "patch", T.INT, (of,), True, lambda value: versions.part(value, 2)
    yield from _ordered(of)


def _ordered(of: Any) -> Iterator[Row]:
    yield "compareTo", T.INT, (of, of), True, _compare
    yield "isLessThan", T.BOOL, (of, of), True, lambda one, other: _compare(one, other) < 0
    yield "isGreaterThan", T.BOOL, (of, of), True, lambda one, other: _compare(one, other) > 0


def _compare(one: Any, other: Any) -> int:
    if opaque.type_of(one) == opaque.SEMVER:
        return versions.compare(one, other)
    found, other_amount = quantities.amount(one), quantities.amount(other)
    return (found > other_amount) - (found < other_amount)


def _addresses(of: Any, ranges: Any) -> Iterator[Row]:
    yield "ip", of, (T.STRING,), False, addresses.ip
    yield "isIP", T.BOOL, (T.STRING,), False, addresses.is_ip
    yield "ip.isCanonical", T.BOOL, (T.STRING,), False, addresses.is_canonical
    yield "family", T.INT, (of,), True, addresses.family
    for name, does in (
        ("isUnspecified", addresses.is_unspecified),
        ("isLoopback", addresses.is_loopback),
        ("isLinkLocalMulticast", addresses.is_link_local_multicast),
        ("isLinkLocalUnicast", addresses.is_link_local_unicast),
        ("isGlobalUnicast", addresses.is_global_unicast),
    ):
        yield name, T.BOOL, (of,), True, does
    yield "cidr", ranges, (T.STRING,), False, addresses.cidr
    yield "isCIDR", T.BOOL, (T.STRING,), False, addresses.is_cidr
    for inner in (of, T.STRING):
        yield "containsIP", T.BOOL, (ranges, inner), True, addresses.contains_ip
    for inner in (ranges, T.STRING):
        yield "containsCIDR", T.BOOL, (ranges, inner), True, addresses.contains_cidr
    yield "ip", of, (ranges,), True, addresses.cidr_ip
    yield "masked", ranges, (ranges,), True, addresses.masked
    yield "prefixLength", T.INT, (ranges,), True, addresses.prefix_length
    for each in (of, ranges):
        yield "string", T.STRING, (each,), False, addresses.text_of


def _urls(of: Any) -> Iterator[Row]:
    yield "url", of, (T.STRING,), False, urls.url
    yield "isURL", T.BOOL, (T.STRING,), False, urls.is_url
    for name, does in (
        ("getScheme", urls.scheme),
        ("getHost", urls.host),
        ("getHostname", urls.hostname),
        ("getPort", urls.port),
        ("getEscapedPath", urls.escaped_path),
    ):
        yield name, T.STRING, (of,), True, does
    yield "getQuery", T.Map(T.STRING, T.List(T.STRING)), (of,), True, urls.query


def _formats(of: Any, errors: Any) -> Iterator[Row]:
    for name in formats.FORMATS:
        yield f"format.{name}", of, (), False, formats.named(name)
    yield "validate", errors, (of, T.STRING), True, formats.validate
    yield "hasValue", T.BOOL, (errors,), True, formats.has_errors
    yield "value", T.List(T.STRING), (errors,), True, formats.errors_value
    # the library evaluates orValue itself, for its own optionals alone: declared, so that it compiles
    yield "orValue", T.List(T.STRING), (errors, T.List(T.STRING)), True, lambda found, _: formats.errors_value(found)


_TYPES: Final = {
    opaque.CIDR: T.Map(T.BOOL, T.BOOL),
    opaque.ERRORS: T.Map(T.BOOL, T.BYTES),
    opaque.FORMAT: T.Map(T.BOOL, T.INT),
    opaque.IP: T.Map(T.BOOL, T.UINT),
    opaque.QUANTITY: T.Map(T.BOOL, T.DOUBLE),
    opaque.SEMVER: T.Map(T.BOOL, T.DURATION),
    opaque.URL: T.Map(T.BOOL, T.TIMESTAMP),
}
"""Types that differ from each other and from what expressions hold; the library confuses abstract ones."""
_PLAIN: Final = T.Map(T.STRING, T.DYN)


def _type(name: str) -> Any:
    return _TYPES[name]


def type_named(text: str, *, checks: bool) -> Any:
    """The type that is written: ``dyn``, ``map<string, kubernetes.Quantity>``."""
    for name, of in _TYPES.items():
        text = text.replace(name, of.name().lower() if checks else "map<string, dyn>")
    return T(text)


def environment(variables: Mapping[str, Any], *, checks: bool) -> Any:
    """An environment with these variables by their types: one that checks types, or one that evaluates."""
    return cel.NewEnv(
        config=_config(), variables=dict(variables), extensions=[ext_strings.ExtStrings(_STRINGS), library(checks)]
    )


@lru_cache(maxsize=2)
def library(checks: bool) -> Any:  # noqa: FBT001 (the one question)
    """All functions."""
    found: dict[str, dict[str, Any]] = {}
    for name, returned, parameters, method, does in _rows(_type if checks else lambda _: _PLAIN):
        shape = f"{name}({', '.join(each.name() for each in parameters)}){method}"
        overload = cel.Overload(shape, returned, list(parameters), method, None if checks else does)
        found.setdefault(name, {}).setdefault(shape, overload)
    return cel.CelExtension("kubernetes", [cel.FunctionDecl(name, list(each.values())) for name, each in found.items()])


@lru_cache(maxsize=1)
def names() -> frozenset[str]:
    """The names of all functions that Kubernetes adds."""
    return frozenset(name for name, *_ in _rows(_type))


@lru_cache(maxsize=1)
def _config() -> Any:
    lines = "".join(f"- name: {each}\n" for each in _EXTENSIONS)
    return cel.NewEnvConfigFromYaml(f"name: kubernetes\nextensions:\n{lines}")
