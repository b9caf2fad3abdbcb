"""What a service mesh may refuse of the connections of a group, by rules that are not judged here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from trainlint.control_plane.mesh import ROOT, Mesh, read_mesh
from trainlint.control_plane.mesh_denials import MeshDenial
from trainlint.kube.mesh import restricts
from trainlint.model.because import Because
from trainlint.model.selector import LabelSelector
from trainlint.model.workload import Group, PodSet
from trainlint.proof.ground import ProofGround
from trainlint.scheduling.requirement import selector_matches

if TYPE_CHECKING:
    from trainlint.snapshot.build import Snapshot
    from trainlint.snapshot.objects import ApiObject

__all__ = ["meshed"]

_LINKERD: Final = "linkerd.io/inject"


def meshed(snapshot: Snapshot, denials: Iterable[MeshDenial], group: Group) -> Iterator[Because]:
    """What is not known because of the mesh: its authorization policies, its ambient mode, refusals that are likely."""
    if not group.flows:
        return
    mesh = read_mesh(snapshot.objects)
    taken = _taken(mesh, group)
    for item in snapshot.objects:
        selector = restricts(item.field)
        if selector is None or (taken and item.meta.kind == "AuthorizationPolicy"):
            continue
        if any(_held(item, selector, pods, mesh) for pods in _called(group)):
            yield Because(ProofGround.MESH_OBJECT, (f"{item.meta.kind} {item.ref.namespace}/{item.meta.name}",))
    if mesh.strict and len({each.namespace for each in group.members}) > 1:
        ambient = {each.namespace for each in group.members if mesh.ambient(each)}
        for namespace in sorted(ambient):
            yield Because(ProofGround.AMBIENT_MESH, (namespace,))
    owners = {each.owner for each in group.members}
    for denial in denials:
        if not owners.isdisjoint((*denial.owners, denial.target.owner)):
            target = f"{denial.target.namespace}/{denial.target.name}"
            yield Because(ProofGround.MESH_DENIAL, (denial.source, target, denial.port))


def _taken(mesh: Mesh, group: Group) -> bool:
    """Whether Istio's AuthorizationPolicies surely let all connections of the group through."""
    return bool(mesh.authorizations) and all(
        mesh.authorized(mesh.callers(group.members[flow.source]), group.members[flow.target], flow.ports) is True
        for flow in group.flows
        if flow.target is not None and flow.protocol == "TCP"
    )


def _called(group: Group) -> Iterator[PodSet]:
    """The pods to which connections of the group lead."""
    targets = dict.fromkeys(flow.target for flow in group.flows if flow.target is not None)
    return (group.members[index] for index in targets)


def _held(item: ApiObject, selector: LabelSelector, pods: PodSet, mesh: Mesh) -> bool:
    """Whether an object may refuse connections to the pods: it is for them, and a proxy of the mesh is before them."""
    if selector_matches(selector, pods.labels) is False:
        return False
    if item.meta.kind == "Server":
        return item.ref.namespace == pods.namespace and pods.annotations.get(_LINKERD) != "disabled"
    proxied = True if mesh.ambient(pods) else mesh.proxied(pods)
    if item.ref.namespace == pods.namespace:
        return proxied is not False
    return item.ref.namespace == ROOT and proxied is True
