"""Which nodes the pods of each role may use, and why not the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from trainlint.facts.facts import Facts
from trainlint.finding import Location
from trainlint.model.known import Undetermined
from trainlint.model.pool import Pool
from trainlint.model.workload import PodSet
from trainlint.proof.feasibility import Feasibility
from trainlint.proof.group import GroupProof
from trainlint.questions.argument.step import Statement, Step, listed
from trainlint.reachability import NO_DOMAIN
from trainlint.scheduling.condense import members
from trainlint.scheduling.filter import Doubt, Refusal
from trainlint.scheduling.node import Node
from trainlint.wording.because import because_text

__all__ = ["where_pods_may_run"]


def where_pods_may_run(proof: GroupProof, facts: Facts) -> Step:
    """One statement for each role, with its pools below."""
    return Step("Where its pods may run", tuple(_roles(proof, facts)))


def _roles(proof: GroupProof, facts: Facts) -> Iterator[Statement]:
    for index, member in enumerate(proof.group.members):
        text = f"{member.name}, {_pods(member)}"
        if index in proof.group.dependencies:
            text += ", used by several groups: it need not share their zone"
        judged = facts.verdicts.of(member)
        if judged is None:
            below: Iterable[Statement] = [Statement("on which nodes is not known: no inventory counts for it")]
        else:
            inventory = facts.verdicts.inventory(member)
            written = inventory.pools if inventory is not None else ()
            below = _pools(*judged, proof.topology_key, written)
        yield Statement(text, (member.at,), tuple(below))


def _pods(member: PodSet) -> str:
    count = member.replicas
    if isinstance(count, Undetermined):
        return "an unknown number of pods"
    return "1 pod" if count == 1 else f"{count} pods"


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
            yield Statement(f"may use {names}", places)
        elif refused:
            yield Statement(f"not {names}: {'; '.join(reasons)}", places)
        else:
            yield Statement(f"perhaps {names}; not known: {'; '.join(reasons)}", places)
    if not any(True for _ in judged.verdicts):
        yield Statement("there are no nodes")


def _names(pools: Sequence[Pool], key: str) -> str:
    """Pools by zone: ``gpu-a (2 nodes) in zone-a``."""
    zones: dict[str, list[str]] = {}
    for pool in pools:
        value = pool.label(key)
        zone = "a zone that is not known" if isinstance(value, Undetermined) else value or NO_DOMAIN
        many = " (without limit)" if pool.maximum is None else f" ({pool.maximum} nodes)" if pool.maximum > 1 else ""
        zones.setdefault(zone, []).append(f"{pool.name}{many}")
    return "; ".join(f"{listed(names)} in {zone}" for zone, names in sorted(zones.items()))


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
