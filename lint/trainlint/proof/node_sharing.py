"""Whether two pods can, or must, share a node: verdicts on the host network depend on it."""

from __future__ import annotations

from trainlint.model.policy import Permission
from trainlint.model.workload import Group
from trainlint.proof.placement_problem import PlacementProblem
from trainlint.proof.zone_restriction import classes_in
from trainlint.reachability import Crossing, Place
from trainlint.scheduling.packing import Demand, pods_per_node

__all__ = ["may_be_denied", "permission"]


def permission(group: Group, problem: PlacementProblem, crossing: Crossing) -> Permission:
    """The verdict on a crossing, as far as it is the same for all nodes that two pods can be on."""
    if crossing.same_node.answer is crossing.other_node.answer:
        return crossing.same_node.answer
    answers = {answer for answer, possible in _verdicts(group, problem, crossing) if possible}
    return answers.pop() if len(answers) == 1 else Permission.UNKNOWN


def may_be_denied(group: Group, problem: PlacementProblem, crossing: Crossing) -> bool:
    """Whether some nodes that two pods can be on make it denied."""
    return any(answer is Permission.DENY and possible for answer, possible in _verdicts(group, problem, crossing))


def _verdicts(group: Group, problem: PlacementProblem, crossing: Crossing) -> tuple[tuple[Permission, bool], ...]:
    roles = {id(pod_set): index for index, pod_set in enumerate(problem.pod_sets[: problem.own])}
    flow = crossing.flow
    one = roles.get(id(group.members[flow.source]))
    other = None if flow.target is None else roles.get(id(group.members[flow.target]))
    same, apart = True, True
    if one is not None and other is not None and crossing.source == crossing.target:
        same, apart = _share(problem, one, other, crossing.source), _part(problem, one, other, crossing.source)
    elif crossing.source != crossing.target:
        same = False
    return (crossing.same_node.answer, same), (crossing.other_node.answer, apart)


def _classes(problem: PlacementProblem, role: int, place: Place) -> frozenset[int]:
    return problem.roles[role].classes & classes_in(problem).get(place.name, frozenset())


def _part(problem: PlacementProblem, one: int, other: int, place: Place) -> bool:
    """Whether a pod of each role can be on two nodes of the place."""
    here, there = _classes(problem, one, place), _classes(problem, other, place)
    nodes = sum(problem.classes[number].count for number in here | there)
    return bool(here and there) and nodes > 1


def _share(problem: PlacementProblem, one: int, other: int, place: Place) -> bool:
    """Whether a pod of each role can be on one node of the place."""
    return any(
        _takes_both(problem, one, other, number)
        for number in _classes(problem, one, place) & _classes(problem, other, place)
    )


def _takes_both(problem: PlacementProblem, one: int, other: int, number: int) -> bool:
    first, second = problem.roles[one], problem.roles[other]
    free = dict(problem.classes[number].room)
    for name, amount in first.requests.items():
        free[name] = free.get(name, 0) - amount
    per_node = None if second.lenient else second.per_node
    demand = Demand(other, second.requests, 1, frozenset({number}), per_node, second.apart)
    return pods_per_node(free, {one: 1}, demand) > 0
