"""Values of the types that Kubernetes adds to CEL, as mappings that are equal where the values are.

The library has no values of types that it does not know. Their types are checked before (``library.py``).
"""

from __future__ import annotations

from typing import Any, Final

__all__ = ["CIDR", "ERRORS", "FORMAT", "IP", "QUANTITY", "SEMVER", "URL", "content", "opaque", "type_of"]

CIDR: Final = "net.CIDR"
ERRORS: Final = "kubernetes.NamedFormat.errors"
"""What a format finds wrong: an optional list of strings."""
FORMAT: Final = "kubernetes.NamedFormat"
IP: Final = "net.IP"
QUANTITY: Final = "kubernetes.Quantity"
SEMVER: Final = "kubernetes.Semver"
URL: Final = "kubernetes.URL"

_TYPE: Final = "#type"
_CONTENT: Final = "#content"

Opaque = dict[str, Any]


def opaque(of: str, content: Any) -> Opaque:
    """A value of a type; equal contents are equal values."""
    return {_TYPE: of, _CONTENT: content}


def type_of(value: Any) -> str:
    """The name of the type; empty for a value of the language."""
    return str(value.get(_TYPE, "")) if isinstance(value, dict) else ""


def content(value: Any, of: str) -> Any:
    """What the value holds. Raises ValueError if it is of another type."""
    if type_of(value) != of:
        raise ValueError("no such overload")
    return value[_CONTENT]
