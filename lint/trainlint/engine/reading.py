"""Reads the files of a world."""

from __future__ import annotations

from collections.abc import Callable

from trainlint.engine.progress import Progress
from trainlint.snapshot.kinds import READ_KINDS
from trainlint.source.cache import Cache
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import Reading, read_file
from trainlint.source.world import World

__all__ = ["read_all"]

Known = Callable[[str], Reading | None]


def read_all(
    world: World,
    tell: Progress,
    known: Known = lambda name: None,
    cache: Cache | None = None,
) -> list[Reading]:
    """What every file holds; ``known`` gives what was already read of a file, ``cache`` what earlier runs read."""
    kinds = KindFilter(READ_KINDS)
    take = cache.read if cache is not None else lambda file: read_file(file, kinds)
    readings = {file.name: reading for file in world.files if (reading := known(file.name)) is not None}
    for file in world.files:
        if file.name in readings:
            continue
        if len(readings) % 64 == 0:
            tell("reading", len(readings), len(world.files))
        readings[file.name] = take(file)
    if cache is not None:
        cache.save()
    return [readings[file.name] for file in world.files]
