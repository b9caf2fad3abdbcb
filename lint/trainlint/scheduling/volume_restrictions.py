"""VolumeRestrictions (S 1.8)."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.model.because import Because
from trainlint.model.pod import Volume
from trainlint.model.storage import Storage
from trainlint.scheduling.claims import missing, pod_claims
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.refusal import Answer, Code, Ground, Refusal

__all__ = ["PLUGIN", "check", "concerns", "conflict", "shares_single_pod_claim", "single_pod_claims"]

PLUGIN = "VolumeRestrictions"
_DISKS = frozenset({"awsElasticBlockStore", "gcePersistentDisk", "iscsi", "rbd"})
_SINGLE_POD = "ReadWriteOncePod"


def concerns(pod: Pod, everywhere: Iterable[Pod], storage: Storage) -> bool:
    """Whether there is anything to check."""
    if any(volume.kind in _DISKS for volume in pod.spec.volumes):
        return True
    return _missing(pod, storage) is not None or shares_single_pod_claim(pod, everywhere, storage)


def check(pod: Pod, here: Iterable[Pod], everywhere: Iterable[Pod], storage: Storage) -> Answer:
    """No inline disk may be in use on the node, and no ReadWriteOncePod claim by any other pod at all."""
    if (absent := _missing(pod, storage)) is not None:
        return absent
    for other in here:
        if (volume := conflict(pod, other)) is not None:
            return Refusal(PLUGIN, Code.UNSCHEDULABLE, Because(Ground.DISK, (volume.name,)), volume.at)
    if shares_single_pod_claim(pod, everywhere, storage):
        return Refusal(PLUGIN, Code.UNSCHEDULABLE, Because(Ground.SINGLE_POD_CLAIM), pod.spec.at)
    return None


def _missing(pod: Pod, storage: Storage) -> Answer:
    for wanted in pod_claims(pod, storage):
        if wanted.claim is None and not wanted.ephemeral:
            return missing(PLUGIN, f"PersistentVolumeClaim {wanted.name}", wanted, storage)
    return None


def shares_single_pod_claim(pod: Pod, others: Iterable[Pod], storage: Storage) -> bool:
    """Whether one of the others uses a ReadWriteOncePod claim of the pod."""
    mine = single_pod_claims(pod, storage)
    return bool(mine) and any(
        other.namespace == pod.namespace and not mine.isdisjoint(each.claim for each in other.spec.volumes)
        for other in others
    )


def single_pod_claims(pod: Pod, storage: Storage) -> frozenset[str]:
    """The ReadWriteOncePod claims of the pod, by name."""
    return frozenset(
        wanted.name
        for wanted in pod_claims(pod, storage)
        if not wanted.ephemeral and wanted.claim is not None and _SINGLE_POD in wanted.claim.access_modes
    )


def conflict(pod: Pod, other: Pod) -> Volume | None:
    """The first inline disk of the pod that the other pod's use excludes from its node; ``None`` where there is
    none.
    """
    return next(
        (mine for mine in pod.spec.volumes if any(_excludes(mine, theirs) for theirs in other.spec.volumes)), None
    )


def _excludes(left: Volume, right: Volume) -> bool:
    if left.kind != right.kind or not left.disk or not right.disk:
        return False
    match left.kind:
        case "awsElasticBlockStore":
            return left.disk == right.disk
        case "gcePersistentDisk" | "iscsi":
            return left.disk == right.disk and not (left.read_only and right.read_only)
        case "rbd":
            shared = not set(left.disk[2:]).isdisjoint(right.disk[2:])
            return shared and left.disk[:2] == right.disk[:2] and not (left.read_only and right.read_only)
        case _:
            return False
