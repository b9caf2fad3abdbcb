"""Something wrong in a setting or device of a role."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import TypeVar

from trainlint.fabric.fixes import together
from trainlint.fact import fact
from trainlint.finding import Certainty, Finding, Fix, Location, Related, Severity
from trainlint.launch.environment import Variable
from trainlint.model.workload import ObjectRef, PodSet

__all__ = ["NetworkFault", "RoleFault", "merged", "place_of"]


@fact
class NetworkFault:
    """What is wrong in one sentence, where, and what fixes it; ``cause`` tells faults of one object apart.

    ``also`` are the other roles (or objects) that have the same fault, ``related`` other places, each with its part.
    ``fixes`` are what may fix it.
    """

    pod_set: PodSet
    text: str
    at: Location
    remedy: str
    cause: str
    related: tuple[tuple[str, Location], ...] = ()
    evidence: Mapping[str, str | int] = field(default_factory=dict)
    severity: Severity | None = None
    certainty: Certainty = Certainty.PROVEN
    fixes: tuple[Fix, ...] = ()
    also: tuple[PodSet, ...] = ()

    @property
    def pod_sets(self) -> tuple[PodSet, ...]:
        """All pods that have the fault."""
        return (self.pod_set, *self.also)

    def finding(self) -> Finding:
        """The finding that reports it."""
        return Finding(
            message=self.text,
            at=self.at,
            remedy=self.remedy,
            related=tuple(Related(role, at) for role, at in self.related),
            evidence=self.evidence,
            cause=self.cause,
            severity=self.severity,
            certainty=self.certainty,
            fixes=lambda: self.fixes,
        )


@fact
class RoleFault:
    """A fault of a role's settings or devices: where it stands and how sure it is.

    Its subclass holds what is wrong, and the rule that reports it words it.

    ``cause`` tells faults of one object apart. ``also`` are other roles (or objects) that have the same fault,
    ``elsewhere`` where these have it. ``fixes`` are what may fix it.
    """

    pod_set: PodSet
    at: Location
    cause: str
    severity: Severity | None = field(default=None, kw_only=True)
    certainty: Certainty = field(default=Certainty.PROVEN, kw_only=True)
    fixes: tuple[Fix, ...] = field(default=(), kw_only=True)
    also: tuple[PodSet, ...] = field(default=(), kw_only=True)
    elsewhere: tuple[tuple[PodSet, Location], ...] = field(default=(), kw_only=True)

    @property
    def pod_sets(self) -> tuple[PodSet, ...]:
        """All pods that have the fault."""
        return (self.pod_set, *self.also)

    def finding(
        self,
        message: str,
        remedy: str,
        *places: tuple[str, Location],
        evidence: Mapping[str, str | int] | None = None,
    ) -> Finding:
        """The finding that reports the fault in the words of a rule; ``places`` are others, each with its part."""
        own = {self.at, *(at for _, at in places)}
        same = ((f"the same fault ({pods.name})", at) for pods, at in self.elsewhere if at not in own)
        return Finding(
            message=message,
            at=self.at,
            remedy=remedy,
            related=tuple(Related(role, at) for role, at in (*places, *same)),
            evidence=evidence or {},
            cause=self.cause,
            severity=self.severity,
            certainty=self.certainty,
            fixes=lambda: self.fixes,
        )


F = TypeVar("F", bound=NetworkFault | RoleFault)


def merged(faults: Iterable[F]) -> Iterator[F]:
    """One fault per cause and object, and per cause and place (decision 4): the others become related places."""
    found: list[F] = []
    position: dict[tuple[str, ObjectRef | Location], int] = {}
    for each in faults:
        keys = ((each.cause, each.pod_set.owner), (each.cause, each.at))
        number = next((position[key] for key in keys if key in position), None)
        if number is None:
            number = len(found)
            found.append(each)
        else:
            found[number] = _joined(found[number], each)
        for key in keys:
            position.setdefault(key, number)
    yield from found


def _joined(first: F, other: F) -> F:
    fixes = together((*first.fixes[:1], *other.fixes[:1])) if first.fixes and other.fixes else ()
    first = replace(first, fixes=fixes, also=(*first.also, *other.pod_sets))
    own = other.at if other.at != first.at else other.pod_set.at
    if other.pod_set is first.pod_set or own == first.at:
        return first
    if isinstance(first, RoleFault):
        known = own in (at for _, at in first.elsewhere)
        return first if known else replace(first, elsewhere=(*first.elsewhere, (other.pod_set, own)))
    if own in (at for _, at in first.related):
        return first
    return replace(first, related=(*first.related, (f"the same fault ({other.pod_set.name})", own)))


def place_of(variable: Variable) -> Location:
    """Where the value of a variable stands."""
    return variable.origin or variable.at
