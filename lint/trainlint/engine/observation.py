"""One look at a repository for a program that keeps looking: findings, and groups with the places of their objects."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import field
from pathlib import Path

from trainlint.engine.current_repository import opened
from trainlint.engine.judge import judge, sift
from trainlint.engine.progress import Progress
from trainlint.engine.source_places import Places
from trainlint.engine.verdict import verdicts
from trainlint.fact import fact
from trainlint.finding import Finding, Span
from trainlint.result import Failure, GroupVerdict, Placed, Repair

__all__ = ["Home", "Observation", "look"]


@fact
class Home:
    """An object of a group, where it stands, with the verdict on the group."""

    file: str
    span: Span
    verdict: GroupVerdict


@fact
class Observation:
    """What was found; files are relative to ``root``. ``repairs`` looks for what fixes findings, given by identity."""

    root: str
    findings: tuple[Placed, ...]
    homes: tuple[Home, ...]
    failures: tuple[Failure, ...]
    repairs: Callable[[Collection[str]], tuple[Repair, ...]] = field(compare=False, repr=False)


def look(paths: Sequence[Path], progress: Progress) -> Observation:
    """Everything about the repository at ``paths``; ``progress`` may raise, and so end it early.

    Raises:
        UsageError: a path that is not there, a configuration or an Inventory that is wrong.
    """
    state, setup = opened(paths, progress=progress, cache=True)
    judge(state, setup.rules, progress)
    kept, _ = sift(state, setup, dt.datetime.now(tz=dt.UTC).date())

    def repairs(identities: Collection[str]) -> tuple[Repair, ...]:
        from trainlint.engine.repairs import propose  # noqa: PLC0415 (only when repairs are asked for)

        return tuple(propose(state, setup, [each for each in kept if each.id in identities]).repairs)

    return Observation(
        str(state.world.root),
        tuple(state.places.placed(finding) for finding in sorted(kept, key=_order)),
        tuple(_homes((verdict for verdict, *_ in verdicts(state.facts, state.repository)), state.places)),
        tuple(state.failures),
        repairs,
    )


def _homes(groups: Iterator[GroupVerdict], places: Places) -> Iterator[Home]:
    for verdict in groups:
        for at in dict.fromkeys(role.at for role in verdict.roles if role.at is not None):
            yield Home(at.file, places.whole(at), verdict)


def _order(finding: Finding) -> tuple[str, int, str]:
    return (finding.at.file, finding.at.document, finding.rule)
