"""What is remembered of facts: told by identity, bounded, and never another answer."""

from __future__ import annotations

from trainlint.fact import fact, remembered, together


@fact
class Thing:
    name: str


def test_a_function_is_asked_once_about_the_very_same_facts_and_again_about_equal_ones() -> None:
    asked = []

    @remembered
    def shout(thing: Thing) -> str:
        asked.append(thing)
        return thing.name.upper()

    one, equal = Thing("a"), Thing("a")
    assert [shout(one), shout(one), shout(equal)] == ["A", "A", "A"]
    assert [id(each) for each in asked] == [id(one), id(equal)]


def test_a_fact_that_is_gone_is_never_taken_for_another_with_its_identity() -> None:
    @remembered
    def name(thing: Thing) -> str:
        return thing.name

    assert [name(Thing(str(number))) for number in range(5000)] == [str(number) for number in range(5000)]


def test_what_is_remembered_is_bounded() -> None:
    asked = []

    def count(thing: Thing) -> int:
        asked.append(thing)
        return len(asked)

    few = remembered(count, most=2)
    things = [Thing("a"), Thing("b"), Thing("c")]
    assert [few(each) for each in (*things[:2], *things[:2])] == [1, 2, 1, 2]
    assert [few(things[2]), few(things[2]), few(things[0])] == [3, 3, 4], "the third made room by forgetting the others"


def test_calls_with_names_are_right_and_not_remembered() -> None:
    @remembered
    def both(one: Thing, other: Thing) -> str:
        return one.name + other.name

    a, b = Thing("a"), Thing("b")
    assert (both(a, other=b), both(a, b), both(a, other=a), both(b, a)) == ("ab", "ab", "aa", "ba")


def test_the_same_facts_together_are_the_same_tuple() -> None:
    a, b = Thing("a"), Thing("a")
    assert together(a, b) is together(a, b)
    assert together(a, b) is not together(b, a)
    assert together(a, b) == (a, b)
    assert together() == ()
