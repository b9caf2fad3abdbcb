"""URLs: ``url("https://example.com/a")`` (k8s.io/apiserver:pkg/cel/library/urls.go; Go's url.ParseRequestURI)."""

from __future__ import annotations

from typing import Final
from urllib.parse import SplitResult, parse_qs, quote, urlsplit

from trainlint.cel.opaque import URL, Opaque, content, opaque

__all__ = ["escaped_path", "host", "hostname", "is_url", "port", "query", "scheme", "url"]

_KEPT: Final = "/%:@!$&'()*+,;=~-._"


def url(text: str) -> Opaque:
    """The absolute URI, or the absolute path, that a text is. Raises ValueError if it is none."""
    if not text or any(ord(each) <= ord(" ") or ord(each) == 0x7F for each in text):
        raise ValueError(f"{text!r} is no URL")
    parts = urlsplit(text)
    if not parts.scheme and not text.startswith("/"):
        raise ValueError(f"{text!r} is no URL: it is not absolute")
    if parts.scheme and not parts.netloc and not parts.path.startswith("/"):
        raise ValueError(f"{text!r} is no URL: it has no path")
    _ = parts.port  # raises ValueError where it is no number
    return opaque(URL, text)


def is_url(text: str) -> bool:
    """Whether a text is a URL."""
    try:
        url(text)
    except ValueError:
        return False
    return True


def _parts(value: Opaque) -> SplitResult:
    return urlsplit(str(content(value, URL)), allow_fragments=False)


def scheme(value: Opaque) -> str:
    """``https``; empty for a path."""
    return _parts(value).scheme


def host(value: Opaque) -> str:
    """The host with its port."""
    return _parts(value).netloc.rpartition("@")[2]


def hostname(value: Opaque) -> str:
    """The host without port and brackets."""
    named = host(value)
    if named.startswith("["):
        return named[1:].partition("]")[0]
    return named.partition(":")[0]


def port(value: Opaque) -> str:
    """The port as text; empty where none is written."""
    found = _parts(value).port
    return "" if found is None else str(found)


def escaped_path(value: Opaque) -> str:
    """The path as it is sent."""
    return quote(_parts(value).path, safe=_KEPT)


def query(value: Opaque) -> dict[str, list[str]]:
    """The values of each key of the query."""
    return parse_qs(_parts(value).query, keep_blank_values=True)
