"""The smallest nodes that satisfy needs, as pools of an Inventory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from trainlint.kube.node import HOSTNAME
from trainlint.model.needs import Needs, RoleNeed
from trainlint.model.pool import Pool
from trainlint.model.selector import Requirement
from trainlint.proof.ideal.ways import NAME, choices

__all__ = ["least_nodes"]


def least_nodes(needs: Needs) -> tuple[Pool, ...]:
    """A node for each pod, with what one pod asks for, all in one domain; equal nodes are one pool.

    Pods that ask for no resources share a node, unless each needs one of its own.
    """
    united: dict[object, Pool] = {}
    for role in needs.roles:
        if role.pods:
            pool = _pool(role, needs)
            alike = (tuple(sorted(pool.labels.items())), tuple((pool.allocatable or {}).items()))
            before = united.get(alike)
            count = pool.minimum + (before.minimum if before is not None else 0)
            united[alike] = replace(before or pool, minimum=count, maximum=count)
    return tuple(united.values())


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
