"""What in a change brought a finding in, where none of the finding's own places was touched: tried on the model."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from trainlint.engine.changes import Changes
from trainlint.engine.judge import judge
from trainlint.engine.progress import silent
from trainlint.engine.setup import Setup
from trainlint.engine.state import State, read_state
from trainlint.fact import fact
from trainlint.finding import Finding, Location, Related, UsageError
from trainlint.rule import Facts, Repository
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

    ``at`` is where the change is seen.
    """

    role: str
    at: Location
    readings: tuple[Reading, ...]
    world: World


class Blame:
    """Puts every changed document back, one at a time, and sees which findings of some rules go away."""

    def __init__(self, changes: Changes, setup: Setup, rules: Collection[str]) -> None:
        self._changes = changes
        self._setup = setup
        self._rules = [rule for rule in setup.rules if rule.name in rules and rule.sees in (Facts, Repository)]
        self._found: dict[int, frozenset[str]] = {}

    def of(self, finding: Finding) -> Finding:
        """The finding with the place without whose change it would not be there, if there is one such place.

        A place that is still there becomes its own; one that is gone is related.
        """
        if finding.rule not in {rule.name for rule in self._rules}:
            return finding
        for number, trial in enumerate(self._trials):
            if finding.id not in self._without(number, trial):
                related = Related(trial.role, trial.at)
                if trial.at.base:
                    return replace(finding, related=(related, *finding.places))
                others = (related, Related("what it breaks", finding.at, finding.span), *finding.places)
                return replace(finding, at=trial.at, span=None, related=others)
        return finding

    def _without(self, number: int, trial: _Trial) -> frozenset[str]:
        """The findings that would be there without one change; all of them if that is unknown."""
        if number not in self._found:
            self._found[number] = self._judged(trial)
        return self._found[number]

    def _judged(self, trial: _Trial) -> frozenset[str]:
        head = self._changes.head
        everything = frozenset(finding.id for finding in head.found.values())
        try:
            state = read_state(trial.world, trial.readings, self._setup, head.builds)
        except UsageError:
            return everything
        judge(state, self._rules, silent)
        return everything if state.failures else frozenset(finding.id for finding in state.found.values())

    @cached_property
    def _trials(self) -> Sequence[_Trial]:
        trials = [*self._changed(), *self._removed()]
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
                yield _Trial(role, self._changes.narrowed(at), self._readings(reading, (*others, *old)), world)

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
            yield _Trial("(removed) what the change takes away", at, readings, world)

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


def _documents(state: State) -> Iterator[Document]:
    for reading in state.readings:
        yield from reading.documents
