"""An explanation always agrees with the verdict that it explains, and what it proposes always works."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st
from tests.policy.cluster import NAMESPACES, cilium, pod_set
from tests.policy.test_laws import QUESTIONS, SCALE, Data, cilium_policy, judge, named, rules, worlds
from tests.policy.test_opening_edits import question

from trainlint.model.policy import Action, Decision, Direction, Permission, PolicyEntry, Verdict
from trainlint.model.workload import PodSet, PortRange
from trainlint.policy import Endpoint, PolicySet, endpoint
from trainlint.policy.edits import Edits, LabelEdit, PortEdit, with_ports
from trainlint.policy.explanation import entries_about, explain
from trainlint.policy.fixes import opening_edits
from trainlint.policy.matching import ready
from trainlint.policy.shortfall import shortfalls

ALLOW, DENY, UNKNOWN = Permission.ALLOW, Permission.DENY, Permission.UNKNOWN
PORT = PortRange(100, 100)


@SCALE
@given(worlds)
def test_every_explained_decision_is_the_one_of_the_verdict(objects: list[Data]) -> None:
    found = judge(objects)
    for source, target, protocol, port in QUESTIONS[::5]:
        ports = PortRange(port, port)
        verdict = found.verdict(source, target, protocol, port)
        egress = explain(found, Direction.EGRESS, source, target, protocol, ports)
        ingress = explain(found, Direction.INGRESS, target, source, protocol, ports)
        assert egress.decision == verdict.egress
        assert ingress.decision == verdict.ingress
        for side in (egress, ingress):
            assert side.policed or side.decision.answer is ALLOW
            assert not side.near or side.decision.answer is not ALLOW
            for miss in side.near:
                assert miss.shortfalls
                assert side.decision.answer is not DENY or any(each.certain for each in miss.shortfalls)


@SCALE
@given(worlds)
def test_an_entry_without_shortfalls_matches_and_one_with_a_certain_one_does_not(objects: list[Data]) -> None:
    found = judge(objects)
    for source, target, protocol, port in QUESTIONS[::7]:
        ports = PortRange(port, port)
        for direction, subject, peer in (
            (Direction.EGRESS, source, target),
            (Direction.INGRESS, target, source),
        ):
            if subject.subject is None:
                continue
            decision = found.decision(direction, subject, peer, protocol, ports)
            for entry in entries_about(found, subject, direction):
                missing = list(shortfalls(ready(entry, 0), subject, peer, protocol, ports, found))
                if entry in decision.deciding:
                    assert not missing
                if not missing and entry.action is Action.DENY:
                    assert decision.answer is DENY
                if not missing and entry.action is Action.ALLOW:
                    assert decision.answer is ALLOW or any(e.action is Action.DENY for e in decision.deciding)


def sides(verdict: Verdict) -> dict[Direction, Decision]:
    return {each.direction: each for each in (verdict.egress, verdict.ingress)}


def opens(before: dict[Direction, Decision], after: Verdict) -> bool:
    """Whether the connection is allowed, and not only because a pod has left the policies that isolate it."""
    return after.answer is ALLOW and all(
        sides(after)[direction].deciding or any(entry.action is Action.DENY for entry in was.deciding)
        for direction, was in before.items()
        if was.answer is DENY
    )


def pair() -> tuple[PodSet, PodSet]:
    return pod_set("a", {"app": "x", "role": "r"}), pod_set("b", {"app": "z", "role": "s"})


def tried(objects: list[Data], edits: Edits) -> tuple[Endpoint, Endpoint, PolicySet]:
    """The ends and the policies after the edits, made anew from what is written."""
    fresh = judge(objects)
    labels: tuple[dict[str, str], dict[str, str]] = ({}, {})
    for index, end in enumerate(pair()):
        labels[index].update({key: str(value) for key, value in end.labels.items()})
    for edit in edits:
        if isinstance(edit, LabelEdit):
            assert not edit.of_namespace
            labels[edit.end].pop(edit.key, None)
            if edit.value is not None:
                labels[edit.end][edit.key] = edit.value
    ports: Edits = frozenset(
        PortEdit(same(fresh, each.entry), each.rule) for each in edits if isinstance(each, PortEdit)
    )
    one, two = (
        endpoint(pod_set(end.namespace, labels[index]), cilium(), NAMESPACES) for index, end in enumerate(pair())
    )
    return one, two, fresh.with_entries(with_ports(entry, ports) for entry in fresh.entries)


def same(found: PolicySet, entry: PolicyEntry) -> PolicyEntry:
    """The entry at the same place."""
    return next(each for each in found.entries if each.at == entry.at and each == entry)


isolating = st.lists(st.builds(cilium_policy, st.sampled_from(["a", "b", ""]), rules()), min_size=1, max_size=4)


@SCALE
@given(isolating)
def test_every_edit_opens_the_connection_and_no_part_of_it_does(objects: list[Data]) -> None:
    asked, found = question(*pair(), 100), judge(objects)
    before = sides(found.verdict(*asked.placed(frozenset()), "TCP", 100))
    for each in opening_edits(found, asked):
        edits = frozenset(each.edits)
        one, two, policies = tried(objects, edits)
        assert policies.verdict(one, two, "TCP", 100).answer is each.verdict.answer is ALLOW
        for size in range(len(edits)):
            for part in combinations(edits, size):
                one, two, policies = tried(objects, frozenset(part))
                assert not opens(before, policies.verdict(one, two, "TCP", 100))


@SCALE
@given(isolating)
def test_a_single_label_that_lets_an_entry_admit_the_connection_is_found(objects: list[Data]) -> None:
    found = judge(objects)
    asked = question(*pair(), 100)
    verdict = found.verdict(*asked.placed(frozenset()), "TCP", 100)
    denied = [each.direction for each in (verdict.egress, verdict.ingress) if each.answer is DENY]
    if not denied:
        return
    sizes = {len(each.edits) for each in opening_edits(found, asked)}
    for end in (0, 1):
        for key, values in (("app", "xz"), ("role", "rs")):
            for value in values:
                one, two, policies = tried(objects, frozenset([LabelEdit(end, key, value)]))
                after = policies.verdict(one, two, "TCP", 100)
                if after.answer is ALLOW and all(sides(after)[direction].deciding for direction in denied):
                    assert sizes == {1}


def test_the_objects_of_a_law_keep_their_places_when_they_are_read_anew() -> None:
    world = [cilium_policy("a", {"endpointSelector": {}, "ingress": [{}]})]
    assert judge(world).entries[0].at == judge(named(world)).entries[0].at
