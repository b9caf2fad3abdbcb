"""The comment of a pull request, against an API that answers on this machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.action.conftest import Api

from trainlint.action import comment


@pytest.fixture
def summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, api: Api) -> Path:
    """The summary of a run with one finding, and the variables of the step."""
    file = tmp_path / "summary.md"
    file.write_text("### trainlint: 1 error\n", encoding="utf-8")
    event(tmp_path, monkeypatch, {"pull_request": {"number": 7}})
    for name, value in {
        "FINDINGS": "1",
        "GITHUB_API_URL": api.url,
        "GITHUB_JOB": "lint",
        "GITHUB_REPOSITORY": "team/training",
        "GITHUB_TOKEN": "t",
        "GITHUB_WORKFLOW": "manifests",
        "INPUT_PATHS": ".",
        "SUMMARY_FILE": str(file),
    }.items():
        monkeypatch.setenv(name, value)
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return file


def event(folder: Path, monkeypatch: pytest.MonkeyPatch, data: object) -> None:
    (folder / "event.json").write_text(json.dumps(data), encoding="utf-8")
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(folder / "event.json"))


def test_the_first_finding_writes_a_comment_and_later_runs_write_into_the_same(summary: Path, api: Api) -> None:
    assert comment.main() == 0
    (first,) = api.bodies()
    assert first.endswith("### trainlint: 1 error\n")
    assert first.startswith("<!-- trainlint ")
    summary.write_text("### trainlint: 2 errors\n", encoding="utf-8")
    assert comment.main() == 0
    (second,) = api.bodies()
    assert second == first.replace("1 error", "2 errors")
    assert api.tokens == {"Bearer t"}
    assert [method for method, _ in api.requests] == ["GET", "POST", "GET", "PATCH"]
    assert api.requests[1] == ("POST", "/repos/team/training/issues/7/comments")


def test_a_comment_that_says_the_same_is_left_alone(summary: Path, api: Api) -> None:
    comment.main()
    api.comments[0]["body"] = api.comments[0]["body"].rstrip().replace("\n", "\r\n")  # as the API gives it back
    comment.main()
    assert [method for method, _ in api.requests] == ["GET", "POST", "GET"]


def test_nothing_found_is_no_reason_to_begin_a_comment(
    summary: Path, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FINDINGS", "0")
    comment.main()
    assert api.bodies() == []


def test_a_comment_that_is_there_says_that_all_is_well(
    summary: Path, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    comment.main()
    monkeypatch.setenv("FINDINGS", "0")
    summary.write_text("### trainlint: no new findings\n", encoding="utf-8")
    comment.main()
    (body,) = api.bodies()
    assert "no new findings" in body


def test_it_is_found_among_hundreds_of_others(summary: Path, api: Api) -> None:
    for number in range(250):
        api.add(f"words {number}")
    comment.main()
    for number in range(20):
        api.add(f"more words {number}")
    comment.main()
    assert sum("trainlint" in body for body in api.bodies()) == 1
    assert [method for method, _ in api.requests].count("GET") == 6


def test_the_comment_of_a_person_who_copied_the_mark_is_not_overwritten(summary: Path, api: Api) -> None:
    comment.main()
    copied = api.comments.pop()["body"]
    api.add(copied, "User")
    summary.write_text("### other\n", encoding="utf-8")
    comment.main()
    assert api.bodies()[0] == copied
    assert len(api.bodies()) == 2


@pytest.mark.parametrize(
    ("name", "value"), [("GITHUB_JOB", "other"), ("INPUT_PATHS", "apps"), ("GITHUB_WORKFLOW", "w")]
)
def test_two_jobs_have_two_comments(
    summary: Path, api: Api, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    comment.main()
    monkeypatch.setenv(name, value)
    comment.main()
    comment.main()
    assert len(api.bodies()) == 2


@pytest.mark.parametrize("status", [401, 403, 404])
def test_without_the_permission_there_is_no_comment_and_no_failure(
    summary: Path, api: Api, capsys: pytest.CaptureFixture[str], status: int
) -> None:
    api.refuse = status
    assert comment.main() == 0
    text = capsys.readouterr().out
    assert "no comment" in text
    assert "pull-requests: write" in text
    assert "::warning" not in text


def test_another_answer_is_a_warning(summary: Path, api: Api, capsys: pytest.CaptureFixture[str]) -> None:
    api.refuse = 500
    assert comment.main() == 0
    assert capsys.readouterr().out == "::warning title=trainlint::the comment could not be written: HTTP 500\n"


def test_an_answer_that_makes_no_sense_is_a_warning(
    summary: Path, api: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    api.broken = True
    assert comment.main() == 0
    assert "could not be written" in capsys.readouterr().out


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "file:///etc", ""])
def test_an_api_that_is_not_there_is_a_warning(
    summary: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], url: str
) -> None:
    monkeypatch.setenv("GITHUB_API_URL", url)
    assert comment.main() == 0
    assert "could not be written" in capsys.readouterr().out


@pytest.mark.parametrize("data", [{}, {"pull_request": None}, {"pull_request": {"number": "7/../8"}}, [], None])
def test_other_events_have_no_comment(
    summary: Path, api: Api, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, data: object
) -> None:
    event(tmp_path, monkeypatch, data)
    assert comment.main() == 0
    assert api.requests == []


def test_a_summary_that_is_too_long_is_cut(summary: Path, api: Api) -> None:
    summary.write_text("é" * 70_000, encoding="utf-8")
    comment.main()
    assert len(api.bodies()[0]) == 65_536
