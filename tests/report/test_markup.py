"""Nothing from a manifest becomes markup: tried by hand and by chance, read back by a Markdown parser."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from tests.report.samples import EVIL

from trainlint.report.markup import cell, code, code_cell, fenced, prose
from trainlint.report.terminal import escape

PARSER = MarkdownIt("commonmark").enable("table").enable("strikethrough")
HARMLESS = {"text", "code_inline", "softbreak"}
TEXTS = st.text(alphabet=st.sampled_from(list("ab1 |\\`*_~<>&[]()!#@:/.-+$=\"'\n\t")) | st.characters(), max_size=40)
# A word that GitHub links by itself: a mention, a reference to an issue or commit, an address.
LINKED = re.compile(r"@|#|www\.|://|\w-\d|[0-9a-f]{7}")


def inline(text: str) -> list[Token]:
    (token,) = (token for token in PARSER.parse(text) if token.type == "inline")
    return token.children or []


def shown(tokens: list[Token]) -> str:
    return "".join(" " if token.type == "softbreak" else token.content for token in tokens)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a plain sentence, with (brackets), and the pods' names.", None),
        ("group ml/train waits: 2 pods", "group `ml/train` waits: 2 pods"),
        ("does not tolerate gpu=true:NoSchedule.", "does not tolerate `gpu=true:NoSchedule`."),
        ("mail @octocat and #12 (see org/repo#3)", "mail `@octocat` and `#12` (see `org/repo#3`)"),
        ("a -> b", "a → b"),
        ("1. not a list", "`1`. not a list"),
        ("x **bold** _em_ <b>", "x `**bold**` `_em_` `<b>`"),
        ("訓練 waits", None),
        ("a ` b", "a `` ` `` b"),
    ],
)
def test_words_stay_words_and_names_become_code(text: str, expected: str | None) -> None:
    assert prose(text) == (text if expected is None else expected)


@given(TEXTS)
def test_prose_holds_no_markup_whatever_the_text(text: str) -> None:
    line = f"x {prose(text)}"
    tokens = inline(line)
    assert {token.type for token in tokens} <= HARMLESS
    assert not any(LINKED.search(token.content) for token in tokens if token.type == "text")


@given(TEXTS)
def test_code_shows_the_text_as_it_is(text: str) -> None:
    (token,) = inline(code(text))
    assert token.type == "code_inline"
    assert token.content.strip() == (escape(" ".join(text.split())).strip())


@given(st.lists(TEXTS, min_size=1, max_size=3))
def test_a_cell_never_ends_early(texts: list[str]) -> None:
    head = "|" + " h |" * len(texts) + "\n|" + "---|" * len(texts)
    for row in ([cell(text) for text in texts], [code_cell(text) for text in texts]):
        tokens = PARSER.parse(f"{head}\n|" + "".join(f" {part} |" for part in row))
        bodies = [token for token in tokens if token.type == "inline"][len(texts) :]
        assert len(bodies) == len(texts)
        for body in bodies:
            kinds = {
                (token.type, token.content if token.type == "html_inline" else "") for token in body.children or []
            }
            allowed = {(kind, "") for kind in HARMLESS} | {("html_inline", "<code>"), ("html_inline", "</code>")}
            assert kinds <= allowed


def test_a_bar_does_not_end_a_cell() -> None:
    # Parsers differ on how `\\\\|` is read inside a table, so no bar is written at all.
    assert code_cell("a\\|b @octocat") == "`a\\\\x7cb @octocat`"
    assert cell("a|b waits") == "`a\\x7cb` waits"


@given(st.lists(TEXTS, max_size=4))
def test_a_block_ends_where_it_should(lines: list[str]) -> None:
    tokens = PARSER.parse(f"{fenced(lines, 'text')}\n\nafter")
    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]
    assert tokens[0].info == "text"


def test_the_worst_name_is_one_piece_of_code() -> None:
    (token,) = inline(code(EVIL))
    assert token.content == escape(EVIL)
    assert shown(inline(prose(EVIL))) == escape(EVIL)
