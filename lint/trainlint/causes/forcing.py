"""The cores of a refutation as the related places of a finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.causes.constraint import Constraint, ConstraintKind
from trainlint.causes.unsat_core import Core
from trainlint.finding import Location, Related
from trainlint.model.pool import Taint
from trainlint.scheduling.taint_toleration import describe

__all__ = ["forcing"]


def forcing(cores: Sequence[Core]) -> tuple[Related, ...]:
    """The places that together force it, one cause after the other."""
    found: dict[tuple[int, Location], Related] = {}
    for number, core in enumerate(cores, 1):
        for constraint in core.constraints:
            text = _text(constraint, core)
            if len(cores) > 1:
                text = f"cause {number} of {len(cores)}: {text}"
            if not core.reduced:
                text += " (whether all of these places are needed was not tried to the end)"
            for at in constraint.places:
                found.setdefault((number, at), Related(text, at, cause=number))
    return tuple(found.values())


def _text(constraint: Constraint, core: Core) -> str:
    """What the constraint does, of tolerations only those that the taints of the core ask for."""
    if constraint.kind is ConstraintKind.DENY and any(each.at == constraint.part for each in core.constraints):
        return f"makes deny the default, as every entry that denies does ({constraint.text.partition('(')[2]}"
    if constraint.kind is not ConstraintKind.MISSING_TOLERATION:
        return constraint.text
    taints = dict.fromkeys(describe(taint) for taint in _taints(core) if taint in _parts(constraint))
    head, _, all_of_them = constraint.text.partition(" for ")
    return f"{head} for {', '.join(taints) or all_of_them}"


def _taints(core: Core) -> Iterator[Taint]:
    for each in core.constraints:
        if each.kind is ConstraintKind.TAINT:
            yield from (part for part in _parts(each) if isinstance(part, Taint))


def _parts(constraint: Constraint) -> Sequence[object]:
    return constraint.part if isinstance(constraint.part, tuple) else (constraint.part,)
