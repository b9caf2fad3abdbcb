"""Damage: small changes to the bytes and to the structure of manifests, chosen by a random generator."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

import yaml

__all__ = ["damage_bytes", "damage_structure"]

Container = dict[Any, Any] | list[Any]

_Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _nested(depth: int) -> Any:
    value: Any = "end"
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2**31, 2**63, 10**30, -(10**30), 0.5, 1e300, float("inf"), float("nan")),
    *("", " ", "x", "true", "null", "-1", "0", "1e3", "1Ki", "9" * 40, "1.5Gi", "-5Gi", "8 GiB", "١٢", "1_000"),
    *("${N}", "$(X)", "{{ .Values.x }}", "<n>", "__N__", "@X@", "$", "{{", "%", "a\nb", "\u200b"),
    *(
        "é😀",
        "\u202e",
        "a" * 300,
        "a/b/c",
        "/",
        ":",
        ".",
        "..",
        "*",
        "^",
        "=",
        ",",
        "-",
        "#",
        "!",
        "&a",
        "k8s:",
        "any:a",
    ),
    *(
        "0.0.0.0/0",
        "10.0.0.0/99",
        "::/0",
        "300.1.1.1/8",
        "2001-01-01",
        "10:30",
        "[",
        "{",
        "'",
        '"',
        "\\",
        "(",
        "(?<x>",
    ),
    *(
        "In",
        "NotIn",
        "Exists",
        "Gt",
        "TCP",
        "ANY",
        "Always",
        "Never",
        "NoSchedule",
        "DoNotSchedule",
        "kubernetes.io/hostname",
    ),
    *(
        [],
        {},
        [None],
        [[]],
        [{}],
        {"a": None},
        {"": ""},
        ["x"],
        [1, 2],
        {"x": {"y": ["z"]}},
        [None, {}, [], "x", 1],
    ),
    *({"matchLabels": {}}, {"matchExpressions": [None]}, {"matchLabels": {"a": 1}}, {"key": None}),
    *({"name": 1}, {"name": None}, [{"name": []}], {"containers": None}, {"containers": [None]}, _nested(40)),
)
KEYS = (
    "",
    "a",
    "name",
    "kind",
    "spec",
    "metadata",
    "items",
    "template",
    "containers",
    "labels",
    "matchLabels",
    "😀",
    "a.b/c",
    "x" * 70,
)


def _odd(rng: random.Random) -> Any:
    return copy.deepcopy(rng.choice(ODD))


def damage_structure(text: str, rng: random.Random) -> str:
    """The documents of the text with one to four of their values changed, moved or removed."""
    try:
        documents = list(yaml.load_all(text, Loader=_Loader))
    except yaml.YAMLError:  # an example of a syntax error
        return damage_bytes(text.encode(), rng).decode("utf-8", "replace")
    for _ in range(rng.randint(1, 4)):
        _damage(documents, rng)
    return yaml.dump_all(documents, Dumper=_Dumper, default_flow_style=rng.choice([None, True, False]), sort_keys=False)


def _damage(documents: list[Any], rng: random.Random) -> None:
    places = [place for document in documents for place in _places(document)]
    if not places:
        documents.append(_odd(rng))
        return
    parent, step = rng.choice(places)
    value = parent[step]
    match rng.randrange(9):
        case 0 | 1 | 2:
            parent[step] = _odd(rng)
        case 3:
            del parent[step]
        case 4:
            parent[step] = rng.choice(
                [[value], {"x": value}, {"name": value}, [value, copy.deepcopy(value)], [[value]]]
            )
        case 5:
            other, where = rng.choice(places)
            parent[step] = copy.deepcopy(other[where]) if where in other or isinstance(other, list) else None
        case 6 if isinstance(parent, dict):
            parent[rng.choice(KEYS)] = parent.pop(step)
        case 7 if isinstance(value, list) and value:
            value.extend(copy.deepcopy(rng.choice(value)) for _ in range(rng.choice([1, 2, 30])))
            rng.shuffle(value)
        case 7 if isinstance(value, list | dict):
            parent[step] = list(value.values()) if isinstance(value, dict) else dict(enumerate(value))
        case 8 if isinstance(value, str):
            cut = rng.randrange(len(value) + 1)
            parent[step] = value[:cut] + str(_odd(rng)) + value[cut + rng.randrange(3) :]
        case _:
            parent[step] = _odd(rng)


def _places(value: Any) -> Iterator[tuple[Container, Any]]:
    pending = [value]
    seen: set[int] = set()
    while pending:
        here = pending.pop()
        if id(here) in seen:  # an alias, perhaps of what holds it
            continue
        seen.add(id(here))
        steps = list(here) if isinstance(here, dict) else range(len(here)) if isinstance(here, list) else ()
        for step in steps:
            yield here, step
            pending.append(here[step])


NOISE = (
    *(
        b"\x00",
        b"\xff",
        b"\xfe\xff",
        b"\xef\xbb\xbf",
        b"\r\n",
        b"\r",
        b"\t",
        b"\xc2\xa0",
        b"\xe2\x80\xa8",
        b"\x85",
        b"\x1b[2J",
    ),
    *(
        b"---\n",
        b"\n---\n",
        b"...\n",
        b"%YAML 1.2\n---\n",
        b"- ",
        b": ",
        b"? ",
        b"{",
        b"}",
        b"[",
        b"]",
        b"&a ",
        b"*a",
        b"!!binary ",
    ),
    *(
        b"!x ",
        b"<<: *a\n",
        b"|\n",
        b">-\n",
        b"'",
        b'"',
        b"#",
        b" # trainlint: ignore[x] y\n",
        b"{{ x }}",
        b"{% if x %}",
        b"${X}",
    ),
    *(
        b"kind: Job\n",
        b"apiVersion: v1\n",
        b"metadata: {name: train}\n",
        b"\\",
        b"\\u0000",
        b"\xf0\x9f\x98\x80",
        b"a" * 2000,
        b"[" * 300,
    ),
    *(b"{a: " * 300, b"x: &a [*a, *a]\n", b"a: &b {c: *b}\n"),
)


def damage_bytes(content: bytes, rng: random.Random) -> bytes:
    """The content with one to four pieces inserted, removed, changed, repeated or swapped."""
    for _ in range(rng.randint(1, 4)):
        start = rng.randrange(len(content) + 1)
        end = min(len(content), start + rng.choice([1, 1, 2, 5, 20, 200]))
        piece = content[start:end]
        match rng.randrange(7):
            case 0 | 1:
                content = content[:start] + rng.choice(NOISE) + content[start:]
            case 2:
                content = content[:start] + content[end:]
            case 3:
                content = content[:start] + rng.choice(NOISE) + content[end:]
            case 4:
                content = content[:start] + piece * rng.choice([2, 3, 20]) + content[end:]
            case 5:
                content = content[:start] + bytes(byte ^ (1 << rng.randrange(8)) for byte in piece) + content[end:]
            case _:
                content = content[:start] if rng.random() < 0.3 else content[:start] + piece[::-1] + content[end:]
    if rng.random() < 0.05:
        content = content.decode("utf-8", "replace").encode(
            rng.choice(["utf-16", "utf-32", "utf-8-sig", "latin-1"]), "replace"
        )
    return content
