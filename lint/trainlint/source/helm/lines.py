"""The text of a template as a tree of keys and items, told by indentation: it is no YAML yet."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.helm.reference import TemplateScope

__all__ = ["ACTION", "LineNode", "action_text", "sections"]

ACTION: Final = lazy_pattern(r"\{\{-?(?P<said>(?:\"(?:\\.|[^\"\\])*+\"|`[^`]*+`|[^\"`}]|\}(?!\}))*+)\}\}", re.DOTALL)
_COMMENT: Final = lazy_pattern(r"\{\{-?[ \t]*/\*.*?\*/[ \t]*-?\}\}", re.DOTALL)
_SEPARATOR: Final = lazy_pattern(r"---(?:[ \t]|\Z)")
_KEY: Final = lazy_pattern(r"(?P<key>\"[^\"]*\"|'[^']*'|[^\s#\"'\[{&*!|>%@`-][^#]*?|-[^\s#][^#]*?)[ \t]*:(?=[ \t]|\Z)")
_INDENT: Final = lazy_pattern(r"\bn?indent[ \t]+(\d+)")
_TEXT: Final = lazy_pattern(r"[|>][+\-\d]*[ \t]*(?:#.*)?\Z")
_OPENS: Final = frozenset({"if", "with", "range", "define", "block"})
_LONGEST_KEY: Final = 1000
_MARK: Final = "\0"


@dataclass(slots=True, eq=False)
class LineNode:
    """A key, an item of a list (``key`` is ``None``), or text that an action puts in (``inserts``).

    ``line`` counts from 0, ``column`` is where it begins. A key that an action makes is empty. ``value`` is what
    follows on the line; ``scope`` is what names mean there.
    """

    line: int
    column: int
    indent: int
    key: str | None = None
    value: str = ""
    inserts: bool = False
    scope: TemplateScope = field(default_factory=TemplateScope)
    children: list[LineNode] = field(default_factory=list)

    def find(self, key: str) -> list[LineNode]:
        """The entries under a key: several where they are alternatives."""
        return [each for each in self.children if each.key == key]

    @property
    def items(self) -> list[LineNode]:
        """The items of the list that stands under it."""
        return [each for each in self.children if each.key is None and not each.inserts]

    @property
    def insertions(self) -> list[LineNode]:
        """The actions that put something in among its entries."""
        return [each for each in self.children if each.inserts]


def action_text(action: re.Match[str]) -> str:
    """What stands in an action."""
    text = action["said"].strip()
    return text[:-1].rstrip() if text.endswith("-") else text


def sections(text: str) -> tuple[LineNode, ...]:
    """The documents of a template, each as a node without a key."""
    return _Reader(text).read()


class _Reader:
    """Reads line by line; ``open`` are the nodes that the next line may belong to, ``blocks`` the scopes around it."""

    def __init__(self, text: str) -> None:
        blank = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
        self._text = ACTION.sub(lambda found: found[0].replace("\n", _MARK), blank)
        self._scope = TemplateScope()
        self._blocks: list[TemplateScope] = []
        self._line = 0
        self._found: list[LineNode] = []
        self._open: list[LineNode] = []
        self._deeper_than = -1
        """The indentation of a key whose value is a block of text, else -1."""
        self._begin()

    def _begin(self) -> None:
        node = LineNode(self._line, 0, -1)
        self._found.append(node)
        self._open = [node]
        self._deeper_than = -1

    def read(self) -> tuple[LineNode, ...]:
        for line in self._text.split("\n"):
            self._read(line)
            self._line += 1 + line.count(_MARK)
        return tuple(each for each in self._found if each.children) or (self._found[0],)

    def _read(self, line: str) -> None:
        if _SEPARATOR.match(line):
            self._begin()
            return
        bare = ACTION.sub(lambda found: " " * len(found[0]), line)
        if not bare.strip() or bare.lstrip().startswith("#"):
            for found in ACTION.finditer(line):
                if not self._controls(action_text(found)) and not bare.strip():
                    self._insert(action_text(found), found.start())
            return
        begins = len(line) - len(line.lstrip())
        line = self._without_controls(line)
        column = len(line) - len(line.lstrip())
        if self._deeper_than >= 0:
            if begins > self._deeper_than:
                return
            self._deeper_than = -1
        self._content(line, column, column - begins)

    def _without_controls(self, line: str) -> str:
        """The line without the actions that print nothing: what stands behind them stays in its column."""

        def replace(found: re.Match[str]) -> str:
            return " " * len(found[0]) if self._controls(action_text(found)) else found[0]

        return ACTION.sub(replace, line)

    def _controls(self, action: str) -> bool:
        """Whether an action prints nothing; what follows is then in another scope."""
        word = action.split(None, 1)[0] if action else ""
        rest = action[len(word) :].strip()
        if word in _OPENS:
            self._blocks.append(self._scope)
            self._scope = self._scope.entered(word, rest)
        elif word == "else":
            if self._blocks:
                self._scope = self._blocks[-1]
                inner = rest.split(None, 1)
                if inner and inner[0] == "with":
                    self._scope = self._scope.entered(*inner)
        elif word == "end":
            if self._blocks:
                self._scope = self._blocks.pop()
        elif word.startswith("$") and re.match(r"\$\w*\s*:?=", action):
            self._scope = self._scope.assigned(action)
        else:
            return word in ("", "break", "continue")
        return True

    def _insert(self, action: str, column: int) -> None:
        found = _INDENT.search(action)
        indent = int(found[1]) if found else column
        while self._open[-1].indent > indent and len(self._open) > 1:
            self._open.pop()
        last = self._open[-1]
        if last.indent == indent and last.key is None and len(self._open) > 1:
            self._open.pop()  # among the items of a list
        elif not (last.indent == indent and last.key is not None and not last.value and not last.children):
            while self._open[-1].indent >= indent and len(self._open) > 1:
                self._open.pop()
        node = LineNode(self._line, column, indent, value=action, inserts=True, scope=self._scope)
        self._open[-1].children.append(node)

    def _content(self, line: str, column: int, shift: int) -> None:
        """A line with keys or items; ``shift`` is the width of what vanishes before its first one."""
        while (rest := line[column:]).startswith(("- ", "-\t")) or rest.rstrip() == "-":
            node = LineNode(self._line, column, column - shift, scope=self._scope)
            self._place(node)
            after = rest[1:].lstrip()
            if not after:
                return
            node.value = after.rstrip()
            column = len(line) - len(after)
        masked = ACTION.sub(lambda found: _MARK * len(found[0]), line)
        found = _KEY.match(masked, column, column + _LONGEST_KEY)
        if found is None:
            return
        key = line[found.start("key") : found.end("key")].strip("\"'")
        value = line[found.end() :].strip()
        key = "" if _MARK in found["key"] else key
        node = LineNode(self._line, column, column - shift, key, value, scope=self._scope)
        self._place(node)
        if _TEXT.match(value):
            self._deeper_than = node.indent
        elif value.startswith("#"):
            node.value = ""

    def _place(self, node: LineNode) -> None:
        while len(self._open) > 1:
            last = self._open[-1]
            if last.indent < node.indent:
                break
            if last.indent == node.indent and node.key is None and last.key is not None:
                break  # a list may stand at the indentation of its key
            self._open.pop()
        self._open[-1].children.append(node)
        self._open.append(node)
