"""What fixes the findings of a run: repairs that were tried, for whole groups first, then for what is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from trainlint.engine.finding_matches import entry_of, match
from trainlint.engine.repair_search import RepairedState, concerns, finding_goal, group_goal, search
from trainlint.engine.repository_state import State
from trainlint.engine.setup import Setup
from trainlint.engine.trial import Trial, TrialJudge
from trainlint.finding import Finding, Safety, Severity
from trainlint.fix.diff import replaced_lines
from trainlint.model.known import Answer
from trainlint.result import FileChange, Repair, TextEdit, Unrepaired

__all__ = ["RepairOutcome", "apply", "propose"]

WORK = 150_000
"""Documents that are judged anew in one run at most: in the worst case a trial judges those of every snapshot."""
FEWEST, MOST = 12, 1500
"""Trials of one run, whatever its size."""
EACH = 150
"""Trials for one goal at most."""
UNTRIED = "not every fix was tried, for that would take long: name a part of the repository to see more"
PASSES = 10
"""How often everything that is left is gone through when repairs are applied."""


@dataclass(eq=False)
class RepairOutcome:
    """The repairs, the groups for which there is none, and (where they were applied) the files that change."""

    repairs: list[Repair] = field(default_factory=list)
    unrepaired: list[Unrepaired] = field(default_factory=list)
    changes: tuple[FileChange, ...] = ()


def propose(state: State, setup: Setup, findings: Sequence[Finding]) -> RepairOutcome:
    """The repairs for some findings of a state, each by itself about the repository as it is.

    A group that cannot run, or may be placed badly, gets the smallest set of fixes after which all is well with it.
    Every other finding gets the first of its own fixes that removes it.
    """
    found = RepairOutcome()
    if not findings:
        return found
    judge = TrialJudge(state, setup, trials_for(state))
    covered: set[tuple[str, str]] = set()
    groups = list(_refuted(judge.start, findings))
    for name, snapshot, about in groups:
        if not all(_key(each) in covered for each in about):
            best = search(judge, group_goal(judge, name, snapshot), EACH)
            if best is None:
                found.unrepaired.append(Unrepaired(name, snapshot, _why(judge)))
            else:
                repair = _repair(judge, best, findings, name, snapshot)
                if all(repair.changes != each.changes for each in found.repairs):  # one edit may repair several groups
                    found.repairs.append(repair)
                covered |= _gone(judge, best.trial, findings)
    for finding in findings:
        if _key(finding) not in covered and judge.start.of(finding) is not None:
            best = search(judge, finding_goal(judge, finding), EACH)
            if best is not None:
                found.repairs.append(_repair(judge, best, findings))
                covered |= _gone(judge, best.trial, findings)
    open_ = {(name, snapshot) for name, snapshot, about in groups if not _settled(about, covered)}
    found.unrepaired = [each for each in found.unrepaired if (each.group, each.snapshot) in open_]
    if judge.left <= 0:
        found.unrepaired.append(Unrepaired("", "", UNTRIED))
    return found


def apply(state: State, setup: Setup, findings: Sequence[Finding], *, unsafe: bool) -> RepairOutcome:
    """The repairs one after the other, each tried on what those before it made, until none is left that may be applied.

    Never one that admits more traffic; without ``unsafe`` only those that cannot change what already works.
    """
    found = RepairOutcome()
    if not findings:
        return found
    worst = Safety.UNSAFE if unsafe else Safety.SAFE
    judge = TrialJudge(state, setup, trials_for(state))
    contents: dict[str, bytes] = {}
    tried: set[tuple[str, str]] = set()

    def take(best: RepairedState | None, left: Sequence[Finding], group: str = "", snapshot: str = "") -> bool:
        if best is None:
            return False
        found.repairs.append(_repair(judge, best, left, group, snapshot))
        contents.update(best.trial.changed)
        judge.go_on(best.trial)
        tried.clear()
        return True

    for _ in range(PASSES):
        applied = len(found.repairs)
        groups = list(_refuted(judge.start, _left(judge.start, findings))) if unsafe else []
        for name, snapshot, _ in groups:
            left = _left(judge.start, findings)
            if any((name, snapshot) == each[:2] for each in _refuted(judge.start, left)):
                take(search(judge, group_goal(judge, name, snapshot), EACH, worst), left, name, snapshot)
        while True:
            left = _left(judge.start, findings)
            following = next((each for each in left if _key(each) not in tried), None)
            if following is None:
                break
            tried.add(_key(following))
            take(search(judge, finding_goal(judge, following), EACH, worst), left)
        if len(found.repairs) == applied:
            break
    files = {file.name: file for file in state.world.files}
    found.changes = tuple(_change(name, files[name].read(), content) for name, content in sorted(contents.items()))
    return found


def _settled(about: Sequence[Finding], covered: set[tuple[str, str]]) -> bool:
    """Whether every error about a group is repaired by itself, though it is unknown whether the group runs then."""
    return all(_key(each) in covered for each in about if each.severity is Severity.ERROR)


def trials_for(state: State) -> int:
    """How many trials a run may make: the larger the repository, the fewer."""
    documents = sum(each.documents for each in state.snapshots)
    return min(max(WORK // max(documents, 1), FEWEST), MOST)


def _key(finding: Finding) -> tuple[str, str]:
    return finding.id, finding.at.file


def _left(now: Trial, findings: Sequence[Finding]) -> list[Finding]:
    """Those of the findings that are there still, as they are now."""
    pairs = match([entry_of(each) for each in now.findings], [entry_of(each) for each in findings])
    return [now.findings[index] for index, _ in sorted(pairs.items(), key=lambda pair: pair[1])]


def _gone(judge: TrialJudge, now: Trial, findings: Sequence[Finding]) -> set[tuple[str, str]]:
    """Those that are there no more; what the rules say about suppressions is not looked at in a trial."""
    return {_key(each) for each in findings if judge.start.of(each) is not None and now.of(each) is None}


def _refuted(trial: Trial, findings: Sequence[Finding]) -> Iterator[tuple[str, str, list[Finding]]]:
    """The groups with a refuted answer, by name and snapshot, and those of the findings that are about them."""
    for (name, snapshot), answers in trial.answers.items():
        if Answer.REFUTED in answers:
            about = [each for each in findings if snapshot in each.snapshots and concerns(each, trial, name, snapshot)]
            if about:
                yield name, snapshot, about


def _why(judge: TrialJudge) -> str:
    if judge.left <= 0:
        return "not everything was tried"
    return "no set of up to four of the fixes that are known here fixes it without new findings"


def _repair(
    judge: TrialJudge, best: RepairedState, findings: Sequence[Finding], group: str = "", snapshot: str = ""
) -> Repair:
    trial = best.trial
    gone = _gone(judge, trial, findings)
    files = {file.name: file for file in judge.start.state.world.files}
    return Repair(
        steps=tuple(fix.title for fix in trial.fixes),
        safety=best.safety,
        changes=tuple(_change(name, files[name].read(), content) for name, content in sorted(trial.changed.items())),
        fixes=tuple(each.id for each in findings if _key(each) in gone),
        edits=sum(len(fix.edits) for fix in trial.fixes),
        group=group,
        snapshot=snapshot,
        opens=best.opens,
        leaves=tuple(f"{each.severity}[{each.rule}] {each.message}" for each in best.leaves),
    )


def _change(file: str, before: bytes, after: bytes) -> FileChange:
    """A changed file with the lines that differ."""
    return FileChange(file, before, after, tuple(TextEdit(span, text) for span, text in replaced_lines(before, after)))
