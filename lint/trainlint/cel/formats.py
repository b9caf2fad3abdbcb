"""Formats of texts: ``format.dns1123Label().validate(name)`` (k8s.io/apiserver:pkg/cel/library/format.go)."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any, Final

from trainlint.cel.opaque import ERRORS, FORMAT, Opaque, content, opaque
from trainlint.cel.urls import is_url

__all__ = ["FORMATS", "errors_value", "has_errors", "named", "validate"]

_LABEL: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_LETTER_FIRST: Final = r"[a-z]([-a-z0-9]*[a-z0-9])?"
_QUALIFIED: Final = r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_UUID: Final = r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"


def _shape(pattern: str, most: int, *, prefix: bool = False) -> Callable[[str], bool]:
    """Whether a text has the shape and at most so many characters; a prefix may end with a dash."""
    shape = re.compile(pattern)

    def fits(text: str) -> bool:
        begun = f"{text[:-1]}a" if prefix and text.endswith("-") else text
        return len(text) <= most and shape.fullmatch(begun) is not None

    return fits


def _qualified(text: str) -> bool:
    """The key of a label."""
    prefix, slash, name = text.rpartition("/")
    return FORMATS_OF_NAMES["qualifiedName"](name) and (not slash or FORMATS["dns1123Subdomain"](prefix))


def _reads(reader: Callable[[str], Any]) -> Callable[[str], bool]:
    def fits(text: str) -> bool:
        try:
            reader(text)
        except (ValueError, binascii.Error):
            return False
        return True

    return fits


FORMATS_OF_NAMES: Final = {"qualifiedName": _shape(_QUALIFIED, 63)}
FORMATS: Final[Mapping[str, Callable[[str], bool]]] = {
    "dns1123Label": _shape(_LABEL, 63),
    "dns1123Subdomain": _shape(rf"{_LABEL}(\.{_LABEL})*", 253),
    "dns1035Label": _shape(_LETTER_FIRST, 63),
    "qualifiedName": _qualified,
    "dns1123LabelPrefix": _shape(_LABEL, 63, prefix=True),
    "dns1123SubdomainPrefix": _shape(rf"{_LABEL}(\.{_LABEL})*", 253, prefix=True),
    "dns1035LabelPrefix": _shape(_LETTER_FIRST, 63, prefix=True),
    "labelValue": _shape(rf"({_QUALIFIED})?", 63),
    "uri": is_url,
    "uuid": _shape(_UUID, 36),
    "byte": _reads(lambda text: base64.b64decode(text, validate=True)),
    "date": _reads(date.fromisoformat),
    "datetime": _reads(datetime.fromisoformat),
}
"""Whether a text has the format."""


def named(name: str) -> Callable[[], Opaque]:
    """What makes the format of a name."""
    return lambda: opaque(FORMAT, name)


def validate(form: Opaque, text: str) -> Opaque:
    """What is wrong with a text: an optional that is empty where it has the format."""
    name = content(form, FORMAT)
    return opaque(ERRORS, None if FORMATS[name](text) else [f"{text!r} is no {name}"])


def has_errors(found: Opaque) -> bool:
    """Whether the optional holds anything."""
    return content(found, ERRORS) is not None


def errors_value(found: Opaque) -> Any:
    """What the optional holds. Raises ValueError where that is nothing."""
    held = content(found, ERRORS)
    if held is None:
        raise ValueError("optional.none() dereference")
    return held
