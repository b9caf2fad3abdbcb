"""Which group each object belongs to: what one group alone uses joins it, what several use joins none (decision 7)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from trainlint.workload.disjoint_sets import DisjointSets

__all__ = ["Ownership", "assign"]


@dataclass(slots=True)
class Ownership:
    """The groups, each by one of its objects: the objects that belong to it, and those that it uses with others."""

    members: dict[int, list[int]] = field(default_factory=dict)
    dependencies: dict[int, set[int]] = field(default_factory=dict)


def assign(
    count: int, seeds: AbstractSet[int], uses: Mapping[int, AbstractSet[int]], together: Sequence[Sequence[int]]
) -> Ownership:
    """The groups of ``count`` objects that grow from the seeds.

    ``uses`` holds for each object those that it uses; ``together`` are objects that an annotation declares one group;
    they count as seeds. The result does not depend on the order of the objects.
    """
    union = DisjointSets(range(count))
    for declared in together:
        for item in declared[1:]:
            union.join(declared[0], item)
    roots = set(seeds).union(*together)
    reached = _reached(roots, uses)
    changed = True
    while changed:
        changed = False
        for seed in sorted(roots):
            users = {union.find(user) for user in reached[seed]} - {union.find(seed)}
            if len(users) == 1:
                union.join(users.pop(), seed)
                changed = True
    result = Ownership(defaultdict(list), defaultdict(set))
    owned = {item: {union.find(user) for user in reached[item]} for item in reached if item not in roots}
    for item in sorted(roots | {item for item, owners in owned.items() if len(owners) == 1}):
        owner = union.find(item) if item in roots else next(iter(owned[item]))
        result.members[owner].append(item)
    for owner, members in result.members.items():
        for member in members:
            result.dependencies[owner] |= set(uses.get(member, ())) - set(members)
    return result


def _reached(roots: AbstractSet[int], uses: Mapping[int, AbstractSet[int]]) -> dict[int, set[int]]:
    """The seeds that use each object, directly or through objects that are no seeds themselves."""
    reached: dict[int, set[int]] = defaultdict(set)
    for root in roots:
        seen = {root}
        pending = [root]
        while pending:
            for target in uses.get(pending.pop(), ()):
                if target not in seen:
                    seen.add(target)
                    reached[target].add(root)
                    if target not in roots:
                        pending.append(target)
    return reached
