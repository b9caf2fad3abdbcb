"""The report for programs holds to its published schema."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError
from tests.report.samples import everything
from tests.unknown_values import unknown

from trainlint import __version__
from trainlint.finding import Location, Severity
from trainlint.model.known import Answer
from trainlint.report import Options, reporter
from trainlint.report.values import compact, plain
from trainlint.result import Failure, PlacedUnknown, Result
from trainlint_schemas import schema


def loaded(result: Result) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(reporter("json")(result, Options()))
    return report


def strict(node: Any) -> Any:
    """The schema without room for members that it does not name (it is published open, for later versions)."""
    if isinstance(node, dict):
        node = {key: strict(value) for key, value in node.items()}
        if "properties" in node or node.get("$ref") in {"#/$defs/place", "#/$defs/finding"}:
            node["unevaluatedProperties"] = False
    elif isinstance(node, list):
        node = [strict(item) for item in node]
    return node


def strict_schema() -> dict[str, Any]:
    closed: dict[str, Any] = strict(schema("report"))
    # What others extend (place, finding) must stay open itself; those who refer to it are closed.
    for name in ("place", "finding"):
        closed["$defs"][name].pop("unevaluatedProperties")
    return closed


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(schema("report"))


@pytest.mark.parametrize("name", ["nothing", "../report", "", "report.json"])
def test_a_schema_that_does_not_exist_is_a_key_error(name: str) -> None:
    with pytest.raises(KeyError):
        schema(name)


@pytest.mark.parametrize("result", [everything(), Result("/"), Result("/", analysed=False)])
def test_reports_hold_to_the_schema_and_have_no_member_that_it_does_not_name(result: Result) -> None:
    report = loaded(result)
    Draft202012Validator(schema("report")).validate(report)
    Draft202012Validator(strict_schema()).validate(report)


def test_the_members_are_those_of_the_published_format() -> None:
    report = loaded(everything())
    assert (report["schema"], report["trainlint"]) == (1, __version__)
    assert [snapshot["name"] for snapshot in report["snapshots"]] == ["broken", "fixed"]
    (finding,) = report["findings"]
    assert (finding["rule"], finding["category"], finding["severity"], finding["certainty"], finding["id"]) == (
        "no-viable-zone",
        "topology",
        "error",
        "proven",
        "4f1d2c",
    )
    assert finding["location"] == {
        "file": "broken/training.yaml",
        "line": 17,
        "column": 5,
        "end_line": 17,
        "end_column": 10,
        "path": ["spec", "template", "spec"],
    }
    assert finding["related"][0] == {
        "role": "who keeps the leader out",
        "file": "cluster/nodes.yaml",
        "line": 112,
        "column": 7,
        "end_line": 112,
        "end_column": 12,
        "path": ["pools", 0, "taints"],
    }
    assert finding["counterexample"]["leader"] == "west (cpu-1)"
    assert finding["snapshots"] == ["broken"]
    assert report["groups"][1]["witness"]["trainers 0-2"] == ["gpu-1", "gpu-2", "gpu-3"]
    assert [(group["exists"], group["for_all"], group["pods"]) for group in report["groups"]] == [
        ("refuted", "refuted", 4),
        ("proved", "proved", 4),
        ("unknown", "unknown", None),
    ]
    assert report["unknowns"][0]["file"] == "jobs/elastic.yaml"
    assert "file" not in report["unknowns"][1]
    assert [(each["rule"], each["reason"]) for each in report["suppressed"]] == [
        ("soft-colocation", "measured, fast enough")
    ]


def test_a_finding_without_counterexample_has_no_such_member() -> None:
    assert "counterexample" not in loaded(everything())["suppressed"][0]


def test_failures_are_part_of_the_report() -> None:
    report = loaded(Result("/", failures=(Failure("flow-denied", "broke"),)))
    assert report["failures"] == [{"rule": "flow-denied", "message": "broke"}]


def test_keys_and_order_are_the_same_every_time() -> None:
    render = reporter("json")
    assert render(everything(), Options()) == render(everything(), Options(color=True, quiet=True, width=40))
    assert list(loaded(everything()))[:4] == ["schema", "trainlint", "analysed", "snapshots"]


def test_the_text_is_ascii_and_survives_names_that_are_no_text() -> None:
    text = reporter("json")(
        Result("/", unknowns=(PlacedUnknown("訓練 \x1b\udcff", "m", file="b\udcff.yaml"),)), Options()
    )
    assert text.isascii()
    assert "\x1b" not in text
    assert json.loads(text)["unknowns"][0]["file"] == "b\udcff.yaml"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema",), 2),
        (("findings", 0, "severity"), "fatal"),
        (("findings", 0, "location", "line"), 0),
        (("findings", 0, "id"), ""),
        (("groups", 0, "exists"), "maybe"),
        (("groups", 0, "pods"), "4"),
        (("suppressed", 0, "rule"), "NOT A NAME"),
        (("unknowns", 0, "subject"), None),
    ],
)
def test_the_schema_refuses_what_the_format_does_not_allow(path: tuple[Any, ...], value: Any) -> None:
    report = copy.deepcopy(loaded(everything()))
    place: Any = report
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(ValidationError):
        Draft202012Validator(schema("report")).validate(report)


@pytest.mark.parametrize(
    ("value", "data", "text"),
    [
        ("text", "text", "text"),
        (None, None, "none"),
        (True, True, "true"),
        (3, 3, "3"),
        (float("nan"), "nan", "nan"),
        (Fraction(1, 3), "1/3", "1/3"),
        (Severity.ERROR, "error", "error"),
        (Answer.PROVED, "proved", "proved"),
        (unknown("it is ${N}"), "unknown: it is ${N}", "unknown: it is ${N}"),
        (("a", 1), ["a", 1], "a, 1"),
        (frozenset({"b", "a"}), ["a", "b"], "a, b"),
        ({"zone": "a", 1: ["x"]}, {"zone": "a", "1": ["x"]}, "zone=a, 1=[x]"),
        ([{"a": 1}], [{"a": 1}], "{a=1}"),
        ((), [], "[]"),
        (Location("f.yaml", 1, ("a", 0)), {"file": "f.yaml", "document": 1, "path": ["a", 0]}, None),
    ],
)
def test_values_of_every_type_become_plain_data_and_one_line(value: Any, data: Any, text: str | None) -> None:
    shown = plain(value)
    assert shown == data
    json.dumps(shown, allow_nan=False)
    if text is not None:
        assert compact(value) == text
