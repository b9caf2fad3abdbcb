"""One class name has one meaning in the whole project, and docs/glossary.md holds those that many packages use."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = {"trainlint": ROOT / "lint", "trainlint_rules": ROOT / "rules", "trainlint_schemas": ROOT / "schemas"}
GLOSSARY = ROOT / "docs" / "glossary.md"
USED_BY = 3
"""A class that so many packages use beside its own stands in the glossary."""


@cache
def classes() -> Mapping[str, list[str]]:
    """The modules that define each class, by its name; names that begin with an underscore are their module's own."""
    found: dict[str, list[str]] = defaultdict(list)
    for module, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(module)
    return found


@cache
def modules() -> tuple[tuple[str, ast.Module], ...]:
    """The name of each module, and its syntax tree."""
    found = []
    for root, folder in SOURCES.items():
        for path in sorted((folder / root).rglob("*.py")):
            name = ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__")
            found.append((name, ast.parse(path.read_text(encoding="utf-8"))))
    return tuple(found)


def package(module: str) -> str:
    """The package below ``trainlint``, or the other root: what counts as one user."""
    return ".".join(module.split(".")[:2]) if module.startswith("trainlint.") else module.split(".", maxsplit=1)[0]


@cache
def users() -> Mapping[tuple[str, str], set[str]]:
    """The packages that import a name from a module, beside the package of the module."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for module, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and package(node.module) != package(module):
                for alias in node.names:
                    found[node.module, alias.name].add(package(module))
    return found


def rows(text: str) -> list[tuple[str, str]]:
    """Class and module of each row of the second table."""
    return re.findall(r"^\| ([A-Z]\w+) \| ([\w.]+) \| .+ \|$", text.partition("\n## Classes\n")[2], re.MULTILINE)


def repeated(found: Mapping[str, list[str]]) -> set[str]:
    return {name for name, places in found.items() if len(places) > 1}


def test_a_class_name_has_one_meaning() -> None:
    several = {name: classes()[name] for name in repeated(classes())}
    assert several == {}, "two classes of one name: give one of them another"


def test_classes_that_many_packages_use_stand_in_the_glossary() -> None:
    listed = set(rows(GLOSSARY.read_text(encoding="utf-8")))
    wanted = {
        (name, module.removeprefix("trainlint."))
        for name, places in classes().items()
        for module in places
        if len(users()[module, name]) >= USED_BY
    }
    assert sorted(wanted - listed) == []


def test_every_class_of_the_glossary_is_there() -> None:
    listed = rows(GLOSSARY.read_text(encoding="utf-8"))
    assert len(listed) > 50
    assert [row for row in listed if f"trainlint.{row[1]}" not in classes().get(row[0], [])] == []
    assert listed == sorted(listed)
    assert len({name for name, _ in listed}) == len(listed)


def test_words_stand_once_and_in_order() -> None:
    text = GLOSSARY.read_text(encoding="utf-8").partition("\n## Words\n")[2].partition("\n## ")[0]
    words = re.findall(r"^\| ([a-z][\w ,]+) \| .+ \|$", text, re.MULTILINE)
    assert len(words) > 30
    assert [word for word in words if word != "word"] == sorted(set(words) - {"word"})


@pytest.mark.parametrize(
    ("found", "expected"),
    [({"Node": ["a", "b"], "Pool": ["a"]}, {"Node"}), ({"Node": ["a", "a"]}, {"Node"}), ({"Pool": ["a"]}, set())],
)
def test_two_classes_of_one_name_are_noticed(found: dict[str, list[str]], expected: set[str]) -> None:
    assert repeated(found) == expected
