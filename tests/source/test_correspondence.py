"""Which element of a list became which (a value from a patch carries its mark at the patch)."""

from __future__ import annotations

from trainlint.source.correspondence import Correspondence
from trainlint.source.document import MISSING

RENDERED = {
    "containers": [
        {"name": "other", "image": "a:1", "tty": True, "ports": [{"containerPort": 1}, {"containerPort": 2}]},
        {"name": "side", "image": "b:1"},
    ]
}


def follow(*elements: dict[str, object]) -> object:
    return Correspondence().follow(RENDERED, {"containers": list(elements)}, ("containers", 0, "tty"))[1]


def test_an_element_that_was_renamed_afterwards_is_told_by_what_it_says() -> None:
    assert follow({"name": "main", "tty": True, "ports": [{"containerPort": 2}]}) is True


def test_what_says_something_else_is_another_element() -> None:
    assert follow({"name": "main", "tty": False}) is MISSING


def test_two_that_may_be_it_are_none() -> None:
    assert follow({"name": "one", "tty": True}, {"name": "two", "tty": True}) is MISSING


def test_an_element_that_says_nothing_but_its_name_is_none() -> None:
    assert follow({"name": "main"}) is MISSING
