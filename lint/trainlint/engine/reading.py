"""The files of a world, read: by this process, and where they are many by a child of it too."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

from trainlint.engine.progress import Progress
from trainlint.snapshot.kinds import READ_KINDS
from trainlint.source.cache import Cache
from trainlint.source.parallel_reading import start_reading
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import Reading, read_file
from trainlint.source.world import SourceFile, World

if TYPE_CHECKING:
    from trainlint.source.parallel_reading import ParallelReading

__all__ = ["begin", "read_all"]

Known = Callable[[str], Reading | None]


def begin(world: World, cache: Cache | None) -> ParallelReading | None:
    """Let a child begin to read while this process has other things to do; ``None`` where there is not enough to read.

    A caller that does not give it to ``read_all`` has to close it.
    """
    return start_reading(world.files, KindFilter(READ_KINDS), cache)


def read_all(
    world: World,
    tell: Progress,
    known: Known = lambda name: None,
    cache: Cache | None = None,
    begun: ParallelReading | None = None,
) -> list[Reading]:
    """What every file holds; ``known`` gives what was already read of a file, ``cache`` what earlier runs read.

    ``begun`` is what ``begin`` gave, where nothing is known.
    """
    kinds = KindFilter(READ_KINDS)
    take = cache.read if cache is not None else lambda file: read_file(file, kinds)
    readings = {file.name: reading for file in world.files if (reading := known(file.name)) is not None}
    files = [file for file in world.files if file.name not in readings]
    if begun is None and files and (cache is None or cache.is_empty):
        begun = start_reading(files, kinds, cache)

    def read(file: SourceFile) -> None:
        if len(readings) % 64 == 0:
            tell("reading", len(readings), len(world.files))
        readings[file.name] = take(file)

    if begun is None:
        for file in files:
            read(file)
    else:
        with closing(begun):
            for file in begun.ours():
                read(file)
            for file, found in begun.theirs():
                if found is None:
                    read(file)
                    continue
                readings[file.name] = found.reading
                if cache is not None:
                    cache.keep(found.key, found.entry)
    if cache is not None:
        cache.save()
    return [readings[file.name] for file in world.files]
