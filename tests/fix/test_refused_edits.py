"""Edits that cannot be made are refused with the reason, and leave the text as it is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.fix.texts import document

from trainlint.finding import Edit, Location, Move, Put, Quote, Remove, Rename
from trainlint.fix.edit import edited
from trainlint.fix.editable_nodes import NotEditableError

TEXT = """a: 1
list: [1, 2]
anchored: &x {b: 2}
again: *x
"quoted": "text"
"""


def at(*path: str | int) -> Location:
    return Location("a.yaml", 0, path)


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (Remove(at("gone")), "there is nothing to take away"),
        (Remove(at("a", "b")), "there is nothing to take away"),
        (Remove(at("list", 2)), "there is nothing to take away"),
        (Remove(at("again", "b")), "the value is written at an anchor that others use too"),
        (Rename(at("gone"), "there"), "the key is not there, or the new one is"),
        (Rename(at("a"), "list"), "the key is not there, or the new one is"),
        (Rename(at("list", 0), "b"), "the key is not there, or the new one is"),
        (Rename(at("again", "b"), "c"), "the value is written at an anchor that others use too"),
        (Move(at("gone"), ("there",)), "there is nothing to take away"),
        (Move(at("a"), ("list",)), "something stands there already"),
        (Quote(at("gone")), "it is not written as a plain value"),
        (Quote(at("quoted")), "there is no number and no boolean"),
        (Quote(at("list")), "there is no number and no boolean"),
    ],
)
def test_a_place_that_is_not_there_is_refused(edit: Edit, reason: str) -> None:
    with pytest.raises(NotEditableError) as error:
        edited(document(TEXT), [edit])
    assert reason in str(error.value)


def test_what_was_rendered_is_never_edited() -> None:
    made = replace(document(TEXT), origin=lambda path: at(*path))
    with pytest.raises(NotEditableError, match="it was rendered: the text is another one"):
        edited(made, [Put(at("a"), 2)])
