"""Limits are exact: what just fits is read, and one more is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trainlint.source.events import TooDeepError
from trainlint.source.loader import load
from trainlint.source.world import SourceFile
from trainlint.source.yaml_tree import MAX_DEPTH


@pytest.mark.parametrize(("size", "read"), [(0, True), (9, True), (10, True), (11, False)])
def test_a_file_of_just_the_limit_is_read(size: int, read: bool, tmp_path: Path) -> None:
    content = b"x" * size
    (tmp_path / "a").write_bytes(content)
    on_disk = SourceFile(str(tmp_path / "a"), "a").read_up_to(10)
    in_memory = SourceFile("a", "a", content=content).read_up_to(10)
    assert on_disk == in_memory == (content if read else None)


def nested(depth: int) -> str:
    """A mapping whose only value is that deep."""
    return '{"a": ' * depth + "1" + "}" * depth


@pytest.mark.parametrize("written", [str, lambda text: text.replace('"', "")])
def test_a_document_of_just_the_depth_is_read(written: type[str]) -> None:
    # In both styles: JSON has a reader of its own.
    deepest = next(depth for depth in range(MAX_DEPTH, 0, -1) if _reads(written(nested(depth))))
    assert deepest in {MAX_DEPTH - 1, MAX_DEPTH}
    assert load(written(nested(deepest))).data == json.loads(nested(deepest))
    assert not _reads(written(nested(deepest + 1)))


def test_both_styles_have_one_limit() -> None:
    for depth in range(MAX_DEPTH - 2, MAX_DEPTH + 3):
        assert _reads(nested(depth)) == _reads(nested(depth).replace('"', "")), depth


def _reads(text: str) -> bool:
    try:
        load(text)
    except TooDeepError:
        return False
    return True
