"""Which files and documents can hold an object of a kind that is read, told from the bytes alone."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.document import Field
from trainlint.source.podtemplates import POD_OWNERS, may_be_owner, may_own_pods

__all__ = ["CONSTRAINTS", "DEFINITION", "DEFINITIONS", "KindFilter", "top_kind"]

CONSTRAINTS: Final = "constraints.gatekeeper.sh/"
"""Stands among the wanted kinds for the constraints of Gatekeeper, whose templates give them kinds of any name."""

DEFINITION: Final = "CustomResourceDefinition"
DEFINITIONS: Final = f"{DEFINITION}/*."
"""With an API group behind it, it stands among the wanted kinds for the definitions of all kinds of the group."""

_PODS: Final = (b"containers", b"x-kubernetes-preserve-unknown-fields")
"""What stands in the definition of a kind with pods."""
_KEY: Final = lazy_pattern(rb"""kind(?<![\w.\-/]kind)["']?(?:(?P<colon>\s*:)|(?![\w.\-/]))""")
# What may stand before `kind` where it becomes a key without a colon behind it: `? kind`, or an anchor that an alias
# repeats; tags and comments may stand between.
_EXPLICIT: Final = lazy_pattern(rb"""[?&]\S{0,255}+(?:\s|\#[^\n]*\n)++(?:[&!]\S{0,255}+(?:\s|\#[^\n]*\n)++)*+["']?\Z""")
_LOOK_BACK: Final = 1024
# Keys of which a letter is written as an escape, or which a backslash folds over two lines.
_ESCAPED: Final = lazy_pattern(rb"""\\(?:(?:x|u00|U000000)6[49bBeE]|(?<=[kin]\\)\r?\n)""")
# After `kind:`, a value that is no text, or text whose first word is another one. A word before a backslash may go on.
_OTHER: Final = rb"""
    [ \t]*["']?(?!(?:%s)(?:List)?(?![\w.\-]))[A-Za-z0-9][\w.\-]*+(?!\\)
  | [ \t]*[\{\[](?![\{%%])
  | [ \t]*\r?\n[ \t]*["']?[\w.\-/]++["']?:(?:\s|\Z)
"""
# A !!binary key is text in disguise, and YAML 1.1 breaks lines at NEL, LS and PS.
_TAGS: Final = (b"!!b", b"!!%", b"!<")
_BREAKS: Final = ("\x85".encode(), "\u2028".encode(), "\u2029".encode())
# Lines of a document in block style that may say its kind at the top, or that leave in doubt what is at the top.
_TOP: Final = lazy_pattern(r"""^(?:kind\b.*|["'?!&*%<>|{}\[\]@`].*|---.*|\.\.\..*)$""", re.MULTILINE)
_PLAIN: Final = lazy_pattern(r"kind:[ \t]+(\w+)[ \t]*(?:\s\#.*)?")
_FIRST: Final = lazy_pattern(r"(?:[ \t]*(?:\#.*)?\n)*[A-Za-z]")
_OTHER_BREAKS: Final = ("\r", "\x85", "\u2028", "\u2029")


def top_kind(text: str) -> str | None:
    """The kind (its first word) that one document in block style says at the top; ``None`` where its lines leave doubt.

    A key at the beginning of a line is one of the top, or stands in a text or in brackets that run over several lines:
    so it must be the only one, and nothing else that could be the key may begin a line. (Where it is text, there is no
    kind.)
    """
    if _FIRST.match(text) is None or any(mark in text for mark in _OTHER_BREAKS):
        return None
    found = _TOP.findall(text)
    plain = _PLAIN.fullmatch(found[0]) if len(found) == 1 else None
    return None if plain is None else plain[1]


class KindFilter:
    """Tells what cannot hold an object of certain kinds; whatever is odd may hold one.

    It looks for the key ``kind`` in every form that YAML and JSON have for it and at the first word of its value. An
    item of a typed list (``NodeList``) needs no kind of its own, so the names of such lists count too. ``POD_OWNERS``
    among the kinds stands for all that hold a pod template, ``CONSTRAINTS`` for the kinds of that API group;
    ``ConfigMap/NAME`` is one object of a kind of which the others are not wanted, ``DEFINITIONS`` with an API group
    all definitions of its kinds. Where there is one of these, definitions of other kinds with pods are wanted too.
    """

    def __init__(self, kinds: Collection[str]) -> None:
        self.kinds = frozenset(kinds)
        whole = sorted(kind for kind in self.kinds if "/" not in kind)
        groups = sorted(kind for kind in self.kinds if kind.startswith(DEFINITIONS))
        named = sorted(kind for kind in self.kinds if "/" in kind and kind != CONSTRAINTS and kind not in groups)
        self._partly = frozenset(kind.partition("/")[0] for kind in (*named, CONSTRAINTS))
        self._groups = tuple(group.removeprefix(DEFINITIONS) for group in groups)
        self._defined = (*(f".{group}".encode() for group in self._groups), *_PODS) if groups else ()
        self._named = tuple(kind.partition("/")[2].encode() for kind in named)
        self._constraints = CONSTRAINTS in self.kinds
        names = b"|".join(re.escape(kind.encode()) for kind in whole) or rb"(?!)"
        self._other = re.compile(_OTHER % names, re.VERBOSE)

    def may_hold(self, content: bytes | str) -> bool:
        """Whether ``content`` (a file in any encoding, or a document) may hold an object of one of the kinds."""
        if isinstance(content, str):
            content = content.encode("utf-8", "surrogatepass")
        if b"\0" in content:  # UTF-16, or no text at all: to be decoded first
            return True
        for key in _KEY.finditer(content):
            if key["colon"] is not None:
                if not self._other.match(content, key.end()):
                    return True
            elif _explicit(content, key.start()):
                return True
        if b"\\" in content and _ESCAPED.search(content) is not None:
            return True
        if b"%TAG" in content or (b"!" in content and any(tag in content for tag in _TAGS)):
            return True
        if not content.isascii() and any(each in content for each in _BREAKS):
            return True
        if any(name in content for name in self._named) or self._may_define(content):
            return True
        if self._constraints and CONSTRAINTS.encode() in content:
            return True
        return POD_OWNERS in self.kinds and may_own_pods(content)

    def may_be(self, text: str) -> bool:
        """Whether one document may be of one of the kinds: what it says of itself tells more than all kinds that it
        mentions (the definition of a kind has its name in it).
        """
        kind = top_kind(text)
        if kind is None or kind.endswith("List"):
            return self.may_hold(text)
        if kind in self.kinds or kind in self._partly:
            return True
        if kind == DEFINITION:
            return self._may_define(text.encode("utf-8", "surrogatepass"))
        if self._constraints and CONSTRAINTS in text:
            return True
        return POD_OWNERS in self.kinds and may_be_owner(kind) and "containers" in text

    def wants(self, item: Field) -> bool:
        """Whether an object is of one of the kinds, or the named one."""
        kind = item["kind"].string
        if kind in self.kinds or (self._constraints and (item["apiVersion"].string or "").startswith(CONSTRAINTS)):
            return True
        if kind == DEFINITION:
            return bool(self._groups)
        return bool(self._named) and f"{kind}/{item.down('metadata', 'name').string}" in self.kinds

    def _may_define(self, content: bytes) -> bool:
        """Whether it may define a kind of a group that is wanted, or one with pods."""
        return DEFINITION.encode() in content and any(each in content for each in self._defined)


def _explicit(content: bytes, end: int) -> bool:
    start = max(0, end - _LOOK_BACK)
    if content.rfind(b"?", start, end) < 0 and content.rfind(b"&", start, end) < 0:
        return False
    return _EXPLICIT.search(content, start, end) is not None
