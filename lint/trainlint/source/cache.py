"""What files held when they were read before, by the hash of their content: quicker, and never another answer."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import time
from collections.abc import Iterator
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from trainlint import __version__
from trainlint.source import reading_json
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import MAX_BYTES, Reading, read, read_file
from trainlint.source.whole_file import PART, write_whole
from trainlint.source.world import STDIN, SourceFile, World

__all__ = ["Cache", "bound", "cache_directory", "code", "is_entry", "key_of", "open_cache", "read_own"]

HEAD: Final = b"what trainlint read, sha256 "
SUFFIX: Final = ".readings"
SUFFIXES: Final = frozenset({SUFFIX, ".rendered"})
"""Of all files that trainlint keeps in the directory; others are not its own."""
MAX_ENTRY: Final = 8
"""An entry may be this many times as long as the file: aliases can stand for far more than what is written."""
SPARE: Final = 16 << 20
"""Bytes of entries that this run did not use and that stay: another branch may need them."""
MAX_FILE: Final = 256 << 20
MAX_TOTAL: Final = 512 << 20
"""Bytes of the whole directory; what was not used for the longest time goes first."""
OWN: Final = 0o600
"""The permissions of an entry: another user may neither read nor change it."""
LEFT_BEHIND: Final = 3600.0
"""Seconds after which a file that was never finished is deleted."""


class Cache:
    """The readings of one world, in one file: a line for each, and a digest of all lines before them.

    A run replaces the file as a whole, so that runs at the same time cannot harm each other: the last wins. A
    file that is not what its digest says is as good as none, and so is a directory that cannot be written.
    """

    def __init__(self, file: Path, kinds: KindFilter) -> None:
        self._file = file
        self._kinds = kinds
        self._used: dict[bytes, bytes | None] = {}
        self._fresh = False
        self._touched = False

    @cached_property
    def _known(self) -> dict[bytes, bytes]:
        return dict(_entries(self._file))

    def read(self, source: SourceFile) -> Reading:
        """What ``read_file`` says about a file; what cannot be read, or is standard input, leaves no trace."""
        if source.name == STDIN:
            return read_file(source, self._kinds)
        try:
            content = source.read_up_to(MAX_BYTES)
        except OSError:
            content = None
        if content is None:
            return read_file(source, self._kinds)
        key = key_of(source, content)
        entry = self._known.get(key)
        if entry is not None:
            try:
                reading = reading_json.from_json(source.name, entry)
            except (ValueError, TypeError, RecursionError):
                pass
            else:
                self._keep(key, None)
                return reading
        reading = read(source.name, content, self._kinds, chart=source.chart)
        entry = reading_json.to_json(reading)
        if entry is not None and is_entry(entry, content):
            self._keep(key, entry)
        return reading

    def _keep(self, key: bytes, entry: bytes | None) -> None:
        """Remember what was read of a content; ``None`` where an earlier run did."""
        if entry is not None:
            self._fresh = True
        self._used[key] = entry

    def save(self) -> None:
        """Keep what was read, if anything of it is new; what cannot be written is not kept."""
        try:
            if self._fresh:
                self._fresh = False
                self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                body = b"".join(self._lines())
                write_whole(self._file, (_seal(body), body), mode=OWN, durable=False)
                bound(self._file.parent)
            elif self._used and not self._touched:
                os.utime(self._file)  # its age decides what goes first
            self._touched = True
        except OSError:
            pass

    def _lines(self) -> Iterator[bytes]:
        """What this run used, then of the rest what it may keep: from run to run, the longest unused stand last."""
        total = 0
        asked = ((key, self._known.get(key) if entry is None else entry) for key, entry in self._used.items())
        used = {key: entry for key, entry in asked if entry is not None}  # another run may have dropped what was known
        spare = SPARE + sum(map(len, used.values()))
        for key, entry in {**used, **self._known, **used}.items():
            line = b"%s %s\n" % (key, entry)
            total += len(line)
            if key not in used:
                spare -= len(line)
            if total <= MAX_FILE and spare >= 0:
                yield line


def is_entry(entry: bytes, content: bytes) -> bool:
    """Whether a reading is small enough to be kept."""
    return len(entry) <= MAX_ENTRY * len(content) + 1024


def open_cache(world: World, kinds: KindFilter) -> Cache | None:
    """The cache for a world; ``None`` where there is no place for one.

    Other kinds, another trainlint (told by its code, not its version alone), another Python or another YAML parser have
    caches of their own.
    """
    directory = cache_directory()
    if directory is None:
        return None
    try:
        digest, parser = code(), _parser()
    except OSError:  # not installed as files
        return None
    trees = sorted(map(str, world.trees))
    parts = [__version__, digest, sys.version, parser, *sorted(kinds.kinds), "", str(world.root), *trees]
    name = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()
    return Cache(directory / f"{name[:40]}{SUFFIX}", kinds)


def cache_directory() -> Path | None:
    """Where the user's caches are: TRAINLINT_CACHE_DIR, or what is usual on the platform; ``None`` without a home."""
    own = os.environ.get("TRAINLINT_CACHE_DIR")
    if own:
        return Path(own)
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return Path(local, "trainlint", "Cache") if local else None
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if base.is_absolute():  # others are to be ignored (XDG Base Directory Specification)
        return base / "trainlint"
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "trainlint"


@cache
def code() -> str:
    """A digest of the code that makes readings: a work tree, or two commits, may have one version and differ."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    for file in sorted([here.parent / "finding.py", *here.glob("*.py")]):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _parser() -> str:
    """Which YAML parser is installed, told by its files: to import it would take longer than to read the cache.

    Raises OSError.
    """
    found = find_spec("yaml")
    home = Path(found.origin).parent if found is not None and found.origin else Path()
    binaries = sorted(home.glob("_yaml*"))
    if not binaries:
        from ruamel.yaml import __version__ as ruamel  # noqa: PLC0415 (heavy; only where there is no libyaml)

        return f"ruamel.yaml {ruamel}"
    parts = [hashlib.sha256((home / "__init__.py").read_bytes()).hexdigest()]  # which holds the version
    parts += (f"{each.name} {each.stat().st_size} {each.stat().st_mtime_ns}" for each in binaries)
    return " ".join(parts)


def key_of(source: SourceFile, content: bytes) -> bytes:
    """What tells a reading: the file's name and chart, which it knows, and its content."""
    digest = hashlib.sha256(f"{source.name}\0{source.chart}\0".encode("utf-8", "surrogateescape"))
    digest.update(content)
    return digest.hexdigest().encode()


def _entries(file: Path) -> Iterator[tuple[bytes, bytes]]:
    """The entries of a cache file; nothing if it is not there, not ours or not whole."""
    head, _, body = (read_own(file) or b"").partition(b"\n")
    if head != HEAD + hashlib.sha256(body).hexdigest().encode():
        return
    for line in body.removesuffix(b"\n").split(b"\n"):
        key, _, entry = line.partition(b" ")
        yield key, entry


def _seal(body: bytes) -> bytes:
    """The first line of a cache file, by which it can be told to be whole."""
    return HEAD + hashlib.sha256(body).hexdigest().encode() + b"\n"


def read_own(file: Path) -> bytes | None:
    """What this user wrote into a file of the cache; ``None`` without one, and for a link, a pipe or another's file."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(file, flags), "rb") as stream:
            state = os.fstat(stream.fileno())
            own = sys.platform == "win32" or (state.st_uid == os.geteuid() and state.st_nlink == 1)
            if not own or not stat.S_ISREG(state.st_mode) or state.st_size > 2 * MAX_FILE:
                return None
            return stream.read()
    except OSError:
        return None


def bound(directory: Path) -> None:
    """Remove the oldest files where all of them together are too large, and what a run that broke off left behind."""
    found: list[tuple[float, int, Path]] = []
    for path in directory.iterdir():
        with contextlib.suppress(OSError):  # another run may have removed it
            state = path.stat()
            if path.name.startswith(PART):
                if time.time() - state.st_mtime > LEFT_BEHIND:
                    path.unlink()
            elif path.suffix in SUFFIXES:
                found.append((state.st_mtime, state.st_size, path))
    total = 0
    for _, size, path in sorted(found, reverse=True):
        total += size
        if total > MAX_TOTAL:
            with contextlib.suppress(OSError):
                path.unlink()
