"""The repository with some edits made, judged anew: what became of the findings and of the groups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from trainlint.effort import spend, spent
from trainlint.engine.finding_matches import entry_of, is_worse, match
from trainlint.engine.judge import judge
from trainlint.engine.progress import silent
from trainlint.engine.repository_state import State, read_state
from trainlint.engine.setup import Setup
from trainlint.fact import fact
from trainlint.finding import Add, Edit, Finding, Fix, Location, Severity, UsageError
from trainlint.fix.edit import edited, with_more
from trainlint.fix.editable_nodes import NotEditableError
from trainlint.fix.file import rewritten
from trainlint.model.known import Answer
from trainlint.model.workload import PodSet
from trainlint.questions.opened_connections import Gain, gains
from trainlint.questions.opened_connections_text import gained
from trainlint.rule import Facts, Repository, all_rules
from trainlint.snapshot.kinds import READ_KINDS
from trainlint.source.document import Document
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import read
from trainlint.source.world import SourceFile
from trainlint.wording.because import because_text

__all__ = ["OpenedConnections", "Trial", "TrialJudge"]

STEPS = 450_000
"""Steps of all trials of a run at most, and of what fixes are looked for among."""
EACH, OF_FINDING = 800, 20
"""Steps of a trial, apart from what is judged anew: for each snapshot that it changes, and for each finding in them."""

RANKS = {Answer.REFUTED: 0, Answer.UNKNOWN: 1, Answer.CONDITIONAL: 2, Answer.PROVED: 3}
Answers = dict[tuple[str, str], tuple[Answer, Answer]]


@dataclass(eq=False)
class Trial:
    """A state of the repository after some fixes, none for the one that was read. ``changed`` are files' contents."""

    state: State
    fixes: tuple[Fix, ...] = ()
    changed: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the rules find."""
        return tuple(self.state.found.values())

    @cached_property
    def answers(self) -> Answers:
        """Exists and for all, by group and snapshot."""
        return {
            (proof.group.name, facts.snapshot.name): (proof.exists, proof.for_all)
            for facts in self.state.facts
            for proof in facts.proofs
        }

    @cached_property
    def homes(self) -> Mapping[tuple[str, str], frozenset[tuple[str, int]]]:
        """The documents in which the pods of each group are written, by group and snapshot."""
        return {
            (proof.group.name, facts.snapshot.name): frozenset(
                (member.at.file, member.at.document) for member in proof.group.members
            )
            for facts in self.state.facts
            for proof in facts.proofs
        }

    def doubts(self, group: str, snapshot: str) -> frozenset[str]:
        """What is not known about a group."""
        return frozenset(
            because_text(each)
            for facts in self.state.facts
            if facts.snapshot.name == snapshot
            for proof in facts.proofs
            if proof.group.name == group
            for each in proof.missing
        )

    def of(self, finding: Finding) -> Finding | None:
        """A finding of the state that was read, as it is now; ``None`` if it is gone."""
        same = [each for each in self.findings if each.id == finding.id]
        return next((each for each in same if each.at.file == finding.at.file), same[0] if len(same) == 1 else None)


class TrialJudge:
    """Tries fixes on the model: all rules speak, whatever was selected."""

    def __init__(self, state: State, setup: Setup, trials: int) -> None:
        self._setup = setup
        self._rules = [rule for rule in all_rules() if rule.sees in (Facts, Repository)]
        self._kinds = KindFilter(READ_KINDS)
        self._scope = state.world.scope
        self._known: dict[frozenset[tuple[str, bytes]], State | None] = {}
        self._trials = trials
        self._until = spent() + STEPS
        state.builds.kustomizations.renew()
        state.builds.charts.renew()
        names = {rule.name for rule in self._rules}
        whole = replace(state, found={}, failures=[])
        whole.facts = state.facts
        if {rule.name for rule in setup.rules} >= names:  # what is said of a change is not looked at again
            whole.found = {key: finding for key, finding in state.found.items() if finding.rule in names}
        else:
            judge(whole, self._rules, silent)
        self.start = Trial(whole)

    @property
    def left(self) -> int:
        """How many trials may be made yet: none where as much was looked at as is worth it."""
        return self._trials if spent() < self._until else 0

    def go_on(self, trial: Trial) -> None:
        """Take the state that some fixes made for the one to start from."""
        self.start = Trial(trial.state)
        self._known.clear()

    def after(self, trial: Trial, fix: Fix) -> Trial | None:
        """The state after one more fix; ``None`` where its edits cannot be made, or nothing would come of them."""
        try:
            contents = dict(self._edited(trial.state, fix.edits))
        except NotEditableError:
            return None
        changed = {**trial.changed, **contents}
        key = frozenset(changed.items())
        if not contents or (key not in self._known and not self.left):
            return None
        if key not in self._known:
            self._trials -= 1
            self._known[key] = self._judged(trial.state, contents)
        state = self._known[key]
        return None if state is None else Trial(state, (*trial.fixes, fix), changed)

    def _edited(self, state: State, edits: Iterable[Edit]) -> Iterator[tuple[str, bytes]]:
        """The new contents of the files that the edits change."""
        wanted: dict[str, dict[int, list[Edit]]] = defaultdict(lambda: defaultdict(list))
        for edit in edits:
            if edit.at.base or (self._scope is not None and edit.at.file not in self._scope):
                raise NotEditableError("it is not one of the files that were named")
            wanted[edit.at.file][edit.at.document].append(edit)
        files = {file.name: file for file in state.world.files}
        for name, documents in wanted.items():
            if name not in files:
                raise NotEditableError("it is no file of the repository")
            old = content = files[name].read()
            for index in sorted(documents, reverse=True):  # the last first: the lines of those above stay
                document = self._document(state, name, index)
                more = [each for each in documents[index] if isinstance(each, Add)]
                new = with_more(edited(document, documents[index]), more, partial(self._like, state))
                content = rewritten(content, document, new)
            if content != old:
                yield name, content

    def _like(self, state: State, at: Location) -> Document | None:
        """The document that a new one is to be written like; ``None`` where it was rendered."""
        try:
            return self._document(state, at.file, at.document)
        except NotEditableError:
            return None

    @staticmethod
    def _document(state: State, file: str, index: int) -> Document:
        reading = state.places.readings.get(file)
        for document in reading.documents if reading is not None else ():
            if document.index == index:
                return document
        raise NotEditableError("it was rendered, or cannot be read")

    def _judged(self, state: State, contents: Mapping[str, bytes]) -> State | None:
        readings = []
        files: list[SourceFile] = []
        for file in state.world.files:
            content = contents.get(file.name)
            files.append(file if content is None else replace(file, content=content))
        charts = {file.name: file.chart for file in state.world.files}
        for reading in state.readings:
            content = contents.get(reading.file)
            readings.append(
                reading if content is None else read(reading.file, content, self._kinds, chart=charts[reading.file])
            )
        try:
            made = read_state(
                replace(state.world, files=tuple(files)), readings, self._setup, state.builds, known=state.snapshots
            )
        except UsageError:
            return None
        made.severities = state.severities
        made.facts, touched = _facts(state, made)
        spend(EACH * (1 + len(touched)))
        every, made.facts = made.facts, touched
        judge(made, self._rules, silent)
        spend(OF_FINDING * len(made.found))
        made.facts = every
        left = {each.snapshot.name for each in every} - {each.snapshot.name for each in touched}
        for key, finding in state.found.items():
            if not left.isdisjoint(finding.snapshots):
                made.found.setdefault(key, finding)
        return None if made.failures else made

    def news(self, trial: Trial) -> tuple[Finding, ...]:
        """What is found after the fixes and was not before, or is worse."""
        now, before = [entry_of(each) for each in trial.findings], [entry_of(each) for each in self.start.findings]
        pairs = match(now, before)
        return tuple(
            finding
            for index, finding in enumerate(trial.findings)
            if index not in pairs or is_worse(now[index], before[pairs[index]])
        )

    def gone(self, trial: Trial) -> int:
        """How many errors and warnings are there no more."""
        loud = (each for each in self.start.findings if each.severity is not Severity.NOTE)
        return sum(trial.of(each) is None for each in loud)

    def harms(self, trial: Trial) -> bool:
        """Whether an answer about a group is worse than before, or the group is not there any more."""
        for key, before in self.start.answers.items():
            now = trial.answers.get(key)
            if now is None or any(RANKS[one] < RANKS[other] for one, other in zip(now, before, strict=True)):
                return True
        return False

    def opens(self, trial: Trial) -> OpenedConnections:
        """Which pods can connect after the fixes and could not before."""
        before = {each.snapshot.name: each for each in self.start.state.facts}
        texts: dict[str, None] = {}
        found: list[Gain] = []
        for now in trial.state.facts:
            was = before.get(now.snapshot.name)
            if was is None or was.snapshot is now.snapshot or _same_traffic(was, now):
                continue
            here = list(gains(was, now))
            texts.update(dict.fromkeys(gained(here, _workloads(now))))
            found += here
        return OpenedConnections(tuple(texts), tuple(found))


@fact
class OpenedConnections:
    """Which connections fixes open: in words, and pair by pair."""

    texts: tuple[str, ...] = ()
    gains: tuple[Gain, ...] = ()

    @property
    def beyond(self) -> int:
        """How many pairs can connect though no group needs it."""
        return sum(not each.needed for each in self.gains)


def _workloads(facts: Facts) -> dict[str, list[str]]:
    """The names of the pod sets of each namespace."""
    found: dict[str, list[str]] = {}
    for each in facts.snapshot.workloads.pod_sets:
        if each.replicas != 0:
            found.setdefault(each.namespace, []).append(f"{each.namespace}/{each.name}")
    return found


def _facts(before: State, after: State) -> tuple[tuple[Facts, ...], tuple[Facts, ...]]:
    """The facts of every snapshot, and those that are others than before.

    What is known of a snapshot that is the same need not be found out again, apart from what rests on the others.
    """
    known = {id(each.snapshot): each for each in before.facts}
    pairs = [(known.get(id(snapshot)), snapshot) for snapshot in after.snapshots]
    made = tuple(Facts(snapshot, shown=False) if old is None else old.beside() for old, snapshot in pairs)
    for each in made:
        each.others = tuple(other for other in made if other is not each)
    touched = []
    for new, (old, _) in zip(made, pairs, strict=True):
        if old is not None and new.repository.same_as(old.repository):
            continue
        new.prove_anew()
        touched.append(new)
    return made, tuple(touched)


def _same_traffic(before: Facts, after: Facts) -> bool:
    """Whether nothing differs that policies look at."""
    one, other = before.snapshot, after.snapshot
    return (
        before.policies.entries == after.policies.entries
        and one.namespaces == other.namespaces
        and [_seen(each) for each in one.workloads.pod_sets] == [_seen(each) for each in other.workloads.pod_sets]
    )


def _seen(pods: PodSet) -> tuple[object, ...]:
    """What policies see of pods."""
    return pods.owner, pods.role, pods.labels, pods.spec.host_network, pods.spec.service_account, pods.replicas
