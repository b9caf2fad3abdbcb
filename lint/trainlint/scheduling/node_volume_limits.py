"""NodeVolumeLimits (S 1.8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from trainlint.model.because import Because
from trainlint.model.storage import Claim, Storage
from trainlint.scheduling.claims import class_of, missing, pod_claims, volume_of
from trainlint.scheduling.node import Node
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.refusal import Answer, Code, Ground, Refusal

__all__ = ["PLUGIN", "attached", "check"]

PLUGIN = "NodeVolumeLimits"


def check(pod: Pod, node: Node, here: Iterable[Pod], storage: Storage) -> Answer:
    """No driver may have more volumes on the node than its CSINode allows; a volume counts once."""
    for wanted in pod_claims(pod, storage):
        if wanted.claim is None:
            return missing(PLUGIN, f"PersistentVolumeClaim {wanted.name}", wanted, storage)
    limits = storage.csi_nodes[node.name].limits if node.name in storage.csi_nodes else {}
    if not limits:
        return None
    there = {volume for other in here for volume in attached(other, storage)}
    new = set(attached(pod, storage)) - there
    used = Counter(driver for driver, _ in there)
    for driver, count in Counter(driver for driver, _ in new).items():
        limit = limits.get(driver)
        if limit is not None and used[driver] + count > limit:
            return Refusal(PLUGIN, Code.UNSCHEDULABLE, Because(Ground.DRIVER, (driver,)), pod.spec.at)
    return None


def attached(pod: Pod, storage: Storage) -> Iterator[tuple[str, str]]:
    """The volumes that a driver attaches for the pod: (driver, what tells volumes apart)."""
    for wanted in pod_claims(pod, storage):
        if wanted.claim is not None and (volume := _attached(wanted.claim, storage)) is not None:
            yield volume


def _attached(claim: Claim, storage: Storage) -> tuple[str, str] | None:
    volume = volume_of(claim, storage)
    if volume is not None:
        return (volume.driver, volume.handle) if volume.driver else None
    chosen = class_of(claim, storage)
    if chosen is None or not chosen.provisioner:
        return None
    return chosen.provisioner, f"{chosen.provisioner}-{claim.namespace}/{claim.name}"
