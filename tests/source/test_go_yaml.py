"""The loader against verdicts recorded from go-yaml (go_yaml/README.md)."""

import json
from pathlib import Path
from typing import Any

import pytest

from trainlint.source.events import YamlError
from trainlint.source.loader import load


def label(entry: dict[str, Any]) -> str:
    return entry["text"][:30]


VERDICTS = json.loads((Path(__file__).parent / "go_yaml" / "verdicts.json").read_text(encoding="utf-8"))


def same(ours: Any, theirs: Any) -> bool:
    """Equal as JSON: numbers by value, booleans only with booleans."""
    if isinstance(ours, bool) or isinstance(theirs, bool):
        return ours is theirs
    if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
        return ours == theirs or (isinstance(ours, float) and ours == float(theirs))
    if type(ours) is not type(theirs):
        return False
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(same(value, theirs[key]) for key, value in ours.items())
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return bool(ours == theirs)


@pytest.mark.parametrize("verdict", [entry for entry in VERDICTS if "json" in entry], ids=label)
def test_a_text_that_go_yaml_reads_has_the_same_value_here(verdict):
    loaded = load(verdict["text"])
    assert same(loaded.data, verdict["json"]), loaded.data


@pytest.mark.parametrize("verdict", [entry for entry in VERDICTS if "error" in entry], ids=label)
def test_a_text_that_go_yaml_refuses_is_refused_here(verdict):
    with pytest.raises(YamlError) as caught:
        load(verdict["text"])
    assert 0 <= caught.value.index <= len(verdict["text"])
    assert len(caught.value.message) > 10


def test_the_recording_holds_both_verdicts():
    assert len(VERDICTS) > 700
    assert 100 < sum("error" in entry for entry in VERDICTS) < 200
