"""Which needs ask for more than others: the order on needs, by what they mean and not by how they are written.

A need is no greater than another where every cluster that satisfies the other satisfies it too: more tolerations, fewer
labels, smaller pods, fewer of them. What several roles had before counts for all, so that pods may move between roles.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from fractions import Fraction
from typing import Final, TypeAlias

from trainlint.fact import fact
from trainlint.model.because import Because
from trainlint.model.needs import Needs, ObjectNeed, RoleNeed
from trainlint.model.pod import Toleration
from trainlint.model.quantity import exact
from trainlint.model.selector import Requirement
from trainlint.model.settings import ZONE
from trainlint.proof.ideal.requirement_sets import numbers
from trainlint.scheduling.requirement import holds
from trainlint.wording.needs import object_words, taint_words

__all__ = ["Growth", "More", "growths", "pods_of"]

Way: TypeAlias = tuple[Requirement, ...]

_EXTREMES: Final = (None, "any", "0", str(10**18))
"""Values of a label that no requirement names: none, a word, the least and a great number."""


class More(StrEnum):
    """What there is more of in a need."""

    PODS = "pods"
    AMOUNTS = "amounts"
    LABELS = "labels"
    TAINTS = "taints"
    APART = "apart"
    ONE_NODE = "one node"
    CLAIMS = "claims"
    OBJECTS = "objects"
    DOMAINS = "domains"
    ZONES = "zones"
    OTHERS = "others"


@fact
class Growth:
    """One part of a need that has grown.

    ``role`` is what it is of now, ``before`` what it was, both ``None`` for the whole group; a role without ``before``
    is new. ``names`` are the resources, taints, claims, domains, zones or words that are new, ``objects`` those that
    must be there now.
    """

    more: More
    role: RoleNeed | None = None
    before: RoleNeed | None = None
    names: tuple[str, ...] = ()
    others: tuple[Because, ...] = ()
    objects: tuple[ObjectNeed, ...] = ()


def growths(before: Needs, now: Needs) -> tuple[Growth, ...]:
    """What a need asks for that another one does not; nothing where it is equal or weaker."""
    pairs = _pairs(before.roles, now.roles)
    roles = tuple(_of_roles(before.roles, now.roles, pairs))
    zonal = any(_names_zones(each, now.domain) for each in roles)
    claims = {name for each in roles if each.more is More.CLAIMS for name in each.names}
    return (*roles, *_of_objects(before, now, claims), *_of_all(before, now, pairs, zonal=zonal))


def pods_of(needs: Needs) -> int:
    """The number of pods of the group itself; where it is not known, more than one."""
    return sum(each.pods + bool(each.unsaid) for each in needs.roles if not each.beside)


Pairs: TypeAlias = dict[int, RoleNeed]
"""What each role was, by its index; new ones are not in it."""


def _pairs(before: Sequence[RoleNeed], now: Sequence[RoleNeed]) -> Pairs:
    """Roles by their names; one that is renamed is the role that asked for as much, or the only one that is left."""
    found: Pairs = {}
    left = list(before)

    def pair(same: Callable[[RoleNeed, RoleNeed], bool]) -> None:
        for index, role in enumerate(now):
            old = None if index in found else next((each for each in left if same(each, role)), None)
            if old is not None:
                found[index] = old
                left.remove(old)

    pair(lambda old, new: (old.role, old.beside) == (new.role, new.beside))
    pair(lambda old, new: not any(_of_role(old, new)) and new.pods <= old.pods)
    pair(lambda old, new: old.beside == new.beside and len(left) == 1 and len(found) == len(now) - 1)
    return found


def _of_roles(before: Sequence[RoleNeed], now: Sequence[RoleNeed], pairs: Pairs) -> Iterator[Growth]:
    free = {id(each): each.pods for each in before if not each.beside}
    without: list[tuple[int, int]] = []
    for index, role in enumerate(now):
        old = pairs.get(index)
        if old is not None:
            yield from _of_role(old, role)
        if not role.beside:
            without.append((index, _left(role, old, free)))
        elif old is None:
            yield Growth(More.PODS, role)
    for index, rest in without:
        role, left = now[index], rest
        for other in before if not role.unsaid else ():
            per = _fitting(other, role) if left and not other.beside and not any(_of_role(other, role)) else 0
            left = _taken(left, per, other, free) if per else left
        if left:
            yield Growth(More.PODS, role, pairs.get(index))


def _left(role: RoleNeed, old: RoleNeed | None, free: dict[int, int]) -> int:
    """How many pods of a role there was no place for in what it was; where their number is not known, all or none."""
    if old is not None and (old.unsaid or not role.unsaid):
        return 0 if old.unsaid else _taken(role.pods, _fitting(old, role) or 1, old, free)
    return role.pods


def _taken(pods: int, per: int, home: RoleNeed, free: dict[int, int]) -> int:
    """How many pods are left when those of a role that was give their places, each to ``per`` of them."""
    used = min(-(-pods // per), free[id(home)])
    free[id(home)] -= used
    return max(0, pods - used * per)


def _fitting(old: RoleNeed, new: RoleNeed) -> int:
    """How many pods of the new role there is room for where one of the old one was."""
    amounts = [(exact(amount), exact(old.requests.get(name))) for name, amount in new.requests.items()]
    shares = [int((had or Fraction(0)) / asked) for asked, had in amounts if asked]
    if new.apart or new.devices or new.volumes or not shares:
        return min((1, *shares))
    return min(shares)


def _of_role(old: RoleNeed, new: RoleNeed) -> Iterator[Growth]:
    """What one pod of a role asks for that one of the other did not."""
    bigger = tuple(name for name, amount in new.requests.items() if _exceeds(amount, old.requests.get(name)))
    if bigger:
        yield Growth(More.AMOUNTS, new, old, bigger)
    if not _implied(old.labels or ((),), new.labels or ((),)):
        yield Growth(More.LABELS, new, old)
    hard = [each for each in old.tolerates if each.effect != "PreferNoSchedule"]  # that one keeps no pod away
    taints = [each for each in hard if not any(_covers(other, each) for other in new.tolerates)]
    if taints:
        yield Growth(More.TAINTS, new, old, tuple(dict.fromkeys(map(taint_words, taints))))
    if new.apart and not old.apart and old.pods > 1:
        yield Growth(More.APART, new, old)
    joined = tuple(each for each in new.on_nodes_of if each not in old.on_nodes_of)
    if joined:
        yield Growth(More.ONE_NODE, new, old, joined)
    volumes = (each for each in new.volumes if each not in old.volumes)
    claims = (*(each.claim for each in new.devices if each not in old.devices), *volumes)
    if claims:
        yield Growth(More.CLAIMS, new, old, claims)


def _exceeds(amount: str, before: str | None) -> bool:
    now, then = exact(amount), exact(before)
    return now is not None and now > (then or 0)


def _implied(old: Iterable[Way], new: Sequence[Way]) -> bool:
    """Whether every node that satisfied one of the old ways satisfies one of the new ones."""
    return all(any(all(_follows(each, way) for each in other) for other in new) for way in old)


def _follows(requirement: Requirement, way: Way) -> bool:
    """Whether a requirement holds on every node on which all of a way hold."""
    asked = [each for each in way if each.key == requirement.key]
    if requirement in asked:
        return True
    both = [*asked, requirement]
    values = {
        *_EXTREMES,
        *(value for each in both for value in each.values),
        *numbers(both),
    }
    possible = (value for value in values if all(holds(each, value) is not False for each in asked))
    return all(holds(requirement, value) is True for value in possible)


def _covers(new: Toleration, old: Toleration) -> bool:
    """Whether a toleration holds for every taint for which another one does."""
    effect = new.effect in ("", old.effect)
    if new.operator == "Exists":
        return effect and new.key in ("", old.key)
    return effect and old.operator != "Exists" and (new.key, new.value) == (old.key, old.value)


def _of_objects(before: Needs, now: Needs, claims: Collection[str]) -> Iterator[Growth]:
    """The objects that must be there now; those that new claims of pods name are said with these."""
    known = {(each.kind, each.namespace, each.name) for each in before.objects}
    new = (each for each in now.objects if (each.kind, each.namespace, each.name) not in known)
    more = tuple(each for each in new if object_words(each) not in claims)
    if more:
        yield Growth(More.OBJECTS, objects=more)


def _names_zones(growth: Growth, key: str) -> bool:
    """Whether a role newly selects zones by their label."""
    role = growth.role
    return (
        growth.more is More.LABELS
        and role is not None
        and any(each.key in (key, ZONE) for way in role.labels for each in way)
    )


def _of_all(before: Needs, now: Needs, pairs: Pairs, *, zonal: bool) -> Iterator[Growth]:
    """What the pods of all roles ask for together; zones that roles select by themselves (``zonal``) are no news."""
    several = pods_of(before) > 1
    domains = [now.domain] if now.domain and now.domain != before.domain and several else []
    domains += [key for key in now.shared if key not in before.shared and several]
    fewer = bool(now.zones) and not (before.zones and set(before.zones) <= set(now.zones))
    zones = now.zones if fewer and not zonal else ()
    if domains:
        yield Growth(More.DOMAINS, names=tuple(domains))
    if zones:
        yield Growth(More.ZONES, names=zones)
    renamed = {old.role: now.roles[index].role for index, old in pairs.items() if old.role != now.roles[index].role}
    known = set(before.others)
    known |= {_renamed(each, renamed) for each in before.others}
    others = tuple(each for each in now.others if each not in known)
    if others:
        yield Growth(More.OTHERS, others=others)


def _renamed(need: Because, roles: Mapping[str, str]) -> Because:
    return replace(need, values=tuple(roles.get(each, each) if isinstance(each, str) else each for each in need.values))
