"""Test results in JUnit's XML, for CI systems that show tests: a suite of findings, and one of groups."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree as ET

from trainlint.finding import Severity
from trainlint.model.known import Answer
from trainlint.report.concern import groups_of
from trainlint.report.diagnostic import diagnostic
from trainlint.report.options import Options
from trainlint.report.terminal import Paint, escape
from trainlint.result import GroupVerdict, Placed, Result
from trainlint.wording.needs import short_need

__all__ = ["render"]


def render(result: Result, options: Options) -> str:
    """A finding that fails the run is a failed test, a milder one a skipped one.

    A proved group is a passed test, an unknown one is skipped, a refuted one fails if one of its findings does.
    """
    root = ET.Element("testsuites", name="trainlint")
    findings = [_finding(placed, options) for placed in result.findings]
    if options.show_suppressed:
        findings += [_skipped(placed, f"suppressed: {placed.reason}") for placed in result.suppressed]
    broken = [
        _case("rule", failure.rule, ET.Element("error", type="internal-error", message=escape(failure.message)))
        for failure in result.failures
    ]
    _suite(root, "findings", [*broken, *findings] or [_case("trainlint", "no findings")])
    if result.groups:
        _suite(root, "groups", [_group(group, result, options) for group in result.groups])
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(root: ET.Element, name: str, cases: Iterable[ET.Element]) -> None:
    suite = ET.SubElement(root, "testsuite", name=name)
    suite.extend(cases)
    suite.set("tests", str(len(suite)))
    for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(key, str(len(suite.findall(f"testcase/{tag}"))))


def _case(suite: str, name: str, outcome: ET.Element | None = None) -> ET.Element:
    case = ET.Element("testcase", classname=escape(suite), name=escape(name))
    if outcome is not None:
        case.append(outcome)
    return case


def _finding(placed: Placed, options: Options) -> ET.Element:
    finding = placed.finding
    severity = finding.severity or Severity.ERROR
    if severity.rank > options.fail_on.rank:
        return _skipped(placed, f"{severity}: {finding.message}")
    failure = ET.Element("failure", type=finding.rule, message=escape(" ".join(finding.message.split())))
    failure.text = "\n".join(diagnostic(placed, Paint(color=False), 100))
    return _named(placed, failure)


def _skipped(placed: Placed, message: str) -> ET.Element:
    return _named(placed, ET.Element("skipped", message=escape(" ".join(message.split()))))


def _named(placed: Placed, outcome: ET.Element) -> ET.Element:
    at, line = placed.finding.at, str(placed.span.line)
    where = f"{at.file}:{line}"
    case = _case(at.file, f"{placed.finding.rule} at {where}", outcome)
    case.set("file", escape(at.file))
    case.set("line", line)
    return case


def _group(group: GroupVerdict, result: Result, options: Options) -> ET.Element:
    name = f"{group.name} ({group.snapshot})" if group.snapshot and len(result.snapshots) > 1 else group.name
    if group.answer is Answer.PROVED:
        return _case("group", name)
    if group.answer is Answer.CONDITIONAL:
        needed = short_need(group.needs) if group.needs is not None else "the cluster has what it needs"
        return _case("group", name, ET.Element("skipped", message=escape(f"conditional: it can run if {needed}")))
    if group.answer is Answer.UNKNOWN:
        return _case("group", name, ET.Element("skipped", message=escape(f"unknown: {'; '.join(group.missing)}")))
    about = [placed for placed in result.findings if group in groups_of(placed, result.groups)]
    failing = [placed for placed in about if (placed.finding.severity or Severity.ERROR).rank <= options.fail_on.rank]
    text = "; ".join(f"{placed.finding.rule}: {placed.finding.message}" for placed in failing or about)
    text = escape(f"exists {group.exists}, for all {group.for_all}{': ' if text else ''}{text}")
    if failing:
        return _case("group", name, ET.Element("failure", type="refuted", message=text))
    return _case("group", name, ET.Element("skipped", message=f"refuted, but no finding fails the run: {text}"))
