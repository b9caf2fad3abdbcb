"""The argument behind a finding or about a group, from paths, with every place that it names."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from trainlint.config.choices import Choices, NodesFile
from trainlint.engine.current_repository import opened
from trainlint.engine.judge import judge, sift
from trainlint.engine.progress import Progress, silent
from trainlint.engine.repository_state import State
from trainlint.engine.source_places import EXCERPT, Places
from trainlint.facts.facts import Facts
from trainlint.finding import Finding, Location, UsageError
from trainlint.proof.group import GroupProof
from trainlint.questions.argument import Argument, argue
from trainlint.questions.table import proofs_of
from trainlint.result import Placed, PlacedRelated
from trainlint.rule import told_by

__all__ = ["explain"]

CANDIDATES: Final = 12
"""Names that are listed where the one that was given is unknown or may mean several."""

Explained = tuple[tuple[Placed, ...], tuple[Argument, ...], Mapping[Location, PlacedRelated]]


def explain(
    paths: Sequence[Path],
    wanted: str,
    *,
    snapshots: Collection[str] = (),
    config: Path | None = None,
    nodes: tuple[NodesFile, ...] = (),
    progress: Progress | None = None,
    cache: bool = False,
) -> Explained:
    """The finding that is meant (in each file in which it stands), the arguments about its groups or the group, places.

    ``wanted`` is a group (``namespace/name``, or the name alone) or the beginning of a finding's identity;
    ``snapshots`` are those to look at (none: all).

    Raises:
        UsageError: a path that is not there, a wrong configuration, a name that is unknown or may mean several.
    """
    state, setup = opened(paths, config, progress, given=Choices(nodes=nodes), cache=cache)
    chosen = _chosen(state.facts, snapshots)
    proofs = proofs_of(wanted, chosen)
    found: list[Finding] = []
    if not proofs:
        judge(state, setup.rules, progress or silent)
        kept, suppressed = sift(state, setup, dt.datetime.now(tz=dt.UTC).date())
        found = _meant(wanted, [*kept, *(finding for finding, _ in suppressed)], state, chosen)
        proofs = [each for finding in found for each in _about(finding, state, chosen)]
        proofs = list({id(proof): (proof, facts) for proof, facts in proofs}.values())
    arguments = argue(proofs, told_by())
    places = {at: _placed(at, state.places) for argument in arguments for at in argument.locations()}
    return tuple(state.places.placed(finding) for finding in found), arguments, places


def _chosen(facts: Sequence[Facts], names: Collection[str]) -> Sequence[Facts]:
    known = [each.snapshot.name for each in facts]
    for name in names:
        if name not in known:
            raise UsageError(f"there is no snapshot {name!r}; there are: {', '.join(known)}")
    return [each for each in facts if not names or each.snapshot.name in names]


def _meant(wanted: str, findings: Sequence[Finding], state: State, chosen: Sequence[Facts]) -> list[Finding]:
    """The finding whose identity begins so."""
    found = [each for each in findings if wanted and each.id.startswith(wanted.lower())]
    if len({each.id for each in found}) == 1:
        return found
    if found:
        raise UsageError("\n".join([f"{wanted!r} may be any of these findings:", *_listed(found, state)]))
    from difflib import get_close_matches  # noqa: PLC0415 (only needed for a mistake)

    groups = sorted({proof.group.name for facts in chosen for proof in facts.proofs})
    near = get_close_matches(wanted, groups, n=1, cutoff=0.6)
    lines = [f"{wanted!r} is neither a group nor the beginning of a finding's id"]
    if near:
        lines[0] += f"; did you mean {near[0]!r}?"
    lines.append(f"groups: {', '.join(groups)}" if groups else "there are no groups")
    lines += ["findings:", *_listed(findings, state)] if findings else ["there are no findings"]
    raise UsageError("\n".join(lines))


def _listed(findings: Sequence[Finding], state: State) -> Iterator[str]:
    for finding in findings[:CANDIDATES]:
        placed = state.places.placed(finding)
        yield f"  {finding.id}  {finding.rule}  {finding.at.file}:{placed.span.line}"
    if len(findings) > CANDIDATES:
        yield f"  and {len(findings) - CANDIDATES} more"


def _about(finding: Finding, state: State, chosen: Sequence[Facts]) -> list[tuple[GroupProof, Facts]]:
    """The groups that a finding is about: those of its own object, else those of the related ones."""
    for places in ([finding.at], [each.at for each in finding.places]):
        objects = [state.repository.object_at(at) for at in places]
        owners = {each.ref for each in objects if each is not None}
        found = [
            (proof, facts)
            for facts in chosen
            if not finding.snapshots or facts.snapshot.name in finding.snapshots
            for proof in facts.proofs
            if any(member.owner in owners for member in proof.group.members)
        ]
        named = [each for each in found if each[0].group.name in finding.groups]
        if found:
            return named or found
    shown = [(proof, facts) for facts in chosen for proof in facts.proofs if facts.snapshot.name in finding.snapshots]
    return [each for each in shown if each[0].group.name in finding.groups]


def _placed(at: Location, places: Places) -> PlacedRelated:
    at = places.written(at)
    path, span = places.locate(at)
    lines = places.lines(at.file)[span.line - 1 : min(span.end_line, span.line + EXCERPT - 1)]
    return PlacedRelated("", at.file, span, path, lines)
