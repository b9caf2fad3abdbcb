"""Where the pages of the rules stand on the web, if the publisher of this trainlint says so."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from typing import Final

from trainlint.rule import Rule, all_rules

__all__ = ["built_in", "page_path", "page_url", "url_of"]

LABELS: Final = frozenset({"documentation", "docs"})
"""Labels of a project's URLs (``[project.urls]``) under which the directory that holds ``docs`` may stand."""


def built_in(rule: Rule) -> bool:
    """Whether the rule is one of trainlint's own, so that trainlint has its page."""
    return rule.package == "trainlint_rules"


def page_path(rule: Rule) -> str:
    """Where the page of a built-in rule stands in the source tree of trainlint (``docs/generate.py`` writes it)."""
    return f"docs/rules/{rule.category}/{rule.name}.md"


def page_url(rule: Rule) -> str:
    """The address of the page; empty where the package names no documentation, or the rule is another package's."""
    base = _base()
    return f"{base}/{page_path(rule)}" if base and built_in(rule) else ""


def url_of(name: str) -> str:
    """The address of the page of the rule of this name; empty where there is none."""
    if not _base():
        return ""
    return next((page_url(rule) for rule in all_rules() if rule.name == name), "")


@cache
def _base() -> str:
    """Where the documentation stands, from the head of the package's metadata (its parser is slow to import)."""
    try:
        text = distribution("trainlint").read_text("METADATA") or ""
    except PackageNotFoundError:
        return ""
    for line in text.partition("\n\n")[0].splitlines():
        label, comma, url = line.removeprefix("Project-URL: ").partition(", ")
        if line.startswith("Project-URL: ") and comma and label.lower() in LABELS:
            return url.strip().rstrip("/")
    return ""
