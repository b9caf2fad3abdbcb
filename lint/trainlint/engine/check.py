"""One run, from paths to a result."""

from __future__ import annotations

import datetime as dt
import posixpath
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.config.choices import Choices
from trainlint.deploy.kinds import DEPLOYER_KINDS, SOURCE_KINDS
from trainlint.engine.baseline import apply_baseline
from trainlint.engine.compare import compare, judge_base
from trainlint.engine.setup import read_setup
from trainlint.engine.state import Progress, State, judge, read_all, read_state, sift, silent
from trainlint.engine.verdict import verdicts
from trainlint.finding import Finding, Severity, Unknown
from trainlint.installed.kinds import ADMISSION_POLICY_KINDS, INSTALLED_KINDS
from trainlint.inventory.kinds import INVENTORY_KINDS
from trainlint.kube.kueue import KUEUE_KINDS
from trainlint.proof.facts import Facts
from trainlint.result import GroupVerdict, PlacedUnknown, Result, SnapshotSummary
from trainlint.snapshot.kinds import READ_KINDS
from trainlint.snapshot.platform import ADMISSION_KINDS, REFERENCED_KINDS, STORAGE_KINDS
from trainlint.snapshot.repository import Repository
from trainlint.source.builds import open_builds
from trainlint.source.cache import open_cache
from trainlint.source.files import World, discover
from trainlint.source.prefilter import KindFilter
from trainlint.source.template import Template

if TYPE_CHECKING:
    from trainlint.engine.place import Places
    from trainlint.proof.group import GroupProof
    from trainlint.result.graph import GroupGraph

__all__ = ["Repairs", "check"]


class Repairs(StrEnum):
    """Which repairs are looked for."""

    EACH = "each"
    """All, each about the repository as it is: to be shown."""
    SAFE = "safe"
    """Those that cannot change what already works, one after the other: to be applied."""
    ALL = "all"
    """All but those that admit more traffic, one after the other: to be applied."""


BACKGROUND = (
    {"ConfigMap", "DaemonSet", "Namespace", "PrometheusRule", "Service", "VMRule"}
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


REMEDIES = {
    "helm": "install helm, or `pip install 'trainlint[helm]'`; or lint what it renders to: "
    "helm template CHART | trainlint check -",
}
"""What helps with templates, by their engine."""


def check(
    paths: Sequence[Path],
    *,
    config: Path | None = None,
    select: frozenset[str] = frozenset(),
    ignore: frozenset[str] = frozenset(),
    require_reason: bool | None = None,
    stdin: bytes | None = None,
    progress: Progress | None = None,
    today: dt.date | None = None,
    base: str | None = None,
    baseline: Path | None = None,
    cache: bool = False,
    graphs: bool = False,
    repairs: Repairs | None = None,
) -> Result:
    """Everything that can be said about the repository at ``paths``.

    ``select`` and ``ignore`` hold names of rules or categories (nothing selected means all) and win over what the
    configuration says, as does ``require_reason`` (a suppression must give one). ``progress`` is told the stage,
    how many of its steps are done and how many there are; ``today`` decides which suppressions are over.
    With ``base``, a Git revision, only findings that it has not are reported; with ``baseline`` only those that the
    file does not accept. With ``cache``, what was read is kept for later runs in the user's cache directory. With
    ``graphs`` the result has the graph of every group, which pictures are made of. With ``repairs``, what would mend
    the findings is looked for and tried; nothing is written.

    Raises:
        UsageError: a path or a revision that is not there; a configuration, Inventory or baseline that is wrong.
    """
    tell = progress or silent
    day = today or dt.datetime.now(tz=dt.UTC).date()
    world = discover(paths, stdin=stdin)
    store = open_cache(world, KindFilter(READ_KINDS)) if cache else None
    given = Choices(select=select, ignore=ignore, require_reason=require_reason)
    setup = read_setup(world, paths, config, given)
    state = read_state(world, read_all(world, tell, cache=store), setup, open_builds(keep=cache), tell)
    state.severities = setup.severities
    judge(state, setup.rules, tell)
    before = None
    if base is not None:
        before = judge_base(base, state, setup, day, tell, paths=paths, config=config, given=given, cache=store)
    kept, suppressed = sift(state, setup, day)
    hushed = [finding for finding, _ in suppressed]
    accepted = None
    if baseline is not None:
        kept, accepted = apply_baseline(baseline, state, setup, kept)
        hushed += [placed.finding for placed in accepted.accepted]
    comparison = None
    if before is not None:
        kept, comparison = compare(before, state, setup, kept, hushed)
    judged = tuple(verdicts(state.facts, state.repository))
    mended = None
    if repairs is not None:
        from trainlint.engine import mend  # noqa: PLC0415 (only for those who ask)

        wanted = sorted(kept, key=_order)
        if repairs is Repairs.EACH:
            mended = mend.mend(state, setup, wanted)
        else:
            mended = mend.apply(state, setup, wanted, unsafe=repairs is Repairs.ALL)
    return Result(
        root=str(world.root),
        snapshots=tuple(
            SnapshotSummary(each.name, each.documents, each.why) for each in state.snapshots if each.objects
        ),
        findings=tuple(state.places.placed(finding) for finding in sorted(kept, key=_order)),
        suppressed=tuple(state.places.placed(finding, reason) for finding, reason in suppressed),
        groups=tuple(verdict for verdict, _, _ in judged),
        unknowns=tuple(_unknowns(state, before.unknowns if before else ())),
        assumptions=tuple(
            sorted({*setup.assumptions, *_left_out(world), *_of_facts(state.facts), *_of_charts(state.repository)})
        ),
        analysed=_analysed(state),
        failures=tuple(state.failures),
        comparison=comparison,
        baseline=accepted,
        fail_on=setup.fail_on,
        graphs=_graphs(judged, state.places) if graphs else (),
        repairs=None if mended is None else tuple(mended.repairs),
        unmended=() if mended is None else tuple(mended.unmended),
        changes=() if mended is None else mended.changes,
    )


def _graphs(judged: Iterable[tuple[GroupVerdict, GroupProof, Facts]], places: Places) -> tuple[GroupGraph, ...]:
    from trainlint.engine.graph import Graphs  # noqa: PLC0415 (only pictures need it)

    made = Graphs(places)
    return tuple(made.of(proof, facts) for _, proof, facts in judged)


def _analysed(state: State) -> bool:
    """Whether there was anything to analyse."""
    return (
        any(each.snapshot.workloads.pod_sets or each.policies.entries for each in state.facts)
        or any(item.meta.kind not in BACKGROUND for item in state.repository.objects)
        or any(reading.broken or reading.templates for reading in state.readings)
    )


def _order(finding: Finding) -> tuple[object, ...]:
    severity = finding.severity or Severity.ERROR
    return (severity.rank, finding.at.file, finding.at.document, tuple(map(str, finding.at.path)), finding.rule)


def _unknowns(state: State, more: Iterable[Unknown]) -> Iterator[PlacedUnknown]:
    found: list[Unknown] = [*more, *state.world.unknowns]
    told = {posixpath.dirname(each.root) or "." for each in state.repository.rendered if each.failed}
    charts = {file.name: file.chart for file in state.world.files if file.chart}
    for reading in state.readings:
        found += reading.unknowns
        if reading.file not in state.repository.rendered_files and charts.get(reading.file) not in told:
            found += map(_unrendered, reading.templates)
    found += state.repository.unknowns
    for each in state.facts:
        found += each.unknowns
    for unknown in dict.fromkeys(found):
        yield state.places.unknown(unknown)


def _unrendered(template: Template) -> Unknown:
    return Unknown(
        f"the objects in {template.location.file}",
        f"the template ({template.engine}) was not rendered",
        REMEDIES.get(template.engine, "lint what it renders to"),
        at=template.location,
    )


def _left_out(world: World) -> Iterator[str]:
    for home, count in world.vendored.items():
        yield f"{home} holds other projects' code: its {count} manifests are not read (name the directory to lint it)"


def _of_charts(repository: Repository) -> Iterator[str]:
    for each in repository.rendered:
        yield from each.assumptions


def _of_facts(facts: Iterable[Facts]) -> Iterator[str]:
    for each in facts:
        yield from _assumptions(each)


def _assumptions(facts: Facts) -> Iterator[str]:
    yield from facts.snapshot.settings.assumptions
    yield from (note for inventory in facts.snapshot.inventories for pool in inventory.pools for note in pool.notes)
