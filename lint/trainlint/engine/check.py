"""One run, from paths to a result."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from trainlint.config.load import load_settings
from trainlint.engine.identity import identified
from trainlint.engine.place import Places
from trainlint.engine.suppress import apply
from trainlint.finding import Finding, Severity, Unknown, UsageError
from trainlint.model.known import Answer
from trainlint.proof.facts import Facts
from trainlint.proof.group import GroupProof
from trainlint.result import Failure, GroupVerdict, PlacedUnknown, Result, SnapshotSummary
from trainlint.rule import Repository, Rule, all_rules
from trainlint.snapshot.build import Snapshot, build_snapshots
from trainlint.snapshot.repository import READ_KINDS, read_repository
from trainlint.source.document import Document
from trainlint.source.events import YamlError
from trainlint.source.files import SourceFile, World, discover
from trainlint.source.loader import load
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import Reading, read_file
from trainlint.source.text import NotTextError, decode
from trainlint.suppression import Suppressions

__all__ = ["check"]

BACKGROUND = frozenset({"ConfigMap", "Inventory", "Namespace", "Node", "Service"})
"""Kinds that say something about others and are nothing to analyse by themselves."""

Progress = Callable[[str, int, int], None]


@dataclass(slots=True)
class _Run:
    """What the rules of one run have said so far."""

    findings: dict[tuple[str, str], Finding]
    failures: list[Failure]


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
    readings = list(_readings(world, tell))
    repository = read_repository(readings, [file.name for file in world.files], world.real)
    snapshots = build_snapshots(repository, settings)
    rules = [rule for rule in all_rules() if _chosen(rule, select, ignore)]
    facts = [Facts(snapshot) for snapshot in snapshots]
    run = _Run({}, [])
    _look_at_repository(run, rules, repository)
    for number, each in enumerate(facts):
        tell("judging", number, len(facts))
        _look_at_snapshot(run, rules, repository, each)
    tell("judging", len(facts), len(facts))
    places = Places(world, readings)
    findings = [finding for finding in run.findings.values() if world.scope is None or _in_scope(finding, world.scope)]
    known = frozenset(name for rule in all_rules() for name in (rule.name, rule.category))
    kept, suppressed, comments = apply(findings, places, known, day)
    active = frozenset(name for rule in rules for name in (rule.name, rule.category))
    late = _Run({}, run.failures)
    outcome = Suppressions(tuple(comments), known, active, day)
    for rule in (rule for rule in rules if rule.sees is Suppressions):
        _run(late, rule, outcome, repository, None)
    kept += [finding for finding in late.findings.values() if world.scope is None or _in_scope(finding, world.scope)]
    return Result(
        root=str(world.root),
        snapshots=tuple(SnapshotSummary(each.name, each.documents, each.why) for each in snapshots if each.objects),
        findings=tuple(places.placed(finding) for finding in sorted(kept, key=_order)),
        suppressed=tuple(places.placed(finding, reason) for finding, reason in suppressed),
        groups=tuple(_verdict(proof, each.snapshot) for each in facts for proof in each.proofs),
        unknowns=tuple(_unknowns(world, repository, facts, places)),
        assumptions=tuple(sorted({text for each in facts for text in _assumptions(each)})),
        analysed=any(each.snapshot.workloads.pod_sets or each.policies.entries for each in facts)
        or any(item.meta.kind not in BACKGROUND for item in repository.objects)
        or any(reading.broken or reading.templates for reading in readings),
        failures=tuple(run.failures),
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


def _readings(world: World, tell: Progress) -> Iterator[Reading]:
    kinds = KindFilter(READ_KINDS)
    files: Sequence[SourceFile] = world.files
    for number, file in enumerate(files):
        if number % 64 == 0:
            tell("reading", number, len(files))
        yield read_file(file, kinds)


def _chosen(rule: Rule, select: frozenset[str], ignore: frozenset[str]) -> bool:
    names = {rule.name, rule.category}
    left_out = rule.name in ignore or (rule.category in ignore and rule.name not in select)
    return bool(not select or names & select) and not left_out


def _look_at_repository(run: _Run, rules: Iterable[Rule], repository: Repository) -> None:
    for rule in rules:
        if rule.sees is Repository:
            _run(run, rule, repository, repository, None)


def _look_at_snapshot(run: _Run, rules: Iterable[Rule], repository: Repository, facts: Facts) -> None:
    for rule in rules:
        if rule.sees is Facts:
            _run(run, rule, facts, repository, facts.snapshot)


def _run(run: _Run, rule: Rule, seen: object, repository: Repository, snapshot: Snapshot | None) -> None:
    """Let a rule speak. A rule that breaks is our fault: it is named, and never reads as silence."""
    try:
        found = list(rule.check(seen))
    except Exception as error:
        run.failures.append(Failure(rule.name, f"{type(error).__name__}: {error}"))
        return
    for finding in found:
        stamped = replace(finding, rule=rule.name, category=rule.category, severity=finding.severity or rule.severity)
        if snapshot is not None:
            stamped = _softened(stamped, snapshot)
        stamped = identified(stamped, repository)
        key = (stamped.id, stamped.at.file)
        before = run.findings.get(key)
        names = (snapshot.name,) if snapshot is not None else ()
        if before is None:
            run.findings[key] = replace(stamped, snapshots=names)
        else:
            run.findings[key] = replace(before, snapshots=tuple(dict.fromkeys((*before.snapshots, *names))))


def _softened(finding: Finding, snapshot: Snapshot) -> Finding:
    """What rests on objects that a kustomization would change is a note at most: they are not what is deployed."""
    files = [finding.at.file, *(related.at.file for related in finding.related)]
    changed = next((snapshot.unrendered[file] for file in files if file in snapshot.unrendered), None)
    if changed is None:
        return finding
    text = f"the kustomization {changed} changes nothing that matters here: it was not rendered"
    return replace(finding, severity=Severity.NOTE, assumes=(*finding.assumes, text))


def _in_scope(finding: Finding, scope: frozenset[str]) -> bool:
    return finding.at.file in scope or any(related.at.file in scope for related in finding.related)


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


def _unknowns(world: World, repository: Repository, facts: Iterable[Facts], places: Places) -> Iterator[PlacedUnknown]:
    found: list[Unknown] = [*world.unknowns]
    for reading in repository.readings:
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
    found += repository.unknowns
    for each in facts:
        found += each.unknowns
    for unknown in dict.fromkeys(found):
        yield places.unknown(unknown)


def _assumptions(facts: Facts) -> Iterator[str]:
    yield from facts.snapshot.settings.assumptions
    yield from (note for inventory in facts.snapshot.inventories for pool in inventory.pools for note in pool.notes)
