"""What must change nothing: the order of the documents of a file, and how many files they are in."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

from tests.fuzz.laws import Breach
from tests.fuzz.structure import manifests, parsed
from tests.fuzz.worlds import World

from trainlint.result import Result

__all__ = ["breaches_of_order", "reordered"]

RENDERED = ("kustomiz", "chart", "argoproj", "fluxcd", "trainlint.yaml", "trainlint.yml")
"""What makes names and order of files matter."""


def reordered(world: World, rng: random.Random) -> World | None:
    """The same documents in another order and in other files; ``None`` where either may matter."""
    if any(each in name.lower() for name in world for each in RENDERED) or not manifests(world):
        return None
    if any(b"kustomize.toolkit" in content or b"argoproj.io" in content for content in world.values()):
        return None
    made = dict(world)
    seen: set[str] = set()
    split = rng.random() < 0.5
    for name in manifests(world):
        chunks = _chunks(world[name], seen)
        if chunks is None:
            return None
        rng.shuffle(chunks)
        if split and len(chunks) > 1:
            del made[name]
            stem, _, end = name.rpartition(".")
            made |= {f"{stem}-{number}.{end}": chunk for number, chunk in enumerate(chunks)}
        else:
            made[name] = b"---\n".join(chunks)
    return made


def _chunks(content: bytes, seen: set[str]) -> list[bytes] | None:
    """The texts of the documents; ``None`` where they cannot be told apart, or an object is there twice."""
    if any(mark in content for mark in (b"\r", b"%", b"\0", b"...", b"\xef\xbb\xbf", b"trainlint: ignore", b"--- ")):
        return None
    documents = parsed(content)
    chunks = [each for each in (b"\n" + content).split(b"\n---\n") if each.strip()]
    chunks = [chunk.removeprefix(b"\n") + (b"" if chunk.endswith(b"\n") else b"\n") for chunk in chunks]
    if documents is None or len([each for each in documents if each is not None]) != len(chunks):
        return None
    for each in documents:
        metadata = each.get("metadata") if isinstance(each, dict) else None
        if not isinstance(metadata, dict) or each.get("kind") == "List":
            return None
        key = f"{each.get('kind')} {metadata.get('name')}"
        if key in seen:
            return None
        seen.add(key)
    return chunks


def breaches_of_order(before: Result, after: Result) -> Iterator[Breach]:
    """What another order of the same documents changed."""
    one, other = _said(before), _said(after)
    for each in sorted((one - other).keys() | (other - one).keys()):
        yield Breach("order", f"{each}: {one[each]} before, {other[each]} after")


def _said(result: Result) -> Counter[str]:
    said = Counter(f"{each.finding.severity}[{each.finding.rule}]" for each in result.findings)
    said.update(
        f"{'+'.join(sorted(each.kind.split('+')))} {each.name} exists {each.exists}, for all {each.for_all}"
        for each in result.groups
    )
    return said
