"""Mutations of the text of files: lines, indentation, encodings, line ends, characters that are not seen."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.fuzz.worlds import World
from tests.mutations import damage_bytes

__all__ = ["TEXT"]

CONTROLS = ("\x00", "\x07", "\x1b[31m", "\x7f", "\x85", "\u2028", "\u202e", "\u200b", "\ufeff", "\ufffe", "\U0001f600")
ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "utf-32-be", "utf-8-sig", "latin-1", "cp1252")
MERGES = ("<<: {a: b}", "<<: [{a: b}, {c: d}]", "<<: *nothing", "<<: &m {name: x}", "? [a]\n: b", "!!str 5: 6")


def bytes_(content: bytes, rng: random.Random) -> bytes:
    """Any bytes."""
    return damage_bytes(content, rng)


def indentation(content: bytes, rng: random.Random) -> bytes:
    """A line, or all from it on, further in or out."""
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    end = rng.choice([at + 1, at + 1, min(at + 5, len(lines)), len(lines)])
    by = rng.choice([1, 2, 2, 4, -1, -2, -2])
    for number in range(at, end):
        line = lines[number]
        lines[number] = b" " * by + line if by > 0 else line[min(-by, len(line) - len(line.lstrip(b" "))) :]
    return b"\n".join(lines)


def tabs(content: bytes, rng: random.Random) -> bytes:
    """A tab in a line."""
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    match rng.randrange(3):
        case 0:
            lines[at] = b"\t" + lines[at].lstrip(b" ")
        case 1:
            lines[at] = lines[at].replace(b": ", b":\t", 1)
        case _:
            lines[at] += b"\t"
    return b"\n".join(lines)


def encoding(content: bytes, rng: random.Random) -> bytes:
    """Another encoding, with or without a mark."""
    text = content.decode("utf-8", "replace")
    return text.encode(rng.choice(ENCODINGS), "replace")


def mark(content: bytes, rng: random.Random) -> bytes:
    """A byte order mark, at the start or at a document."""
    documents = content.split(b"---\n")
    at = rng.randrange(len(documents))
    documents[at] = b"\xef\xbb\xbf" + documents[at]
    return b"---\n".join(documents)


def truncation(content: bytes, rng: random.Random) -> bytes:
    """The file up to some byte."""
    return content[: rng.randrange(len(content) + 1)]


def line_ends(content: bytes, rng: random.Random) -> bytes:
    """CRLF or CR everywhere, at some lines, or no last line end."""
    match rng.randrange(4):
        case 0:
            return content.replace(b"\n", b"\r\n")
        case 1:
            return content.replace(b"\n", b"\r")
        case 2:
            lines = content.split(b"\n")
            return b"".join(line + rng.choice([b"\n", b"\r\n", b"\r"]) for line in lines)
        case _:
            return content.rstrip(b"\n")


def controls(content: bytes, rng: random.Random) -> bytes:
    """A character that no screen shows, or that steers it."""
    text = content.decode("utf-8", "replace")
    at = rng.randrange(len(text) + 1)
    return (text[:at] + rng.choice(CONTROLS) + text[at:]).encode("utf-8", "replace")


def lines(content: bytes, rng: random.Random) -> bytes:
    """A line twice (then often a key twice), gone, elsewhere, or a piece of YAML that few know."""
    found = content.split(b"\n")
    at = rng.randrange(len(found))
    line = found[at]
    match rng.randrange(5):
        case 0:
            found.insert(at, line)
        case 1:
            del found[at]
        case 2:
            found.insert(rng.randrange(len(found)), found.pop(at))
        case 3:
            indent = line[: len(line) - len(line.lstrip(b" "))]
            found.insert(at, indent + rng.choice(MERGES).encode().replace(b"\n", b"\n" + indent))
        case _:
            found.insert(
                at, rng.choice([b"---", b"...", b"--- # x", b"%YAML 1.1", b"# trainlint: ignore[flow-denied] x"])
            )
    return b"\n".join(found)


def quotes(content: bytes, rng: random.Random) -> bytes:
    """A value in quotes, in one quote only, or as a block."""
    found = content.split(b"\n")
    places = [number for number, line in enumerate(found) if b": " in line]
    if not places:
        return content
    at = rng.choice(places)
    key, _, value = found[at].partition(b": ")
    forms = (
        b'"%s"',
        b"'%s'",
        b'"%s',
        b"!!str %s",
        b"&a %s",
        b"|\n%s",
        b"!custom %s",
        b"%s # note",
        b"${%s}",
        b"{{ %s }}",
    )
    found[at] = key + b": " + rng.choice(forms) % value
    return b"\n".join(found)


def _mutation(change: Callable[[bytes, random.Random], bytes]) -> Callable[[World, random.Random], World]:
    def mutated(world: World, rng: random.Random) -> World:
        name = rng.choice(sorted(world))
        return {**world, name: change(world[name], rng)}

    return mutated


TEXT: dict[str, Callable[[World, random.Random], World]] = {
    each.__name__.rstrip("_"): _mutation(each)
    for each in (bytes_, indentation, tabs, encoding, mark, truncation, line_ends, controls, lines, quotes)
}
"""The mutations by name: a repository and a random generator to another repository."""
