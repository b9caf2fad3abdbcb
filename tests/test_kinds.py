"""The registry of kinds: what the code compares is declared and read, and a wrong declaration fails."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import trainlint
from trainlint.installed.definitions import GROUPS
from trainlint.installed.kinds import CONFIG_MAPS
from trainlint.kube.policies import POLICY_READ_KINDS
from trainlint.model.api_kind import ANY_GROUP, ApiKind, DeclarationError, Registry, declared
from trainlint.snapshot.kinds import READ_KINDS, READERS, REGISTRY
from trainlint.source.podtemplates import POD_OWNERS
from trainlint.source.prefilter import CONSTRAINTS, DEFINITIONS, KindFilter

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
    "CustomResourceDefinition": "of these only those of some API groups are read",
}
"""Words that are compared with something called a kind, and are no kind of object that is read."""


PARTS = {"trainlint.workload.claims", "trainlint.workload.podgroups", "trainlint.workload.wrappers"}
"""Modules whose declarations are part of those of their package (``workload/kinds.py``)."""


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


def test_every_declaration_of_a_reader_is_in_the_registry() -> None:
    """A package that declares kinds and stands in no list of readers would read nothing."""
    registered = {id(kinds) for kinds in READERS.values()}
    lost = []
    for path in SOURCES:
        module = ".".join(path.relative_to(Path(trainlint.__file__).parents[1]).with_suffix("").parts)
        if re.search(r"^KINDS: Final", path.read_text(encoding="utf-8"), re.MULTILINE) is None:
            continue
        kinds = importlib.import_module(module).KINDS
        plain = isinstance(kinds, tuple) and all(isinstance(kind, ApiKind) for kind in kinds)
        if plain and id(kinds) not in registered and module not in PARTS:
            lost.append(module)
    assert lost == []


def test_the_prefilter_keeps_what_is_declared_and_nothing_else() -> None:
    names = {kind.name for kinds in READERS.values() for kind in kinds}
    kept = KindFilter(READ_KINDS)
    defined = {f"{DEFINITIONS}{group}" for group in GROUPS}
    assert READ_KINDS - names == CONFIG_MAPS | {CONSTRAINTS, POD_OWNERS} | defined
    dropped = [name for name in names if not kept.may_hold(f"apiVersion: v1\nkind: {name}\n".encode())]
    assert dropped == []
    for name in ("Ingress", "Role", "HorizontalPodAutoscaler"):  # their place is known, and nothing reads them
        assert not kept.may_hold(f"apiVersion: v1\nkind: {name}\n".encode())


def test_the_scope_of_a_kind_is_that_of_its_group() -> None:
    assert REGISTRY.of_cluster("scheduling.volcano.sh", "Queue")
    assert not REGISTRY.of_cluster("rabbitmq.com", "Queue")
    assert REGISTRY.of_cluster("kyverno.io", "ClusterPolicy")
    assert not REGISTRY.of_cluster("kyverno.io", "Policy")
    assert REGISTRY.of_cluster("", "Namespace")
    assert not REGISTRY.of_cluster("example.com", "Whatever")
    assert REGISTRY.in_namespace("jobset.x-k8s.io", "JobSet")
    assert not REGISTRY.in_namespace("example.com", "JobSet")
    assert not REGISTRY.in_namespace("kind.x-k8s.io", "Cluster")


def test_a_kind_of_a_group_that_is_not_declared_is_as_all_others_of_its_name() -> None:
    registry = Registry({"a": (*declared("a.io", cluster="Pool Net"), *declared("b.io", namespaced="Net"))})
    assert registry.of_cluster("c.io", "Pool")
    assert not registry.of_cluster("c.io", "Net")
    assert registry.of_cluster("a.io", "Net")
    apart = Registry({"a": (*declared("a.io", cluster="Queue"), *declared(ANY_GROUP, namespaced="Queue"))})
    assert not apart.of_cluster("c.io", "Queue")


@pytest.mark.parametrize(
    "readers",
    [
        {"one": (*declared("a.io", namespaced="Job"), *declared("a.io", namespaced="Job"))},
        {"one": declared("a.io", namespaced="Job"), "other": declared("a.io", cluster="Job")},
        {"one": declared("a.io", namespaced="Job"), "other": declared("a.io", files="Job")},
    ],
    ids=["twice by one reader", "another place", "a file and an object"],
)
def test_a_kind_that_is_declared_twice_fails(readers: dict[str, tuple[ApiKind, ...]]) -> None:
    with pytest.raises(DeclarationError):
        Registry(readers)


def test_two_readers_may_read_one_kind() -> None:
    registry = Registry({"one": declared("", cluster="Namespace"), "other": declared("", cluster="Namespace")})
    assert registry.readers["", "Namespace"] == ("one", "other")
