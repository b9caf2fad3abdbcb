"""The text of a selector and the domains that it asks for: the map of an unknown domain is empty, and no error."""

from __future__ import annotations

import re
from collections.abc import Collection
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final

from trainlint.fact import fact
from trainlint.lazy_pattern import lazy_pattern

__all__ = ["Place", "SelectorText", "place", "reading"]

Place = tuple[str, str]
"""The domain and the name of an attribute or capacity."""

_ASKED: Final = lazy_pattern(r"""device\s*\.\s*(attributes|capacity)\s*\[\s*(\??)\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*\]""")
_LITERAL: Final = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|-?\d+(?:\.\d+)?|true\b|false\b)"""
_WORDS: Final = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_.\-]*")
_WHOLE: Final = lazy_pattern(r"device\s*\.\s*(?:attributes|capacity)|\bdevice\b\s*(?!\s*\.)")
_BARE: Final = lazy_pattern(r"""(?<!\bin )\bdomain_\d+\b(?!\s*(?:\.\s*\??\s*[A-Za-z_]|\[\s*\??\s*["']))""")
_LOOPS: Final = lazy_pattern(
    r"\.(?:all|exists|exists_one|map|filter|transform\w+)\s*\(|\bsize\s*\(|\.size\s*\(|cel\.bind"
)


@fact
class SelectorText:
    """A selector with a variable for each domain that it asks for: ``domains`` are kind and domain of each.

    ``names`` are the words in it; ``everything``: it looks at all that a device has, not at what it names alone.
    """

    text: str
    domains: tuple[tuple[str, str], ...]
    names: frozenset[str]
    everything: bool

    def raising(self, versions: Collection[Place]) -> str:
        """The text where each comparison of one of these versions with a literal fails, as it does in Kubernetes."""
        text = self.text
        for index, (kind, domain) in enumerate(self.domains):
            for name in sorted(each for at, each in versions if at == domain and kind == "attributes"):
                own = rf"""domain_{index}(?:\.{re.escape(name)}\b|\[\s*["']{re.escape(name)}["']\s*\])"""
                text = re.sub(rf"({own})\s*[!=]=\s*{_LITERAL}", r'\1.startsWith("")', text)
        return text

    def doubting(self, unknown: AbstractSet[str]) -> str | None:
        """The text where each test for one of these names fails, as reading it does; ``None`` where another form asks
        for one of them.
        """
        text = self.text
        for name in unknown & self.names:
            escaped = re.escape(name)
            text = re.sub(rf"has\(\s*(domain_\d+\.{escaped})\s*\)", r"(\1 == true)", text)
            if re.search(rf"""\?\s*\.?{escaped}\b|\[\s*\?\s*["']{escaped}["']|["']{escaped}["']\s+in\s""", text):
                return None
        return text


@lru_cache(maxsize=4096)
def reading(text: str) -> SelectorText:
    """The selector, read."""
    domains: dict[tuple[str, str], int] = {}

    def variable(found: re.Match[str]) -> str:
        kind, optional, double, single = found.groups()
        number = domains.setdefault((kind, double if double is not None else single), len(domains))
        return f"optional.of(domain_{number})" if optional else f"domain_{number}"

    rest = _ASKED.sub(variable, text)
    everything = any(each.search(rest) is not None for each in (_WHOLE, _LOOPS, _BARE))
    return SelectorText(rest, tuple(domains), frozenset(_WORDS.findall(text.replace(".", " . "))), everything)


def place(key: str, driver: str) -> Place:
    """The domain and the name of a key of a device of this driver."""
    domain, slash, name = key.rpartition("/")
    return (domain if slash else driver), name
