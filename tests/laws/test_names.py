"""What namespaces are called changes nothing, nor does leaving out the only one, nor a chart that takes no values."""

from __future__ import annotations

import posixpath
import re
from typing import Any

import pytest
import yaml
from tests.laws.test_knowledge import refuted, world_of
from tests.laws.worlds import WORLDS, Files, Said, is_plain, key_of, manifests, said_of, said_of_world

SYSTEM = {"default", "istio-system", "kube-system", "kube-public"}
"""Namespaces that programs know by their names."""


def plain(name: str) -> Files:
    files = world_of(name)
    if not is_plain(files):
        pytest.skip("files of it are named by a kustomization, a chart, a deployer, a setting or a test tool")
    return files


def namespaces_of(files: Files) -> set[str]:
    """The namespaces that objects name, and those that are objects."""
    found = set()
    for _, documents in manifests(files):
        for _, value in documents:
            metadata = value["metadata"]
            found |= {str(metadata["namespace"])} if metadata.get("namespace") else set()
            found |= {str(metadata["name"])} if value.get("kind") == "Namespace" else set()
    return found - SYSTEM


def moved(said: Said, names: dict[str, str]) -> set[tuple[str, str, str]]:
    """The groups under the new names of their namespaces."""

    def renamed(group: str) -> str:
        parts = (part.partition("/") for part in group.split("+"))
        return "+".join(f"{names.get(one, one) if slash else one}{slash}{rest}" for one, slash, rest in parts)

    return {(renamed(name), exists, every) for name, exists, every in said.groups}


def renamed(value: Any, names: dict[str, str], key: str = "") -> Any:
    """A manifest in which namespaces have other names: where a field, label or DNS name is one."""
    if isinstance(value, dict):
        if isinstance(value.get("key"), str) and _names_namespaces(value["key"]):
            return {each: renamed(inner, names, value["key"]) for each, inner in value.items()}
        found = {str(each): renamed(inner, names, str(each)) for each, inner in value.items()}
        if value.get("kind") == "Namespace":
            found["metadata"] = {
                **found["metadata"],
                "name": names.get(found["metadata"]["name"], found["metadata"]["name"]),
            }
        return found
    if isinstance(value, list):
        return [renamed(each, names, key) for each in value]
    if not isinstance(value, str):
        return value
    if _names_namespaces(key) and value in names:
        return names[value]
    for old, new in names.items():
        value = re.sub(rf"(?<=[a-z0-9-]\.){re.escape(old)}(?=\.svc\b|[:/\s\"',]|$)", new, value)
    return value


def _names_namespaces(key: str) -> bool:
    return key.lower().endswith(("namespace", "namespaces", "kubernetes.io/metadata.name"))


@pytest.mark.parametrize("name", WORLDS)
def test_other_names_of_namespaces_change_nothing(name: str) -> None:
    """Every namespace has another name, wherever a field, a label or a DNS name names it. Those with the name of a
    Service keep theirs: a DNS name does not tell the two apart.
    """
    files = plain(name)
    found = dict(manifests(files))
    objects = [value for documents in found.values() for _, value in documents]
    used = {str(each["metadata"]["name"]) for each in objects if each.get("kind") == "Service"}
    names = {each: f"{each}-renamed" for each in namespaces_of(files) - used}
    if not names or len(found) < sum(file.endswith((".yaml", ".yml")) for file in files):
        pytest.skip("it names no namespace, or holds a file that is not only objects with names")
    changed = {
        **files,
        **{
            file: yaml.safe_dump_all([renamed(value, names) for _, value in documents], width=10_000)
            for file, documents in found.items()
        },
    }
    same = {
        **files,
        **{
            file: yaml.safe_dump_all([value for _, value in documents], width=10_000)
            for file, documents in found.items()
        },
    }
    before, after = said_of(same), said_of(changed)
    assert after.groups == moved(before, names)
    assert after.errors == before.errors


@pytest.mark.parametrize("name", WORLDS)
def test_the_only_namespace_may_be_left_unwritten(name: str) -> None:
    """Where all objects of a world stand in one namespace and nothing selects it, leaving it out puts all of them into
    another one together. An answer may become unknown (a policy of an assumed namespace), none becomes worse.
    """
    files = plain(name)
    names = namespaces_of(files)
    text = "\n".join(files.values())
    if len(names) != 1 or "kind: Namespace" in text or re.search(r"namespaceSelector|\.svc\b|kube-system", text):
        pytest.skip("it has several namespaces, or says something of the only one")
    (only,) = names
    bare = {
        file: re.sub(
            rf", *namespace: *{re.escape(only)}(?=[ ,}}])|^ *namespace: *{re.escape(only)} *\n", "", each, flags=re.M
        )
        for file, each in files.items()
    }
    if any(re.search(rf"(?<![\w\-]){re.escape(only)}(?![\w\-])", each) for each in bare.values()):
        pytest.skip("something else has the name of the namespace")
    before, after = said_of_world(name), said_of(bare)
    assert before is not None
    known = moved(before, {only: "default"})
    assert {group for group, _, _ in known} == {group for group, _, _ in after.groups}
    assert refuted(after) <= refuted(Said(frozenset(known), before.errors))
    assert set(after.errors) <= set(before.errors)


@pytest.mark.parametrize("name", WORLDS)
def test_a_chart_without_values_changes_nothing_for_the_worse(name: str) -> None:
    """All manifests but those about nodes become templates of a chart. Nothing says where it is installed, so what
    Git holds is no longer all that there is: a rule that concludes from absence may fall silent, and what it explained
    is then said of the connection (policy-selects-nothing, flow-denied). Two definitions of one object are alternatives
    in two files, and a fault in one chart: such worlds are left alone.
    """
    pytest.importorskip("helm_python")
    files = plain(name)
    chosen = {
        file
        for file, documents in manifests(files)
        if not any("Node" in str(v.get("kind")) or v.get("kind") == "Inventory" for _, v in documents)
    }
    keys = [key_of(value) for file, documents in manifests(files) for _, value in documents if file in chosen]
    if not chosen or any("{{" in files[file] for file in chosen) or len(keys) > len(set(keys)):
        pytest.skip("nothing in it can be a template")
    chart = {"chart/Chart.yaml": "apiVersion: v2\nname: app\nversion: 1.0.0\n"}
    for number, file in enumerate(sorted(chosen)):
        chart[posixpath.join("chart/templates", f"{number}-{posixpath.basename(file)}")] = files[file]
    before, after = said_of_world(name), said_of({**{k: v for k, v in files.items() if k not in chosen}, **chart})
    assert before is not None
    assert {group for group, _, _ in before.groups} == {group for group, _, _ in after.groups}
    assert refuted(after) <= refuted(before)
    known = {rule for (rule, _), _ in before.errors}
    assert {rule for (rule, _), _ in after.errors} <= known | (
        {"flow-denied"} if "policy-selects-nothing" in known else set()
    )
