"""Policies of other engines: what they decide is unknown here, so nothing beside them is certain to be allowed."""

from __future__ import annotations

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.policies import ADMIN_KINDS, FOREIGN_CLUSTER, FOREIGN_KINDS
from trainlint.model.because import Because
from trainlint.model.workload import ObjectRef
from trainlint.policy.rejection_ground import UnenforcedGround
from trainlint.source.document import Field

__all__ = ["ForeignPolicy", "never_enforced", "read_foreign"]


@fact
class ForeignPolicy:
    """A policy that only its own engine can judge; ``namespace`` is empty where it may be about every pod."""

    origin: ObjectRef
    namespace: str
    at: Location


def read_foreign(root: Field, group: str) -> ForeignPolicy | None:
    """The object as a policy of another engine; ``None`` where it is none."""
    kind, metadata = root["kind"].scalar or "", root["metadata"]
    name = FOREIGN_KINDS.get((group, kind))
    if name is None:
        return None
    namespace = "" if kind in FOREIGN_CLUSTER else metadata["namespace"].scalar or "default"
    return ForeignPolicy(ObjectRef(name, namespace, metadata["name"].scalar or ""), namespace, root.at)


def never_enforced(policy: ForeignPolicy, *, cilium: bool) -> Because | None:
    """Why nothing enforces it; ``None`` where something may. Cilium never implemented the admin kinds (P 3.2)."""
    if cilium and policy.origin.kind in ADMIN_KINDS:
        return Because(UnenforcedGround.NOT_IMPLEMENTED, (policy.origin.kind,))
    return None
