"""One run, from paths to a result."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from pathlib import Path

from trainlint.config.load import load_settings
from trainlint.engine.state import Progress, State, judge, read_all, read_state, sift
from trainlint.finding import Finding, Severity, Unknown, UsageError
from trainlint.model.known import Answer
from trainlint.proof.facts import Facts
from trainlint.proof.group import GroupProof
from trainlint.result import GroupVerdict, PlacedUnknown, Result, SnapshotSummary
from trainlint.rule import Rule, all_rules
from trainlint.snapshot.build import Snapshot
from trainlint.source.document import Document
from trainlint.source.events import YamlError
from trainlint.source.files import World, discover
from trainlint.source.loader import load
from trainlint.source.text import NotTextError, decode

__all__ = ["check"]

BACKGROUND = frozenset({"ConfigMap", "Inventory", "Namespace", "Node", "Service"})
"""Kinds that say something about others and are nothing to analyse by themselves."""


def check(
    paths: Sequence[Path],
    *,
    config: Path | None = None,
    select: frozenset[str] = frozenset(),
    ignore: frozenset[str] = frozenset(),
    stdin: bytes | None = None,
    progress: Progress | None = None,
    today: dt.date | None = None,
) -> Result:
    """Everything that can be said about the repository at ``paths``.

    ``select`` and ``ignore`` hold names of rules or categories (nothing selected means all); ``progress`` is told the
    stage, how many of its steps are done and how many there are; ``today`` decides which suppressions are over.

    Raises:
        UsageError: a path that is not there, a configuration or Inventory that is wrong.
    """
    tell = progress or _silent
    day = today or dt.datetime.now(tz=dt.UTC).date()
    world = discover(paths, stdin=stdin)
    settings = load_settings(_configuration(world, config))
    rules = [rule for rule in all_rules() if _chosen(rule, select, ignore)]
    state = read_state(world, read_all(world, tell), settings)
    judge(state, rules, tell)
    kept, suppressed = sift(state, rules, day)
    return Result(
        root=str(world.root),
        snapshots=tuple(
            SnapshotSummary(each.name, each.documents, each.why) for each in state.snapshots if each.objects
        ),
        findings=tuple(state.places.placed(finding) for finding in sorted(kept, key=_order)),
        suppressed=tuple(state.places.placed(finding, reason) for finding, reason in suppressed),
        groups=tuple(_verdict(proof, each.snapshot) for each in state.facts for proof in each.proofs),
        unknowns=tuple(_unknowns(state)),
        assumptions=tuple(sorted({text for each in state.facts for text in _assumptions(each)})),
        analysed=_analysed(state),
        failures=tuple(state.failures),
    )


def _analysed(state: State) -> bool:
    """Whether there was anything to analyse."""
    return (
        any(each.snapshot.workloads.pod_sets or each.policies.entries for each in state.facts)
        or any(item.meta.kind not in BACKGROUND for item in state.repository.objects)
        or any(reading.broken or reading.templates for reading in state.readings)
    )


def _silent(stage: str, done: int, total: int) -> None:
    """Nobody watches."""


def _configuration(world: World, given: Path | None) -> Document | None:
    """The configuration file that counts: the one that was named, else that at the root."""
    if given is not None:
        try:
            return _config_document(str(given), given.read_bytes())
        except OSError as error:
            raise UsageError(f"{given}: {error.strerror or error}") from None
    found = sorted(world.configs, key=lambda config: config.name.count("/"))
    return _config_document(found[0].name, found[0].read()) if found else None


def _config_document(name: str, content: bytes) -> Document:
    try:
        text = decode(content)
        return Document(name, 0, 1, text, load(text).data)
    except NotTextError as error:
        raise UsageError(f"{name}: {error}") from None
    except YamlError as error:
        raise UsageError(f"{name}: configuration: {error.message}") from None


def _chosen(rule: Rule, select: frozenset[str], ignore: frozenset[str]) -> bool:
    names = {rule.name, rule.category}
    left_out = rule.name in ignore or (rule.category in ignore and rule.name not in select)
    return bool(not select or names & select) and not left_out


def _order(finding: Finding) -> tuple[object, ...]:
    severity = finding.severity or Severity.ERROR
    return (severity.rank, finding.at.file, finding.at.document, tuple(map(str, finding.at.path)), finding.rule)


def _verdict(proof: GroupProof, snapshot: Snapshot) -> GroupVerdict:
    counts = [
        member.replicas for index, member in enumerate(proof.group.members) if index not in proof.group.dependencies
    ]
    pods = sum(count for count in counts if isinstance(count, int))
    return GroupVerdict(
        name=proof.group.name,
        kind=proof.group.kind,
        snapshot=snapshot.name,
        pods=pods if all(isinstance(count, int) for count in counts) else None,
        exists=proof.exists,
        for_all=proof.for_all,
        viable_zones=proof.viable_zones,
        witness=proof.witness,
        counterexample=proof.counterexample,
        missing=proof.missing if Answer.UNKNOWN in (proof.exists, proof.for_all) else (),
        notes=proof.notes,
    )


def _unknowns(state: State) -> Iterator[PlacedUnknown]:
    found: list[Unknown] = [*state.world.unknowns]
    for reading in state.readings:
        found += reading.unknowns
        found += (
            Unknown(
                f"the objects in {template.location.file}",
                f"the template ({template.engine}) was not rendered",
                "lint what it renders to",
                at=template.location,
            )
            for template in reading.templates
        )
    found += state.repository.unknowns
    for each in state.facts:
        found += each.unknowns
    for unknown in dict.fromkeys(found):
        yield state.places.unknown(unknown)


def _assumptions(facts: Facts) -> Iterator[str]:
    yield from facts.snapshot.settings.assumptions
    yield from (note for inventory in facts.snapshot.inventories for pool in inventory.pools for note in pool.notes)
