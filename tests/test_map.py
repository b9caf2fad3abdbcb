"""lint/README.md is a true map: its rooms are the layers, and what it names is there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
CODE = ROOT / "lint" / "trainlint"
MAP = (ROOT / "lint" / "README.md").read_text(encoding="utf-8")


def layers() -> list[set[str]]:
    """The packages of each layer, the highest first, as import-linter checks them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = (each for each in project["tool"]["importlinter"]["contracts"] if each.get("exhaustive"))
    return [set(re.split(r" [|:] ", layer)) for layer in contract["layers"]]


def test_the_rooms_are_the_layers() -> None:
    table = MAP.partition("\n## Rooms")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`[^|]+`) \|", table, re.MULTILINE)
    rooms = [set(re.findall(r"`(\w+)`", row)) for row in rows]
    assert set().union(*rooms) == set().union(*layers())
    order = {package: number for number, layer in enumerate(layers()) for package in layer}
    ranks = [order[package] for room in rooms for package in sorted(room, key=order.__getitem__)]
    assert ranks == sorted(ranks)


def test_the_files_that_are_named_are_there() -> None:
    named = set(re.findall(r"`((?:\w+/)+\w+\.py)`", MAP))
    assert len(named) > 25
    assert [name for name in sorted(named) if not (CODE / name).exists()] == []
