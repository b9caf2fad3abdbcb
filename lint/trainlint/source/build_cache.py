"""What was rendered before, by the hash of all that went into it: a second run starts no program."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from trainlint import __version__
from trainlint.source import reading_json
from trainlint.source.cache import OWN, bound, cache_directory, code, read_own
from trainlint.source.reading import Reading
from trainlint.source.rendering_allowance import RenderingAllowance
from trainlint.source.whole_file import write_whole

__all__ = ["Builds", "digest_of", "open_builds"]

SUFFIX: Final = ".rendered"
_HEAD: Final = b"what trainlint rendered, sha256 "


class Builds:
    """Readings of what renderers wrote: of this run, and of earlier ones where there is a directory for them.

    ``kustomizations`` and ``charts`` are what may be rendered yet in this run.
    """

    def __init__(self, directory: Path | None = None) -> None:
        self.kustomizations = RenderingAllowance()
        self.charts = RenderingAllowance()
        self._directory = directory
        self._known: dict[str, Reading] = {}
        self._texts: dict[str, bytes] = {}

    def get(self, digest: str) -> Reading | None:
        """What was rendered from the same, or ``None``."""
        if digest not in self._known:
            body = self._read(digest)
            if body is not None:
                with contextlib.suppress(ValueError, TypeError, RecursionError):
                    self._known[digest] = reading_json.from_json("", body)
        return self._known.get(digest)

    def keep(self, digest: str, reading: Reading, *, lasting: bool = True) -> None:
        """Keep what was rendered; what is not ``lasting``, or cannot be written, is kept for this run only."""
        self._known[digest] = reading
        body = reading_json.to_json(reading) if self._directory is not None and lasting else None
        if body is not None:
            self._write(digest, body)

    def get_text(self, digest: str) -> bytes | None:
        """What a renderer wrote for the same, or ``None``."""
        if digest not in self._texts:
            body = self._read(digest)
            if body is not None:
                self._texts[digest] = body
        return self._texts.get(digest)

    def keep_text(self, digest: str, text: bytes, *, lasting: bool = True) -> None:
        """Keep what a renderer wrote, as ``keep`` does."""
        self._texts[digest] = text
        if lasting:
            self._write(digest, text)

    def _read(self, digest: str) -> bytes | None:
        if self._directory is None:
            return None
        try:
            file = self._directory / f"{digest[:40]}{SUFFIX}"
            head, _, body = (read_own(file) or b"").partition(b"\n")
            if head != _HEAD + hashlib.sha256(body).hexdigest().encode():
                return None
            os.utime(file, follow_symlinks=False)  # its age decides what goes first
        except OSError:
            return None
        return body

    def _write(self, digest: str, body: bytes) -> None:
        if self._directory is None:
            return
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            head = _HEAD + hashlib.sha256(body).hexdigest().encode() + b"\n"
            write_whole(self._directory / f"{digest[:40]}{SUFFIX}", (head, body), mode=OWN, durable=False)
            bound(self._directory)
        except OSError:
            pass


def open_builds(*, keep: bool) -> Builds:
    """The rendered trees of this run; with ``keep`` those of earlier and later runs, too."""
    return Builds(cache_directory() if keep else None)


def digest_of(what: Iterable[str], files: Mapping[str, bytes], links: Mapping[str, str]) -> str:
    """A name for what is made of files in a certain way, and of our code that reads it."""
    words = list(what)
    head = [_reader(), *(str(len(each)) for each in (words, files, links)), *words, ""]  # numbers tell where each ends
    digest = hashlib.sha256("\0".join(head).encode("utf-8", "surrogateescape"))
    for name, content in sorted(files.items()):
        digest.update(f"{name}\0{len(content)}\0".encode("utf-8", "surrogateescape") + content)
    for name, text in sorted(links.items()):
        digest.update(f"{name}\0{text}\0".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _reader() -> str:
    """What reads the output: another version of it may read something else."""
    try:
        return f"{code()} {sys.version}"
    except OSError:  # not installed as files
        return f"{__version__} {sys.version}"
