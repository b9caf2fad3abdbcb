"""Policies of other engines: what they decide is unknown here, so nothing beside them is certain to be allowed."""

from __future__ import annotations

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.policies import ADMIN_KINDS, FOREIGN_CLUSTER, FOREIGN_KINDS
from trainlint.model.workload import ObjectRef
from trainlint.source.document import Field

__all__ = ["ForeignPolicy", "never_enforced", "read_foreign"]


@fact
class ForeignPolicy:
    """A policy that only its own engine can judge; ``namespace`` is empty where it may be about every pod."""

    origin: ObjectRef
    namespace: str
    at: Location

    @property
    def missing(self) -> str:
        """What is not known because of it."""
        return f"what {self.origin} decides: only its own engine can tell"


def read_foreign(root: Field, group: str) -> ForeignPolicy | None:
    """The object as a policy of another engine; ``None`` where it is none."""
    kind, metadata = root["kind"].scalar or "", root["metadata"]
    name = FOREIGN_KINDS.get((group, kind))
    if name is None:
        return None
    namespace = "" if kind in FOREIGN_CLUSTER else metadata["namespace"].scalar or "default"
    return ForeignPolicy(ObjectRef(name, namespace, metadata["name"].scalar or ""), namespace, root.at)


def never_enforced(policy: ForeignPolicy, *, cilium: bool) -> str:
    """Why nothing enforces it; empty where something may. Cilium never implemented the admin kinds (P 3.2)."""
    if cilium and policy.origin.kind in ADMIN_KINDS:
        return f"Cilium does not implement {policy.origin.kind}"
    return ""
