"""Docstrings of public functions say what is returned and in which unit, what ``None`` means, what is raised."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted(path for folder in ("lint", "rules", "schemas", "docs") for path in (ROOT / folder).rglob("*.py"))
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in MODULES}
EXCEPTIONS = {
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
}
"""The names of exception classes that Python itself has."""
WITHOUT_SUBJECT = re.compile(r"(At|By|For|From|In|Of|On|Per|To|With)\b")
"""A summary that begins so does not say what is returned."""
NUMBER = re.compile(r"(Known\[(int|float|Fraction)\]|int|float|Fraction)( \| None)?")
"""The types of numbers."""
COUNTED = (
    *("amount", "bit", "byte", "character", "code", "column", "core", "count", "CPU", "depth", "device", "distance"),
    *("exit", "hash", "height", "index", "indices", "length", "level", "line", "milli", "minor", "minute", "node"),
    *("number", "order", "part", "percent", "pixel", "pod", "port", "position", "priority", "process", "product"),
    *("rank", "replica", "second", "share", "step", "sum", "thousandth", "tier", "time", "unit", "version", "weight"),
    *("zone", "Gi", "GiB", "KiB", "Mi", "MiB"),
)
"""What a number is of: units, and things that are counted or numbered."""
UNIT = re.compile(
    rf"(?i)\b({'|'.join(COUNTED)})(e?s)?\b|\b(counts|how (deep|far|high|long|many|much|often))\b|\b\d or \d\b"
)
NAMES = re.compile(r"(?<![\w.])[A-Z]\w*(?:Error|Exception)\b")


def own_exceptions() -> set[str]:
    """The names of the exception classes that the project defines."""
    classes = [node for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    found: set[str] = set()
    while True:
        more = {
            each.name
            for each in classes
            for base in each.bases
            if (name := ast.unparse(base).rpartition(".")[2]) in found | EXCEPTIONS or NAMES.fullmatch(name)
        }
        if more == found:
            return found
        found = more


OWN = own_exceptions()


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """The public functions and methods with a docstring, but for commands, whose docstring is their page of help."""
    bodies: list[list[ast.stmt]] = [tree.body]
    for body in bodies:
        for node in body:
            if isinstance(node, ast.ClassDef):
                bodies.append(node.body)
            elif (
                isinstance(node, ast.FunctionDef)
                and not node.name.startswith("_")
                and ast.get_docstring(node)
                and not any(ast.unparse(each).startswith("click.") for each in node.decorator_list)
            ):
                yield node


def raised(function: ast.FunctionDef) -> set[str]:
    """The own exceptions that a function raises itself."""
    found, nodes = set(), list(ast.iter_child_nodes(function))
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.Raise) and node.exc is not None:
            called = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            found.add(ast.unparse(called).rpartition(".")[2])
        nodes += ast.iter_child_nodes(node)
    return found & OWN


def faults(function: ast.FunctionDef) -> Iterator[str]:
    """What the docstring of a function leaves out."""
    text = ast.get_docstring(function) or ""
    returned = ast.unparse(function.returns) if function.returns is not None else "None"
    if returned == "bool" and not re.search(r"\b([Ww]hether|[Tt]rue|[Ff]alse)\b", text):
        yield "does not say whether what"
    if returned.endswith("| None") and not re.search(r"\bNone\b|\bnothing\b", text):
        yield "does not say when None is returned"
    if NUMBER.fullmatch(returned) and not UNIT.search(text):
        yield "does not say in which unit"
    if returned != "None" and WITHOUT_SUBJECT.match(text):
        yield "does not begin with what is returned"
    yield from (f"does not say when {name} is raised" for name in sorted(raised(function)) if name not in text)
    yield from (f"names {name}, which is no class" for name in sorted({*NAMES.findall(text)} - OWN - EXCEPTIONS))


def test_docstrings_say_what_is_returned_and_raised() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): left_out
        for path, tree in TREES.items()
        if (left_out := [f"{each.name} {fault}" for each in functions(tree) for fault in faults(each)])
    }
    assert found == {}


def test_own_exceptions_are_found() -> None:
    assert {"NotEditableError", "TooManyDigitsError", "UsageError"} <= OWN
    assert "ValueError" not in OWN


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('def f() -> bool:\n    """Another one."""', ["does not say whether what"]),
        ('def f() -> bool:\n    """Whether it is another one."""', []),
        ('def f() -> str | None:\n    """The name."""', ["does not say when None is returned"]),
        ('def f() -> str | None:\n    """The name; ``None`` where there is none."""', []),
        ('def f() -> int:\n    """Of each pod the number."""', ["does not begin with what is returned"]),
        ('def f() -> int:\n    """The number of each pod."""', []),
        ('def f() -> int:\n    """The size of the file."""', ["does not say in which unit"]),
        ('def f() -> Fraction:\n    """The size of the file."""', ["does not say in which unit"]),
        ('def f() -> Fraction:\n    """The size of the file in bytes."""', []),
        ('def f() -> int | None:\n    """The size in bytes; ``None`` where it is not known."""', []),
        ('def f() -> int:\n    """The bytes."""\n    raise YamlError', ["does not say when YamlError is raised"]),
        ('def f() -> int:\n    """The bytes.\n\n    Raises:\n        YamlError: no.\n    """\n    raise YamlError', []),
        ('def f() -> int:\n    """The bytes. Raises LostError."""', ["names LostError, which is no class"]),
    ],
)
def test_what_is_left_out_is_noticed(source: str, found: list[str]) -> None:
    (function,) = functions(ast.parse(source))
    assert list(faults(function)) == found
