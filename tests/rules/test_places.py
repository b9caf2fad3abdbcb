"""A rule lives where its file is: what only one rule needs stands in its module or beside it, in its folder."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import pytest

from trainlint.rule import all_rules

ROOT = Path(__file__).parents[2]


@cache
def modules() -> Mapping[str, frozenset[str]]:
    """The names of modules that each module of lint/ and rules/ imports, and of what it imports from them."""
    found = {}
    for root in ("lint", "rules"):
        for path in sorted((ROOT / root).glob("trainlint*/**/*.py")):
            name = ".".join(path.relative_to(ROOT / root).with_suffix("").parts).removesuffix(".__init__")
            found[name] = frozenset(imported(ast.parse(path.read_text(encoding="utf-8"))))
    return found


def imported(tree: ast.Module) -> Iterable[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def lonely(imports: Mapping[str, frozenset[str]], rules: Iterable[str]) -> dict[str, str]:
    """The modules of trainlint that the modules of one rule import and nothing else, with that rule."""
    users = defaultdict(set)
    for module, names in imports.items():
        owner = next((rule for rule in rules if f"{module}.".startswith(f"{rule}.")), "")
        for name in names & imports.keys():
            users[name].add(owner or module)
    return {
        module: user
        for module, (user, *others) in sorted(users.items())
        if module.startswith("trainlint.") and not others and user in set(rules)
    }


def test_what_one_rule_needs_stands_with_it() -> None:
    assert lonely(modules(), [rule.module for rule in all_rules()]) == {}, "move it into the rule's module or folder"


def test_rules_import_no_other_rule() -> None:
    names = [rule.module for rule in all_rules()]
    for module, seen in modules().items():
        own = [rule for rule in names if f"{module}.".startswith(f"{rule}.")]
        assert [rule for rule in names if rule in seen and rule not in own] == [], module


@pytest.mark.parametrize(
    ("imports", "found"),
    [
        ({"trainlint.a": [], "rules.x": ["trainlint.a"]}, {"trainlint.a": "rules.x"}),
        ({"trainlint.a": [], "rules.x": ["trainlint.a"], "rules.x.part": ["trainlint.a"]}, {"trainlint.a": "rules.x"}),
        ({"trainlint.a": [], "rules.x": ["trainlint.a"], "rules.y": ["trainlint.a"]}, {}),
        ({"trainlint.a": [], "rules.x": ["trainlint.a"], "trainlint.b": ["trainlint.a"]}, {}),
    ],
)
def test_a_lonely_module_is_noticed(imports: dict[str, list[str]], found: dict[str, str]) -> None:
    assert lonely({name: frozenset(names) for name, names in imports.items()}, ["rules.x", "rules.y"]) == found
