"""What Volcano's webhook refuses of a Queue for what its parents, children and siblings have.

As volcano-sh/volcano:pkg/webhooks/admission/queues/validate/validate_queue.go decides since 1.14.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Final

from trainlint.admission.problem import Problem
from trainlint.admission.volcano_flaws import VolcanoFlaw
from trainlint.checks.ground import GroupGround
from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.values import is_placeholder, read_text
from trainlint.model.because import Because
from trainlint.model.quantity import QuantityError, parse_quantity
from trainlint.model.refuser import Refuser
from trainlint.snapshot.objects import ApiObject
from trainlint.source.document import Field
from trainlint.source.examples import is_for

__all__ = ["queue_tree_problems"]

_GROUP: Final = "scheduling.volcano.sh"
_ROOT: Final = frozenset({"", "root"})
_BY: Final = Because(Refuser.VOLCANO)
_SINCE: Final = ("Volcano", (1, 14))
_DEPTH_SINCE: Final = ("Volcano", (1, 15))
_DEEPEST: Final = 5
"""The value of ``--max-queue-depth`` that is the default."""
_LISTS: Final = {"guarantee": ("guarantee", "resource"), "deserved": ("deserved",), "capability": ("capability",)}
_NATIVE: Final = frozenset({"cpu", "memory"})
"""What counts as 0 where it is not written; of anything else the parent has to say something."""


@fact(eq=False)
class _Queue:
    """A Queue with its amounts by list and resource; ``whole`` says that all of them could be read."""

    item: ApiObject
    parent: str
    amounts: Mapping[str, Mapping[str, Fraction]]
    whole: bool

    @property
    def name(self) -> str:
        """Its name, unique in the cluster."""
        return self.item.meta.name

    def at(self, what: str, resource: str = "") -> Location:
        """Where an amount stands, or the list that lacks it."""
        listed = self.item.field.down("spec", *_LISTS[what])
        return (listed[resource] if resource in self.amounts[what] else listed).at


def queue_tree_problems(objects: Iterable[ApiObject]) -> Iterator[tuple[ApiObject, Problem]]:
    """The Queues that are refused for others of their tree, each with why. A Queue that several files hold, as
    examples do, is looked at in none of them.
    """
    found: dict[str, list[_Queue]] = {}
    for each in objects:
        if each.meta.kind == "Queue" and each.meta.api_group == _GROUP and not is_placeholder(each.meta.name):
            found.setdefault(each.meta.name, []).append(_read(each))
    known = {name: queues[0] for name, queues in found.items() if len(queues) == 1}
    if not any(each.parent not in _ROOT for each in known.values()):
        return
    children: dict[str, list[_Queue]] = {}
    for queue in known.values():
        above = list(_ancestors(queue, known))
        if above and is_for(above[0].item.file, queue.item.file):
            children.setdefault(above[0].name, []).append(queue)
            yield from ((queue.item, each) for each in (*_above(queue, above), *_too_deep(queue, above)))
    for name, own in children.items():
        yield from _sums(known[name], own)


def _read(item: ApiObject) -> _Queue:
    spec, whole = item.field["spec"], True
    amounts: dict[str, dict[str, Fraction]] = {}
    for what, path in _LISTS.items():
        amounts[what] = {}
        for resource, written in spec.down(*path).items():
            amount = _amount(written)
            if amount is None:
                whole = False
            elif not resource.startswith("count/"):
                amounts[what][resource] = amount
    return _Queue(item, read_text(spec["parent"]), amounts, whole)


def _amount(written: Field) -> Fraction | None:
    """The amount; ``None`` where it is not known."""
    if written.scalar is None or is_placeholder(written.scalar):
        return None
    try:
        return parse_quantity(written.scalar)
    except QuantityError:
        return None


def _ancestors(queue: _Queue, known: Mapping[str, _Queue]) -> Iterator[_Queue]:
    """The queues above it, the nearest first, without the root."""
    seen = {queue.name}
    above = known.get(queue.parent) if queue.parent not in _ROOT else None
    while above is not None and above.name not in seen:
        seen.add(above.name)
        yield above
        above = known.get(above.parent) if above.parent not in _ROOT else None


def _above(queue: _Queue, ancestors: list[_Queue]) -> Iterator[Problem]:
    """A capability above that of the nearest ancestor that has one of the resource."""
    for resource, amount in queue.amounts["capability"].items():
        limits = (each for each in ancestors if each.amounts["capability"].get(resource, 0) > 0 or not each.whole)
        nearest = next(limits, None)
        most = None if nearest is None else nearest.amounts["capability"].get(resource)
        if nearest is None or most is None or not amount > most > 0:
            continue
        values = (resource, _text(queue, "capability", resource), nearest.name, _text(nearest, "capability", resource))
        yield _problem(
            ("spec", "capability", resource),
            Because(VolcanoFlaw.CHILD_ABOVE, values),
            f"capability {resource}",
            ((Because(VolcanoFlaw.PARENT_HAS), nearest.at("capability", resource)),),
        )


def _sums(parent: _Queue, children: list[_Queue]) -> Iterator[tuple[ApiObject, Problem]]:
    """What the children have together may not be more than what the parent has; what it does not name is nothing."""
    if not parent.whole:
        return
    for what in ("guarantee", "deserved"):
        for resource in dict.fromkeys(name for each in children for name in each.amounts[what]):
            having = [each for each in children if resource in each.amounts[what]]
            total = sum((each.amounts[what][resource] for each in having), Fraction(0))
            there = parent.amounts[what].get(resource)
            if total <= (there or 0) and (there is not None or resource in _NATIVE):
                continue
            amounts = tuple(_text(each, what, resource) for each in having)
            own = _text(parent, what, resource) if there is not None else ""
            values = (what, resource, tuple(each.name for each in having), amounts, parent.name, own)
            last = having[-1]
            yield (
                last.item,
                _problem(
                    ("spec", *_LISTS[what], resource),
                    Because(VolcanoFlaw.CHILDREN_ABOVE, values),
                    f"{what} {resource} below {parent.name}",
                    (
                        *((Because(VolcanoFlaw.SIBLING_HAS), each.at(what, resource)) for each in having[:-1]),
                        (Because(VolcanoFlaw.PARENT_HAS), parent.at(what, resource)),
                    ),
                ),
            )


def _too_deep(queue: _Queue, ancestors: list[_Queue]) -> Iterator[Problem]:
    depth = len(ancestors) + 1
    if depth == _DEEPEST + 1:  # those below it are refused with it
        assumes = (Because(GroupGround.QUEUE_DEPTH),)
        why = Because(VolcanoFlaw.TOO_DEEP, (depth, _DEEPEST))
        yield Problem(("spec", "parent"), why, "depth", _BY, assumes=assumes, since=_DEPTH_SINCE)


def _problem(
    at: tuple[str | int, ...], why: Because, cause: str, elsewhere: tuple[tuple[Because, Location], ...]
) -> Problem:
    assumes = (Because(GroupGround.QUEUE_TREES),)
    return Problem(at, why, cause, _BY, assumes=assumes, since=_SINCE, elsewhere=elsewhere)


def _text(queue: _Queue, what: str, resource: str) -> str:
    return queue.item.field.down("spec", *_LISTS[what], resource).scalar or ""
