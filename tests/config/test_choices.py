"""What trainlint.yaml says about the linter itself, and its schema."""

from __future__ import annotations

import datetime as dt
import runpy
import sys
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator

from trainlint.config.choices import Choices, PathIgnore
from trainlint.config.load import configuration_document, load_configuration
from trainlint.config.schema import config_schema
from trainlint.finding import Location, Severity, UsageError
from trainlint_schemas import schema

WHOLE = """\
clusters:
  - name: lab
    kubernetes: "1.36"
    profile: eks
    cni: {name: cilium, version: "1.18.5", options: {enable-host-firewall: true}}
    admission: [ExtendedResourceToleration]
    topology_key: topology.kubernetes.io/zone
groups:
  ml/train: {cross_zone: allowed}
rules:
  select: [topology, flow-denied]
  ignore: [split-across-zones]
  severity: {flow-denied: warning, no-viable-zone: note, untolerated-taint: off, no-matching-node: "off"}
ignore:
  - paths: [old/, "*.tmp.yaml"]
    rules: [policy]
    reason: moves away in spring
    until: 2027-01-31
fail_on: warning
require_reason: true
"""


def choices(text: str) -> Choices:
    return load_configuration(configuration_document("trainlint.yaml", text.encode())).choices


def mistakes(text: str) -> list[str]:
    with pytest.raises(UsageError) as raised:
        load_configuration(configuration_document("trainlint.yaml", text.encode()))
    return str(raised.value).split("\n")


def test_everything_can_be_said() -> None:
    assert choices(WHOLE) == Choices(
        select=frozenset({"topology", "flow-denied"}),
        ignore=frozenset({"split-across-zones"}),
        # YAML 1.1, which Kubernetes reads, makes false of a bare `off`.
        severities={
            "flow-denied": Severity.WARNING,
            "no-viable-zone": Severity.NOTE,
            "untolerated-taint": None,
            "no-matching-node": None,
        },
        ignores=(
            PathIgnore(
                ("old/", "*.tmp.yaml"),
                ("policy",),
                Location("trainlint.yaml", 0, ("ignore", 0)),
                "moves away in spring",
                dt.date(2027, 1, 31),
            ),
        ),
        fail_on=Severity.WARNING,
        require_reason=True,
    )


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "{}\n", "clusters: []\n"])
def test_what_is_not_said_is_not_chosen(text: str) -> None:
    assert choices(text) == Choices()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rules: {slect: []}", "1:9: rules.slect: no such key; did you mean select?"),
        ("fail-on: error", "1:1: fail-on: no such key; did you mean fail_on?"),
        # The nearest key of this mapping, not of another one.
        ("ignore:\n  - {paths: [a], rule: [b]}", "2:18: ignore.0.rule: no such key; did you mean rules?"),
        ("fail_on: warn", "1:1: fail_on: must be 'error', 'warning' or 'note', got 'warn'; did you mean warning?"),
        ("rules:\n  severity: {flow-denied: fatal}", "2:14: rules.severity.flow-denied: must be "),
        ("rules: {select: [Flow Denied]}", "1:18: rules.select.0: "),
        ("ignore:\n  - paths: [a]\n    rules: [b]\n    until: soon", "4:5: ignore.0.until: "),
        ("require_reason: maybe", "1:1: require_reason: "),
        ("clusters: [{name: a, profile: ek}]", "1:22: clusters.0.profile: must be "),
        ("- a", "1:1: the whole: "),
    ],
)
def test_every_mistake_has_its_line_and_the_nearest_right_word(text: str, expected: str) -> None:
    found = [line.removeprefix("trainlint.yaml:").replace(" configuration:", "", 1) for line in mistakes(text)]
    assert any(line.startswith(expected) for line in found), found


def test_all_mistakes_are_told_at_once() -> None:
    assert len([line for line in mistakes("fail_on: x\nrequire_reason: x\nfoo: 1") if "trainlint.yaml:" in line]) == 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"fail_on: note\nfail_on: error\n", "trainlint.yaml:2:1: configuration: fail_on: this key stands twice"),
        (
            b"rules:\n  <<: [{select: [a],\n    select: [b]}]\n",
            "trainlint.yaml:2:3: configuration: rules.<<.select: this key stands twice",
        ),
        (b"fail_on: note\n---\nfail_on: error\n", "trainlint.yaml:3:1: configuration: only one document can count"),
        (b"a: [b\n", "trainlint.yaml:"),
        (b"a: \xff\xfe\n", "trainlint.yaml: configuration: "),
    ],
)
def test_a_file_that_is_no_configuration_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(UsageError, match="^" + message.replace("[", r"\[")):
        load_configuration(configuration_document("trainlint.yaml", content))


def test_the_published_schema_is_that_of_the_model() -> None:
    made = config_schema()
    assert schema("config") == made, "run: python -m trainlint.config.schema > schemas/trainlint_schemas/config.json"


def test_the_published_schema_is_what_the_module_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "trainlint.config.schema")
    runpy.run_module("trainlint.config.schema", run_name="__main__")
    assert capsys.readouterr().out == (files("trainlint_schemas") / "config.json").read_text(encoding="utf-8")


def test_the_schema_is_one_and_takes_what_the_linter_takes() -> None:
    validator = Draft202012Validator(schema("config"))
    Draft202012Validator.check_schema(schema("config"))
    data = configuration_document("trainlint.yaml", WHOLE.encode()).data
    validator.validate(data)
    assert list(validator.iter_errors({**data, "fail_on": "fatal"}))
    assert list(validator.iter_errors({**data, "unknown": 1}))
    # Editors read YAML 1.2, in which `off` is a word.
    validator.validate({"rules": {"severity": {"flow-denied": "off"}}})
    assert not list(validator.iter_errors({"rules": {"severity": {"flow-denied": False}}}))


def test_every_key_is_described() -> None:
    published = schema("config")
    for part in (published, *published["$defs"].values()):
        for name, each in part["properties"].items():
            assert each.get("description"), name
