"""What is not known is not no: taking knowledge away never refutes a group and never makes an error (decision 11)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from tests.laws.worlds import WORLDS, Files, Said, describes_nodes, manifests, said_of, said_of_world, world

from trainlint.rule import all_rules

CLOSED = {rule.name for rule in all_rules() if re.search(r"\babsence\b", rule.page)}
"""Rules that conclude from what is there that there is no other object of its kind (decision 5), as likely: their pages
say what an absence proves.
"""
STATED = (("kubernetes",), ("profile",), ("cni", "version"))
"""What trainlint.yaml says of a cluster beside its name. Options of the network plugin are none: what people set away
from its defaults no linter can guess, and the report shows what it assumes of them."""


def world_of(name: str) -> Files:
    files = world(name)
    if files is None:
        pytest.skip("it compares two revisions")
    return files


def refuted(said: Said) -> set[tuple[str, str]]:
    return {
        (name, question)
        for name, *answers in said.groups
        for question, answer in zip(("exists", "for all"), answers, strict=True)
        if answer == "refuted"
    }


def assert_no_worse(less: Files, name: str, what: str) -> None:
    before, after = said_of_world(name), said_of(less)
    assert before is not None
    assert refuted(after) <= refuted(before), what
    known = dict(before.errors)
    more = {key: count for key, count in after.errors if count > known.get(key, 0) and key[0] not in CLOSED}
    assert more == {}, what


def without(files: Files, kinds: frozenset[str]) -> Iterator[tuple[str, Files]]:
    """The files without one object of some kinds at a time; the others of its file stay as they are written."""
    for file, documents in manifests(files):
        for number, (_, value) in enumerate(documents):
            if value.get("kind") in kinds:
                left = [text for index, (text, _) in enumerate(documents) if index != number]
                name = f"{value['kind']} {value['metadata']['name']}"
                yield name, {**files, file: "---\n".join(left)}


@pytest.mark.parametrize("name", WORLDS)
def test_an_object_that_is_not_in_git_makes_no_error(name: str) -> None:
    """One Namespace, PersistentVolumeClaim, PersistentVolume or StorageClass less. Rules that close a kind by what is
    there (``CLOSED``) may speak, as likely: where Git holds other objects of that kind it is taken to hold all.
    """
    found = list(
        without(world_of(name), frozenset({"Namespace", "PersistentVolume", "PersistentVolumeClaim", "StorageClass"}))
    )
    if not found:
        pytest.skip("it holds none of these objects")
    for what, less in found:
        assert_no_worse(less, name, what)


@pytest.mark.parametrize("name", WORLDS)
def test_nodes_that_are_not_in_git_make_no_error(name: str) -> None:
    """All that describes nodes is gone. (One node less of a list that says it is complete is another cluster.)"""
    files = dict(world_of(name))
    gone = False
    for file, documents in manifests(files):
        left = [text for text, value in documents if not describes_nodes(value)]
        gone |= len(left) < len(documents)
        files[file] = "---\n".join(left)
    if not gone:
        pytest.skip("it describes no nodes")
    assert_no_worse(files, name, "no nodes")


@pytest.mark.parametrize("name", WORLDS)
def test_a_setting_that_is_not_stated_makes_no_error(name: str) -> None:
    """One of the versions and the profile of every cluster less in trainlint.yaml. Without a version the newest one is
    assumed, as the report says, and groups are judged under it; an error that rests on it names it, and is likely. A
    connection that is denied because of such a label is said beside it.
    """
    files = world_of(name)
    settings = yaml.safe_load(files.get("trainlint.yaml", "")) or {}
    stated = [path for path in STATED if any(_has(each, path) for each in settings.get("clusters", ()))]
    if not stated:
        pytest.skip("it states no setting")
    for path in stated:
        clusters = [_dropped(each, path) for each in settings["clusters"]]
        less = {**files, "trainlint.yaml": yaml.safe_dump({**settings, "clusters": clusters})}
        if path == ("profile",):
            assert_no_worse(less, name, str(path))
            continue
        before, after = said_of_world(name), said_of(less)
        assert before is not None
        more = {key for key, _ in after.errors} - {key for key, _ in before.errors} - after.assumed
        assert not more or ({rule for rule, _ in more} == {"flow-denied"} and after.assumed), path


def _has(cluster: dict[str, Any], path: tuple[str, ...]) -> bool:
    here: Any = cluster
    for step in path:
        here = here.get(step) if isinstance(here, dict) else None
    return here is not None


def _dropped(cluster: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    step, *rest = path
    if step not in cluster or not rest:
        return {key: value for key, value in cluster.items() if key != step}
    return {**cluster, step: _dropped(cluster[step], tuple(rest))}
