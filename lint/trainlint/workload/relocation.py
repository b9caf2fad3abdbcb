"""Groups whose objects name no namespace, as they would be in another one than ``default``."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from trainlint.model.workload import Group, ObjectRef, PodSet

__all__ = ["moved"]


def moved(group: Group, unstated: Collection[ObjectRef], namespace: str) -> Group:
    """The group with its objects that name no namespace in this one."""

    def move(member: PodSet) -> PodSet:
        if member.owner not in unstated:
            return member
        return replace(member, owner=replace(member.owner, namespace=namespace))

    return replace(group, members=tuple(map(move, group.members)))
