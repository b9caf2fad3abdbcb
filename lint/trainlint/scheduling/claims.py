"""The claims of a pod, and what is known about each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from trainlint.fact import fact
from trainlint.model.because import Because
from trainlint.model.needs import NeedGround
from trainlint.model.pod import Volume
from trainlint.model.storage import Claim, PersistentVolume, Storage, StorageClass
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.refusal import Code, Doubt, DoubtGround, Ground, Refusal

__all__ = ["PodClaim", "class_of", "missing", "pod_claims", "unusable", "volume_of"]


@fact
class PodClaim:
    """One volume of a pod that needs a claim; ``claim`` is ``None`` where no such claim is known."""

    volume: Volume
    name: str
    claim: Claim | None

    @property
    def ephemeral(self) -> bool:
        """Whether a controller makes the claim for this pod alone."""
        return self.volume.kind == "ephemeral"


def pod_claims(pod: Pod, storage: Storage) -> Iterator[PodClaim]:
    """The volumes of the pod that need a claim, in order."""
    for volume in pod.spec.volumes:
        if volume.kind == "persistentVolumeClaim":
            yield PodClaim(volume, volume.claim, _settled(storage.claims.get((pod.namespace, volume.claim)), storage))
        elif volume.kind == "ephemeral":
            name = f"{pod.name}-{volume.name}"
            claim = storage.claims.get((pod.namespace, name))
            if claim is None and storage.controllers:
                modes = frozenset(volume.access_modes)
                claim = Claim(pod.namespace, name, modes, volume.storage_class, owners=(pod.name,))
            yield PodClaim(volume, name, _settled(claim, storage))


def _settled(claim: Claim | None, storage: Storage) -> Claim | None:
    """The claim once the controllers have filled in the default class and bound what names each other."""
    if claim is None or claim.bound or not storage.controllers:
        return claim
    if claim.storage_class is None:
        default = [each.name for each in storage.classes.values() if each.default]
        if len(default) == 1:
            claim = replace(claim, storage_class=default[0])
    reserved = next(
        (volume.name for volume in storage.volumes.values() if volume.claim == (claim.namespace, claim.name)), ""
    )
    if claim.volume in storage.volumes or (reserved and not claim.volume):
        claim = replace(claim, volume=claim.volume or reserved, bound=True)
    return claim


def unusable(plugin: str, wanted: PodClaim, pod: Pod, storage: Storage) -> Refusal | Doubt | None:
    """Why the claim keeps the pod from every node: it is missing, lost, being deleted, or belongs to another pod;
    ``None`` where it does not.
    """
    claim = wanted.claim
    if claim is None:
        return missing(plugin, f"PersistentVolumeClaim {wanted.name}", wanted, storage)
    if claim.phase == "Lost":
        return Refusal(plugin, Code.UNRESOLVABLE, Because(Ground.LOST, (claim.name,)), wanted.volume.at)
    if claim.deleting:
        return Refusal(plugin, Code.UNRESOLVABLE, Because(Ground.DELETED, (claim.name,)), wanted.volume.at)
    if wanted.ephemeral and pod.name not in claim.owners:
        return Refusal(plugin, Code.UNRESOLVABLE, Because(Ground.FOREIGN_CLAIM, (claim.name,)), wanted.volume.at)
    return None


def missing(plugin: str, what: str, wanted: PodClaim, storage: Storage) -> Refusal | Doubt:
    """The answer for an object that is not there: a refusal only if nothing else can have made it."""
    if storage.complete:
        return Refusal(plugin, Code.UNRESOLVABLE, Because(Ground.ABSENT, (what,)), wanted.volume.at)
    return Doubt(
        plugin, Because(DoubtGround.NOT_IN_GIT, (what,)), wanted.volume.at, need=Because(NeedGround.OBJECT, (what,))
    )


def volume_of(claim: Claim, storage: Storage) -> PersistentVolume | None:
    """The volume that the claim names; ``None`` where it names none, or the volume is not known."""
    return storage.volumes.get(claim.volume) if claim.volume else None


def class_of(claim: Claim, storage: Storage) -> StorageClass | None:
    """The claim's StorageClass; ``None`` where it names none, or the class is not known."""
    return storage.classes.get(claim.storage_class) if claim.storage_class else None
