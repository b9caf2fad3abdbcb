"""The smallest nodes that satisfy needs, as pools of an Inventory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from trainlint.kube.node import HOSTNAME
from trainlint.model.needs import Needs, RoleNeed
from trainlint.model.pool import Pool
from trainlint.model.quantity import parse_quantity
from trainlint.model.selector import Requirement
from trainlint.proof.ideal.device_nodes import joined_devices, least_devices
from trainlint.proof.ideal.requirement_sets import NAME, choices
from trainlint.scheduling.quantity import readable
from trainlint.scheduling.requests import is_extended_resource
from trainlint.scheduling.requirement import holds

__all__ = ["least_nodes"]


def least_nodes(needs: Needs) -> tuple[Pool, ...]:
    """A node for each pod, with what one pod asks for, all in one domain; equal nodes are one pool.

    Roles whose pods may land on the nodes of each other, or that ask for the same devices, have nodes of one kind, on
    which a pod of any of them fits. Pods that ask for no resources share a node, unless each needs one of its own.
    Other pods that may land on the nodes of another role need room beside its pods there, in whichever order they
    come, and then no nodes of their own. Roles whose pods must share nodes have one with room for all of them.
    """
    own = [role for role in needs.roles if role.pods and not role.beside]
    joined = _joined(own)
    kinds = [_one_node(each, needs) for each in joined]
    single = [role for role in own if not any(role in each for each in joined)]
    for role in (*single, *(role for role in needs.roles if role.beside)):
        if not role.beside or not any(_takes(role, kind.pool) for kind in kinds):
            _add(kinds, _Kind((role,), _pool(role, needs)))
    guests = {
        (one, other)
        for one, guest in enumerate(kinds)
        for other, host in enumerate(kinds)
        if one != other and _visits(guest, host) and not (host.shared and _visits(host, guest))
    }
    pools = tuple(
        _with_room(kind.pool, [role for one, host in guests if host == index for role in kinds[one].roles])
        for index, kind in enumerate(kinds)
        if not _is_guest(index, guests) or any(role.apart for role in kind.roles)
    )
    if any(pool.devices is None for pool in pools):
        return _unsaid(pools)  # what some need is not known
    return pools if any(pool.devices and pool.devices.slices for pool in pools) else _unsaid(pools)


def _unsaid(pools: Iterable[Pool]) -> tuple[Pool, ...]:
    """The pools without a word about devices, which no pod claims."""
    return tuple(replace(pool, devices=None) for pool in pools)


class _Kind(NamedTuple):
    """Equal nodes, and the roles of whose pods each takes any one; those that are shared take all their pods."""

    roles: tuple[RoleNeed, ...]
    pool: Pool

    @property
    def shared(self) -> bool:
        return all(_shares(role) for role in self.roles)

    @property
    def beside(self) -> bool:
        return any(role.beside for role in self.roles)

    @property
    def joined(self) -> bool:
        return any(role.on_nodes_of for role in self.roles)


def _joined(roles: Sequence[RoleNeed]) -> list[tuple[RoleNeed, ...]]:
    """The roles whose pods must share nodes, those that hang together in one tuple."""
    named = {role.role: role for role in roles}
    parts: list[set[str]] = []
    for role in roles:
        part = {role.role, *(other for other in role.on_nodes_of if other in named)} if role.on_nodes_of else set()
        met = [each for each in parts if not part.isdisjoint(each)]
        parts = [each for each in parts if each not in met] + ([part.union(*met)] if part else [])
    return [tuple(role for role in roles if role.role in part) for part in parts]


def _one_node(roles: tuple[RoleNeed, ...], needs: Needs) -> _Kind:
    """One node with room for all pods of these roles, and the labels that they ask for."""
    pools = [_pool(role, needs) for role in roles]
    labels = {key: value for pool in reversed(pools) for key, value in pool.labels.items()}
    first = replace(pools[0], labels=labels, allocatable={}, minimum=1, maximum=1)
    name = next((pool.node_name for pool in pools if pool.node_name), "")
    return _Kind(roles, _with_room(replace(first, node_name=name), roles))


def _add(kinds: list[_Kind], kind: _Kind) -> None:
    """Add a kind of node, united with one of those before it where that is possible."""
    united = ((index, _united(before, kind)) for index, before in enumerate(kinds) if _is_near(before, kind))
    for index, both in united:
        if all(_may_take(role, both.pool) for role in both.roles):
            kinds[index] = both
            return
    kinds.append(kind)


def _is_near(one: _Kind, other: _Kind) -> bool:
    """Whether pods of each may land on nodes of the other, or of one of them where the devices are the same."""
    if any(kind.beside or kind.joined for kind in (one, other)) or one.shared is not other.shared:
        return False
    if one.pool.node_name != other.pool.node_name:
        return False
    there = all(_may_take(role, other.pool) for role in one.roles)
    back = all(_may_take(role, one.pool) for role in other.roles)
    devices = _devices(one.pool)
    return (there and back) or (bool(devices) and devices == _devices(other.pool) and (there or back))


def _devices(pool: Pool) -> dict[str, Fraction]:
    return {name: amount for name, amount in _amounts(pool).items() if is_extended_resource(name)}


def _united(one: _Kind, other: _Kind) -> _Kind:
    """Nodes with the larger amount of each resource; as many as both, or one with room for the pods that share it."""
    first, second = _amounts(one.pool), _amounts(other.pool)
    larger = {
        name: (text if first.get(name, 0) >= second.get(name, 0) else str((other.pool.allocatable or {})[name]))
        for name, text in {**(other.pool.allocatable or {}), **(one.pool.allocatable or {})}.items()
    }
    count = one.pool.minimum + other.pool.minimum
    if one.shared:
        count, larger["pods"] = 1, str(int(first["pods"] + second["pods"]))
    labels = {**other.pool.labels, **one.pool.labels}
    devices = one.pool.devices
    if devices != other.pool.devices:
        devices = joined_devices((devices, other.pool.devices))
    pool = replace(one.pool, labels=labels, allocatable=larger, minimum=count, maximum=count, devices=devices)
    return _Kind((*one.roles, *other.roles), pool)


def _amounts(pool: Pool) -> dict[str, Fraction]:
    return {name: parse_quantity(text) for name, text in (pool.allocatable or {}).items() if isinstance(text, str)}


def _visits(guest: _Kind, host: _Kind) -> bool:
    return any(_may_take(role, host.pool) for role in guest.roles if not role.beside)


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
    claimed = [least_devices(role.devices) for role in guests for _ in range(1 if role.apart else role.pods)]
    devices = joined_devices((pool.devices, *claimed))
    return replace(pool, allocatable=amounts, devices=devices) if guests else pool


def _written(name: str, amount: Fraction) -> str:
    return readable(name, int(amount * 1000 if name == "cpu" else amount))


def _pool(role: RoleNeed, needs: Needs) -> Pool:
    labels = dict(_labels(role.labels[0] if role.labels else ()))
    if needs.domain:
        labels.setdefault(needs.domain, needs.zones[0] if needs.zones else "zone-1")
    for key in needs.shared:
        labels.setdefault(key, f"{key.rpartition('/')[2]}-1")
    name = labels.get(NAME, labels.get(HOSTNAME, ""))
    shared = _shares(role)
    count = 1 if shared else role.pods
    return Pool(
        name=role.role.replace("/", "-"),
        labels={key: value for key, value in labels.items() if key != NAME},
        allocatable={**role.requests, "pods": str(role.pods if shared else 1)},
        minimum=count,
        maximum=count,
        node_name=name if count == 1 else "",
        devices=least_devices(role.devices),
    )


def _shares(role: RoleNeed) -> bool:
    return not role.requests and not role.apart and not role.devices


def _labels(way: Sequence[Requirement]) -> Iterator[tuple[str, str]]:
    """One label for each key that must be there."""
    by_key: dict[str, list[Requirement]] = {}
    for each in way:
        by_key.setdefault(each.key, []).append(each)
    for key, asked in by_key.items():
        value = next(iter(choices(asked, (None,))), None)
        if value is not None:
            yield key, value
