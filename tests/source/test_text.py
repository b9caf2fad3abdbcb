"""Encodings (YAML 1.2 section 5.2) and the splitting into documents (Kubernetes' YAMLReader)."""

import codecs
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.source.text import DocumentText, NotTextError, decode, split

TEXT = "kind: Pod\nname: é😀\n"


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
        (b"", "utf-16-le"),
        (b"", "utf-16-be"),
        (b"", "utf-32-le"),
        (b"", "utf-32-be"),
    ],
)
def test_every_encoding_of_yaml_is_read_with_and_without_its_mark(mark, encoding):
    assert decode(mark + TEXT.encode(encoding)) == TEXT


def test_all_line_ends_count_as_one_line_each():
    assert decode(b"a\r\nb\rc\nd") == "a\nb\nc\nd"


def test_spaces_that_do_not_break_and_other_separators_break_no_line():
    assert decode("a: b\u00a0c\u2028d\x85e\n".encode()).count("\n") == 1


@pytest.mark.parametrize("content", [b"a\0b", b"\x89PNG\r\n\x1a\n\0\0", b"\0\1\2\3\4", b"a: \0\n"])
def test_binary_content_is_not_text(content):
    with pytest.raises(NotTextError):
        decode(content)


def test_invalid_utf8_is_not_text_and_says_where():
    with pytest.raises(NotTextError, match="byte 0xff at line 2, column 4 is not UTF-8"):
        decode("a: é\nb: ".encode() + b"\xff\n")


def test_an_empty_file_is_an_empty_text():
    assert decode(b"") == ""


@given(st.binary(max_size=200))
def test_any_bytes_are_a_text_or_no_text(content):
    with suppress(NotTextError):
        text = decode(content)
        assert "\0" not in text
        assert "\r" not in text


def parts(text):
    return [(part.line, part.text) for part in split(text)]


def test_documents_part_at_lines_that_begin_with_three_dashes():
    assert parts("a: 1\n---\nb: 2\n---\nc: 3") == [(1, "a: 1\n"), (3, "b: 2\n"), (5, "c: 3")]


@pytest.mark.parametrize("separator", ["---", "--- ", "---\t", "--- # comment", "...", "...\n---", "... # end"])
def test_separators_may_carry_space_and_comments(separator):
    assert [text for _, text in parts(f"a: 1\n{separator}\nb: 2\n")] == ["a: 1\n", "b: 2\n"]


@pytest.mark.parametrize("line", ["----", "---a", " ---", "a: ---", "....", "# ---"])
def test_other_dashes_separate_nothing(line):
    assert len(parts(f"a: 1\n{line}\nb: 2\n")) == 1


def test_content_behind_the_dashes_belongs_to_the_document():
    assert parts("--- {a: b}\n--- !x\nc: d\n") == [(1, "--- {a: b}\n"), (2, "--- !x\nc: d\n")]


def test_documents_without_content_do_not_count():
    assert parts("---\n---\n\n---\n...\n") == []
    assert parts("# kind: Deployment\n\n#   nothing\n---\na: 1\n") == [(5, "a: 1\n")]
    assert parts("") == []


def test_directives_stay_with_the_document_below_them():
    assert parts("%YAML 1.1\n---\na: 1\n---\nb: 2\n") == [(1, "%YAML 1.1\n---\na: 1\n"), (5, "b: 2\n")]
    assert parts("a: 1\n...\n%TAG ! tag:x,2000:\n---\nb: 2\n")[1] == (3, "%TAG ! tag:x,2000:\n---\nb: 2\n")


def test_a_separator_in_a_block_text_still_separates_as_in_kubernetes():
    assert len(parts("a: |\n  x\n---\n  y\n")) == 2


def test_joined_files_keep_no_mark_at_the_start_of_a_document():
    assert parts("a: 1\n---\n\ufeffb: 2\n") == [(1, "a: 1\n"), (3, "b: 2\n")]


@given(st.lists(st.sampled_from(["a: 1", "---", "...", "# c", "", "--- b", "%YAML 1.1", " x", "\t"]), max_size=12))
def test_every_line_of_content_is_in_exactly_the_document_that_claims_its_line(lines):
    text = "\n".join(lines)
    claimed: list[int] = []
    for part in split(text):
        assert isinstance(part, DocumentText)
        own = part.text.removesuffix("\n").split("\n")
        assert own == lines[part.line - 1 : part.line - 1 + len(own)]
        claimed += range(part.line, part.line + len(own))
    assert len(claimed) == len(set(claimed))
    for number, line in enumerate(lines, 1):
        if line in ("a: 1", "--- b", " x"):
            assert number in claimed
