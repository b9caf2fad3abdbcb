"""What differs between two contents of a file: lines that are replaced, and the unified diff that people read."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from trainlint.finding import Span
from trainlint.source.text import encoding_of

__all__ = ["replaced_lines", "unified"]

CONTEXT = 3


def replaced_lines(before: bytes, after: bytes) -> Iterator[tuple[Span, str]]:
    """The ranges of whole lines that are replaced, each with its new text; columns count characters from 1."""
    old, new = _lines(before), _lines(after)
    for kind, i, j, k, m in _opcodes(old, new):
        if kind == "equal":
            continue
        text = "".join(new[k:m])
        if j < len(old) or not old or _ends(old[-1]):
            yield Span(i + 1, 1, j + 1, 1), text
        elif i < j:  # up to the end of a file whose last line does not end
            yield Span(i + 1, 1, j, len(old[-1]) + 1), text
        else:
            yield Span(len(old), len(old[-1]) + 1, len(old), len(old[-1]) + 1), text


def unified(file: str, before: bytes, after: bytes) -> str:
    """The diff as ``git apply`` and ``patch`` take it; line ends are those of the file."""
    old, new = _lines(before), _lines(after)
    parts = [f"--- {_quoted(f'a/{file}')}\n", f"+++ {_quoted(f'b/{file}')}\n"]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    matcher.opcodes = list(_opcodes(old, new))  # type: ignore[attr-defined]
    for group in matcher.get_grouped_opcodes(CONTEXT):
        first, last = group[0], group[-1]
        parts.append(f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n")
        for kind, i, j, k, m in group:
            if kind == "equal":
                parts += [_line(" ", line) for line in old[i:j]]
            else:
                parts += [_line("-", line) for line in old[i:j]]
                parts += [_line("+", line) for line in new[k:m]]
    return "".join(parts)


def _opcodes(old: list[str], new: list[str]) -> Iterator[tuple[str, int, int, int, int]]:
    """The differences; what is equal at both ends is set aside first, as files may be long."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    if head:
        yield "equal", 0, head, 0, head
    middle = SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    for kind, i, j, k, m in middle.get_opcodes():
        yield kind, i + head, j + head, k + head, m + head
    if tail:
        yield "equal", len(old) - tail, len(old), len(new) - tail, len(new)


def _lines(content: bytes) -> list[str]:
    name, mark = encoding_of(content)
    lines = content[len(mark) :].decode(name, "replace").split("\n")
    kept = [f"{line}\n" for line in lines[:-1]]
    return [*kept, lines[-1]] if lines[-1] else kept


def _ends(line: str) -> bool:
    return line.endswith("\n")


def _range(start: int, end: int) -> str:
    length = end - start
    first = start + 1 if length else start
    return str(first) if length == 1 else f"{first},{length}"


def _line(mark: str, line: str) -> str:
    return f"{mark}{line}" if _ends(line) else f"{mark}{line}\n\\ No newline at end of file\n"


def _quoted(name: str) -> str:
    """A name as Git writes it: in quotes where it holds anything that would end it."""
    if all(character.isprintable() and character not in '"\\' for character in name):
        return name
    return '"' + name.encode("unicode_escape").decode("ascii").replace('"', '\\"') + '"'
