"""Something wrong in a setting or device of a role."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace

from trainlint.fact import fact
from trainlint.finding import Certainty, Finding, Location, Related, Severity
from trainlint.launch.environment import Variable
from trainlint.model.workload import PodSet

__all__ = ["Fault", "merged", "place_of"]


@fact
class Fault:
    """What is wrong in one sentence, where, and what mends it; ``cause`` tells faults of one object apart.

    ``also`` are the other roles (or objects) that have the same fault, ``related`` other places, each with its part.
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
        )


def merged(faults: Iterable[Fault]) -> Iterator[Fault]:
    """One fault per cause and object, and per cause and place (decision 4): the others become related places."""
    found: list[Fault] = []
    for each in faults:
        position = next(
            (
                number
                for number, before in enumerate(found)
                if before.cause == each.cause and (before.pod_set.owner == each.pod_set.owner or before.at == each.at)
            ),
            None,
        )
        if position is None:
            found.append(each)
            continue
        first = found[position]
        own = each.at if each.at != first.at else each.pod_set.at
        places = {first.at, *(at for _, at in first.related)}
        if each.pod_set is not first.pod_set and own not in places:
            related = (*first.related, (f"the same fault ({each.pod_set.name})", own))
            found[position] = replace(first, related=related)
    yield from found


def place_of(variable: Variable) -> Location:
    """Where the value of a variable stands."""
    return variable.origin or variable.at
