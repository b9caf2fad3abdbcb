"""Writes docs/rules and man/trainlint.1 anew (``make docs``); with ``--check`` only says what is not up to date."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path

from trainlint.cli.main import cli
from trainlint.cli.manpage import manual
from trainlint.report.address import built_in, page_path
from trainlint.report.markup import cell
from trainlint.report.rulepage import markdown_page
from trainlint.rule import Rule, all_rules

ROOT = Path(__file__).parent.parent
MANUAL = "man/trainlint.1"
RULES = "docs/rules"


def pages() -> Mapping[str, str]:
    """Every generated file, by its path from the root of the project."""
    own = [rule for rule in all_rules() if built_in(rule)]
    return {
        MANUAL: manual(cli),
        f"{RULES}/README.md": _index(own),
        **{page_path(rule): _page(rule) for rule in own},
    }


def _index(rules: Iterable[Rule]) -> str:
    ordered = sorted(rules, key=lambda rule: (rule.category, rule.severity.rank, rule.name))
    lines = [
        "# The rules of trainlint",
        "",
        "Each page says what the rule finds, why that breaks training, and shows manifests that it reports and others",
        "that it does not; all of them are run with the tests. `trainlint rule NAME` prints the same page.",
        "",
        "Generated from the rules: `make docs`.",
    ]
    for category, members in groupby(ordered, key=lambda rule: rule.category):
        lines += ["", f"## {category}", "", "| rule | severity | finds |", "|---|---|---|"]
        lines += [
            f"| [{rule.name}]({category}/{rule.name}.md) | {rule.severity.value} | {cell(rule.summary)} |"
            for rule in members
        ]
    return "\n".join(lines) + "\n"


BAD = "\nBad (`# expect` marks what is reported, `repaired` what trainlint proposes an edit for):\n"


def _page(rule: Rule) -> str:
    folder = hasattr(sys.modules[rule.module], "__path__")
    source = f"../../../rules/{rule.module.replace('.', '/')}{'/__init__' if folder else ''}.py"
    text = markdown_page(rule).replace("\nBad:\n", BAD)
    silence = (
        "Where it is meant, a comment on the line or above it silences the rule:\n\n"
        f"```yaml\n# trainlint: ignore[{rule.name}] why it is meant\n```\n\n"
    )
    return f"{text}\n{'' if rule.category == 'source' else silence}[All rules](../README.md) · [its source]({source})\n"


def main(arguments: list[str]) -> int:
    """Write, or check; the exit code is 1 where a file is not what rules and commands say."""
    wanted = pages()
    stale = [path for path, text in wanted.items() if _text(ROOT / path) != text]
    dead = [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / RULES).rglob("*.md"))
        if path.relative_to(ROOT).as_posix() not in wanted
    ]
    if arguments == ["--check"]:
        for path in (*stale, *dead):
            sys.stderr.write(f"{path} is not what rules and commands say: make docs\n")
        return 1 if stale or dead else 0
    for path in dead:
        (ROOT / path).unlink()
    for path in stale:
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(wanted[path], encoding="utf-8", newline="\n")
    return 0


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
