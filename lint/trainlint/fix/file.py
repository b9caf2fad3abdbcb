"""A file whose document has changed: every line that stays keeps its bytes, its line end and its encoding."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from typing import Final

from trainlint.fix.editable_nodes import NotEditableError
from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.document import Document
from trainlint.source.text import decode, encoding_of

__all__ = ["rewritten"]

_LINE_END: Final = lazy_pattern(r"\r\n|\n|\r")


def rewritten(content: bytes, old: Document, new: Document) -> bytes:
    """The content of the file with one document changed.

    Raises:
        NotEditableError: the document is not in it as it was read.
    """
    if old.text == new.text:
        return content
    name, mark = encoding_of(content)
    raw = content[len(mark) :].decode(name)
    if raw.encode(name) != content[len(mark) :]:
        raise NotEditableError("its bytes are not those of its text")
    text = decode(content)
    start, pad = _place(text, old)
    after = text[:start] + new.text[pad:] + text[start + len(old.text) - pad :]
    return mark + _with_line_ends(raw, text, after).encode(name)


def _place(text: str, document: Document) -> tuple[int, int]:
    """Where the document begins in the text of its file, and how many blanks before it only keep its columns."""
    index = 0
    for _ in range(document.line - 1):
        index = text.find("\n", index) + 1
        if not index:
            raise NotEditableError("the file is another one than was read")
    blanks = len(document.text) - len(document.text.lstrip(" "))
    for skipped, pad in ((0, 0), (blanks, blanks), (int(text.startswith("\ufeff", index)), 0)):
        if text.startswith(document.text[pad:], index + skipped):
            return index + skipped, pad
    raise NotEditableError("the file is another one than was read")


def _with_line_ends(raw: str, old: str, new: str) -> str:
    """The new text with the old line ends where lines stay, and those of their neighbours where lines are new."""
    ends = [found.group() for found in _LINE_END.finditer(raw)]
    usual = Counter(ends).most_common(1)[0][0] if ends else "\n"
    before, after = old.split("\n"), new.split("\n")
    if len(before) != len(ends) + 1:
        raise NotEditableError("its lines cannot be told apart")
    ends.append("")
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    middle = SequenceMatcher(
        None, before[head : len(before) - tail], after[head : len(after) - tail], autojunk=False
    ).get_opcodes()
    kept = ends[:head]
    for kind, i, j, k, m in middle:
        old_ends = ends[head + i : head + j]
        if kind == "equal":
            kept += old_ends
        else:
            near = old_ends or ends[max(head + i - 1, 0) : head + i] or [usual]
            kept += [*old_ends[: m - k], *[near[-1]] * (m - k - len(old_ends))]
    kept += ends[len(ends) - tail :] if tail else []
    last = len(after) - 1
    return "".join(
        line + ((end or usual) if number < last else "")
        for number, (line, end) in enumerate(zip(after, kept, strict=True))
    )
