"""What Volcano, KAI, the coscheduling plugin and Kubernetes' own PodGroups do with small jobs and queues.

Each record of ``data`` was derived from the source of its project at the commit that the file names; ``evidence`` is
the place there. A record is written short: ``objects.py`` says what becomes of it. ``finds`` are the rules that must
fire, each with words of what it says; nothing else may be said about queues, gangs and refusals. ``gang`` is the number
of pods that start together: a queue with one GPU for each of them is enough, and with one less it is not.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.engine.worlds import lint
from tests.queues.objects import manifests

DATA = Path(__file__).parent / "data"
FILES = ("volcano", "kai", "coscheduling", "kubernetes")
RULES = frozenset(
    {
        "queue-never-admits",
        "queue-missed",
        "rejected-object",
        "gang-exceeds-pods",
        "gang-waits-for-later-pods",
        "dangling-reference",
    }
)
LEAST = {"volcano": 60, "kai": 60, "coscheduling": 25, "kubernetes": 25}


def records(file: str) -> list[dict[str, Any]]:
    return yaml.safe_load((DATA / f"{file}.yaml").read_text(encoding="utf-8"))["records"]  # type: ignore[no-any-return]


ALL = [pytest.param(file, each, id=f"{file}: {each['about']}") for file in FILES for each in records(file)]


def said(root: Path, text: str, kubernetes: str = "") -> dict[str, str]:
    """What each of the rules says, with its remedy; ``kubernetes`` is the release, if one is stated."""
    found: dict[str, str] = {}
    files = {"all.yaml": text}
    if kubernetes:
        files["trainlint.yaml"] = yaml.safe_dump({"clusters": [{"name": "a", "kubernetes": kubernetes}]})
    for each in lint(root, files, select=RULES, ignore=frozenset()).findings:
        found[each.finding.rule] = f"{found.get(each.finding.rule, '')} {each.finding.message} {each.finding.remedy}"
    return found


@pytest.mark.parametrize(("file", "record"), ALL)
def test_a_record(file: str, record: dict[str, Any], tmp_path: Path) -> None:
    if "gang" in record:
        for more, rules in ((0, set()), (-1, {"queue-never-admits"})):
            found = said(tmp_path / f"{more}", manifests(file, record, record["gang"] + more))
            assert set(found) == rules, found
        return
    found = said(tmp_path, manifests(file, record), record.get("kubernetes", ""))
    assert set(found) == set(record["finds"]), found
    for rule, words in record["finds"].items():
        missing = [word for word in words if str(word) not in found[rule]]
        assert missing == [], found[rule]


@pytest.mark.parametrize("file", FILES)
def test_every_record_names_its_place_and_there_are_enough(file: str) -> None:
    known = records(file)
    assert len({each["about"] for each in known}) == len(known) >= LEAST[file]
    assert [each["about"] for each in known if ":" not in str(each["evidence"])] == []
