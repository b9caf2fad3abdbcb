"""What is said where one thing in an example or a case is another: missing, one more or less, misspelt, the opposite.

Near misses show where a verdict turns. The changes are drawn by the name of the example, so they stay the same.
"""

from __future__ import annotations

import copy
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.golden import test_cases, test_examples
from tests.golden.golden import HERE, agree, stale
from tests.test_rule_examples import BLOCK, lay

from trainlint.engine import check
from trainlint.finding import UsageError
from trainlint.result import Result
from trainlint.rule import Rule, all_rules

GOLDEN = HERE / "changed"
OF_EXAMPLES, OF_CASES = 5, 3
TODAY = test_cases.TODAY

Steps = tuple[Any, ...]


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def nodes(value: Any, path: Steps = ()) -> Iterator[Steps]:
    """The paths of all parts of a document, but of what says which object it is."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        if path or key not in {"apiVersion", "kind"}:
            yield (*path, key)
            yield from nodes(item, (*path, key))


def changed(documents: list[Any], number: int, path: Steps, random_: random.Random) -> tuple[list[Any], str]:
    """The documents with one part changed, and what was done in words."""
    made = copy.deepcopy(documents)
    here = made[number]
    for step in path[:-1]:
        here = here[step]
    old = here[path[-1]]
    new = _other(old, random_)
    where = f"{made[number].get('kind')} {'/'.join(map(str, path))}"
    if new is None:
        del here[path[-1]]
        return made, f"without {where}"
    here[path[-1]] = new
    return made, f"{where}: {old} -> {new}"


def _other(old: Any, random_: random.Random) -> Any:
    """Another value; ``None``: take it away."""
    if isinstance(old, dict | list) or old in (None, "") or random_.random() < 0.4:
        return None
    if isinstance(old, bool):
        return not old
    if isinstance(old, int):
        return old + random_.choice((1, -1))
    if str(old).isdecimal():
        return str(int(old) + random_.choice((1, -1)))
    place = random_.randrange(len(str(old)))
    return f"{str(old)[:place]}{random_.choice(('', 'x'))}{str(old)[place + 1 :]}"


def variants(root: Path, seed: str, count: int) -> Iterator[str]:
    """What is said of ``count`` changed states of the files below ``root``."""
    files = {}
    for file in sorted(root.rglob("*.yaml")):
        try:
            documents = list(yaml.safe_load_all(file.read_text(encoding="utf-8")))
        except (yaml.YAMLError, ValueError):
            continue
        if all(isinstance(each, dict) for each in documents):
            files[file] = documents
    spots = [
        (file, number, path) for file, all_ in files.items() for number, each in enumerate(all_) for path in nodes(each)
    ]
    random_ = random.Random(seed)
    for file, number, path in random_.sample(spots, min(count, len(spots))):
        written = file.read_bytes()
        made, what = changed(files[file], number, path, random_)
        file.write_text(yaml.dump_all(made, Dumper=_Dumper, sort_keys=False), encoding="utf-8")
        yield f"  {what}"
        try:
            yield from said(check([root], today=TODAY))
        except UsageError as error:
            yield f"    exit code 2: {error}"
        file.write_bytes(written)


def said(result: Result) -> Iterator[str]:
    for each in result.findings:
        finding = each.finding
        at = f"{finding.at.file} {'/'.join(map(str, each.path))}".rstrip()
        yield f"    {finding.severity}[{finding.rule}] {finding.certainty}, {at}: {finding.message}"
    for group in result.groups:
        why = f" ({'; '.join(group.missing)})" if group.missing else ""
        yield f"    group {group.name}: {group.exists}, {group.for_all}, connections {group.connections}{why}"
    yield from (f"    a rule broke: {each.rule}" for each in result.failures)


def of_rule(rule: Rule, root: Path) -> str:
    blocks = [(match["role"], match["text"]) for match in BLOCK.finditer(rule.page)]
    shared = {role: text for role, text in blocks if role in {"given", "settings"}}
    lines = []
    for number, (role, text) in enumerate(each for each in blocks if each[0] in {"bad", "good"}):
        folder = root / str(number)
        folder.mkdir(parents=True)
        lay(folder, text, shared)
        lines += [f"{role} example", *variants(folder, f"{rule.name} {number}", OF_EXAMPLES)]
    return "\n".join(lines) + "\n"


def of_case(folder: Path, root: Path) -> str:
    state = folder / "head" if (folder / "head").is_dir() else folder
    shutil.copytree(state, root, ignore=shutil.ignore_patterns("case.yaml"))
    return "\n".join(variants(root, folder.name, OF_CASES)) + "\n"


@pytest.mark.needs("kustomize", "helm")
@test_examples.RULES
def test_changed_examples_say_what_the_golden_file_says(
    rule: Rule, tmp_path: Path, update: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", os.fspath(tmp_path))
    agree(GOLDEN / "examples" / _of(rule), of_rule(rule, tmp_path), update=update)


@pytest.mark.needs("kustomize", "helm")
@pytest.mark.parametrize("folder", [pytest.param(each, id=test_cases.name(each)) for each in test_cases.FOLDERS])
def test_changed_cases_say_what_the_golden_file_says(
    folder: Path, tmp_path: Path, update: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", os.fspath(tmp_path))
    agree(GOLDEN / "cases" / _of_case(folder), of_case(folder, tmp_path / "repository"), update=update)


def test_every_golden_file_is_of_a_rule_or_a_case(update: bool) -> None:
    assert stale(GOLDEN / "examples", map(_of, all_rules()), update=update) == []
    assert stale(GOLDEN / "cases", map(_of_case, test_cases.FOLDERS), update=update) == []


def _of(rule: Rule) -> str:
    return f"{rule.category}/{rule.name}.txt"


def _of_case(folder: Path) -> str:
    return f"{folder.relative_to(test_cases.CASES)}.txt"
