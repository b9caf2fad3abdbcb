"""The documentation of rules as Markdown and as data; their pages are Markdown but for the names of the examples."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from trainlint.report.markup import cell
from trainlint.report.rules import Documented

__all__ = ["description", "markdown_page", "markdown_pages", "markdown_table", "rules_json"]


def markdown_page(rule: Documented, level: int = 1) -> str:
    """The page of one rule, its title a heading of this level."""
    head = [f"{'#' * level} {rule.name}", "", f"Category {rule.category}, {rule.severity.value}.", ""]
    return "\n".join([*head, *_body(rule.page)]).rstrip() + "\n"


def markdown_pages(rules: Iterable[Documented]) -> str:
    """The pages of all rules as one document: the table of them, then each category with its pages."""
    ordered = sorted(rules, key=lambda rule: (rule.category, rule.severity.rank, rule.name))
    parts = ["# Rules\n", markdown_table(ordered, anchors=True)]
    for category, members in groupby(ordered, key=lambda rule: rule.category):
        parts += [f"## {category}\n", *(markdown_page(rule, level=3) for rule in members)]
    return "\n".join(parts)


def markdown_table(rules: Iterable[Documented], *, anchors: bool = False) -> str:
    """All rules by category; with ``anchors`` each name leads to its heading in the same document."""
    rows = [
        f"| {rule.category} | {f'[{rule.name}](#{rule.name})' if anchors else f'`{rule.name}`'} "
        f"| {rule.severity.value} | {cell(rule.summary)} |"
        for rule in sorted(rules, key=lambda rule: (rule.category, rule.severity.rank, rule.name))
    ]
    return "\n".join(["| category | rule | severity | finds |", "|---|---|---|---|", *rows]) + "\n"


def rules_json(rules: Iterable[Documented]) -> str:
    """Rules as a JSON list."""
    return json.dumps([_data(rule) for rule in sorted(rules, key=lambda rule: rule.name)], indent=2) + "\n"


def description(rule: Documented) -> str:
    """What the rule finds and why that matters: the page's first two paragraphs, in one line."""
    paragraphs = [" ".join(part.split()) for part in textwrap.dedent(rule.page).strip().split("\n\n")]
    return " ".join(part for part in paragraphs[:2] if not part.startswith("```"))


def _data(rule: Documented) -> dict[str, Any]:
    return {
        "name": rule.name,
        "category": rule.category,
        "severity": rule.severity.value,
        "summary": rule.summary,
        "page": rule.page,
    }


def _body(text: str) -> Iterator[str]:
    """The page, with what an example is for in words: renderers know the language of a block only."""
    for line in textwrap.dedent(text).strip().splitlines():
        language, _, role = line.removeprefix("```").partition(" ")
        if line.startswith("```") and role:
            yield from (f"{role.strip().capitalize()}:", "", f"```{language}")
        else:
            yield line
