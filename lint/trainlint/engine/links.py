"""The connections of a group, each with the verdicts between its zones and what decides them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import Final, Literal

from trainlint.engine.role_zones import Place
from trainlint.facts.facts import Facts
from trainlint.finding import Location
from trainlint.model.policy import Action, Decision, Permission, PolicyEntry, Verdict
from trainlint.model.workload import DNS_PEER, Flow
from trainlint.policy.shortfall import EntryPart
from trainlint.proof.group import GroupProof
from trainlint.questions.answer import Asked, ConnectionAnswer
from trainlint.questions.end import End
from trainlint.questions.why import answer_between
from trainlint.reachability import Crossing, Reachability
from trainlint.reachability import Place as Zone
from trainlint.result import PlacedRelated
from trainlint.result.graph import Link, Reason, Ruling
from trainlint.wording.misses import miss_text
from trainlint.wording.verdicts import decision_text

__all__ = ["links_of"]

Node = Literal["same", "other"]
WORDS: Final = {Action.ALLOW: "allows", Action.DENY: "denies", Action.PASS: "passes on"}


def links_of(proof: GroupProof, facts: Facts, place: Place) -> tuple[Link, ...]:
    """Every connection that the group needs; without verdicts where they could not be judged."""
    return tuple(
        Link(
            source=flow.source,
            target=flow.target,
            protocol=flow.protocol,
            ports=str(flow.ports),
            kind=str(flow.kind),
            why=flow.why,
            at=place(flow.at, f"who needs it: {flow.why}"),
            rulings=() if proof.reach is None else tuple(_Rulings(flow, proof.reach, facts, place).all()),
        )
        for flow in proof.group.flows
    )


class _Rulings:
    """The verdicts on one flow, those alike for several pairs of zones once."""

    def __init__(self, flow: Flow, reach: Reachability, facts: Facts, place: Place) -> None:
        self.flow, self.reach, self.facts, self.place = flow, reach, facts, place

    def all(self) -> Iterator[Ruling]:
        """Every ruling on the connection, in the order of its first pair."""
        alike: dict[Hashable, list[tuple[Crossing, Node, Verdict, str]]] = {}
        for crossing in self.reach.crossings(self.flow):
            for node, verdict, words in _nodes(crossing):
                key = (words, verdict.answer, verdict.allowed, _key(verdict.egress), _key(verdict.ingress))
                alike.setdefault(key, []).append((crossing, node, verdict, words))
        for found in alike.values():
            crossing, node, verdict, words = found[0]
            pairs = tuple((each.source.name, self._target(each)) for each, *_ in found)
            yield self._ruling(crossing, node, verdict, words, pairs)

    def _target(self, crossing: Crossing) -> str:
        return "" if self.flow.target is None else crossing.target.name

    def _ruling(
        self, crossing: Crossing, node: Node, verdict: Verdict, words: str, pairs: tuple[tuple[str, str], ...]
    ) -> Ruling:
        ruling = Ruling(
            answer=verdict.answer,
            pairs=pairs,
            nodes=words,
            egress=decision_text(verdict.egress),
            ingress=decision_text(verdict.ingress),
            open=tuple(map(str, verdict.allowed)) if verdict.partly else (),
            decided=tuple(self._decided(verdict)),
        )
        if verdict.answer is Permission.ALLOW:
            return ruling
        answer = self._explained(crossing, node)
        return replace(ruling, near=tuple(self._near(answer)), repairs=tuple(self._repairs(answer)))

    def _explained(self, crossing: Crossing, node: Node) -> ConnectionAnswer:
        asked = Asked("", "", self.flow.protocol, self.flow.ports)
        source = self._end(self.flow.source, crossing.source)
        return answer_between(self.facts, source, self._end(self.flow.target, crossing.target), asked, node)

    def _end(self, member: int | None, zone: Zone) -> End:
        if member is None:
            fixed = replace(self.facts.policies.dns.main, name=DNS_PEER)
            return End(DNS_PEER, self.facts, fixed=fixed)
        pod_set = self.reach.group.members[member]
        return End(f"{pod_set.namespace}/{pod_set.name}", self.facts, pod_set=pod_set, place=zone)

    def _decided(self, verdict: Verdict) -> Iterator[PlacedRelated]:
        """The entries that decide each end: those that match, else the lists of those that make deny the default."""
        for decision in (verdict.egress, verdict.ingress):
            side = decision.direction
            for entry in {entry.at: entry for entry in decision.deciding}.values():
                yield self.place(entry.at, f"{WORDS[entry.action]} {side}: {entry.origin}")
            if not decision.deciding:
                lists = {_list_of(entry, side): entry for entry in decision.isolating}
                for at, entry in lists.items():
                    yield self.place(at, f"does not admit it ({side}): {entry.origin}")

    def _near(self, answer: ConnectionAnswer) -> Iterator[PlacedRelated]:
        """What the entries about these pods lack; those about other pods only where there are no others."""
        for side in answer.sides:
            if side.decision.answer is Permission.ALLOW:
                continue
            about = [miss for miss in side.near if all(each.part is not EntryPart.SUBJECT for each in miss.shortfalls)]
            for miss in about or side.near:
                for each in miss.shortfalls:
                    yield self.place(each.at or miss.entry.at, f"{miss.entry.origin} {miss_text(each.reason)}")

    def _repairs(self, answer: ConnectionAnswer) -> Iterator[Reason]:
        for repair in answer.repairs:
            places = tuple(self.place(each.at, each.text) for each in repair.changes if each.at is not None)
            yield Reason(" and ".join(each.text for each in repair.changes), places)


def _list_of(entry: PolicyEntry, side: str) -> Location:
    """The list in which an entry stands."""
    at = entry.at
    return Location(at.file, at.document, at.path[:-1] if at.path and at.path[-1] != side else at.path, at.base)


def _nodes(crossing: Crossing) -> Iterator[tuple[Node, Verdict, str]]:
    """The verdicts of a crossing: one, unless it matters whether the pods share a node."""
    if crossing.same_node.answer is crossing.other_node.answer:
        yield "other", crossing.other_node, ""
    else:
        yield "same", crossing.same_node, "on one node"
        yield "other", crossing.other_node, "on two nodes"


def _key(decision: Decision) -> Hashable:
    return (decision_text(decision), tuple(entry.at for entry in (*decision.deciding, *decision.isolating)))
