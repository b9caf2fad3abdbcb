"""Which connections a group needs, where that is written, and which policy entries decide about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from trainlint.finding import Location
from trainlint.model.because import Because
from trainlint.model.policy import Decision, Permission, Verdict
from trainlint.model.workload import DNS_PEER, Flow, Group
from trainlint.proof.deciding_places import list_of
from trainlint.proof.group import GroupProof
from trainlint.questions.argument.step import Statement, Step, statement
from trainlint.reachability import ANYWHERE, Crossing, Reachability
from trainlint.reachability.flow_graph import EVERY, POSSIBLE
from trainlint.wording.because import because_text, texts_of
from trainlint.wording.listing import listed
from trainlint.wording.texts.argument import Phrase
from trainlint.wording.verdicts import decision_text

__all__ = ["connections_needed", "what_policies_decide"]

_WORDS: Final = {
    Permission.ALLOW: Phrase.ALLOWED,
    Permission.DENY: Phrase.DENIED,
    Permission.UNKNOWN: Phrase.UNDECIDED,
}


def connections_needed(proof: GroupProof) -> Step:
    """Every flow with its reason; those of one pair of roles and one reason together."""
    together: dict[tuple[int, int | None, str], list[Flow]] = {}
    for flow in proof.group.flows:
        together.setdefault((flow.source, flow.target, flow.why), []).append(flow)
    statements = tuple(
        statement(
            Phrase.NEEDED,
            _text(proof.group, flows),
            flows[0].why,
            places=tuple(dict.fromkeys(each.at for each in flows)),
        )
        for flows in together.values()
    )
    return Step(because_text(Because(Phrase.CONNECTIONS)), statements or (statement(Phrase.NO_CONNECTIONS),))


def what_policies_decide(proof: GroupProof) -> Step:
    """The verdict on every flow, by zones where these matter, with the entries that decide at either end."""
    title = because_text(Because(Phrase.DECISIONS))
    if proof.reach is None:
        return Step(title, (statement(Phrase.NOT_ASKED),))
    alike: dict[tuple[object, ...], tuple[list[Flow], tuple[Statement, ...], str]] = {}
    for flow in proof.group.flows:
        whole, below = _decided(flow, proof.reach)
        key = (flow.source, flow.target, whole, below)
        alike.setdefault(key, ([], below, whole))[0].append(flow)
    statements = (
        statement(Phrase.DECIDED, _text(proof.group, flows), whole, below=below)
        for flows, below, whole in alike.values()
    )
    decided = tuple(statements) or (statement(Phrase.NOTHING_TO_DECIDE),)
    return Step(title, (*decided, *_apart(proof.group, proof.reach)))


def _apart(group: Group, reach: Reachability) -> Iterator[Statement]:
    """What policies make of the group inside single places, where they cut a connection there: its parts between which
    every connection is denied, and the places in which all are permitted.
    """
    own = [index for index in range(len(group.members)) if index not in group.dependencies]
    needed = [index for index, flow in enumerate(group.flows) if {flow.source, flow.target} <= {*own}]
    if not any(reach.cut_inside(place, needed) for place in reach.places):
        return
    names = [place.name for place in reach.places]
    divided: dict[tuple[tuple[int, ...], ...], list[str]] = {}
    for name in names:
        parts = reach.graph.parts(name, own, POSSIBLE)
        if len(parts) > len(reach.graph.parts(name, own, EVERY)):
            divided.setdefault(parts, []).append(name)
    for parts, places in divided.items():
        where = listed(places) if reach.places != (ANYWHERE,) else ""
        said = "; ".join(listed(group.members[index].name for index in part) for part in parts)
        yield statement(Phrase.DIVIDED, where, len(parts), said)
    if viable := reach.graph.viable(names, needed):
        yield statement(Phrase.ALL_INSIDE, listed(viable))


def _text(group: Group, flows: Sequence[Flow]) -> str:
    """Flows of one pair of roles."""
    first = flows[0]
    target = DNS_PEER if first.target is None else group.members[first.target].name
    ports = listed(f"{flow.protocol} {flow.ports}" for flow in flows)
    return f"{group.members[first.source].name} -> {target}, {ports}"


def _decided(flow: Flow, reach: Reachability) -> tuple[str, tuple[Statement, ...]]:
    """The answer in a word, and who gives it; one statement for each pair of zones that fares differently."""
    outcomes: dict[tuple[str, str, str], list[tuple[Crossing, Verdict, Phrase | None]]] = {}
    for crossing in reach.crossings(flow):
        for verdict, node in _verdicts(crossing):
            key = (verdict.answer.value, decision_text(verdict.egress), decision_text(verdict.ingress))
            outcomes.setdefault(key, []).append((crossing, verdict, node))
    answers = {Permission(answer) for answer, _, _ in outcomes}
    anywhere = reach.places != (ANYWHERE,)
    if len(outcomes) == 1:
        verdict = next(iter(outcomes.values()))[0][1]
        return _whole(verdict.answer, anywhere=anywhere), tuple(_sides(verdict))
    whole = _whole(next(iter(answers)) if len(answers) == 1 else None, anywhere=anywhere)
    below = (
        statement(Phrase.DECIDED, _between(each), _WORDS[each[0][1].answer], below=tuple(_sides(each[0][1])))
        for each in outcomes.values()
    )
    return whole, tuple(below)


def _whole(answer: Permission | None, *, anywhere: bool) -> str:
    """The answer for all zones; ``None`` where they differ."""
    return because_text(
        Because(Phrase.DEPENDS) if answer is None else Because(Phrase.WHOLE, (_WORDS[answer], anywhere))
    )


def _verdicts(crossing: Crossing) -> Iterator[tuple[Verdict, Phrase | None]]:
    if crossing.same_node.answer is crossing.other_node.answer:
        yield crossing.other_node, None
    else:
        yield crossing.same_node, Phrase.ONE_NODE
        yield crossing.other_node, Phrase.TWO_NODES


def _between(crossings: Iterable[tuple[Crossing, Verdict, Phrase | None]]) -> str:
    pairs = []
    for crossing, _, node in crossings:
        here, there = crossing.source.name, crossing.target.name
        if crossing.flow.target is None:
            pairs.append(Because(Phrase.FROM, (here,)))
        else:
            pairs.append(Because(Phrase.BETWEEN, (here == there, here, there, node)))
    return listed(texts_of(pairs))


def _sides(verdict: Verdict) -> Iterator[Statement]:
    for decision in (verdict.egress, verdict.ingress):
        yield Statement(decision_text(decision), tuple(_places(decision)))


def _places(decision: Decision) -> Iterator[Location]:
    """The entries that decide, else the lists that admit only what they list."""
    entries = decision.deciding
    yield from dict.fromkeys(entry.at for entry in entries)
    if not entries:
        yield from dict.fromkeys(list_of(entry) for entry in decision.isolating)
