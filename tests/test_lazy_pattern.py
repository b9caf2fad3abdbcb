"""Regular expressions are compiled at their first use, and all of them are right."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

from trainlint.lazy_pattern import lazy_pattern

ROOT = Path(__file__).parents[1]
MODULES = [
    ".".join(file.relative_to(ROOT / root).with_suffix("").parts).removesuffix(".__init__")
    for root in ("lint", "rules")
    for file in sorted((ROOT / root).rglob("*.py"))
    if "lazy_pattern(" in file.read_text(encoding="utf-8")
]


def test_a_wrong_pattern_is_told_at_its_first_use() -> None:
    wrong = lazy_pattern("(")
    with pytest.raises(re.error):
        wrong.match("")


def test_flags_groups_and_bytes_are_those_of_the_compiled_pattern() -> None:
    assert lazy_pattern(r"(?P<number>\d+) b", re.IGNORECASE).groupindex == {"number": 1}
    assert lazy_pattern(rb"A(b)", re.IGNORECASE).sub(rb"\1", b"abAB") == b"bB"
    assert lazy_pattern("a.c", re.DOTALL).fullmatch("a\nc")
    assert not lazy_pattern("a.c").fullmatch("a\nc")
    assert lazy_pattern("a|b").pattern == "a|b"


def test_what_a_pattern_does_not_have_is_no_attribute() -> None:
    assert not hasattr(lazy_pattern("a"), "scan")


@pytest.mark.parametrize("name", MODULES)
def test_every_pattern_of_a_module_compiles(name: str) -> None:
    for value in vars(import_module(name)).values():
        if type(value).__name__ == "_LazyPattern":
            assert isinstance(re.compile(value.pattern, value.flags), re.Pattern)


def test_no_module_compiles_a_pattern_when_it_is_imported() -> None:
    """Inside of functions ``re.compile`` makes patterns that are known only then; the programs of the action import
    nothing of trainlint.
    """
    found = []
    for root in ("lint", "rules"):
        for file in sorted((ROOT / root).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            if "re.compile(" in text and file.name != "lazy_pattern.py" and file.parent.name != "action":
                found += [f"{file.name}:{line}" for line in _at_import(ast.parse(text))]
    assert found == []


def _at_import(tree: ast.Module) -> list[int]:
    functions = (each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef | ast.Lambda))
    later = {id(node) for function in functions for node in ast.walk(function)}
    calls = (each for each in ast.walk(tree) if isinstance(each, ast.Call) and id(each) not in later)
    return [call.lineno for call in calls if ast.unparse(call.func) == "re.compile"]
