"""Mistakes in trainlint.yaml: where, which key, what is wrong, the nearest right name; exit code 2."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from tests.config.test_choices import WHOLE
from tests.engine.worlds import write

from trainlint.cli.main import cli
from trainlint.config.mistakes import mistakes
from trainlint.config.model import Config
from trainlint.config.schema import config_schema
from trainlint.engine import check
from trainlint.finding import UsageError
from trainlint.source.loader import load

VALID: dict[str, Any] = load(WHOLE).data
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 70000),
    st.floats(0, 2, allow_nan=False),
    st.sampled_from(["", "a", "1.30", "A", "auto", "2027-01-31", "2027-01-31T00:00:00", "20270131", "off", "1"]),
    st.just([]),
    st.just({}),
    st.just([{}]),
    st.just({"a": "b"}),
)


def complaint(root: Path, text: str) -> str:
    write(root, {"trainlint.yaml": text})
    with pytest.raises(UsageError) as raised:
        check([root])
    return str(raised.value)


@pytest.mark.parametrize(
    ("marked", "key", "cause"),
    [
        ("▸clustrs: []\n", "clustrs", "no such key; did you mean clusters?"),
        ("clusters:\n  - ▸nam: a\n    name: b\n", "clusters.0.nam", "no such key; did you mean name?"),
        ("clusters:\n  - name: a\n    ▸zzz: 1\n", "clusters.0.zzz", "no such key; keys are: admission, closed, cni, "),
        ("clusters:\n  - ▸profile: eks\n", "clusters.0.name", "this key is required"),
        ('clusters:\n  - ▸name: ""\n', "clusters.0.name", "must not be empty"),
        ("clusters:\n  - ▸name: 7\n", "clusters.0.name", "must be a string, and YAML reads this as the number 7"),
        ("clusters:\n  - ▸name: y\n", "clusters.0.name", "must be a string, and YAML reads this as true"),
        ("clusters: [{name: a, ▸kubernetes: 1.30}]\n", "clusters.0.kubernetes", "must be a string, and YAML reads"),
        ("clusters: [{name: a, ▸kubernetes: latest}]\n", "clusters.0.kubernetes", "must match ^v?"),
        ("clusters: [{name: a, ▸profile: esk}]\n", "clusters.0.profile", "must be 'eks', 'gke'"),
        ("clusters: [{name: a, cni: {▸name: celium}}]\n", "clusters.0.cni.name", "must be 'cilium'"),
        ("clusters: [{name: a, ▸cni: {version: '1.18'}}]\n", "clusters.0.cni.name", "this key is required"),
        ("clusters: [{name: a, ▸cni: cilium}]\n", "clusters.0.cni", "must be a mapping, got 'cilium'"),
        ("clusters: [{name: a, ▸admission: X}]\n", "clusters.0.admission", "must be a list, got 'X'"),
        ("clusters: [{name: a, ▸topology_key: ''}]\n", "clusters.0.topology_key", "must not be empty"),
        ("▸clusters: {name: a}\n", "clusters", "must be a list"),
        ("clusters: [▸a]\n", "clusters.0", "must be a mapping, got 'a'"),
        ("groups:\n  ml/train:\n    ▸cross_zone: yes\n", "groups.ml/train.cross_zone", "'allowed' or 'forbidden'"),
        ("▸require_reason: 'true'\n", "require_reason", "must be true or false, got 'true'"),
        ("rules: {severity: {▸Flow Denied: error}}\n", "rules.severity.Flow Denied", "this key must match ^[a-z0-9]+"),
        ("ignore: [{▸paths: [], rules: [a]}]\n", "ignore.0.paths", "must not be empty"),
        ("ignore: [{paths: [a], rules: [a], ▸until: soon}]\n", "ignore.0.until", "must be a date, as 2027-01-31, got"),
        ("workloads: [{kind: A, roles: [{▸replicas: [1]}]}]\n", "workloads.0.roles.0.replicas", "a string or a whole"),
        (
            "workloads: [{kind: A, roles: [{}], flows: [{from: a, to: b, ▸port: 70000}]}]\n",
            "workloads.0.flows.0.port",
            "must be at most 65535, got 70000",
        ),
        (
            "clusters: [{name: a, cni: {name: cilium, options: {▸a: [1]}}}]\n",
            "clusters.0.cni.options.a",
            "true or false",
        ),
        ("groups: {ml/train: {▸cros_zone: allowed}}\n", "groups.ml/train.cros_zone", "did you mean cross_zone?"),
    ],
)
def test_a_mistake_is_named_at_its_place(tmp_path: Path, marked: str, key: str, cause: str) -> None:
    before, _, after = marked.partition("▸")
    said = complaint(tmp_path, before + after)
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    assert said.startswith(f"trainlint.yaml:{line}:{column}: configuration: {key}: ")
    assert cause in said


def test_a_right_file_needs_no_validator(tmp_path: Path) -> None:
    write(tmp_path, {"trainlint.yaml": "clusters: [{name: a, kubernetes: '1.30', cni: {name: cilium}}]\n"})
    code = (
        "import sys; from pathlib import Path; from trainlint.engine import check;"
        f"check([Path({str(tmp_path)!r})]); sys.exit('jsonschema' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def holders(value: Any) -> Iterator[tuple[Any, str | int]]:
    """Every key and index of a value, with what holds it."""
    for step, each in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, step
        if isinstance(each, (dict, list)):
            yield from holders(each)


@given(st.integers(0, 10_000), VALUES)
def test_what_the_model_takes_as_it_is_the_schema_allows(number: int, changed: object) -> None:
    value = copy.deepcopy(VALID)
    places = list(holders(value))
    holder, step = places[number % len(places)]
    holder[step] = changed
    try:
        Config.model_validate_json(json.dumps(value), strict=True)
    except ValidationError:
        return
    assert not mistakes(config_schema(), value)


def test_every_mistake_is_named_at_once(tmp_path: Path) -> None:
    said = complaint(tmp_path, "clusters:\n  - name: a\n    profile: x\n  - nme: b\nother: 1\n")
    assert [line.split(": ")[0] for line in said.splitlines()] == [
        "trainlint.yaml:3:5",
        "trainlint.yaml:4:5",
        "trainlint.yaml:4:5",
        "trainlint.yaml:5:1",
    ]


@pytest.mark.parametrize("text", ["- a\n", "text\n", "7\n", "[]\n"])
def test_a_file_that_is_no_mapping_is_a_mistake(tmp_path: Path, text: str) -> None:
    assert complaint(tmp_path, text).startswith("trainlint.yaml:1:1: configuration: ")


@pytest.mark.parametrize("content", [b"\x00\x01\x02", b"a: \xff\xfe\n", b"a: [1\n", b"a: {{ x }}\n", b"[" * 400])
def test_a_file_that_does_not_parse_is_a_mistake(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "trainlint.yaml").write_bytes(content)
    with pytest.raises(UsageError, match=r"^trainlint\.yaml"):
        check([tmp_path])


@pytest.mark.parametrize("text", ["", "# nothing\n", "null\n", "{}\n", "clusters: []\n", "groups: {}\n", "---\n"])
def test_a_file_that_says_nothing_sets_nothing(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"trainlint.yaml": text})
    assert [each.name for each in check([tmp_path]).snapshots] == []


def test_the_command_line_ends_with_2_and_prints_the_mistake_without_a_traceback(tmp_path: Path) -> None:
    write(tmp_path, {"trainlint.yaml": "clusters:\n  - name: a\n    profil: eks\n"})
    outcome = CliRunner().invoke(cli, ["check", str(tmp_path)])
    assert outcome.exit_code == 2
    assert "trainlint.yaml:3:5: configuration: clusters.0.profil: no such key; did you mean profile?" in outcome.stderr
    assert outcome.stdout == ""
    assert "Traceback" not in outcome.output


def test_a_configuration_that_is_named_counts_instead(tmp_path: Path) -> None:
    write(tmp_path, {"trainlint.yaml": "wrong: 1\n", "other.yaml": "clusters: [{name: a}]\n"})
    assert CliRunner().invoke(cli, ["check", str(tmp_path), "--config", str(tmp_path / "other.yaml")]).exit_code == 0
    assert CliRunner().invoke(cli, ["check", str(tmp_path), "--config", str(tmp_path / "none.yaml")]).exit_code == 2


def test_versions_may_carry_a_v_and_a_patch(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"trainlint.yaml": 'clusters: [{name: a, kubernetes: v1.36.2, cni: {name: cilium, version: "1.18"}}]\n'},
    )
    check([tmp_path])
