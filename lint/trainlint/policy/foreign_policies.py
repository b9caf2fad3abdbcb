"""Policies of other engines: what they decide is unknown here, so nothing beside them is certain to be allowed."""

from __future__ import annotations

from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.policies import ADMIN_KINDS, CALICO_GROUPS, FOREIGN_CLUSTER, FOREIGN_KINDS
from trainlint.model.because import Because
from trainlint.model.settings import Cni
from trainlint.model.workload import ObjectRef
from trainlint.policy.rejection_ground import UnenforcedGround
from trainlint.source.document import Field

__all__ = ["ForeignPolicy", "never_enforced", "read_foreign"]

WITHOUT_CALICO: Final = frozenset({"antrea", "cilium", "kindnet", "ovn-kubernetes"})
"""Network plugins beside which Calico does not run."""


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


def never_enforced(policy: ForeignPolicy, group: str, cni: Cni) -> Because | None:
    """Why nothing enforces it; ``None`` where something may. Cilium never implemented the admin kinds (P 3.2). Calico
    may enforce its policies beside the VPC CNI and plugins that have no name here, and does not beside others (P 11.8).
    """
    if cni.name == "cilium" and policy.origin.kind in ADMIN_KINDS:
        return Because(UnenforcedGround.NOT_IMPLEMENTED, (policy.origin.kind,))
    if group in CALICO_GROUPS and cni.stated and cni.name in WITHOUT_CALICO:
        return Because(UnenforcedGround.ONLY_CALICO, (policy.origin.kind, cni.name))
    return None
