"""One run, from a world to a result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from trainlint.deploy.kinds import DEPLOYER_KINDS, SOURCE_KINDS
from trainlint.engine.judge import judge, sift
from trainlint.engine.reading import read_all
from trainlint.engine.repository_state import State, read_state
from trainlint.engine.request import CheckRequest, Repairs
from trainlint.engine.setup import read_setup
from trainlint.engine.verdict import verdicts
from trainlint.facts.facts import Facts
from trainlint.finding import Finding, Severity, Unknown
from trainlint.installed.kinds import ADMISSION_POLICY_KINDS, INSTALLED_KINDS, may_admit
from trainlint.inventory.kinds import INVENTORY_KINDS
from trainlint.kube.admission import ADMISSION_KINDS
from trainlint.kube.kueue import KUEUE_KINDS
from trainlint.kube.storage import STORAGE_KINDS
from trainlint.model.known import Answer
from trainlint.result import GroupVerdict, PlacedUnknown, Result, SnapshotSummary
from trainlint.snapshot.kinds import REFERENCED_KINDS
from trainlint.snapshot.repository import Repository
from trainlint.source.build_cache import open_builds
from trainlint.source.files import bringers
from trainlint.source.rendering_hint import rendering_hint
from trainlint.source.template import Template
from trainlint.source.testdata import home_of_test
from trainlint.source.world import World
from trainlint.wording.because import texts_of

if TYPE_CHECKING:
    from trainlint.engine.source_places import Places
    from trainlint.proof.group import GroupProof
    from trainlint.result.graph import GroupGraph
    from trainlint.source.cache import Cache

__all__ = ["run"]


BACKGROUND = (
    {"ConfigMap", "DaemonSet", "PrometheusRule", "Service", "VMRule"}
    | ADMISSION_KINDS
    | ADMISSION_POLICY_KINDS
    | INSTALLED_KINDS
    | {kind for _, kind in DEPLOYER_KINDS | SOURCE_KINDS}
    | INVENTORY_KINDS
    | KUEUE_KINDS
    | REFERENCED_KINDS
    | STORAGE_KINDS
)
"""Kinds that say something about others and are nothing to analyse by themselves."""


def run(world: World, request: CheckRequest, cache: Cache | None) -> Result:
    """Everything that can be said about a world.

    Raises:
        UsageError: a revision that is not there; a configuration, Inventory or baseline that is wrong.
    """
    setup = read_setup(world, request.paths, request.config, request.given)
    readings = read_all(world, request.progress, cache=cache)
    state = read_state(world, readings, setup, open_builds(keep=cache is not None), request.progress)
    state.severities = setup.severities
    judge(state, setup.rules, request.progress)
    before = None
    if request.base is not None:
        from trainlint.engine.compare import judge_base  # noqa: PLC0415 (only for those who ask)

        before = judge_base(request.base, state, setup, request, cache)
    kept, suppressed = sift(state, setup, request.today)
    silenced = [finding for finding, _ in suppressed]
    accepted = None
    if request.baseline is not None:
        from trainlint.engine.baseline import apply_baseline  # noqa: PLC0415 (only for those who ask)

        kept, accepted = apply_baseline(request.baseline, state, setup, kept)
        silenced += [placed.finding for placed in accepted.accepted]
    comparison = None
    if before is not None:
        from trainlint.engine.compare import compare  # noqa: PLC0415

        kept, comparison = compare(before, state, setup, kept, silenced)
    judged = tuple(verdicts(state.facts, state.repository))
    outcome = None
    if request.repairs is not None:
        from trainlint.engine import repairs  # noqa: PLC0415 (only for those who ask)

        wanted = sorted(kept, key=_order)
        if request.repairs is Repairs.EACH:
            outcome = repairs.propose(state, setup, wanted)
        else:
            outcome = repairs.apply(state, setup, wanted, unsafe=request.repairs is Repairs.ALL)
    return Result(
        root=str(world.root),
        snapshots=tuple(
            SnapshotSummary(each.name, each.documents, each.why) for each in state.snapshots if each.objects
        ),
        findings=tuple(state.places.placed(finding) for finding in sorted(kept, key=_order)),
        suppressed=tuple(state.places.placed(finding, reason) for finding, reason in suppressed),
        groups=tuple(state.places.group(verdict) for verdict, _, _ in judged),
        unknowns=tuple(_unknowns(state, before.unknowns if before else ())),
        assumptions=tuple(
            sorted(
                {
                    *setup.assumptions,
                    *_left_out(world),
                    *_of_facts(state.facts),
                    *_of_charts(state.repository),
                    *_of_tests(state.repository),
                }
            )
        ),
        analysed=_analysed(state),
        failures=tuple(state.failures),
        comparison=comparison,
        baseline=accepted,
        fail_on=setup.fail_on,
        graphs=_graphs(judged, state.places) if request.graphs else (),
        repairs=None if outcome is None else tuple(outcome.repairs),
        unrepaired=() if outcome is None else tuple(outcome.unrepaired),
        changes=() if outcome is None else outcome.changes,
    )


def _graphs(judged: Iterable[tuple[GroupVerdict, GroupProof, Facts]], places: Places) -> tuple[GroupGraph, ...]:
    from trainlint.engine.graph import Graphs  # noqa: PLC0415 (only pictures need it)

    made = Graphs(places)
    return tuple(made.of(proof, facts) for _, proof, facts in judged)


def _analysed(state: State) -> bool:
    """Whether there was anything to analyse."""
    return (
        any(each.snapshot.workloads.pod_sets or each.policies.entries for each in state.facts)
        or any(item.meta.kind not in BACKGROUND and not may_admit(item.meta) for item in state.repository.objects)
        or any(reading.broken or reading.templates for reading in state.readings)
    )


def _order(finding: Finding) -> tuple[object, ...]:
    severity = finding.severity or Severity.ERROR
    return (severity.rank, finding.at.file, finding.at.document, tuple(map(str, finding.at.path)), finding.rule)


def _unknowns(state: State, more: Iterable[Unknown]) -> Iterator[PlacedUnknown]:
    found: list[Unknown] = [*more, *state.world.unknowns]
    told = {each.chart for each in state.repository.rendered if each.failed and each.chart}
    charts = {file.name: file.chart for file in state.world.files if file.chart}
    for reading in state.readings:
        found += reading.unknowns
        brought = bringers(charts[reading.file]) if reading.file in charts else frozenset()
        if reading.file not in state.repository.rendered_files and told.isdisjoint(brought):
            found += (_unrendered(each, state.repository) for each in reading.templates)
    found += state.repository.unknowns
    for each in state.facts:
        found += each.unknowns
    for unknown in dict.fromkeys(found):
        yield state.places.unknown(unknown)


def _unrendered(template: Template, repository: Repository) -> Unknown:
    return Unknown(
        f"the objects in {template.location.file}",
        f"the template{'' if template.engine == 'template' else f' ({template.engine})'} was not rendered",
        rendering_hint(template.engine, "CHART", missing=repository.missing(template.engine)),
        at=template.location,
    )


def _left_out(world: World) -> Iterator[str]:
    for home, count in world.vendored.items():
        yield f"{home} holds other projects' code: its {count} manifests are not read (name the directory to lint it)"


def _of_charts(repository: Repository) -> Iterator[str]:
    for each in repository.rendered:
        yield from each.assumptions


def _of_tests(repository: Repository) -> Iterator[str]:
    homes = sorted({home_of_test(each.file, repository.test_homes) for each in repository.objects} - {""})
    if homes:
        more = f" and {len(homes) - 1} more" if len(homes) > 1 else ""
        yield f"{homes[0]}{more}: a test tool applies what lies there, so it is no part of the cluster"


def _of_facts(facts: Iterable[Facts]) -> Iterator[str]:
    for each in facts:
        yield from _assumptions(each)


def _assumptions(facts: Facts) -> Iterator[str]:
    yield from texts_of(facts.snapshot.settings.assumptions)
    yield from (note for inventory in facts.snapshot.every_inventory for pool in inventory.pools for note in pool.notes)
    yield from _of_outside(facts)


def _of_outside(facts: Facts) -> Iterator[str]:
    """What groups that can run refer to, and Git does not hold."""
    found: dict[str, str] = {}
    for proof in facts.proofs:
        if proof.exists is Answer.PROVED:
            from trainlint.proof.ideal.needs import outside_objects  # noqa: PLC0415 (only where nodes are known)

            for need in outside_objects(proof.group, facts.verdicts, facts.cluster.present):
                home = f"{need.namespace}/" if need.namespace else ""
                found.setdefault(f"{need.kind} {home}{need.name}", need.role)
    yield from (f"{name} is there: {role} refers to it, and Git does not hold it" for name, role in found.items())
