"""kind clusters: nodes that are containers of one machine (S 3; kubernetes-sigs/kind:pkg/cluster/internal/create)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from trainlint.inventory.part import InventoryPart, Objects
from trainlint.inventory.registration import CONTROL_PLANE_LABELS, Registration, read_registration
from trainlint.inventory.user_data import embedded
from trainlint.kube.meta import read_labels
from trainlint.kube.node import HOSTNAME
from trainlint.kube.values import read_text
from trainlint.model.pool import Pool
from trainlint.model.settings import Settings
from trainlint.source.document import Field

__all__ = ["read_parts"]

GROUP: Final = "kind.x-k8s.io"
PARTIAL: Final = "a kind cluster is for trying things out: the manifests may be meant for another one (profile: kind)"
_ROLE: Final = "control-plane"


def read_parts(objects: Objects, settings: Settings) -> Iterator[InventoryPart]:
    """Every kind Cluster. It is all there is only where the settings say that this is the cluster."""
    meant = settings.profile == "kind"
    for meta, item in objects.get("Cluster", ()):
        if meta.api_group == GROUP:
            name = read_text(item["name"]) or "kind"
            yield InventoryPart(tuple(_pools(name, item)), item.at, cluster=name, partial="" if meant else PARTIAL)


def _pools(cluster: str, item: Field) -> Iterator[Pool]:
    nodes = [node for node in item["nodes"].elements() if node.mapping is not None] or [item]
    alone = len(nodes) == 1
    counts: Counter[str] = Counter()
    for node in nodes:
        role = read_text(node["role"]) or _ROLE
        counts[role] += 1
        name = f"{cluster}-{role}" + (str(counts[role]) if counts[role] > 1 else "")
        yield _pool(name, node, _registration(item, node), control_plane=role == _ROLE, alone=alone)


def _pool(name: str, node: Field, found: Registration, *, control_plane: bool, alone: bool) -> Pool:
    """The taint of the control plane goes only where it is the only node (S 5.61)."""
    labels = {
        "kubernetes.io/os": "linux",
        HOSTNAME: name,
        **found.labels,
        **(CONTROL_PLANE_LABELS if control_plane else {}),
        **(read_labels(node["labels"])),
    }
    taints = () if alone and found.taints is None else found.taints_of(control_plane=control_plane)
    return Pool(
        name=name,
        labels=labels,
        taints=taints,
        node_name=name,
        listed_keys=frozenset(labels),
        undetermined=found.undetermined,
        notes=(f"node {name}: how much a kind node has depends on the machine that it runs on",),
        at=node.at,
    )


def _registration(item: Field, node: Field) -> Registration:
    """What the patches for all nodes and for this one say; the last wins."""
    found = Registration()
    for patch in (*item["kubeadmConfigPatches"].elements(), *node["kubeadmConfigPatches"].elements()):
        for document in embedded(patch):
            if read_text(document["kind"]) in {"InitConfiguration", "JoinConfiguration", ""}:
                said = read_registration(document["nodeRegistration"])
                found = Registration(
                    labels={**found.labels, **said.labels},
                    undetermined={**found.undetermined, **said.undetermined},
                    taints=found.taints if said.taints is None else said.taints,
                )
    return found
