"""The options of ``trainlint check``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result as Run
from tests.cli.conftest import FakeEngine
from tests.report.samples import everything

from trainlint.cli.output import ReportOutput, targets
from trainlint.finding import UsageError

Runner = Callable[..., Run]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((), (ReportOutput("text"),)),
        (("text",), (ReportOutput("text"),)),
        (("json",), (ReportOutput("json"),)),
        (("json=-",), (ReportOutput("json"),)),
        (("json=r.json",), (ReportOutput("text"), ReportOutput("json", Path("r.json")))),
        (("json=a=b.json",), (ReportOutput("text"), ReportOutput("json", Path("a=b.json")))),
        (("json=r.json", "text"), (ReportOutput("json", Path("r.json")), ReportOutput("text"))),
        (("json", "text=r.txt"), (ReportOutput("json"), ReportOutput("text", Path("r.txt")))),
    ],
)
def test_text_goes_to_standard_output_unless_a_format_does(
    values: tuple[str, ...], expected: tuple[ReportOutput, ...]
) -> None:
    assert targets(values) == expected


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (("jsn",), "there is no format 'jsn'; did you mean 'json'?"),
        (("yaml2",), "there are: text, concise, json, sarif, github, gitlab, junit, markdown"),
        (("json=",), "names no file"),
        (("json", "text"), "only one report can go to standard output"),
        (("json=x", "text=x"), "only one report can go to the file x"),
    ],
)
def test_a_wrong_output_is_refused_with_what_would_be_right(values: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("?", r"\?")):
        targets(values)


def test_several_reports_of_one_run(run: Runner, engine: FakeEngine) -> None:
    engine.result = everything()
    outcome = run("check", "--output", "json=out.json", "--output", "text=out.txt")
    assert json.loads(Path("out.json").read_text())["schema"] == 1
    assert outcome.stdout == Path("out.txt").read_text()
    assert outcome.exit_code == 1


def test_json_on_standard_output_is_only_json(run: Runner, engine: FakeEngine) -> None:
    engine.result = everything()
    assert json.loads(run("check", "--output", "json").stdout)["groups"]


def test_a_file_that_cannot_be_written_is_wrong_usage_and_the_other_reports_are_written(
    run: Runner, engine: FakeEngine
) -> None:
    engine.result = everything()
    outcome = run("check", "--output", "json=no/such/dir.json", "--output", "text")
    assert outcome.exit_code == 2
    assert "cannot write no/such/dir.json: No such file or directory" in outcome.stderr
    assert outcome.stdout.startswith("error[no-viable-zone]")


def test_without_paths_the_current_directory_is_linted(run: Runner, engine: FakeEngine) -> None:
    assert run("check").exit_code == 0
    assert engine.paths == (Path(),)
    assert engine.arguments["stdin"] is None
    assert engine.arguments["select"] == engine.arguments["ignore"] == frozenset()
    assert engine.arguments["config"] is None


def test_paths_and_configuration_reach_the_engine(run: Runner, engine: FakeEngine) -> None:
    Path("a b.yaml").touch()
    Path("settings.yaml").touch()
    run("check", "a b.yaml", "--config", "settings.yaml")
    assert engine.paths == (Path("a b.yaml"),)
    assert engine.arguments["config"] == Path("settings.yaml")


def test_a_dash_reads_standard_input(run: Runner, engine: FakeEngine) -> None:
    run("check", "-", input=b"kind: \xffJob")
    assert engine.arguments["stdin"] == b"kind: \xffJob"
    assert engine.paths == (Path("-"),)


@pytest.mark.parametrize("arguments", [("no-such-dir",), ("--config", "no-such-file"), ("--fail-on", "fatal")])
def test_paths_and_values_that_do_not_exist_are_wrong_usage(
    run: Runner, engine: FakeEngine, arguments: tuple[str, ...]
) -> None:
    outcome = run("check", *arguments)
    assert outcome.exit_code == 2
    assert arguments[-1] in outcome.stderr


def test_rules_are_selected_by_name_and_category_in_comma_lists(run: Runner, engine: FakeEngine) -> None:
    outcome = run("check", "--select", "topology, flow-denied", "--select", "policy", "--ignore", "soft-colocation,")
    assert outcome.exit_code == 0
    assert engine.arguments["select"] == {"topology", "flow-denied", "policy"}
    assert engine.arguments["ignore"] == {"soft-colocation"}


@pytest.mark.parametrize(
    ("option", "name", "message"),
    [
        ("--select", "flow-deny", "--select: there is no rule or category 'flow-deny'; did you mean 'flow-denied'?"),
        ("--ignore", "topolgy", "--ignore: there is no rule or category 'topolgy'; did you mean 'topology'?"),
        ("--select", "xyz", "there are: flow-denied, no-viable-zone, policy, soft-colocation, topology"),
    ],
)
def test_an_unknown_rule_is_refused_with_the_nearest_name(
    run: Runner, engine: FakeEngine, option: str, name: str, message: str
) -> None:
    outcome = run("check", option, name)
    assert outcome.exit_code == 2
    assert message in outcome.stderr
    assert not engine.arguments


def test_colour_needs_a_terminal_or_to_be_asked_for(
    run: Runner, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.result = everything()
    assert "\x1b" not in run("check").stdout
    assert "\x1b[" in run("check", "--color", "always").stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" in run("check", "--color", "always").stdout


def test_reports_in_files_are_never_coloured(run: Runner, engine: FakeEngine) -> None:
    engine.result = everything()
    run("check", "--color", "always", "--output", "text=out.txt")
    assert "\x1b" not in Path("out.txt").read_text()


def test_quiet_and_show_suppressed_reach_the_report(run: Runner, engine: FakeEngine) -> None:
    engine.result = everything()
    assert "soft-colocation" in run("check", "--show-suppressed", "--quiet").stdout
    quiet = run("check", "--quiet").stdout
    assert "soft-colocation" not in quiet
    assert "groups" not in quiet


def test_standard_output_that_is_not_unicode_gets_escapes(run: Runner, engine: FakeEngine) -> None:
    engine.result = everything()
    assert run("check", charset="ascii").exit_code == 1
