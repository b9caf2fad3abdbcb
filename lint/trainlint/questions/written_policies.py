"""Policies as they are written in Git: which ones isolate without a rule of their own, and which are about one job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from trainlint.facts.facts import Facts
from trainlint.finding import Location
from trainlint.model.policy import Action, Direction, PolicyEntry
from trainlint.model.selector import LabelSelector
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.policy.selector import Matcher, split_source
from trainlint.questions.probes import end_of
from trainlint.snapshot.objects import ApiObject

__all__ = [
    "CILIUM",
    "direction_list",
    "is_default_deny",
    "keys_of",
    "list_above",
    "own_policy",
    "rules_written",
    "written",
]

CILIUM: Final = frozenset({"CiliumNetworkPolicy", "CiliumClusterwideNetworkPolicy"})
KINDS: Final = frozenset({*CILIUM, "NetworkPolicy"})


def written(facts: Facts, origin: ObjectRef) -> ApiObject | None:
    """The object of a policy that people wrote, of a kind that isolates; ``None`` where an operator makes it."""
    item = facts.snapshot.by_ref.get(origin)
    return item if item is not None and origin.kind in KINDS else None


def names_pods(selector: LabelSelector) -> bool:
    """Whether it asks for a label of the pods themselves, not only for their namespace or cluster."""
    keys = (split_source(each.key)[1] for each in selector.requirements)
    return any(not key.startswith(("io.kubernetes.pod.", "io.cilium.k8s.")) for key in keys)


def keys_of(selector: LabelSelector) -> frozenset[str]:
    """The keys of the labels that it asks for."""
    return frozenset(split_source(each.key)[1] for each in selector.requirements)


def admits_some(entry: PolicyEntry) -> bool:
    """Whether the entry admits connections: it allows, and its lists name a peer or a port."""
    return entry.action is Action.ALLOW and bool(entry.peers or (entry.peers == () and entry.ports))


def is_default_deny(facts: Facts, policy: PolicyEntry) -> bool:
    """Whether the policy of an entry isolates a whole namespace in its direction, or admits nothing in it."""
    own = [
        each for each in facts.policies.entries if (each.origin, each.direction) == (policy.origin, policy.direction)
    ]
    if any(each.isolates and not names_pods(each.subject) for each in own):
        return True
    return any(each.isolates for each in own) and not any(map(admits_some, own))


def own_policy(
    facts: Facts, entries: Iterable[PolicyEntry], pods: Sequence[PodSet], of_group: Sequence[PodSet]
) -> PolicyEntry | None:
    """The first of some isolating entries whose policy is about these pods, about no pods outside their group, and
    admits something already; ``None`` where there is none.
    """
    for entry in entries:
        if written(facts, entry.origin) is None or entry.namespace == "":
            continue
        if not is_default_deny(facts, entry) and _is_about(facts, entry.subject, pods, of_group):
            return entry
    return None


def _is_about(facts: Facts, subject: LabelSelector, pods: Sequence[PodSet], of_group: Sequence[PodSet]) -> bool:
    matcher = Matcher.of(subject)
    for each in facts.snapshot.workloads.pod_sets:
        if each.namespace != pods[0].namespace:
            continue
        end = end_of(each, facts)
        found = matcher.matches(end.subject or {}, end.unknown_subject)
        if found is not True and any(each is own for own in pods):
            return False
        if found is not False and not any(each is own for own in of_group):
            return False
    return True


def direction_list(entry: PolicyEntry) -> Location:
    """The list of rules that an entry belongs to, or would."""
    whole = list_above(entry.at)
    if whole.path[-1:] != (entry.direction.value,):
        whole = whole.child(entry.direction.value)
    return whole


def list_above(at: Location) -> Location:
    """The list that a place is an element of; the place itself where it is none."""
    path = at.path
    return Location(at.file, at.document, path[:-1] if path and isinstance(path[-1], int) else path)


def rules_written(item: ApiObject, direction: Direction) -> Iterator[tuple[Location, dict[str, Any]]]:
    """The rules of a policy in one direction, with their places."""
    for each in item.field.down("spec", direction.value).elements():
        if each.mapping is not None:
            yield each.at, dict(each.mapping)
