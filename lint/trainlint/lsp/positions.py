"""Places as editors count them: lines and UTF-16 units from 0, files as URIs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lsprotocol.types import Position, Range
from pygls.uris import from_fs_path, to_fs_path

from trainlint.finding import Span
from trainlint.source.text import NotTextError, decode

__all__ = ["Texts", "path_of", "same", "uri_of"]


def uri_of(path: Path) -> str:
    """The URI of a file."""
    return str(from_fs_path(str(path)))


def path_of(uri: str) -> Path | None:
    """The file of a URI; ``None`` for what is in no file (an untitled buffer, the content of an archive)."""
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return Path(path) if path else None


def same(path: Path, text: str) -> bool:
    """Whether a file holds a text, line ends and byte order marks aside."""
    try:
        saved = decode(path.read_bytes())
    except (OSError, NotTextError):
        return False
    return saved.splitlines() == text.removeprefix("\ufeff").splitlines()


class Texts:
    """The files of one repository as they are saved, each read once; ``shown`` is the folder as the editor calls it."""

    def __init__(self, root: Path, shown: Path) -> None:
        self._root, self._shown, self._real = root, shown, shown.resolve()
        self._lines: dict[str, Sequence[str]] = {}

    def uri(self, file: str) -> str:
        """The URI of a file, by the name that the editor knows its folder by (which may be a symbolic link)."""
        path = self._root / file
        inside = path.is_relative_to(self._real) and path != self._real
        return uri_of(self._shown / path.relative_to(self._real) if inside else path)

    def name(self, path: Path) -> str:
        """A file as findings call it; empty where it is not in the repository."""
        real = path.resolve()
        return real.relative_to(self._root).as_posix() if real.is_relative_to(self._root) else ""

    def range(self, file: str, span: Span) -> Range:
        """A span of a file as a range."""
        lines = self._of(file)
        start, end = (span.line, span.column), (span.end_line, span.end_column)
        return Range(_position(lines, *start), _position(lines, *max(start, end)))

    def _of(self, file: str) -> Sequence[str]:
        if file not in self._lines:
            try:
                text = decode((self._root / file).read_bytes())
            except (OSError, NotTextError):
                text = ""
            self._lines[file] = [line.removesuffix("\r") for line in text.split("\n")]
        return self._lines[file]


def _position(lines: Sequence[str], line: int, column: int) -> Position:
    text = lines[line - 1] if line <= len(lines) else ""
    return Position(line - 1, len(text[: column - 1].encode("utf-16-le", "surrogatepass")) // 2)
