"""What in a change brought a finding in, where none of the finding's own places was touched: tried on the model."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import Final

from trainlint.engine.changes import Changes
from trainlint.engine.judge import judge, judge_change
from trainlint.engine.progress import silent
from trainlint.engine.repository_state import State, read_state
from trainlint.engine.setup import Setup
from trainlint.fact import fact
from trainlint.finding import Finding, Location, Related, UsageError
from trainlint.rule import Change, Facts, Repository
from trainlint.source.document import Document
from trainlint.source.reading import Reading, objects, parts_of
from trainlint.source.text import NotTextError, decode
from trainlint.source.world import World

__all__ = ["Blame"]

MAX_TRIALS: Final = 24
"""Changed documents up to which it is tried what each of them did."""

RESTORED: Final = 1_000_000
"""Indices from here on are those of documents put back into a file that has others by now."""


@fact
class _Trial:
    """One document as it was: ``readings`` and ``world`` are those of the head but for it.

    ``at`` is where the change is seen, ``reading`` is the file of the ``document`` that the change made other,
    ``setup`` has the settings that count.
    """

    role: str
    at: Location
    readings: tuple[Reading, ...]
    world: World
    setup: Setup
    reading: Reading | None = None
    document: Document | None = None


class Blame:
    """Puts every changed document back, one at a time, and sees which findings of some rules go away."""

    def __init__(self, changes: Changes, setup: Setup, before: Setup, rules: Collection[str]) -> None:
        self._changes = changes
        self._setup = setup
        self._before = before
        self._rules = [each for each in setup.rules if each.name in rules and each.sees in (Facts, Repository, Change)]
        self._blaming = {each.name for each in self._rules if each.blames}
        self._found: dict[int, frozenset[str]] = {}
        self._left = 2 * MAX_TRIALS
        self._parts: dict[int, tuple[tuple[Location, frozenset[str]], ...]] = {}

    def of(self, finding: Finding) -> Finding:
        """The finding with the place without whose change it would not be there, if there is one such place.

        A place that is still there becomes its own; one that is gone is related, or its own where the finding is about
        the change.
        """
        if finding.rule not in {rule.name for rule in self._rules}:
            return finding
        for number in self._nearest_first(finding):
            if finding.id not in self._without(number, self._trials[number]):
                return self._blamed(finding, number, self._trials[number])
        return self._nearest(finding) if finding.rule in self._blaming else finding

    def _nearest_first(self, finding: Finding) -> Sequence[int]:
        """The trials, those of documents that a finding about a change points at before others."""
        if finding.rule not in self._blaming:
            return range(len(self._trials))
        own = {(at.file, at.document) for at in (finding.at, *(each.at for each in finding.places))}
        places = [(each.at.file, each.at.document) for each in self._trials]
        return sorted(range(len(places)), key=lambda number: places[number] not in own)

    def _blamed(self, finding: Finding, number: int, trial: _Trial) -> Finding:
        """The finding at the place of a trial without which it is not there."""
        if finding.rule in self._blaming:
            known = {each.id for each in self._changes.head.found.values()}
            without = [(at, found) for at, found in self._parts_of(number, trial) if finding.id not in found]
            # undone alone, a part may contradict the others and change all that is said: the least such change is it
            at = min(without, key=lambda part: len(part[1] ^ known), default=(trial.at,))[0]
            return replace(finding, at=at, span=None, related=(*_about(finding, at), *finding.places))
        related = Related(trial.role, trial.at)
        if trial.at.base:
            return replace(finding, related=(related, *finding.places))
        others = (related, Related("what it breaks", finding.at, finding.span), *finding.places)
        return replace(finding, at=trial.at, span=None, related=others)

    def _nearest(self, finding: Finding) -> Finding:
        """The finding at the first of its places that the change touched, where no single part of it makes it."""
        for place in (*(each.at for each in finding.places), finding.at):
            if self._changes.touches(place):
                at = self._changes.narrowed(place)
                return replace(finding, at=at, span=None, related=(*_about(finding, at), *finding.places))
        return finding

    def _parts_of(self, number: int, trial: _Trial) -> tuple[tuple[Location, frozenset[str]], ...]:
        """The touched parts of the document of a trial, each with the findings that are there without that touch."""
        if number not in self._parts:
            self._parts[number] = tuple(self._tried(trial))
        return self._parts[number]

    def _tried(self, trial: _Trial) -> Iterator[tuple[Location, frozenset[str]]]:
        reading, document = trial.reading, trial.document
        if document is None:
            return
        parts = list(islice(self._changes.undone(document), MAX_TRIALS + 1))
        if not 1 < len(parts) <= MAX_TRIALS:
            return
        for at, part in parts:
            old = replace(part, text=json.dumps(part.data))
            readings, world = trial.readings, self._world(document.file, document.index, old)
            if reading is not None:
                others = tuple(each for each in reading.documents if each is not document)
                readings = self._readings(reading, (*others, old))
            yield at, self._judged(replace(trial, readings=readings, world=world))

    def _without(self, number: int, trial: _Trial) -> frozenset[str]:
        """The findings that would be there without one change; all of them if that is unknown."""
        if number not in self._found:
            self._found[number] = self._judged(trial)
        return self._found[number]

    def _judged(self, trial: _Trial) -> frozenset[str]:
        head = self._changes.head
        everything = frozenset(finding.id for finding in head.found.values())
        if not self._left:
            return everything
        self._left -= 1
        try:
            state = read_state(trial.world, trial.readings, trial.setup, head.builds, known=head.snapshots)
        except UsageError:
            return everything
        state.before = self._changes.base
        judge(state, self._rules, silent)
        judge_change(self._changes.base, state, self._rules)
        return everything if state.failures else frozenset(finding.id for finding in state.found.values())

    @cached_property
    def _trials(self) -> Sequence[_Trial]:
        trials = [*self._changed(), *self._removed(), *self._values(), *self._settings()]
        return trials if len(trials) <= MAX_TRIALS else ()

    def _changed(self) -> Iterator[_Trial]:
        """Documents that are new or other than before."""
        for reading in self._changes.head.readings:
            for document in reading.documents:
                at = Location(document.file, document.index)
                if not self._changes.touches(at):
                    continue
                before = self._changes.counterpart(document)
                old = () if before is None else (replace(before, file=document.file, index=document.index),)
                role = "what the change adds" if before is None else "what the change makes of it"
                others = tuple(each for each in reading.documents if each is not document)
                world = self._world(document.file, document.index, before)
                readings = self._readings(reading, (*others, *old))
                yield _Trial(role, self._changes.narrowed(at), readings, world, self._setup, reading, document)

    def _removed(self) -> Iterator[_Trial]:
        """Documents of the base revision that nothing in the head became."""
        head, base = self._changes.head, self._changes.base
        kept = {id(before) for document in _documents(head) if (before := self._changes.counterpart(document))}
        by_name = {reading.file: reading for reading in head.readings}
        for document in _documents(base):
            if id(document) in kept or not any(True for _ in objects(document)):
                continue
            reading = by_name.get(document.file, Reading(document.file))
            restored = replace(document, index=RESTORED + document.index)
            at = Location(document.file, document.index, base=True)
            readings = self._readings(reading, (*reading.documents, restored))
            world = self._world(document.file, None, restored)
            yield _Trial("(removed) what the change takes away", at, readings, world, self._setup)

    def _values(self) -> Iterator[_Trial]:
        """Files that are no manifests, from which manifests are rendered: values of charts, data of generators."""
        head = self._changes.head
        known = {document.file for document in _documents(head)}
        for file in head.world.files if head.repository.rendered else ():
            at = Location(file.name, 0)
            document = head.places.document(at) if file.name not in known and self._changes.touches(at) else None
            before = None if document is None else self._changes.counterpart(document)
            if before is not None:
                world, role = self._world(file.name, 0, before), "what the change makes of it"
                yield _Trial(role, self._changes.narrowed(at), head.readings, world, self._setup, document=document)

    def _settings(self) -> Iterator[_Trial]:
        """The settings of the base revision, where they say something else about the clusters."""
        if self._before.settings == self._setup.settings:
            return
        head, now, then = self._changes.head, self._setup.configuration.document, self._before.configuration.document
        setup = replace(self._setup, settings=self._before.settings)
        if now is not None:
            at = self._changes.narrowed(Location(now.file, now.index))
            yield _Trial("what the change makes of the settings", at, head.readings, head.world, setup)
        elif then is not None:
            at = Location(then.file, then.index, base=True)
            yield _Trial("(removed) the settings", at, head.readings, head.world, setup)

    def _world(self, file: str, index: int | None, old: Document | None) -> World:
        """The files of the head, one of them with an old document in the place of one of its own, for renderers."""
        world = self._changes.head.world
        if not self._changes.head.repository.rendered:
            return world
        source = next((each for each in world.files if each.name == file), None)
        try:
            texts = (
                {at: part.text for at, (part, _) in enumerate(parts_of(file, decode(source.read())))} if source else {}
            )
        except (OSError, NotTextError):
            texts = {}
        if not texts or (index is not None and index not in texts):
            return world
        if old is None:
            del texts[index or 0]
        else:
            texts[len(texts) if index is None else index] = old.text
        content = "\n---\n".join(texts.values()).encode()
        files = (replace(each, content=content) if each is source else each for each in world.files)
        return replace(world, files=tuple(files))

    def _readings(self, reading: Reading, documents: tuple[Document, ...]) -> tuple[Reading, ...]:
        changed = replace(reading, documents=tuple(sorted(documents, key=lambda each: each.index)))
        others = [each for each in self._changes.head.readings if each.file != reading.file]
        return tuple(sorted((*others, changed), key=lambda each: each.file))


def _about(finding: Finding, at: Location) -> Iterator[Related]:
    """What a finding about a change is about, where that is elsewhere."""
    if finding.at != at:
        yield Related(", ".join(finding.groups) or "what it bears on", finding.at, finding.span)


def _documents(state: State) -> Iterator[Document]:
    for reading in state.readings:
        yield from reading.documents
