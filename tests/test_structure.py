"""Modules and functions are small enough to be read at once, and each library is imported by its owners only."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.test_map import layers

ROOT = Path(__file__).parents[1]
SOURCES = sorted(path for room in ("lint", "rules", "schemas") for path in (ROOT / room).rglob("*.py"))

LINES = 300
"""Lines of a module."""
LONGEST = 75
"""Lines of a function, from its name to its end."""


def functions(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """The functions of a module, each with its lines; what a function documents does not count."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            first = node.body[0]
            text = ast.get_docstring(node, clean=False)
            said = (first.end_lineno or first.lineno) - first.lineno + 1 if text is not None else 0
            yield node.name, node.end_lineno - node.lineno + 1 - said


def test_modules_are_small() -> None:
    lines = {path: path.read_text(encoding="utf-8").count("\n") for path in SOURCES}
    assert [str(path.relative_to(ROOT)) for path, found in lines.items() if found > LINES] == [], "split by subject"


def test_functions_are_small() -> None:
    long = [
        f"{path.relative_to(ROOT)}: {name}, {lines} lines"
        for path in SOURCES
        for name, lines in functions(ast.parse(path.read_text(encoding="utf-8")))
        if lines > LONGEST
    ]
    assert long == [], "make parts of it functions of their own"


def test_the_test_sees_long_functions() -> None:
    body = "\n".join(f"    x = {number}" for number in range(LONGEST))
    assert dict(functions(ast.parse(f'def f():\n    """Says\n    nothing."""\n{body}\n'))) == {"f": LONGEST + 1}


def libraries(tree: ast.AST) -> Iterator[str]:
    """What a module imports that is neither Python's own nor the project's, at the top or inside of functions."""
    own = {"trainlint", "trainlint_rules", "trainlint_schemas"}
    for node in ast.walk(tree):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            names = [node.module]
        for name in names:
            library = name.partition(".")[0]
            if library not in own | sys.stdlib_module_names:
                yield library


def importers() -> Mapping[str, set[str]]:
    """The packages of trainlint that import each library; other source roots stand for themselves."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in SOURCES:
        parts = path.relative_to(ROOT).with_suffix("").parts
        package = parts[2] if parts[:2] == ("lint", "trainlint") and len(parts) > 2 else parts[0]
        for library in libraries(ast.parse(path.read_text(encoding="utf-8"))):
            found[library].add(package)
    return found


def owners() -> Mapping[str, set[str]]:
    """The packages that may import each library, as pyproject.toml says."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return {library: set(packages) for library, packages in project["tool"]["trainlint"]["libraries"].items()}


def test_each_library_is_imported_by_its_owners_and_by_all_of_them() -> None:
    generators = {"schemas"}  # programs of development beside the package of schemas
    assert {library: packages - generators for library, packages in importers().items() if packages - generators} == (
        owners()
    )


def test_the_owners_of_libraries_are_layers() -> None:
    assert set().union(*owners().values()) <= set().union(*layers())


def test_the_test_sees_imports_inside_of_functions() -> None:
    text = "import os.path\ndef f():\n    from networkx.algorithms import x\n    import trainlint.model\n"
    assert list(libraries(ast.parse(text))) == ["networkx"]
