"""Two states of a repository: which findings a change brings in, which it fixes, and where it did that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from trainlint.engine.blame import Blame
from trainlint.engine.changes import Changes
from trainlint.engine.finding_matches import entry_of, is_worse, match
from trainlint.engine.judge import judge, judge_change, sift
from trainlint.engine.merged_findings import as_one
from trainlint.engine.reading import read_all
from trainlint.engine.repository_state import State, in_scope, read_state
from trainlint.engine.request import CheckRequest
from trainlint.engine.setup import Setup, read_setup
from trainlint.finding import Finding, Location, Related, Unknown, UsageError
from trainlint.result import Comparison
from trainlint.source.cache import Cache
from trainlint.source.file_tree import Tree
from trainlint.source.kustomization import read_kustomizations
from trainlint.source.revision import Revision, read_revision

__all__ = ["Base", "compare", "judge_base"]


@dataclass(eq=False)
class Base:
    """The base revision: what it held, its settings, and the findings that were not suppressed there.

    ``state`` is ``None`` where it could not be judged; it is the head itself where nothing differs.
    """

    revision: Revision
    state: State | None = None
    findings: Sequence[Finding] = ()
    unknowns: tuple[Unknown, ...] = ()
    setup: Setup | None = None


def judge_base(name: str, head: State, setup: Setup, request: CheckRequest, cache: Cache | None) -> Base:
    """Judge the revision with the rules that the head is judged with, but with its own settings and suppressions, and
    let the rules speak about the change.

    Raises:
        UsageError: there is no such revision.
    """
    revision = read_revision(head.world, name)
    files = {file.name for file in (*head.world.files, *head.world.configs)}
    then = {file.name for file in (*revision.world.files, *revision.world.configs)}
    if revision.same == files == then and revision.beside and not _feeds_other(head, revision):
        return Base(revision, head, unknowns=revision.unknowns)
    known = {reading.file: reading for reading in head.readings if reading.file in revision.same}
    try:
        own = read_setup(revision.world, request.paths, request.config, request.given)
        own = replace(own, rules=setup.rules, severities=setup.severities)
        readings = read_all(revision.world, request.progress, known.get, cache)
        state = read_state(revision.world, readings, own, head.builds, request.progress)
        state.severities = setup.severities
    except UsageError as error:
        missing = f"it cannot be judged: {str(error).partition(chr(10))[0]}"
        what = Unknown(f"the findings of {name}", missing, "all findings are reported as new until it can be")
        return Base(revision, unknowns=(*revision.unknowns, what))
    judge(state, own.rules, request.progress)
    findings, _ = sift(state, own, request.today)
    head.before = state
    head.failures += [failure for failure in state.failures if failure not in head.failures]
    judge_change(state, head, setup.rules)
    return Base(revision, state, findings, revision.unknowns, own)


def _feeds_other(head: State, revision: Revision) -> bool:
    """Whether kustomizations read other data than before, in files that are no manifests."""
    known = {file.name for file in head.world.files}
    named = {
        name
        for each in read_kustomizations(head.readings).values()
        for name in (*each.data_files, *each.patch_files, *each.plugin_files, *each.resources)
        if name not in known
    }
    now, then = Tree(head.world), Tree(revision.world)
    return any(_text(now.read(name)) != _text(then.read(name)) for name in named)


def _text(content: bytes | None) -> bytes:
    return (content or b"").replace(b"\r\n", b"\n")  # line ends are Git's to convert


def compare(
    base: Base, head: State, setup: Setup, kept: Sequence[Finding], silenced: Iterable[Finding]
) -> tuple[list[Finding], Comparison]:
    """The findings that are new, each at a place that the change touched if one of its places is, and what became of
    the others. ``silenced`` are those that are there all the same: suppressed, or accepted by a baseline.
    """
    name, commit = base.revision.name, base.revision.commit
    if base.state is head:
        return [], Comparison(name, commit, unchanged=len(kept))
    before = [entry_of(finding) for finding in base.findings]
    now = [entry_of(finding) for finding in kept]
    pairs = match(now, before)
    old = {index for index, other in pairs.items() if not is_worse(now[index], before[other])}
    new = [finding for index, finding in enumerate(kept) if index not in old]
    if base.state is None:
        return new, Comparison(name, commit)
    left = [index for index in range(len(before)) if index not in pairs.values()]
    still = match([entry_of(finding) for finding in silenced], [before[index] for index in left]).values()
    gone = [index for number, index in enumerate(left) if number not in still]
    scope = head.world.scope
    fixed = [base.findings[index] for index in gone]
    changes = Changes(base.state, head, base.revision.same)
    blaming = {rule.name for rule in setup.rules if rule.blames}
    moved = {
        index: there
        for index, finding in enumerate(new)
        if finding.rule not in blaming and (there := _moved(finding, changes)) is not None
    }
    left_over = {finding.rule for index, finding in enumerate(new) if index not in moved}
    blame = Blame(changes, setup, base.setup or setup, left_over)
    placed = [moved.get(index) or blame.of(finding) for index, finding in enumerate(new)]
    return as_one(placed, blaming), Comparison(
        name,
        commit,
        fixed=tuple(base.state.places.placed(each) for each in fixed if scope is None or in_scope(each, scope)),
        unchanged=len(old),
    )


def _moved(finding: Finding, changes: Changes) -> Finding | None:
    """The finding at the first of its places that the change touched; ``None`` if it touched none of them."""
    place = Location(finding.at.file, -1) if finding.span else finding.at  # a span stands in a file, not in a document
    if finding.at.base or changes.touches(place):
        return finding
    for number, related in enumerate(finding.places):
        if related.span is None and changes.touches(related.at):
            at = changes.narrowed(related.at)
            others = [*finding.places]
            others[number] = Related(related.role, at)
            if finding.at not in {each.at for each in others}:
                others.insert(0, Related("what it breaks", finding.at, finding.span))
            return replace(finding, at=at, span=None, related=tuple(others))
    return None
