"""The smallest nodes that satisfy needs, as pools of an Inventory."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from trainlint.kube.node import HOSTNAME
from trainlint.model.needs import Needs, RoleNeed
from trainlint.model.pool import Pool
from trainlint.model.quantity import parse_quantity
from trainlint.model.selector import Requirement
from trainlint.proof.ideal.ways import NAME, choices
from trainlint.scheduling.quantity import readable
from trainlint.scheduling.requests import is_extended_resource
from trainlint.scheduling.requirement import holds

__all__ = ["least_nodes"]


def least_nodes(needs: Needs) -> tuple[Pool, ...]:
    """A node for each pod, with what one pod asks for, all in one domain; equal nodes are one pool.

    Pods that ask for no resources share a node, unless each needs one of its own. Pods that may land on the nodes of
    another role need room beside its pods there, in whichever order they come, and then no nodes of their own.
    """
    united: dict[object, tuple[list[RoleNeed], Pool]] = {}
    own = [role for role in needs.roles if role.pods and not role.beside]
    for role in (*own, *(role for role in needs.roles if role.beside)):
        if not role.beside or not any(_takes(role, pool) for _, pool in united.values()):
            pool = _pool(role, needs)
            alike = (tuple(sorted(pool.labels.items())), tuple((pool.allocatable or {}).items()))
            roles, before = united.get(alike, ([], None))
            count = pool.minimum + (before.minimum if before is not None else 0)
            united[alike] = ([*roles, role], replace(before or pool, minimum=count, maximum=count))
    kinds = tuple(united.values())
    guests = {
        (one, other)
        for one, (roles, _) in enumerate(kinds)
        for other, (_, pool) in enumerate(kinds)
        if one != other and any(_may_take(role, pool) for role in roles if not role.beside)
    }
    return tuple(
        _with_room(pool, [role for one, host in guests if host == index for role in kinds[one][0]])
        for index, (roles, pool) in enumerate(kinds)
        if not _is_guest(index, guests) or any(role.apart for role in roles)
    )


def _is_guest(index: int, guests: Collection[tuple[int, int]]) -> bool:
    """Whether all pods of a kind find room on nodes of another, whose pods do not find any on theirs."""
    return any(one == index and (host, one) not in guests for one, host in guests)


def _may_take(role: RoleNeed, pool: Pool) -> bool:
    """Whether a pod of the role may be placed on a node of the pool; CPU and memory that are not written may be
    there, devices not.
    """
    labels = {**pool.labels, **({NAME: pool.node_name} if pool.node_name else {})}
    fits = all(_offers(pool, name, amount) for name, amount in role.requests.items())
    return fits and any(all(holds(each, labels.get(each.key)) is not False for each in way) for way in role.labels)


def _takes(role: RoleNeed, pool: Pool) -> bool:
    """Whether a pod of the role surely fits on a node of the pool."""
    return _may_take(role, pool) and all(isinstance((pool.allocatable or {}).get(name), str) for name in role.requests)


def _offers(pool: Pool, name: str, amount: str) -> bool:
    offered = (pool.allocatable or {}).get(name)
    if isinstance(offered, str):
        return parse_quantity(offered) >= parse_quantity(amount)
    return not is_extended_resource(name)


def _with_room(pool: Pool, guests: Sequence[RoleNeed]) -> Pool:
    """The pool with room for all pods of other roles on each of its nodes."""
    amounts = {name: text for name, text in (pool.allocatable or {}).items() if isinstance(text, str)}
    for role in guests:
        count = 1 if role.apart else role.pods
        for name, amount in (*role.requests.items(), ("pods", "1")):
            amounts[name] = _written(name, parse_quantity(amounts.get(name, "0")) + parse_quantity(amount) * count)
    return replace(pool, allocatable=amounts) if guests else pool


def _written(name: str, amount: Fraction) -> str:
    return readable(name, int(amount * 1000 if name == "cpu" else amount))


def _pool(role: RoleNeed, needs: Needs) -> Pool:
    labels = dict(_labels(role.labels[0] if role.labels else ()))
    if needs.domain:
        labels.setdefault(needs.domain, needs.zones[0] if needs.zones else "zone-1")
    for key in needs.shared:
        labels.setdefault(key, f"{key.rpartition('/')[2]}-1")
    name = labels.get(NAME, labels.get(HOSTNAME, ""))
    shared = not role.requests and not role.apart
    count = 1 if shared else role.pods
    return Pool(
        name=role.role.replace("/", "-"),
        labels={key: value for key, value in labels.items() if key != NAME},
        allocatable={**role.requests, "pods": str(role.pods if shared else 1)},
        minimum=count,
        maximum=count,
        node_name=name if count == 1 else "",
    )


def _labels(way: Sequence[Requirement]) -> Iterator[tuple[str, str]]:
    """One label for each key that must be there."""
    by_key: dict[str, list[Requirement]] = {}
    for each in way:
        by_key.setdefault(each.key, []).append(each)
    for key, asked in by_key.items():
        value = next(iter(choices(asked, (None,))), None)
        if value is not None:
            yield key, value
