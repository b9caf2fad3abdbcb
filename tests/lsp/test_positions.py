"""Places and diagnostics as editors have them: lines and UTF-16 units from 0, files as URIs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.report.samples import likely_note

from trainlint.finding import Severity, Span
from trainlint.result import GroupVerdict, PlacedRelated

pytest.importorskip("lsprotocol")

from lsprotocol.types import Position

from trainlint.lsp.diagnostics import diagnostics
from trainlint.lsp.hover import hover
from trainlint.lsp.positions import Texts, path_of, same, uri_of
from trainlint.model.known import Answer


def texts(root: Path, text: str = "a: 1\nb: 😀x\n") -> Texts:
    (root / "a.yaml").write_text(text, encoding="utf-8")
    return Texts(root.resolve(), root)


def ends(made: Any) -> tuple[int, int, int, int]:
    return made.start.line, made.start.character, made.end.line, made.end.character


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        (Span(1, 1, 1, 2), (0, 0, 0, 1)),
        (Span(2, 4, 2, 5), (1, 3, 1, 5)),  # a character of two units
        (Span(2, 5, 2, 6), (1, 5, 1, 6)),
        (Span(1, 3, 2, 1), (0, 2, 1, 0)),
        (Span(2, 2, 1, 1), (1, 1, 1, 1)),
        (Span(9, 3, 9, 4), (8, 0, 8, 0)),
        (Span(1, 9, 1, 12), (0, 4, 0, 4)),
    ],
)
def test_a_span_as_a_range(tmp_path: Path, span: Span, expected: tuple[int, int, int, int]) -> None:
    assert ends(texts(tmp_path).range("a.yaml", span)) == expected


def test_line_ends_of_windows_and_files_that_are_gone(tmp_path: Path) -> None:
    made = texts(tmp_path)
    (tmp_path / "w.yaml").write_bytes(b"ab\r\ncd\r\n")
    assert ends(made.range("w.yaml", Span(1, 1, 1, 9))) == (0, 0, 0, 2)
    assert ends(made.range("gone.yaml", Span(2, 3, 2, 4))) == (1, 0, 1, 0)


def test_names_and_uris(tmp_path: Path) -> None:
    real = tmp_path / "real"
    (real / "d").mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(real)
    made = Texts(real.resolve(), link)
    assert made.uri("d/a.yaml") == uri_of(link / "d" / "a.yaml")
    assert made.name(link / "d" / "a.yaml") == "d/a.yaml"
    assert made.name(tmp_path / "x.yaml") == ""
    inner = Texts(real.resolve(), link / "d")
    assert inner.uri("a.yaml") == uri_of(real.resolve() / "a.yaml")
    assert path_of(uri_of(real)) == real
    assert path_of("untitled:Untitled-1") is None


@pytest.mark.parametrize(
    ("saved", "text", "expected"),
    [
        (b"a: 1\n", "a: 1\n", True),
        (b"a: 1\r\n", "a: 1\n", True),
        (b"\xef\xbb\xbfa: 1\n", "\ufeffa: 1", True),
        (b"a: 1\n", "a: 2\n", False),
        (b"\xff\xfe\x00", "", False),
        (None, "", False),
    ],
)
def test_whether_a_buffer_is_saved(tmp_path: Path, saved: bytes | None, text: str, expected: bool) -> None:
    file = tmp_path / "a.yaml"
    if saved is not None:
        file.write_bytes(saved)
    assert same(file, text) is expected


@pytest.mark.parametrize(
    ("severity", "number"), [(Severity.ERROR, 1), (Severity.WARNING, 2), (Severity.NOTE, 3), (None, 1)]
)
def test_the_severity_of_a_diagnostic(tmp_path: Path, severity: Severity | None, number: int) -> None:
    placed = likely_note()
    seen: Any = SimpleNamespace(findings=[replace(placed, finding=replace(placed.finding, severity=severity))])
    ((_, (made,)),) = diagnostics(seen, texts(tmp_path)).items()
    assert made.severity == number


def test_a_whole_diagnostic(tmp_path: Path) -> None:
    placed = likely_note()
    related = PlacedRelated("why", "a.yaml", Span(1, 1, 1, 2))
    finding = replace(placed.finding, remedy="change it", snapshots=("x", "z"))
    seen: Any = SimpleNamespace(findings=[replace(placed, finding=finding, related=(related,)), placed])
    made_texts = texts(tmp_path)
    ((uri, (made, other)),) = diagnostics(seen, made_texts).items()
    assert uri == made_texts.uri("jobs/a.yaml")
    assert made.message == f"{finding.message}\nhelp: change it\nin x, z"
    assert (made.code, made.source, made.data) == ("soft-colocation", "trainlint", {"id": "99aa"})
    assert made.related_information is not None
    (there,) = made.related_information
    assert (there.message, there.location.uri, ends(there.location.range)) == (
        "why",
        made_texts.uri("a.yaml"),
        (0, 0, 0, 1),
    )
    assert other.related_information is None
    alone: Any = SimpleNamespace(findings=[replace(placed, finding=replace(placed.finding, snapshots=(".",)))])
    ((_, (made,)),) = diagnostics(alone, made_texts).items()
    assert made.message == placed.finding.message


def test_the_group_under_the_cursor(tmp_path: Path) -> None:
    verdict = GroupVerdict("ml/a", "Job", "lab", 2, Answer.PROVED, Answer.PROVED)
    home = SimpleNamespace(file="a.yaml", span=Span(1, 2, 1, 4), verdict=verdict)
    seen: Any = SimpleNamespace(homes=[home])
    made = texts(tmp_path)

    def shown(line: int, character: int, file: str = "a.yaml") -> str | None:
        found = hover(seen, made, tmp_path / file, Position(line, character))
        return None if found is None else found.contents.value  # type: ignore[union-attr]

    assert [shown(0, each) is not None for each in (0, 1, 2, 3, 4)] == [False, True, True, True, False]
    assert shown(1, 2) is None
    assert shown(0, 2, "b.yaml") is None
    text = shown(0, 2)
    assert text is not None
    assert text.startswith("**ml/a** (Job)\n")
    seen.homes.append(SimpleNamespace(file="b.yaml", span=Span(1, 1, 1, 2), verdict=replace(verdict, snapshot="prod")))
    assert (shown(0, 2) or "").startswith("**ml/a** (Job) in `lab`\n")
