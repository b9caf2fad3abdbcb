"""Which nodes the pods of each role may use, and why not the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from trainlint.facts.facts import Facts
from trainlint.finding import Location
from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.pool import Pool
from trainlint.model.workload import PodSet
from trainlint.proof.feasibility import Feasibility
from trainlint.proof.group import GroupProof
from trainlint.questions.argument.step import Statement, Step, statement
from trainlint.reachability import NO_DOMAIN
from trainlint.scheduling.condense import members
from trainlint.scheduling.filter import Doubt, Refusal
from trainlint.scheduling.node import Node
from trainlint.wording.because import because_text
from trainlint.wording.listing import listed
from trainlint.wording.texts.argument import Phrase

__all__ = ["where_pods_may_run"]


def where_pods_may_run(proof: GroupProof, facts: Facts) -> Step:
    """One statement for each role, with its pools below."""
    return Step(because_text(Because(Phrase.NODES)), tuple(_roles(proof, facts)))


def _roles(proof: GroupProof, facts: Facts) -> Iterator[Statement]:
    for index, member in enumerate(proof.group.members):
        judged = facts.verdicts.of(member)
        if judged is None:
            below: Iterable[Statement] = [statement(Phrase.NO_NODES_KNOWN)]
        else:
            inventory = facts.verdicts.inventory(member)
            written = inventory.pools if inventory is not None else ()
            below = _pools(*judged, proof.topology_key, written)
        shared = index in proof.group.dependencies
        yield statement(Phrase.ROLE, member.name, _pods(member), shared, places=(member.at,), below=tuple(below))


def _pods(member: PodSet) -> Because:
    count = member.replicas
    if isinstance(count, Undetermined):
        return Because(Phrase.UNKNOWN_PODS)
    return Because(Phrase.PODS, (count, count != 1))


def _pools(judged: Feasibility, nodes: Sequence[Node], key: str, written: Sequence[Pool]) -> Iterator[Statement]:
    """Pools that fare alike in one statement; those that may be used first."""
    alike: dict[tuple[bool, tuple[str, ...]], list[int]] = {}
    for index, verdict in judged.verdicts.items():
        reasons = tuple(because_text(each.reason) for each in verdict if isinstance(each, Refusal))
        doubts = tuple(because_text(each.why) for each in verdict if isinstance(each, Doubt))
        alike.setdefault((bool(reasons), reasons or doubts), []).append(index)
    united = members(written, [node.pool for node in nodes])
    for (refused, reasons), pools in sorted(alike.items(), key=lambda each: (each[0][0], len(each[0][1]), each[1])):
        names = _names([each for pool in pools for each in united[pool]], key)
        places = (*_in_pods(judged, pools), *_in_nodes(judged, nodes, pools))
        if not reasons:
            yield statement(Phrase.MAY_USE, names, places=places)
        elif refused:
            yield statement(Phrase.MAY_NOT_USE, names, "; ".join(reasons), places=places)
        else:
            yield statement(Phrase.PERHAPS, names, "; ".join(reasons), places=places)
    if not any(True for _ in judged.verdicts):
        yield statement(Phrase.NONE)


def _names(pools: Sequence[Pool], key: str) -> str:
    """Pools by zone: ``gpu-a (2 nodes) in zone-a``."""
    zones: dict[str, list[str]] = {}
    for pool in pools:
        value = pool.label(key)
        zone = because_text(Because(Phrase.UNKNOWN_ZONE)) if isinstance(value, Undetermined) else value or NO_DOMAIN
        many = pool.maximum if pool.maximum is not None and pool.maximum > 1 else 0
        zones.setdefault(zone, []).append(because_text(Because(Phrase.POOL, (pool.name, pool.maximum is None, many))))
    return "; ".join(because_text(Because(Phrase.IN, (listed(names), zone))) for zone, names in sorted(zones.items()))


def _in_pods(judged: Feasibility, pools: Iterable[int]) -> Iterator[Location]:
    """What in the pod spec decides about the pools."""
    yield from dict.fromkeys(each.at for pool in pools for each in judged.verdicts[pool] if each.at is not None)


def _in_nodes(judged: Feasibility, nodes: Sequence[Node], pools: Iterable[int]) -> Iterator[Location]:
    """What at the nodes decides, else where they are written."""
    for pool in pools:
        refusals = [each for each in judged.verdicts[pool] if isinstance(each, Refusal)]
        at = next((each.node_at for each in refusals if each.node_at is not None), nodes[pool].pool.at)
        if at is not None:
            yield at
