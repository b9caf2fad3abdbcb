"""Connections around the ranks of a snapshot: what its control plane needs, and what is denied of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from trainlint.kube.mesh import MESH_KINDS
from trainlint.kube.webhooks import WEBHOOK_KINDS
from trainlint.model.because import Because
from trainlint.model.workload import Group, ObjectRef
from trainlint.proof.ground import ProofGround

if TYPE_CHECKING:
    from trainlint.control_plane.dead_webhooks import DeadWebhook
    from trainlint.control_plane.denied_connections import Denial
    from trainlint.control_plane.mesh_denials import MeshDenial
    from trainlint.control_plane.need import Names, Need
    from trainlint.facts.cluster import ClusterFacts
    from trainlint.facts.connections import ConnectionFacts
    from trainlint.snapshot.build import Snapshot

__all__ = ["ControlPlaneFacts"]


class ControlPlaneFacts:
    """The connections of operators, webhooks, heads and meshes in one snapshot, each judged once."""

    def __init__(self, snapshot: Snapshot, cluster: ClusterFacts, connections: ConnectionFacts) -> None:
        self._snapshot = snapshot
        self._cluster = cluster
        self._connections = connections

    @cached_property
    def _names(self) -> Names:
        from trainlint.control_plane.need import Names  # noqa: PLC0415 (only where there are policies or a mesh)

        return Names(self._snapshot, self._cluster.daemons)

    @cached_property
    def _needs(self) -> tuple[Need, ...]:
        """Connections that stand around the workloads: to webhooks, heads, stores and engines."""
        from trainlint.control_plane.denied_connections import needs_of  # noqa: PLC0415 (see above)

        return needs_of(self._names)

    @cached_property
    def denials(self) -> tuple[Denial, ...]:
        """Connections of the control plane that policies deny."""
        if not self._connections.policies.entries:
            return ()
        from trainlint.control_plane.denied_connections import denials  # noqa: PLC0415 (only where there are policies)

        return tuple(denials(self._names, self._connections.policies, self._needs))

    @cached_property
    def dead_webhooks(self) -> tuple[DeadWebhook, ...]:
        """Webhooks that guard workloads, fail closed and lead nowhere."""
        if not any(each.meta.kind in WEBHOOK_KINDS for each in self._snapshot.objects):
            return ()
        from trainlint.control_plane.dead_webhooks import dead_webhooks  # noqa: PLC0415 (only where there are webhooks)

        return tuple(dead_webhooks(self._names))

    @cached_property
    def cut_off(self) -> Mapping[ObjectRef, tuple[Because, bool]]:
        """The objects that a denied connection of the control plane stops: what it breaks, and whether for certain."""
        found: dict[ObjectRef, tuple[Because, bool]] = {}
        if not self.denials:
            return found
        from trainlint.control_plane.need import Purpose  # noqa: PLC0415 (only where something is denied)

        for denial in self.denials:
            need = denial.need
            certain = need.fatal and not need.assumes
            if need.purpose is Purpose.URL:
                continue
            why = Because(ProofGround.CUT_OFF, (need.source, need.target_name, need.port_text))
            for owner in need.owners:
                if certain or owner not in found:
                    found[owner] = (why, certain)
        return found

    @cached_property
    def mesh_denials(self) -> tuple[MeshDenial, ...]:
        """Needed connections that a service mesh refuses."""
        if not self._in_mesh:
            return ()
        from trainlint.control_plane.mesh_denials import mesh_denials  # noqa: PLC0415 (only where there is a mesh)

        return tuple(mesh_denials(self._snapshot, self._needs))

    def meshed(self, group: Group) -> Iterator[Because]:
        """What a service mesh may refuse of a group's connections, which is not judged here."""
        if not self._in_mesh:
            return
        from trainlint.control_plane.mesh_unknowns import meshed  # noqa: PLC0415 (see above)

        yield from meshed(self._snapshot, self.mesh_denials, group)

    @cached_property
    def _in_mesh(self) -> bool:
        """Whether the snapshot holds objects of a service mesh."""
        return any(each.meta.kind in MESH_KINDS for each in self._snapshot.objects)
