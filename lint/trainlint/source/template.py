"""Templates: text that becomes YAML only when it is rendered, and the engine that would."""

from __future__ import annotations

import re
from dataclasses import field
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location, Span
from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.prefilter import KindFilter

__all__ = ["Template", "first", "kinds_in", "mark", "ytt"]

# Signs of templates; in YAML they may stand in text, but not where structure is expected.
_SIGN: Final = lazy_pattern(r"\{\{|\{%|\{\#|<%|%\{|\$\{")
_ENGINES: Final = {"{{": "go-template", "{%": "jinja", "{#": "jinja", "<%": "erb", "%{": "terraform", "${": "terraform"}
# Names in braces within a word, names in percent signs, verbs of printf: none of them is YAML where it stands alone.
_BLANK: Final = lazy_pattern(r"\{[A-Za-z_]\w*\}(?=[^\s,}\]])|%[A-Z][A-Z0-9_]*%|%(?:\[\d+\])?[dqstv](?!\w)")
_YTT: Final = lazy_pattern(r"^[^\n'\"]*#@(?: |data/values|overlay/|yaml/|schema/|library/)", re.MULTILINE)
_KIND: Final = lazy_pattern(
    r"""(?:^[ \t]*(?:- +)*|[{,][ \t]*)["']?kind["']?[ \t]*:[ \t]*["']?(\{\{|\$\{|<%|\w+)""", re.MULTILINE
)


@fact
class Template:
    """A document (or file) that is no YAML before it is rendered.

    ``engine`` names what would render it, ``kinds`` are the wanted kinds that its text mentions (empty
    where the kind is a placeholder), ``span`` is the first thing in it that must be rendered.
    """

    location: Location
    engine: str
    kinds: tuple[str, ...]
    span: Span = field(default=Span(1, 1, 1, 1), compare=False)


def mark(text: str, fault: int | None = None) -> tuple[str, int] | None:
    """The engine and the index of the first sign of a template that stands where structure should, or ``None``.

    ``fault`` is the index at which the text stops being YAML: any sign on that line counts.
    """
    line = text.rfind("\n", 0, fault) + 1 if fault is not None else -1
    for found in _SIGN.finditer(text):
        start = text.rfind("\n", 0, found.start()) + 1
        if start == line or _structural(found[0], text[start : found.start()], text, found.end()):
            engine = _ENGINES[found[0]]
            return ("jinja" if engine == "go-template" and "{%" in text else engine), found.start()
    return _blank(text, fault) if fault is not None else None


def _blank(text: str, fault: int) -> tuple[str, int] | None:
    """The blank to be filled in at which a text stops being YAML."""
    start, end = text.rfind("\n", 0, fault) + 1, text.find("\n", fault)
    for found in _BLANK.finditer(text, start, end if end >= 0 else len(text)):
        if found.start() <= fault <= found.end():
            return "placeholders", found.start()
    return None


def _structural(sign: str, before: str, text: str, end: int) -> bool:
    """Whether a sign stands at the start of a line or of a value, outside quotes; ``${x}`` only alone on a line."""
    stripped = before.strip()
    if sign == "${":
        line = text[end:].partition("\n")[0] if not stripped else ""
        return line.rstrip().endswith("}")
    if not stripped or sign == "%{":
        return not stripped
    if before.count('"') % 2 or before.count("'") % 2:
        return False
    return stripped[-1] in ",[{" or (stripped[-1] in ":-" and before[-1].isspace())


def first(text: str) -> tuple[str, int]:
    """The engine and index of the first sign of a template anywhere in a text that is one for certain."""
    found = _SIGN.search(text)
    return (_ENGINES[found[0]], found.start()) if found else ("template", 0)


def ytt(text: str) -> int | None:
    """The index of the first ytt annotation: its comments are code, so the YAML below is not what is deployed; ``None``
    where there is none.
    """
    found = _YTT.search(text) if "#@" in text else None
    return found.end() - 1 if found else None


def kinds_in(text: str, kinds: KindFilter) -> tuple[str, ...] | None:
    """The wanted kinds that ``text`` mentions; empty if a kind is a placeholder, ``None`` if none can be in it."""
    seen = {match[1] for match in _KIND.finditer(text)}
    wanted = tuple(sorted(seen & kinds.kinds))
    if wanted or any(not kind[0].isalnum() for kind in seen):
        return wanted
    return None
