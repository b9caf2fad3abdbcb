"""The worlds over which laws are checked, what is said of a world, and what a law needs to change one.

A world is its files by name: every case of ``tests/cases`` and every state of the lab. A law changes a world and
compares what is said of the two: groups with their answers, and errors.
"""

from __future__ import annotations

import posixpath
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from trainlint.engine import check
from trainlint.finding import Certainty, Severity
from trainlint.inventory.kinds import INVENTORY_KINDS
from trainlint.result import Result
from trainlint.source.testdata import find_test_homes

__all__ = [
    "WORLDS",
    "Files",
    "Said",
    "describes_nodes",
    "is_plain",
    "key_of",
    "manifests",
    "result_of",
    "said_of",
    "said_of_world",
    "world",
]

TESTS = Path(__file__).parent.parent
WORLDS = sorted(
    [
        *(str(each.parent.relative_to(TESTS)) for each in TESTS.glob("cases/*/*/case.yaml")),
        *(f"lab/{state}" for state in ("affinity", "after", "before")),
    ]
)
"""The worlds by the names of their directories."""

Files = Mapping[str, str]
_SPECIAL = (
    "kustomization.yaml",
    "kustomization.yml",
    "Kustomization",
    "Chart.yaml",
    "trainlint.yaml",
    ".trainlint.yaml",
)


@dataclass(frozen=True)
class Said:
    """What is said of a world: groups with their answers (whether they can run, whether every placement is good), and
    errors by rule and field, each as often as it is said; ``assumed`` are those of them that are likely under an
    assumption which they name.
    """

    groups: frozenset[tuple[str, str, str]]
    errors: tuple[tuple[tuple[str, str], int], ...]
    assumed: frozenset[tuple[str, str]] = frozenset()


@cache
def world(name: str) -> Files | None:
    """The files of a world; ``None`` where a case compares two revisions, or holds what is no UTF-8."""
    home = TESTS / name
    if {each.name for each in home.iterdir()} == {"base", "case.yaml", "head"}:
        return None
    found = {file.relative_to(home).as_posix(): file for file in sorted(home.rglob("*")) if file.is_file()}
    if name.startswith("lab/"):  # all states of the lab share one cluster
        found |= {f"cluster/{file.name}": file for file in sorted((TESTS / "lab/cluster").iterdir())}
    try:
        return {
            name: file.read_bytes().decode("utf-8")
            for name, file in found.items()
            if name not in {"case.yaml", "repairs.toml"}
        }
    except UnicodeDecodeError:
        return None


def result_of(files: Files) -> Result:
    """The result of a world, in which no rule broke."""
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary) / "repository"
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8"))
        result = check([root])
    assert not result.failures, result.failures
    return result


def said_of(files: Files) -> Said:
    """What is said of a world."""
    result = result_of(files)
    errors = Counter(
        (each.finding.rule, "/".join(map(str, each.path)))
        for each in result.findings
        if each.finding.severity is Severity.ERROR
    )
    groups = {(each.name, str(each.exists), str(each.for_all)) for each in result.groups}
    assumed = {
        (each.finding.rule, "/".join(map(str, each.path)))
        for each in result.findings
        if each.finding.assumes and each.finding.certainty is Certainty.LIKELY
    }
    return Said(frozenset(groups), tuple(sorted(errors.items())), frozenset(assumed))


@cache
def said_of_world(name: str) -> Said | None:
    """What is said of an unchanged world."""
    files = world(name)
    return None if files is None else said_of(files)


def is_plain(files: Files) -> bool:
    """Whether files are deployed as they are written, and are told by nothing but what they hold: no kustomization,
    chart, deployer or setting names any, and no test tool reads them by their names.
    """
    return not find_test_homes(files) and not any(
        posixpath.basename(name) in _SPECIAL or "fluxcd.io" in text or "argoproj.io" in text
        for name, text in files.items()
    )


def documents(text: str) -> list[tuple[str, dict[str, Any]]] | None:
    """The objects of a YAML file, each with its text; ``None`` where not every document is an object with a name."""
    if "{{" in text or "{%" in text or "trainlint:" in text:
        return None
    found = []
    for part in ("\n" + text).split("\n---"):
        try:
            value = yaml.safe_load(part)
        except (yaml.YAMLError, ValueError):
            return None
        if value is None:
            continue
        if (
            not isinstance(value, dict)
            or not isinstance(value.get("metadata"), dict)
            or not value["metadata"].get("name")
        ):
            return None
        found.append((part.strip("\n") + "\n", value))
    return found


def key_of(value: Mapping[str, Any]) -> tuple[str, ...]:
    """By what an object is told from others."""
    metadata = value["metadata"]
    group = str(value.get("apiVersion", "")).rpartition("/")[0]
    return (group, str(value.get("kind")), str(metadata.get("namespace") or "default"), str(metadata["name"]))


def describes_nodes(value: Mapping[str, Any]) -> bool:
    """Whether an object is about nodes."""
    return value.get("kind") in INVENTORY_KINDS


def manifests(files: Files) -> Iterator[tuple[str, list[tuple[str, dict[str, Any]]]]]:
    """The files of which every document is an object with a name, with their documents."""
    for name, text in files.items():
        if name.endswith((".yaml", ".yml")) and posixpath.basename(name) not in _SPECIAL:
            found = documents(text)
            if found:
                yield name, found
