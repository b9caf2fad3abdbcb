"""The rules for people: a table of all, and the page of one."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import Protocol

from trainlint.finding import Severity
from trainlint.report.options import Options
from trainlint.report.table import table
from trainlint.report.terminal import Paint, escape, wrap

__all__ = ["Documented", "page", "pages", "rules_table"]


class Documented(Protocol):
    """What is shown of a rule: ``summary`` is the first line of its documentation, ``page`` all of it."""

    @property
    def name(self) -> str:
        """The name of the rule."""

    @property
    def category(self) -> str:
        """The folder it stands in."""

    @property
    def severity(self) -> Severity:
        """The severity of its findings."""

    @property
    def summary(self) -> str:
        """One line."""

    @property
    def page(self) -> str:
        """Everything: why it breaks training, and examples."""


def rules_table(rules: Iterable[Documented], options: Options) -> str:
    """All rules by category: name, severity, one line each."""
    paint = Paint(options.color)
    categories: dict[str, list[Documented]] = {}
    for rule in sorted(rules, key=lambda rule: (rule.category, rule.severity.rank, rule.name)):
        categories.setdefault(rule.category, []).append(rule)
    lines: list[str] = []
    for category, members in categories.items():
        rows = [(rule.name, rule.severity.value, rule.summary) for rule in members]
        lines += [paint("bold", category), ""]
        lines += [
            f"  {line}" for line in table(("rule", "severity", "finds"), rows, paint, options.width - 2, flexible=2)
        ]
        lines.append("")
    return "\n".join(lines)


def pages(rules: Iterable[Documented], options: Options) -> str:
    """The pages of all rules, one after the other."""
    ordered = sorted(rules, key=lambda rule: (rule.category, rule.severity.rank, rule.name))
    return "\n\n".join(page(rule, options) for rule in ordered)


def page(rule: Documented, options: Options) -> str:
    """The page of one rule; examples stand indented, their expected lines coloured."""
    paint = Paint(options.color)
    head = f"{paint(rule.severity.value, rule.name)} ({rule.category}, {rule.severity.value})"
    return "\n".join([head, "", *_body(rule.page, paint, options.width)]).rstrip() + "\n"


def _body(text: str, paint: Paint, columns: int) -> Iterator[str]:
    paragraph: list[str] = []
    fenced = False
    for line in [*textwrap.dedent(text).strip().splitlines(), ""]:
        stripped = line.strip()
        if stripped.startswith("```"):
            yield from _paragraph(paragraph, columns)
            fenced = not fenced
            title = stripped.strip("`").replace("yaml", "", 1).strip()
            if fenced and title:
                yield f"  {paint('dim', title + ':')}"
        elif fenced:
            marked = "# expect" in line
            yield f"    {paint('error', escape(line)) if marked else escape(line)}".rstrip()
        elif not stripped or stripped.startswith(("- ", "* ", "#")) or (paragraph and line.startswith("    ")):
            yield from _paragraph(paragraph, columns)
            if stripped.startswith("#"):
                yield paint("bold", escape(stripped.lstrip("# ")))
            elif stripped:
                paragraph.append(line)
            else:
                yield ""
        else:
            paragraph.append(line)
    yield from _paragraph(paragraph, columns)


def _paragraph(paragraph: list[str], columns: int) -> Iterator[str]:
    if not paragraph:
        return
    text = " ".join(line.strip() for line in paragraph)
    paragraph.clear()
    bullet = text[:2] if text.startswith(("- ", "* ")) else ""
    indent = " " * len(bullet)
    for count, line in enumerate(wrap(text.removeprefix(bullet), columns - len(bullet))):
        yield (bullet if count == 0 else indent) + line
