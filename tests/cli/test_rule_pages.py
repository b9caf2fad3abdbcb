"""``trainlint rule --all``: the pages of all rules, in every format."""

from __future__ import annotations

import json

from click.testing import CliRunner
from markdown_it import MarkdownIt

from trainlint.cli.main import cli
from trainlint.rule import all_rules

NAMES = [rule.name for rule in all_rules()]


def output(*arguments: str) -> str:
    outcome = CliRunner().invoke(cli, ["rule", *arguments], prog_name="trainlint")
    assert outcome.exit_code == 0, outcome.output
    return outcome.output


def test_markdown_is_one_document_with_a_heading_for_each_rule() -> None:
    tokens = MarkdownIt("commonmark").enable("table").parse(output("--all", "--output", "markdown"))
    headings = [
        (token.tag, tokens[index + 1].content) for index, token in enumerate(tokens) if token.type == "heading_open"
    ]
    assert headings[0] == ("h1", "Rules")
    assert sorted(text for tag, text in headings if tag == "h3") == NAMES
    assert [text for tag, text in headings if tag == "h2"] == sorted({rule.category for rule in all_rules()})
    links = {child.attrs["href"] for token in tokens for child in token.children or () if child.type == "link_open"}
    assert links >= {f"#{name}" for name in NAMES}


def test_json_holds_every_page() -> None:
    found = json.loads(output("--all", "--output", "json"))
    assert [each["name"] for each in found] == NAMES
    assert all("```yaml bad" in each["page"] for each in found if each["category"] == "topology")


def test_text_shows_one_page_after_the_other() -> None:
    text = output("--all")
    assert all(f"{rule.name} ({rule.category}, {rule.severity.value})\n\n" in text for rule in all_rules())


def test_one_rule_or_all() -> None:
    outcome = CliRunner().invoke(cli, ["rule", "no-viable-zone", "--all"], prog_name="trainlint")
    assert outcome.exit_code == 2
    assert "name one rule, or ask for --all" in outcome.output
