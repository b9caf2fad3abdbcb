"""What JSON Schema says about a value, and the quick look that decides whether it is asked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.admission.structural_schema import of_schema
from trainlint.kube import schema_faults as checked
from trainlint.kube.schema_faults import schema_faults
from trainlint.kube.structure import Structure
from trainlint.source.document import Document
from trainlint.wording.because import because_text, remedy_for

COMMON: dict[str, Any] = {
    "$defs": {"Port": {"type": "object", "properties": {"number": {"type": "integer", "minimum": 1, "maximum": 65535}}}}
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 5},
        "policy": {"type": "string", "enum": ["Always", "Never"]},
        "count": {"type": "integer", "minimum": 0},
        "share": {"type": "number", "exclusiveMaximum": 1},
        "on": {"type": "boolean"},
        "address": {"type": "string", "format": "ipv4"},
        "ports": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"$ref": "kubernetes.json#/$defs/Port"}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "any": {},
        "one": {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
    },
}


def found(value: Any) -> list[tuple[str, str]]:
    return [(".".join(map(str, each.path)), each.keyword) for each in schema_faults(SCHEMA, COMMON, value)]


@pytest.mark.parametrize(
    ("value", "faults"),
    [
        ({"name": "a"}, []),
        ({"name": "a", "count": 2.0, "on": False, "any": [{"x": 1}], "labels": {"k": "v"}}, []),
        ({"name": "a", "count": None, "policy": None}, []),  # null is absent
        ({"name": "${NAME}", "count": "${COUNT}"}, [("name", "maxLength"), ("name", "pattern")]),
        ({}, [("", "required")]),
        ({"name": None}, [("", "required")]),
        ({"name": "A"}, [("name", "pattern")]),
        ({"name": "abcdef"}, [("name", "maxLength")]),
        ({"name": "a", "policy": "Sometimes"}, [("policy", "enum")]),
        ({"name": "a", "count": -1}, [("count", "minimum")]),
        ({"name": "a", "count": 1.5}, [("count", "type")]),
        ({"name": "a", "share": 1}, [("share", "exclusiveMaximum")]),
        ({"name": "a", "on": "yes"}, [("on", "type")]),
        ({"name": "a", "address": "10.0.0"}, [("address", "format")]),
        ({"name": "a", "ports": []}, [("ports", "minItems")]),
        ({"name": "a", "ports": [{"number": 0}]}, [("ports.0.number", "minimum")]),
        ({"name": "a", "ports": [{}, {"number": 70000}]}, [("ports.1.number", "maximum")]),
        ({"name": "a", "ports": {}}, [("ports", "type")]),
        ({"name": "a", "labels": {"k": 1}}, [("labels.k", "type")]),
        ({"name": "a", "nmae": 1}, [("nmae", "additionalProperties")]),
        ({"name": "a", "$patch": "x"}, []),  # a directive of kustomize
        ({"name": "a", "one": {}}, [("one", "oneOf")]),
        ([], [("", "type")]),
    ],
)  # fmt: skip
def test_each_keyword_is_told_with_its_path(value: Any, faults: list[tuple[str, str]]) -> None:
    assert sorted(found(value)) == sorted(faults)


def test_faults_come_in_the_order_of_the_text() -> None:
    assert found({"policy": "x", "name": "A", "count": -1}) == [
        ("policy", "enum"),
        ("name", "pattern"),
        ("count", "minimum"),
    ]


KEYS = st.sampled_from(["name", "policy", "count", "on", "ports", "labels", "number", "address", "share", "x", "${K}"])
LEAVES = st.none() | st.booleans() | st.integers(-2, 70_000) | st.floats(-2, 2) | st.sampled_from(
    ["", "a", "A", "Always", "10.0.0.1", "<TODO>", "abcdef"]
)  # fmt: skip
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=20
)


@given(VALUES)
def test_the_quick_look_passes_nothing_that_the_validator_refuses(value: Any) -> None:
    if checked._Look(SCHEMA, COMMON).passes(SCHEMA, value):
        errors = checked._validator(checked._Held(SCHEMA), checked._Held(COMMON)).iter_errors(value)
        assert [each.message for each in errors if each.instance is not None] == []


def said(value: Any) -> list[tuple[str, str]]:
    properties = {**SCHEMA["properties"], "ports": {"type": "array", "maxItems": 2}}
    structure = Structure("example.org/v1", "Thing", {**SCHEMA, "properties": properties})
    problems = of_schema(structure, Document("x.yaml", 0, 1, "", value).root)
    return [(because_text(each.why), remedy_for(each.why)) for each in problems]


def test_messages_say_what_is_there_what_must_be_and_what_to_write() -> None:
    value = {"policy": "Sometimes", "count": -1, "address": "here", "ports": [{}, {}, {}], "on": "yes", "one": {}}
    assert said(value) == [
        ("name is missing, and must be there", "write name"),
        ("policy is Sometimes, and must be one of Always, Never", "write one of Always, Never"),
        ("count is -1, and must be at least 0", "raise it to 0"),
        ("address is here, which is no ipv4", "write it as ipv4"),
        ("ports has 3 elements, and must have at most 2", "lower it to 2"),
        ("on is the text yes, and must be true or false", "write true or false"),
        ("one has none of the forms that its CRD allows (oneOf)", "write it in one of them"),
    ]  # fmt: skip


def test_a_repository_without_faults_does_not_load_the_validator(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {parallelism: 2, template: {spec: {restartPolicy: "
        "Never, containers: [{name: a, image: b}]}}}\n"
    )
    code = (
        "import sys; from pathlib import Path; from trainlint.engine import check;"
        f"check([Path({str(tmp_path)!r})]); sys.exit('jsonschema' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
