"""Patches in place: merge patches of custom kinds, operations of RFC 6902, selectors as text."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from trainlint.deploy.patch import PatchError, applied, is_custom, selects
from trainlint.kube.meta import Meta

OBJECT: dict[str, Any] = {
    "apiVersion": "example.com/v1",
    "kind": "Train",
    "metadata": {"name": "a", "namespace": "ml", "labels": {"x": "1", "y/z": "2"}},
    "spec": {"name": "inner", "list": [1, 2, 3], "map": {"k": {"deep": True}, "t~u": 0}},
}


@pytest.mark.parametrize(
    ("patch", "path", "value"),
    [
        ({"spec": {"new": 1}}, ("spec", "new"), 1),
        ({"spec": {"list": [9]}}, ("spec", "list"), [9]),  # without a schema lists are replaced whole
        ({"spec": {"map": {"k": {"more": 1}}}}, ("spec", "map", "k"), {"deep": True, "more": 1}),
        ({"spec": {"map": {"k": None}}}, ("spec", "map"), {"t~u": 0}),
        ({"spec": {"gone": None}}, ("spec",), OBJECT["spec"]),
        ({"spec": {"map": "flat"}}, ("spec", "map"), "flat"),
        ({"spec": {"list": {"a": 1}}}, ("spec", "list"), {"a": 1}),
        ({"spec": {"name": "other"}}, ("spec", "name"), "other"),
        ({"spec": None}, (), {key: value for key, value in OBJECT.items() if key != "spec"}),
        ({"metadata": {"name": "b", "namespace": "c"}}, (), OBJECT),  # they say who is patched
        ({"metadata": {"labels": {"name": "b"}}}, ("metadata", "labels", "name"), "b"),
        ({"apiVersion": "x/v1", "kind": "X"}, (), OBJECT),
        ([{"op": "replace", "path": "/spec/name", "value": "n"}], ("spec", "name"), "n"),
        ([{"op": "add", "path": "/spec/new", "value": "n"}], ("spec", "new"), "n"),
        ([{"op": "add", "path": "/spec/name", "value": "n"}], ("spec", "name"), "n"),
        ([{"op": "remove", "path": "/spec/list/0"}], ("spec", "list"), [2, 3]),
        ([{"op": "replace", "path": "/spec/list/2", "value": 9}], ("spec", "list"), [1, 2, 9]),
        ([{"op": "add", "path": "/spec/list/1", "value": 9}], ("spec", "list"), [1, 9, 2, 3]),
        ([{"op": "add", "path": "/spec/list/3", "value": 9}], ("spec", "list"), [1, 2, 3, 9]),
        ([{"op": "add", "path": "/spec/list/-", "value": 9}], ("spec", "list"), [1, 2, 3, 9]),
        ([{"op": "remove", "path": "/metadata/labels/y~1z"}], ("metadata", "labels"), {"x": "1"}),
        ([{"op": "replace", "path": "/spec/map/t~0u", "value": 5}], ("spec", "map", "t~u"), 5),
        (
            [{"op": "add", "path": "/spec/new", "value": {}}, {"op": "add", "path": "/spec/new/in", "value": 1}],
            ("spec", "new"),
            {"in": 1},
        ),
        ([], (), OBJECT),
    ],
)
def test_what_a_patch_makes(patch: Any, path: tuple[str, ...], value: Any) -> None:
    before = copy.deepcopy(OBJECT)
    made = applied(OBJECT, patch)
    for step in path:
        made = made[step]
    assert made == value
    assert before == OBJECT  # it is another object


@pytest.mark.parametrize(
    "patch",
    [
        "text",
        None,
        {"spec": {"$patch": "delete"}},
        ["text"],
        [{"op": "move", "path": "/spec/name", "from": "/spec/list"}],
        [{"op": "add", "path": "", "value": {}}],
        [{"op": "add", "value": {}}],
        [{"op": "add", "path": "/spec/new"}],
        [{"op": "remove", "path": "/spec/gone"}],
        [{"op": "replace", "path": "/spec/gone", "value": 1}],
        [{"op": "add", "path": "/gone/in", "value": 1}],
        [{"op": "add", "path": "/spec/list/4", "value": 1}],
        [{"op": "replace", "path": "/spec/list/3", "value": 1}],
        [{"op": "replace", "path": "/spec/list/-", "value": 1}],
        [{"op": "remove", "path": "/spec/list/x"}],
        [{"op": "add", "path": "/spec/name/x", "value": 1}],
    ],
)
def test_what_cannot_be_applied(patch: Any) -> None:
    with pytest.raises(PatchError):
        applied(OBJECT, patch)


@pytest.mark.parametrize(
    ("selector", "matches"),
    [
        ("", True),
        ("a=b", True),
        ("a==b", True),
        ("a=c", False),
        ("a!=c", True),
        ("a!=b", False),
        ("none!=b", True),
        ("none=b", False),
        ("empty=", True),
        ("a", True),
        ("none", False),
        ("!none", True),
        ("!a", False),
        ("a in (b)", True),
        ("a in (c, b)", True),
        ("a in (c)", False),
        ("none in (b)", False),
        ("a notin (c)", True),
        ("a notin (b)", False),
        ("none notin (b)", True),
        ("a=b,x.y/z=1", True),
        ("a=b, x.y/z = 2", False),
        ("a=c,(", False),  # one that does not hold is enough
        ("(", None),
        ("a=b,(", None),
        ("a>1", None),
        (",", None),
    ],
)
def test_selectors_as_text(selector: str, matches: bool | None) -> None:
    assert selects(selector, {"a": "b", "x.y/z": "1", "empty": ""}) is matches


@pytest.mark.parametrize(
    ("version", "custom"),
    [
        ("v1", False),
        ("apps/v1", False),
        ("batch/v1", False),
        ("networking.k8s.io/v1", False),
        ("kueue.x-k8s.io/v1beta1", True),
        ("jobset.x-k8s.io/v1alpha2", True),
        ("leaderworkerset.x-k8s.io/v1", True),
        ("kubeflow.org/v1", True),
        ("cluster.x-k8s.io/v1beta1", False),
    ],
)
def test_kinds_whose_lists_are_replaced_whole(version: str, custom: bool) -> None:
    assert is_custom(Meta("Kind", version, "ml", "a", {}, {})) is custom
