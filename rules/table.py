"""Writes the table of rules in README.md anew (``make docs``); with ``--check`` only says whether it is up to date."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from trainlint.report.address import built_in, page_path
from trainlint.rule import Rule, all_rules

README = Path(__file__).with_name("README.md")
BEGIN = "<!-- The table is generated: make docs -->\n"
END = "<!-- end of the table -->\n"


def table(rules: Iterable[Rule]) -> Iterator[str]:
    """The lines of the table: each category with its rules, the severest first; names lead to the pages."""
    by_category: dict[str, list[Rule]] = {}
    for rule in sorted(rules, key=lambda rule: (rule.category, rule.severity.rank, rule.name)):
        by_category.setdefault(rule.category, []).append(rule)
    for category, members in by_category.items():
        yield f"\n### {category}\n\n| rule | severity | finds |\n|---|---|---|\n"
        for rule in members:
            page = f"../{page_path(rule)}"
            yield f"| [{rule.name}]({page}) | {rule.severity.value} | {_cell(rule.summary)} |\n"
    yield "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def main(arguments: list[str]) -> int:
    """Write, or check; the exit code is 1 where the table is not what the rules say."""
    text = README.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.stderr.write(f"{README}: the marks of the table are missing\n")
        return 1
    own = [rule for rule in all_rules() if built_in(rule)]
    wanted = "".join((before, begin, *table(own), end, after))
    if wanted == text:
        return 0
    if arguments == ["--check"]:
        sys.stderr.write(f"{README}: the table is not what the rules say: make docs\n")
        return 1
    README.write_text(wanted, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
