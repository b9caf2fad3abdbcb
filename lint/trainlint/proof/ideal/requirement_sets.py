"""The ways in which the labels of a node can satisfy what a pod asks of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product
from typing import Final

from trainlint.fact import fact
from trainlint.kube.node import HOSTNAME
from trainlint.model.because import Because
from trainlint.model.selector import NodeSelectorTerm, Requirement
from trainlint.model.settings import ZONE
from trainlint.model.storage import Claim, Storage
from trainlint.proof.ground import ProofGround
from trainlint.scheduling.claims import class_of, pod_claims, volume_of
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.requirement import holds, parse_int64, requirement_error
from trainlint.scheduling.volume_match import candidates, is_zone_of_driver
from trainlint.scheduling.volume_zone import topologies

__all__ = ["NAME", "RequirementSets", "choices", "numbers", "requirement_sets_of"]

NAME: Final = "metadata.name"
"""The field of a node that terms may ask for."""
MOST: Final = 64
"""Ways of one pod that are looked at."""
_NAMES: Final = frozenset({NAME, HOSTNAME})

Way = tuple[Requirement, ...]


@fact
class RequirementSets:
    """Each way is a list of requirements that one node satisfies together. ``open`` says why there may be others."""

    ways: tuple[Way, ...]
    open: Because | None = None


def requirement_sets_of(pod: Pod, storage: Storage | None) -> RequirementSets:
    """The ways for one pod: its nodeSelector, a term of its affinity, and a place that each of its volumes allows."""
    spec = pod.spec
    parts: list[Sequence[Way]] = [(spec.node_selector,)]
    if spec.node_affinity is not None:
        parts.append(tuple(_of_terms(spec.node_affinity)) or ((),))
    if spec.node_name:
        parts.append(((Requirement(NAME, "In", (spec.node_name,)),),))
    parts += _of_volumes(pod, storage) if storage is not None else []
    found = tuple(tuple(each for part in parts for each in part) for parts in islice(product(*parts), MOST + 1))
    asked = [each for way in found for each in way]
    if len(found) > MOST:
        return RequirementSets(found[:MOST], Because(ProofGround.WAYS, (MOST,)))
    if any(each.key in _NAMES and each.operator not in {"In", "NotIn"} for each in asked):
        return RequirementSets(found, Because(ProofGround.HOST_NAMES))
    return RequirementSets(found)


def _of_terms(terms: Iterable[NodeSelectorTerm]) -> Iterator[Way]:
    """The terms that can match something."""
    for term in terms:
        if (term.expressions or term.fields) and not any(
            requirement_error(each, of_node=True) for each in term.expressions
        ):
            yield (*term.expressions, *term.fields)


def _of_volumes(pod: Pod, storage: Storage) -> Iterator[Sequence[Way]]:
    """For each claim of which the place is known: the ways to be there."""
    for wanted in pod_claims(pod, storage):
        claim = wanted.claim
        if claim is None:
            continue
        volume = volume_of(claim, storage)
        if volume is not None and volume.node_affinity is not None:
            yield tuple(_zonal(each) for each in _of_volume_terms(volume.node_affinity)) or ((),)
        if volume is not None:
            yield from (
                ((Requirement(_general(key), "In", tuple(sorted(values))),),) for key, values in topologies(volume)
            )
        elif not claim.volume:
            yield from _of_unbound(claim, storage)


def _of_unbound(claim: Claim, storage: Storage) -> Iterator[Sequence[Way]]:
    """Where the volume of a claim can be made, or where those are that it can be bound to."""
    chosen = class_of(claim, storage)
    found: list[Way] = []
    for volume in candidates(claim, storage, frozenset()):
        if volume.node_affinity is None:
            return
        found += [_zonal(each) for each in _of_volume_terms(volume.node_affinity)]
    if chosen is not None and chosen.topologies:
        found += [_zonal(each) for each in chosen.topologies if each]
    elif found:
        found.append(())  # others may exist
    if found:
        yield tuple(found)


def _of_volume_terms(terms: Iterable[NodeSelectorTerm]) -> Iterator[Way]:
    """Fields count for nothing in the terms of volumes (S 8)."""
    return _of_terms(replace(each, fields=()) for each in terms)


def _zonal(way: Way) -> Way:
    """The way with zone labels of storage drivers taken for the zone (S 1.8)."""
    return tuple(replace(each, key=ZONE) if is_zone_of_driver(each.key) else each for each in way)


def _general(key: str) -> str:
    return key.replace("failure-domain.beta.kubernetes.io/", "topology.kubernetes.io/")


def choices(requirements: Sequence[Requirement], more: Iterable[str | None] = ()) -> tuple[str | None, ...]:
    """Values of one label that satisfy all requirements on it, or may (a placeholder); ``None`` stands for no label.

    Of values that no requirement tells apart there is one, beside those of ``more``.
    """
    offered: dict[str | None, None] = dict.fromkeys(more)
    for each in requirements:
        if each.operator == "In":
            offered.update(dict.fromkeys(each.values))
    offered.update(dict.fromkeys(numbers(requirements)))
    if any(each.operator == "Exists" for each in requirements):
        offered["any"] = None
    return tuple(value for value in offered if all(holds(each, value) is not False for each in requirements))


def numbers(requirements: Sequence[Requirement]) -> Iterator[str]:
    """Whole numbers beside the limits that are asked for, past those that are left out."""
    left_out = sum(len(each.values) for each in requirements if each.operator == "NotIn")
    for each in requirements:
        limit = parse_int64(each.values[0]) if each.operator in {"Gt", "Lt"} and each.values else None
        if limit is not None:
            yield from (str(limit + step if each.operator == "Gt" else limit - step) for step in range(1, left_out + 2))
