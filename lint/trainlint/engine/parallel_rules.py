"""What the rules say, said by two processes: a child takes the rules that need no proof while this one proves."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from typing import Final

from trainlint.engine.progress import Progress
from trainlint.facts.facts import Facts
from trainlint.finding import Finding
from trainlint.fork_worker import WorkSplit, fork
from trainlint.rule import Repository, Rule

__all__ = ["said_by_halves"]

MANY: Final = 500
"""Objects from which on it is worth while to let rules speak in two processes."""

Asked = tuple[str, int]
"""The name of a rule, and the number of the snapshot of which it is asked; 0 for one that sees the repository."""

Question = tuple[Asked, Rule, Repository | Facts]


def said_by_halves(
    rules: Sequence[Rule], repository: Repository, facts: Sequence[Facts], tell: Progress
) -> Mapping[Asked, Sequence[Finding]]:
    """The findings of each rule; nothing of those that broke, and nothing at all where one process is as quick.

    Fixes are functions, which no process can hand over: what the child found has none.
    """
    if len(repository.objects) < MANY:
        return {}
    questions: list[Question] = [((rule.name, 0), rule, repository) for rule in rules if rule.sees is Repository]
    for number, each in enumerate(facts):
        questions += [((rule.name, number), rule, each) for rule in rules if rule.sees is Facts]
    for each in facts:
        with suppress(Exception):  # it fails again when a rule asks for it, which is then named
            each.policies, each.placement.feasibilities  # noqa: B018 (remembered there: both processes need them)
    split = WorkSplit(len(questions))
    child = fork(lambda: pickle.dumps(list(_backwards(questions, split, facts))))
    if child is None:
        return {}
    with closing(child):
        for number, each in enumerate(facts):
            tell("proving", number, len(facts))
            with suppress(Exception):  # as above
                each.proofs  # noqa: B018
        found = dict(_forwards(questions, split))
        made = child.bytes()
    for asked, findings in pickle.loads(made) if made is not None else ():  # noqa: S301 (this very program wrote it)
        found[asked] = pickle.loads(findings)  # noqa: S301
    return found


def _forwards(questions: Sequence[Question], split: WorkSplit) -> Iterator[tuple[Asked, Sequence[Finding]]]:
    for number, (asked, rule, seen) in enumerate(questions):
        if number >= split.back:
            return
        split.front = number + 1
        with suppress(Exception):  # this process asks the rule again
            yield asked, list(rule.check(seen))


def _backwards(
    questions: Sequence[Question], split: WorkSplit, facts: Sequence[Facts]
) -> Iterator[tuple[Asked, bytes]]:
    for each in facts:
        each.groups.leave()
    for number in range(len(questions) - 1, -1, -1):
        if number < split.front:
            return
        split.back = number
        asked, rule, seen = questions[number]
        with suppress(Exception):  # it needs a proof, or it breaks: this is for the parent
            yield asked, pickle.dumps([replace(finding, fixes=tuple) for finding in rule.check(seen)])
