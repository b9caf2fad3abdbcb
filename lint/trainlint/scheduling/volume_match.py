"""Which volumes a node reaches, and which a claim could be bound to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.known import Known
from trainlint.model.selector import Requirement
from trainlint.model.settings import ZONE
from trainlint.model.storage import Claim, PersistentVolume, Storage
from trainlint.scheduling.node import Node
from trainlint.scheduling.node_affinity import describe, term_matches
from trainlint.scheduling.quantity import QuantityError, parse_quantity
from trainlint.scheduling.requirement import selector_error, selector_matches
from trainlint.scheduling.ternary import some

__all__ = ["allowed_by", "amount", "as_listed", "candidates", "is_zone_of_driver", "matching_volume", "reachable_from"]

_DRIVER_ZONE = lazy_pattern(r"topology\.(?!kubernetes\.io/).+/zone|failure-domain\.beta\.kubernetes\.io/zone")


def reachable_from(volume: PersistentVolume, node: Node, *, live: bool = True) -> bool | None:
    """Whether the volume's node affinity allows the node; matchFields count for nothing there (S 8).

    ``live`` says that storage drivers run: then zone labels which they put on nodes need not be listed.
    """
    if volume.node_affinity is None:
        return True
    return some(
        term_matches(replace(term, expressions=as_listed(term.expressions, node, live=live)), node, fields=False)
        for term in volume.node_affinity
    )


def allowed_by(volume: PersistentVolume) -> str:
    """The node affinity of a volume, for messages."""
    terms = (" and ".join(map(describe, term.expressions)) for term in volume.node_affinity or ())
    return " or ".join(filter(None, terms)) or "nothing matches"


def as_listed(requirements: tuple[Requirement, ...], node: Node, *, live: bool) -> tuple[Requirement, ...]:
    """The requirements with zone labels of drivers, which static inventories lack, taken for the zone (S 1.8)."""
    if not live:
        return requirements
    return tuple(
        replace(requirement, key=ZONE)
        if is_zone_of_driver(requirement.key) and node.label(requirement.key) is None
        else requirement
        for requirement in requirements
    )


def is_zone_of_driver(key: str) -> bool:
    """Whether a label is the one under which a storage driver puts the zone on nodes."""
    return _DRIVER_ZONE.fullmatch(key) is not None


def matching_volume(claim: Claim, node: Node, storage: Storage, taken: frozenset[str]) -> PersistentVolume | None:
    """The volume that the claim gets on the node: the one reserved for it, else the smallest that fits; ``None`` where
    there is none.
    """
    best: PersistentVolume | None = None
    for volume in candidates(claim, storage, taken):
        if volume.claim == (claim.namespace, claim.name):
            return volume if reachable_from(volume, node, live=storage.controllers) else None
        smaller = best is None or amount(volume.capacity) < amount(best.capacity)
        if smaller and reachable_from(volume, node, live=storage.controllers):
            best = volume
    return best


def candidates(claim: Claim, storage: Storage, taken: frozenset[str]) -> Iterator[PersistentVolume]:
    """Volumes that the claim could be bound to on a node that reaches them; those reserved for it come as they are."""
    if selector_error(claim.selector):
        return
    for volume in storage.volumes.values():
        reserved = volume.claim == (claim.namespace, claim.name)
        if volume.name in taken or volume.deleting or (volume.claim is not None and not reserved):
            continue
        if amount(volume.capacity) < amount(claim.request) or volume.volume_mode != claim.volume_mode:
            continue
        if reserved or (
            volume.phase == "Available"
            and (claim.selector is None or selector_matches(claim.selector, volume.labels) is True)
            and volume.storage_class == (claim.storage_class or "")
            and claim.access_modes <= volume.access_modes
        ):
            yield volume


def amount(text: Known[str]) -> Fraction:
    """A size in bytes; 0 where none is given or it cannot be read."""
    if not isinstance(text, str) or not text:
        return Fraction(0)
    try:
        return parse_quantity(text)
    except QuantityError:
        return Fraction(0)
