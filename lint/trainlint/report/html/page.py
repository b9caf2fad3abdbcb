"""The page around the sections: what happened in one line, and a policy that lets nothing in or out."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from importlib.resources import files
from typing import Final

from trainlint import __version__
from trainlint.report.element import Child, Markup, element, joined
from trainlint.report.html.findings import concerned, findings
from trainlint.report.html.groups import groups
from trainlint.report.html.parts import listed, names, place, rows, section
from trainlint.report.options import Options
from trainlint.report.overview import summary
from trainlint.report.terminal import Paint
from trainlint.result import Result

__all__ = ["page"]

SUBJECTS: Final = 12


def page(result: Result, options: Options) -> Markup:
    """The whole document."""
    anchors = names(_anchor(result))
    about = concerned(result)
    listing, ids = findings(result, about, anchors, suppressed=options.show_suppressed, linked=not options.quiet)
    of_group: dict[int, list[tuple[str, str, str]]] = {}
    for number, found in about.items():
        finding = result.findings[number].finding
        for group in found:
            of_group.setdefault(group, []).append((ids[number], f"{finding.rule}: {finding.message}", finding.remedy))
    quiet = options.quiet
    sections: list[Child] = [
        _failures(result),
        None if quiet else groups(result, anchors, of_group),
        listing,
        _fixed(result),
        None if quiet else _unknowns(result),
        None if quiet else section("assumed", "Assumed", listed(dict.fromkeys(result.assumptions))),
        None if quiet else _snapshots(result),
    ]
    return Markup("<!DOCTYPE html>\n" + element("html", _head(), _body(result, sections), lang="en"))


def _anchor(result: Result) -> Iterator[str]:
    several = len(result.snapshots) > 1
    for group in result.groups:
        yield f"group/{group.name}" + (f"/{group.snapshot}" if several else "")


def _head() -> Markup:
    style = Markup(_file("picture", "picture.css") + _file("html", "style.css"))
    script = Markup(_file("html", "script.js"))
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=Markup(policy)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="generator", content=f"trainlint {__version__}"),
        element("title", "trainlint report"),
        element("style", style),
        element("script", script),
    )


def _file(package: str, name: str) -> str:
    return files(f"trainlint.report.{package}").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _body(result: Result, sections: list[Child]) -> Markup:
    title = " ".join(summary(result, Paint(color=False), 1 << 30))
    return element(
        "body",
        element("a", "Skip to the content", href="#content", class_="skip"),
        element("header", element("h1", "trainlint"), element("p", title, class_="summary"), _compared(result)),
        element("main", *sections, id="content", tabindex=-1),
        element("footer", element("p", f"trainlint {__version__}")),
    )


def _compared(result: Result) -> Markup | None:
    said = []
    if result.comparison is not None:
        fixed = len(result.comparison.fixed)
        said.append(
            f"Compared with {result.comparison.base}: {len(result.findings)} new, {fixed} fixed, "
            f"{result.comparison.unchanged} unchanged."
        )
    if result.baseline is not None:
        said.append(f"Accepted by {result.baseline.file}: {len(result.baseline.accepted)}.")
    return element("p", " ".join(said), class_="about") if said else None


def _fixed(result: Result) -> Markup | None:
    """What the base revision had and this one has not."""
    if result.comparison is None:
        return None
    lines = (
        joined(
            [f"{placed.finding.rule}: {placed.finding.message} ", place(placed.finding.at.file, placed.span, base=True)]
        )
        for placed in result.comparison.fixed
    )
    return section("fixed", "Fixed", listed(lines))


def _failures(result: Result) -> Markup | None:
    if not result.failures:
        return None
    text = "What these rules would have found is missing below. This is a fault of trainlint: please report it."
    broken = listed(f"rule {failure.rule} broke: {failure.message}" for failure in result.failures)
    return section("failures", "Internal errors", element("p", text), broken)


def _unknowns(result: Result) -> Markup | None:
    grouped: dict[tuple[str, str], dict[str, None]] = {}
    for unknown in result.unknowns:
        line = "" if unknown.line is None else f":{unknown.line}"
        where = unknown.subject + (f" ({unknown.file}{line})" if unknown.file is not None else "")
        grouped.setdefault((unknown.missing, unknown.remedy), {})[where] = None
    items = []
    for (missing, remedy), subjects in grouped.items():
        shown = list[Child](subjects)[:SUBJECTS]
        if len(subjects) > SUBJECTS:
            shown.append(f"and {len(subjects) - SUBJECTS} more")
        help_ = (
            element("p", element("strong", "What would make it known: "), remedy, class_="remedy") if remedy else None
        )
        items.append(element("li", element("p", missing), listed(shown), help_))
    return section("unknown", f"Unknown ({len(result.unknowns)})", element("ul", *items) if items else None)


def _snapshots(result: Result) -> Markup | None:
    if len(result.snapshots) < 2:
        return None
    body = [(each.name, str(each.documents), each.why) for each in result.snapshots]
    return section("snapshots", "Snapshots", rows(("name", "documents", "why it is one"), body))
