"""Semantic versions: ``semver("1.2.3")`` (k8s.io/apiserver:pkg/cel/library/semverlib.go)."""

from __future__ import annotations

import re
from typing import Any, Final

from trainlint.cel.opaque import SEMVER, Opaque, content, opaque
from trainlint.lazy_pattern import lazy_pattern

__all__ = ["compare", "is_semver", "part", "semver"]

_NUMBER: Final = r"(0|[1-9][0-9]*)"
_WORD: Final = r"[0-9A-Za-z-]+"
_SEMVER: Final = lazy_pattern(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-({_WORD}(?:\.{_WORD})*))?(?:\+{_WORD}(?:\.{_WORD})*)?"
)
_MOST: Final = 2**64


def semver(text: str, normalize: bool = False) -> Opaque:  # noqa: FBT001, FBT002 (the signature is Kubernetes')
    """The version that a text is; ``normalize`` takes ``v1.2`` too. Raises ValueError if it is none.

    What follows ``+`` is dropped: versions that differ in it alone are equal.
    """
    match = _SEMVER.fullmatch(_normal(text) if normalize else text)
    if match is None:
        raise ValueError(f"{text!r} is no semantic version")
    words = match[4].split(".") if match[4] else []
    if any(each.isdecimal() and len(each) > 1 and each[0] == "0" for each in words):
        raise ValueError(f"{text!r} is no semantic version: a number begins with 0")
    if any(int(each) >= _MOST for each in match.group(1, 2, 3)):
        raise ValueError(f"{text!r} is no semantic version: a number is out of range")
    return opaque(SEMVER, [*match.group(1, 2, 3), words])


def _normal(text: str) -> str:
    text = text.removeprefix("v").removeprefix("V")
    numbers, mark, rest = text, "", ""
    if (found := re.search(r"[-+]", text)) is not None:
        numbers, mark, rest = text[: found.start()], text[found.start()], text[found.end() :]
    parts = [each.lstrip("0") or ("0" if each else "") for each in numbers.split(".")]
    parts += ["0"] * (3 - len(parts))
    return ".".join(parts) + mark + rest


def is_semver(text: str, normalize: bool = False) -> bool:  # noqa: FBT001, FBT002
    """Whether a text is a version."""
    try:
        semver(text, normalize)
    except ValueError:
        return False
    return True


def part(value: Opaque, index: int) -> int:
    """The major (0), minor (1) or patch (2) number."""
    return int(content(value, SEMVER)[index])


def compare(one: Opaque, other: Opaque) -> int:
    """-1, 0 or 1, as semver.org orders versions."""
    left, right = _key(content(one, SEMVER)), _key(content(other, SEMVER))
    return (left > right) - (left < right)


def _key(parts: Any) -> tuple[Any, ...]:
    """What comes before a release is less than it; a number is less than a word."""
    words = parts[3]
    before = tuple((0, int(each), "") if each.isdecimal() else (1, 0, each) for each in words)
    return (*(int(each) for each in parts[:3]), not words, before)
