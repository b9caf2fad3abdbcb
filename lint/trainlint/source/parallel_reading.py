"""Many files read by two processes at once: a child hands over what it read as plain values."""

from __future__ import annotations

import marshal
from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.fact import fact
from trainlint.fork_worker import Child, WorkSplit, fork
from trainlint.source import plain
from trainlint.source.cache import Cache, is_entry, key_of
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import MAX_BYTES, Reading, read
from trainlint.source.world import STDIN, SourceFile

__all__ = ["EarlyReading", "ParallelReading", "start_reading"]

MANY: Final = 200
"""Files from which on it is worth while to read them in two processes."""


@fact
class EarlyReading:
    """What the child read of a file, and the key for a cache; ``entry`` is what that should keep, if it is new."""

    reading: Reading
    key: bytes
    entry: bytes | None


class ParallelReading:
    """Some files: a child reads them from the last one on, until it meets this process, which reads them from the first
    one on as soon as it has time. What the child did not read, or could not, is left to this process.
    """

    def __init__(self, files: Sequence[SourceFile], split: WorkSplit, child: Child) -> None:
        self._files = files
        self._meeting = split
        self._child = child

    @property
    def left(self) -> int:
        """How many files are not taken yet."""
        return max(0, self._meeting.back - self._meeting.front)

    def ours(self) -> Iterator[SourceFile]:
        """The files for this process."""
        for number, file in enumerate(self._files):
            if number >= self._meeting.back:
                return
            self._meeting.front = number + 1
            yield file

    def theirs(self) -> Iterator[tuple[SourceFile, EarlyReading | None]]:
        """The other files, with what the child read of each: to be asked for last, for it waits for the child."""
        made = self._child.bytes()
        # What this very program wrote a moment ago.
        found = {name: rest for name, *rest in marshal.loads(made)} if made is not None else {}  # noqa: S302
        for file in self._files[self._meeting.front :]:
            yield file, _found(file, *found[file.name]) if file.name in found else None

    def close(self) -> None:
        """End a child whose result is not needed any more."""
        self._child.close()


def start_reading(files: Sequence[SourceFile], kinds: KindFilter, cache: Cache | None = None) -> ParallelReading | None:
    """Let a child begin to read files, or take them from the cache; ``None`` where that would not be quicker, or not be
    safe.
    """
    if len(files) < MANY:
        return None
    split = WorkSplit(len(files))
    child = fork(lambda: marshal.dumps(list(_backwards(files, split, kinds, cache))))
    return None if child is None else ParallelReading(files, split, child)


def _backwards(
    files: Sequence[SourceFile], split: WorkSplit, kinds: KindFilter, cache: Cache | None
) -> Iterator[tuple[str, bytes, bytes | None, bytes]]:
    for number in range(len(files) - 1, -1, -1):
        if number < split.front:
            return
        split.back = number
        found = _read(files[number], kinds, cache)
        if found is not None:
            yield found


def _read(file: SourceFile, kinds: KindFilter, cache: Cache | None) -> tuple[str, bytes, bytes | None, bytes] | None:
    """A file as plain values; ``None`` where nothing can be read, which the parent will find out and say."""
    if file.name == STDIN:
        return None
    try:
        content = file.read_up_to(MAX_BYTES)
    except OSError:
        return None
    if content is None:
        return None
    key = key_of(file, content) if cache is not None else b""
    parts = cache.recall(key) if cache is not None else None
    entry = None
    if parts is None:
        reading = read(file.name, content, kinds, chart=file.chart)
        parts = plain.to_plain(reading)
        entry = plain.to_json(reading) if cache is not None else None
        if entry is not None and not is_entry(entry, content):
            entry = None
    return file.name, key, entry, marshal.dumps(parts) if any(parts) else b""


def _found(file: SourceFile, key: bytes, entry: bytes | None, parts: bytes) -> EarlyReading | None:
    try:
        reading = plain.from_plain(file.name, marshal.loads(parts)) if parts else Reading(file.name)  # noqa: S302
    except (ValueError, TypeError):  # an entry of the cache that this program did not write
        return None
    return EarlyReading(reading, key, entry)
