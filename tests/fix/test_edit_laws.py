"""What holds of every edit, in whatever style the document is written."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.fix.texts import document, keys, paths, roots, scalars, texts, values

from trainlint.finding import Append, Edit, Location, Move, Put, Quote, Remove, Rename
from trainlint.fix.edit import edited
from trainlint.fix.editable_nodes import NotEditableError
from trainlint.fix.file import rewritten
from trainlint.source.document import Document

LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r"])
MARKS = st.sampled_from([b"", b"\xef\xbb\xbf"])


def at(path: tuple[str | int, ...]) -> Location:
    return Location("a.yaml", 0, path)


def holders(value: Any, kind: type) -> list[tuple[str | int, ...]]:
    """The paths of all mappings, or of all lists."""
    found = []
    for path in paths(value):
        here = value
        for step in path:
            here = here[step]
        if isinstance(here, kind):
            found.append(path)
    return found


def plain(text: str) -> Any:
    """The value as another reader has it: its booleans and nulls are those of YAML 1.1 too."""
    return yaml.safe_load(text)


def lost(before: str, after: str) -> list[str]:
    """The lines between what is the same at the start and what is the same at the end."""
    old, new = before.split("\n"), after.split("\n")
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    return old


def is_shorter(gone: list[str], new: list[str]) -> bool:
    """Whether at most one line is new, for those that are gone: the one that held the first of them."""
    return len(new) <= 1 and len(gone) >= len(new)


def comments(text: str) -> set[str]:
    return set(re.findall(r"# comment \d+", text))


@given(texts(), st.data(), keys, values)
def test_a_new_entry_changes_at_most_the_line_of_the_brackets_that_it_goes_into(
    made: tuple[Any, str], data: st.DataObject, key: str, value: Any
) -> None:
    before, text = made
    path = (*data.draw(st.sampled_from([(), *holders(before, dict)])), f"new-{key}")
    after = edited(document(text), [Put(at(path), value)])
    here = plain(after.text)
    for step in path:
        here = here[step]
    assert here == value
    assert len(lost(text, after.text)) <= 1
    assert comments(after.text) == comments(text)
    assert edited(after, [Put(at(path), value)]).text == after.text


@given(texts(), st.data(), values)
def test_a_new_element_stands_at_the_end_of_its_list(made: tuple[Any, str], data: st.DataObject, value: Any) -> None:
    before, text = made
    found = holders(before, list)
    path = data.draw(st.sampled_from(found)) if found else ("none",)
    after = edited(document(text), [Append(at(path), value)])
    here = plain(after.text)
    for step in path:
        here = here[step]
    assert here[-1] == value
    assert len(lost(text, after.text)) <= 1
    assert comments(after.text) == comments(text)


@given(texts(), st.data(), scalars)
def test_another_scalar_changes_its_own_line_only(made: tuple[Any, str], data: st.DataObject, value: Any) -> None:
    before, text = made
    found = [path for path in paths(before) if path not in holders(before, dict) + holders(before, list)]
    if not found:
        return
    path = data.draw(st.sampled_from(found))
    after = edited(document(text), [Put(at(path), value)])
    here = plain(after.text)
    for step in path:
        here = here[step]
    assert here == value
    assert type(here) is type(value)
    assert len(after.text.split("\n")) == len(text.split("\n"))
    assert len(lost(text, after.text)) <= 1
    assert comments(after.text) == comments(text)


@given(texts(), st.data())
def test_what_is_removed_takes_nothing_else_with_it(made: tuple[Any, str], data: st.DataObject) -> None:
    before, text = made
    path = data.draw(st.sampled_from(paths(before)))
    try:
        after = edited(document(text), [Remove(at(path))])
    except NotEditableError as error:
        known = [reason for reason in ("comment", "nothing would be left") if reason in str(error)]
        if not known:
            raise
        return
    expected = json.loads(json.dumps(before))
    here = expected
    for step in path[:-1]:
        here = here[step]
    here.pop(path[-1])
    assert plain(after.text) == expected
    assert is_shorter(lost(text, after.text), lost(after.text, text))


@given(roots, st.data())
def test_an_entry_moves_with_its_comments(value: dict[str, Any], data: st.DataObject) -> None:
    text = "top:\n"
    step = data.draw(st.integers(1, 4))
    pad = " " * step
    text += f"{pad}moved:  # comment 1\n{pad * 2}# comment 2\n{pad * 2}inner: |\n{pad * 3}two\n{pad * 3}  lines\n"
    text += f"{pad}stays: {json.dumps(value)}\n"
    places = [("moved",), ("other", "below", "moved"), ("top", "a", "moved"), ("again",), ("top", "again")]
    to = data.draw(st.sampled_from(places))
    after = edited(document(text), [Move(at(("top", "moved")), to)])
    here = plain(after.text)
    for each in to:
        here = here[each]
    assert here == {"inner": "two\n  lines\n"}
    assert plain(after.text)["top"]["stays"] == value
    assert comments(after.text) == comments(text)


@given(texts(), st.data())
def test_a_renamed_key_keeps_its_value_and_its_place(made: tuple[Any, str], data: st.DataObject) -> None:
    before, text = made
    found = [path for path in paths(before) if isinstance(path[-1], str)]
    path = data.draw(st.sampled_from(found))
    after = edited(document(text), [Rename(at(path), "renamed")])
    one, two = document(text).data, after.data
    for step in path[:-1]:
        one, two = one[step], two[step]
    assert two["renamed"] == one[path[-1]]
    assert path[-1] not in two
    assert len(lost(text, after.text)) <= 1


@given(texts(), st.data(), LINE_ENDS, MARKS)
def test_bytes_of_other_lines_stay(made: tuple[Any, str], data: st.DataObject, line_end: str, mark: bytes) -> None:
    before, text = made
    path = data.draw(st.sampled_from(paths(before)))
    edit: Edit = data.draw(st.sampled_from([Remove(at(path)), Put(at((*path[:-1], "zz")), "new")]))
    if isinstance(edit, Put) and isinstance(path[-1], int):
        edit = Append(at(path[:-1]), "new")
    head = data.draw(st.sampled_from(["", "# first\n---\n", "kind: Other\n---\n"]))
    raw = mark + (head + text).replace("\n", line_end).encode()
    if "\n" not in head + text:
        line_end = "\n"  # what a file of one line would have, is unknown
    old = document(text)
    old = Document("a.yaml", 0, head.count("\n") + 1, text, old.data)
    try:
        new = edited(old, [edit])
    except NotEditableError:
        return
    after = rewritten(raw, old, new)
    assert after == mark + (head + new.text).replace("\n", line_end).encode()


@given(st.lists(st.sampled_from(["\n", "\r\n"]), min_size=4, max_size=4))
def test_mixed_line_ends_stay_as_they_are(ends: list[str]) -> None:
    lines = ["a: 1", "b:", "  c: 2", "d: 3"]
    text = "\n".join(lines) + "\n"
    raw = "".join(line + end for line, end in zip(lines, ends, strict=True)).encode()
    old = document(text)
    after = rewritten(raw, old, edited(old, [Put(at(("b", "e")), 5)]))
    expected = [lines[0] + ends[0], lines[1] + ends[1], lines[2] + ends[2], "  e: 5" + ends[2], lines[3] + ends[3]]
    assert after == "".join(expected).encode()


@given(roots, st.data(), st.sampled_from([None, 1, 2, 4]), values)
def test_json_stays_json(value: dict[str, Any], data: st.DataObject, indent: int | None, new: Any) -> None:
    text = json.dumps(value, indent=indent) + "\n"
    path = (*data.draw(st.sampled_from([(), *holders(value, dict)])), "new key")
    after = edited(document(text, "a.json"), [Put(at(path), new)])
    here = json.loads(after.text)
    for step in path:
        here = here[step]
    assert here == new
    again = edited(after, [Remove(at(path))])
    assert json.loads(again.text) == value


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        ("a: &x {b: 1}\nc: *x\n", Put(at(("c", "b")), 2)),  # the value is written at the anchor
        ("a: &x {b: 1}\nc: *x\n", Put(at(("a", "b")), 2)),  # and others read it there
        ("a: &x {b: 1}\nc:\n  <<: *x\n  d: 1\n", Put(at(("c", "b")), 2)),
        ("a: 1\na: 2\n", Put(at(("a",)), 3)),  # which of the two?
        ("a: |\n  text\n", Put(at(("a",)), "other")),
        ("a: !t {b: 1}\n", Put(at(("a",)), 1)),
        ("- &x a\n- *x\n", Put(at((0,)), "b")),
        ("a: 1\n", Remove(at(("b",)))),
        ("a: text\n", Quote(at(("a",)))),
        ("a: 1\nb: 2\n", Move(at(("a",)), ("b",))),
    ],
)
def test_no_edit_where_the_text_is_not_the_value_s_own(text: str, edit: Edit) -> None:
    with pytest.raises(NotEditableError):
        edited(document(text), [edit])


def test_rendered_documents_have_no_text_of_their_own() -> None:
    rendered = Document("k.yaml", 0, 1, "a: 1\n", {"a": 1}, origin=lambda path: Location("base.yaml", 0, path))
    with pytest.raises(NotEditableError):
        edited(rendered, [Put(Location("k.yaml", 0, ("a",)), 2)])


@pytest.mark.parametrize("written", ["yes", "0123", "1.10", "0x1F", "1_000", "true", "3"])
def test_a_quoted_value_is_the_string_that_was_written(written: str) -> None:
    after = edited(document(f"labels: {{a: {written}}}  # why\n"), [Quote(at(("labels", "a")))])
    assert after.text == f'labels: {{a: "{written}"}}  # why\n'
    assert after.data == {"labels": {"a": written}}


@pytest.mark.parametrize("end", ["", "\n", "\n# the end\n"])
def test_what_stood_last_takes_its_place_anew(end: str) -> None:
    after = edited(document(f"a:\n  b: 1\n  c:  # why\n    d: 2{end}"), [Move(at(("a", "c")), ("c",))])
    assert after.text == f"a:\n  b: 1\nc:  # why\n  d: 2{end}"
