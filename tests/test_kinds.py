"""No reader asks for a kind that the prefilter drops: kinds that the code compares are among those that are read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import trainlint
from trainlint.kube.policies import POLICY_READ_KINDS
from trainlint.snapshot.kinds import READ_KINDS

SOURCES = sorted(Path(trainlint.__file__).parent.rglob("*.py"))
KIND = re.compile(r"[A-Z][a-z]+[A-Za-z]*")

NO_OBJECTS = {
    "List": "what holds other objects is opened before its items are read",
    "Entities": "a kind of peer, not of object",
    "Endpoints": "a kind of peer as well as of object",
    "Nodes": "a kind of peer",
    "Services": "a kind of peer",
    "ExternalName": "a type of Service",
    "CiliumEnvoyConfig": "what a policy refers to; its objects decide nothing here",
    "CustomResourceDefinition": "known so that it can be left out",
}
"""Words that are compared with something called a kind, and are no kind of object that is read."""


def compared(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The words that are compared with something that is called a kind."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and _is_kind(node.left):
            for comparator in node.comparators:
                yield from _words(comparator)
        elif isinstance(node, ast.Match) and _is_kind(node.subject):
            for case in node.cases:
                yield from _words(case.pattern)


def _is_kind(node: ast.AST) -> bool:
    text = ast.unparse(node)
    return text.endswith((".kind", "['kind'].scalar", "['kind'].string")) and "flow.kind" not in text


def _words(node: ast.AST) -> Iterator[tuple[int, str]]:
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and KIND.fullmatch(each.value):
            yield each.lineno, each.value


def test_every_kind_that_the_code_compares_is_read() -> None:
    dropped = [
        f"{path.name}:{line}: {kind}"
        for path in SOURCES
        for line, kind in compared(ast.parse(path.read_text(encoding="utf-8")))
        if kind not in READ_KINDS and kind not in NO_OBJECTS
    ]
    assert dropped == []


def test_the_test_sees_comparisons() -> None:
    found = {kind for path in SOURCES for _, kind in compared(ast.parse(path.read_text(encoding="utf-8")))}
    assert {"Namespace", "EndpointSlice", "MachinePool", "NetworkPolicy"} <= found


def test_what_the_policy_reader_takes_is_read() -> None:
    assert POLICY_READ_KINDS <= READ_KINDS
