"""Each change that is said to change nothing names one point of the program, and a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.mutation.equivalent import entries, places
from tests.mutation.points import points_of

ROOT = Path(__file__).parents[1]

TWICE = "def one(two):\n    return two[0][0]\n"
WHOLE = "a.py one\n    text\n    change\n    # why"


def test_each_names_one_point() -> None:
    named = entries()
    points = [point for file in {each.file for each in named} for point in points_of(ROOT, ROOT / file)]
    gone = named.keys() - places(ROOT, points).values()
    assert not gone, "\n".join(map(str, gone))


def test_each_has_a_reason() -> None:
    assert [str(place) for place, reason in entries().items() if len(reason.split()) < 3] == []


def test_equal_changes_of_a_line_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(TWICE, encoding="utf-8")
    found = places(tmp_path, points_of(tmp_path, tmp_path / "one.py"))
    zeros = [(point.column, place.number) for point, place in found.items() if place.change == "constant: 0 -> 1"]
    assert zeros == [(16, 1), (19, 2)]


@pytest.mark.parametrize(
    "entry",
    ["\n".join(WHOLE.split("\n")[:3]), f"{WHOLE}\n\n{WHOLE}"],
    ids=["no reason", "written twice"],
)
def test_an_entry_that_is_not_whole_is_refused(tmp_path: Path, entry: str) -> None:
    file = tmp_path / "equivalent.txt"
    file.write_text(f"# Head\n\n{entry}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"written twice|not enough values"):
        entries(file)
