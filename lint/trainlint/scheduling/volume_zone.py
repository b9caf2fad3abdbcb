"""VolumeZone (S 1.8)."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.needs import NeedGround
from trainlint.model.storage import PersistentVolume, Storage
from trainlint.scheduling.claims import class_of, missing, pod_claims, volume_of
from trainlint.scheduling.node import Node
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.refusal import Answer, Code, Doubt, DoubtGround, Ground, Refusal

__all__ = ["PLUGIN", "check", "concerns", "topologies"]

PLUGIN = "VolumeZone"
_GENERAL = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
}
_KEYS = (*_GENERAL, *_GENERAL.values())


def concerns(pod: Pod, storage: Storage) -> bool:
    """Whether there is anything to check: a claim that is not delayed, or a bound volume with such labels."""
    for wanted in pod_claims(pod, storage):
        if wanted.ephemeral:
            continue
        volume = volume_of(wanted.claim, storage) if wanted.claim else None
        chosen = class_of(wanted.claim, storage) if wanted.claim else None
        if volume is not None:
            if any(topologies(volume)):
                return True
        elif wanted.claim is None or wanted.claim.volume or chosen is None or not chosen.delayed:
            return True
    return False


def check(pod: Pod, node: Node, storage: Storage) -> Answer:
    """Zone and region labels of bound volumes must name the node's own; a node without any such label passes."""
    zonal = any(node.label(key) is not None for key in _KEYS)
    doubt: Doubt | None = None
    for wanted in pod_claims(pod, storage):
        if wanted.ephemeral:
            continue
        claim = wanted.claim
        answer: Answer = None
        if claim is None:
            answer = missing(PLUGIN, f"PersistentVolumeClaim {wanted.name}", wanted, storage)
        elif not claim.volume:
            chosen = class_of(claim, storage)
            if chosen is None or not chosen.delayed:
                certain = storage.complete and not storage.controllers
                answer = (
                    Refusal(PLUGIN, Code.UNRESOLVABLE, Because(Ground.NO_VOLUME_YET, (claim.name,)), wanted.volume.at)
                    if certain
                    else Doubt(
                        PLUGIN,
                        Because(DoubtGround.NO_VOLUME_YET, (claim.name,)),
                        wanted.volume.at,
                        need=Because(NeedGround.VOLUME, (claim.name,)),
                    )
                )
        elif (volume := volume_of(claim, storage)) is None:
            answer = missing(PLUGIN, f"PersistentVolume {claim.volume}", wanted, storage)
        elif zonal and not all(_allows(key, values, node) for key, values in topologies(volume)):
            there = ", ".join(f"{key}={'/'.join(sorted(values))}" for key, values in topologies(volume))
            reason = Because(Ground.VOLUME_ZONE, (volume.name, claim.name, there))
            answer = Refusal(PLUGIN, Code.UNRESOLVABLE, reason, wanted.volume.at, volume.at)
        if isinstance(answer, Refusal):
            return answer
        doubt = doubt or answer
    return doubt


def topologies(volume: PersistentVolume) -> Iterator[tuple[str, frozenset[str]]]:
    """The zones and regions that the volume's labels name; ``__`` separates several, an empty one voids the label."""
    for key in _KEYS:
        if key in volume.labels:
            values = frozenset(part.strip() for part in volume.labels[key].split("__"))
            if "" not in values:
                yield key, values


def _allows(key: str, values: frozenset[str], node: Node) -> bool:
    value = node.label(key)
    if value is None and key in _GENERAL:
        value = node.label(_GENERAL[key])
    return isinstance(value, Undetermined) or value in values
