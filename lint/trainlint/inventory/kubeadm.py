"""kubeadm InitConfiguration and JoinConfiguration (S 3)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Final

from trainlint.inventory.node_template import NodeTemplate
from trainlint.inventory.part import InventoryPart, Objects
from trainlint.inventory.registration import CONTROL_PLANE_LABELS, read_registration
from trainlint.model.settings import Settings
from trainlint.source.document import Field

__all__ = ["read_parts"]

GROUP: Final = "kubeadm.k8s.io"
PARTIAL: Final = "a kubeadm configuration is about one node or several equal ones, and others may join"


def read_parts(objects: Objects, _: Settings) -> Iterator[InventoryPart]:
    """Each configuration as nodes of unknown number and size."""
    for kind in ("InitConfiguration", "JoinConfiguration"):
        for meta, item in objects.get(kind, ()):
            if meta.api_group == GROUP:
                head = kind == "InitConfiguration" or item["controlPlane"].present
                yield InventoryPart(_template(item, control_plane=head).pools(), item.at, partial=PARTIAL)


def _template(item: Field, *, control_plane: bool) -> NodeTemplate:
    found = read_registration(item["nodeRegistration"])
    file = posixpath.splitext(posixpath.basename(item.document.file))[0]
    labels = {**found.labels, **(CONTROL_PLANE_LABELS if control_plane else {})}
    return NodeTemplate(
        name=found.name or f"{file}-{'control-plane' if control_plane else 'worker'}",
        labels={key: (value,) for key, value in labels.items()},
        undetermined=found.undetermined,
        taints=found.taints_of(control_plane=control_plane),
        at=item.at,
    )
