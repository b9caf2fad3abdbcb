"""Every report of a repository, read back by parsers that others wrote."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from jsonschema import Draft4Validator, Draft202012Validator
from junitparser import JUnitXml
from tests.fuzz.laws import Breach
from tests.report.test_gitlab import ENTRY
from tests.report.test_html import Reader
from tests.report.test_markdown import PARSER
from tests.report.test_sarif import SCHEMA

from trainlint.cli.main import cli
from trainlint.report import FORMATS
from trainlint.report.graph import FORMATS as GRAPHS
from trainlint.result import Result
from trainlint_schemas import schema

__all__ = ["breaches_of_forms", "breaches_of_questions"]

EXIT_CODES = {0, 1, 2, 3, 4}
HIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
CONFIGURATION = re.compile(r"trainlint: .*(trainlint\.ya?ml|Inventory|configuration)", re.DOTALL)
_REPORT = Draft202012Validator(schema("report"))
_SARIF = Draft4Validator(SCHEMA)
_GITLAB = Draft202012Validator({"type": "array", "items": ENTRY})


class WrongForm(Exception):
    """A report is not well-formed; the message says why."""


def _validated(validator: Any, text: str) -> Any:
    value = json.loads(text)
    error = next(validator.iter_errors(value), None)
    if error is not None:
        raise WrongForm(f"{list(error.absolute_path)}: {error.message[:200]}")
    return value


def _gitlab(text: str) -> None:
    prints = [each["fingerprint"] for each in _validated(_GITLAB, text)]
    if len(prints) != len(set(prints)):
        raise WrongForm("two entries have one fingerprint")


def _plain(text: str) -> None:
    if found := HIDDEN.search(text):
        raise WrongForm(f"{found.group()!r} is in {text[max(found.start() - 40, 0) : found.end() + 20]!r}")


def _concise(text: str) -> None:
    _plain(text)
    for line in text.splitlines()[:-1]:
        if not re.match(r".+?(?::\d+:\d+)?: (?:error|warning|note)\[[\w-]+\] ", line):
            raise WrongForm(f"no finding: {line[:200]!r}")


def _github(text: str) -> None:
    for line in text.splitlines():
        if not re.match(r"::(?:error|warning|notice)(?: [^:]*)?::", line):
            raise WrongForm(f"no command: {line[:200]!r}")


def _markdown(text: str) -> None:
    allowed = re.compile(
        r"(?:</?(?:details|summary|br|b|sub|sup|kbd|code)(?: open)?/?>|<!--.*?-->|\s|[^<])*", re.DOTALL
    )
    for token in PARSER.parse(text):
        for each in (token, *(token.children or ())):
            if each.type.startswith("html") and not allowed.fullmatch(each.content):
                raise WrongForm(f"markup: {each.content[:200]!r}")
            if each.type == "link_open" and not re.match(r"https?://|#", str(each.attrs.get("href"))):
                raise WrongForm(f"a link to {each.attrs.get('href')!r}")


ADDRESSES = {"action", "cite", "data", "formaction", "href", "poster", "src", "srcdoc", "srcset", "style", "xlink:href"}
"""Attributes that a browser follows; in others, such as ``aria-label``, an address is a text like any other."""


def _runs(name: str, value: str) -> bool:
    return name in ADDRESSES and "script:" in value.lower()


def _html(text: str) -> None:
    page = Reader(text)
    for each in page.elements:
        if any(name.startswith("on") or _runs(name, str(value)) for name, value in each.attributes.items()):
            raise WrongForm(f"an attribute acts: {each.name} {each.attributes}")


def _graph_json(text: str) -> None:
    json.loads(text)


def _xml(text: str) -> None:
    ET.fromstring(text)


FORMS: dict[str, Callable[[str], object]] = {
    "text": _plain,
    "concise": _concise,
    "json": lambda text: _validated(_REPORT, text),
    "sarif": lambda text: _validated(_SARIF, text),
    "github": _github,
    "gitlab": _gitlab,
    "junit": lambda text: JUnitXml.fromstring(text.encode()),
    "markdown": _markdown,
    "html": _html,
}
GRAPH_FORMS: dict[str, Callable[[str], object]] = {
    "text": _plain,
    "svg": _xml,
    "graphml": _xml,
    "json": _graph_json,
    "mermaid": _plain,
    "dot": _plain,
}


def breaches_of_forms(root: Path, out: Path) -> Iterator[Breach]:
    """What is wrong with the reports that the command writes, all in one run, and with how it ends."""
    targets = [part for form in FORMATS for part in ("--output", f"{form}={out / form}")]
    arguments = ["check", str(root), "--strict", "--show-suppressed", "--no-cache", *targets]
    code = yield from _run(arguments)
    if code is not None and code != 2:
        yield from _read_back("check", FORMS, out)


def breaches_of_questions(root: Path, out: Path, result: Result) -> Iterator[Breach]:
    """What is wrong with what the other commands say."""
    targets = [part for form in GRAPHS for part in ("--output", f"{form}={out / form}")]
    if (yield from _run(["graph", str(root), "--no-cache", *targets])) == 0:
        yield from _read_back("graph", GRAPH_FORMS, out)
    wanted = [group.name for group in result.groups[:1]] + [each.finding.id for each in result.findings[:1]]
    for name in wanted:
        yield from _answered(["explain", "--no-cache", "--output", "json", "--", name, str(root)])
        yield from _answered(["explain", "--no-cache", "--", name, str(root)])
    for command in ("prove", "needs"):
        yield from _answered([command, "--no-cache", "--output", "json", "--", str(root)])
        yield from _answered([command, "--no-cache", "--", str(root)])
    yield from _answered(["inventory", "--", str(root)])
    yield from _answered(["config", "--", str(root)])


def _run(arguments: list[str]) -> Iterator[Breach]:
    outcome = CliRunner().invoke(cli, arguments)
    if outcome.exit_code not in EXIT_CODES or "Traceback" in outcome.output:
        yield Breach("exit code", f"{arguments[0]}: {outcome.exit_code} {outcome.stderr[-500:]}")
        return None
    if outcome.exit_code == 2 and arguments[0] == "check" and not CONFIGURATION.match(outcome.stderr):
        yield Breach("usage", f"{arguments[0]}: {outcome.stderr[-500:]}")
    return outcome.exit_code


def _answered(arguments: list[str]) -> Iterator[Breach]:
    outcome = CliRunner().invoke(cli, arguments)
    if outcome.exit_code not in EXIT_CODES:
        yield Breach("exit code", f"{arguments[0]}: {outcome.exit_code} {outcome.stderr[-500:]}")
    elif outcome.exit_code == 0:
        try:
            json.loads(outcome.stdout) if "json" in arguments else _plain(outcome.stdout)
        except (ValueError, WrongForm) as error:
            yield Breach("form", f"{arguments[0]}: {error}")


def _read_back(command: str, forms: dict[str, Callable[[str], object]], out: Path) -> Iterator[Breach]:
    for form, read in forms.items():
        try:
            read((out / form).read_text(encoding="utf-8"))
        except Exception as error:
            yield Breach("form", f"{command} {form}: {type(error).__name__}: {str(error)[:400]}")
        finally:
            (out / form).unlink(missing_ok=True)
