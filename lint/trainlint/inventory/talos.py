"""Machine configurations of Talos Linux (S 3; siderolabs/talos:pkg/machinery/config/types/v1alpha1)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Final

from trainlint.inventory.ground import PoolGround
from trainlint.inventory.node_template import NodeTemplate
from trainlint.inventory.part import InventoryPart, Objects
from trainlint.inventory.registration import CONTROL_PLANE_LABELS, CONTROL_PLANE_TAINT
from trainlint.kube.meta import read_labels
from trainlint.kube.values import is_placeholder, read_text
from trainlint.model.because import Because
from trainlint.model.pool import Taint
from trainlint.model.settings import Settings
from trainlint.source.document import Field
from trainlint.source.node_files import TALOS_CONFIG

__all__ = ["read_parts"]

PARTIAL: Final = "a machine configuration is about one node or several equal ones, and there may be others"


def read_parts(objects: Objects, _: Settings) -> Iterator[InventoryPart]:
    """Each configuration as nodes of unknown number and size."""
    for _meta, item in objects.get(TALOS_CONFIG, ()):
        yield InventoryPart(_template(item).pools(), item.at, partial=PARTIAL)


def _template(item: Field) -> NodeTemplate:
    machine = item["machine"]
    written = read_labels(machine["nodeLabels"])
    labels = {key: (text,) for key, text in written.items() if not is_placeholder(text)}
    taints = [_taint(key, value) for key, value in machine["nodeTaints"].items()]
    if read_text(machine["type"]) in {"controlplane", "init"}:
        labels.update({key: (text,) for key, text in CONTROL_PLANE_LABELS.items()})
        if item.down("cluster", "allowSchedulingOnControlPlanes").value is not True:
            taints.append(CONTROL_PLANE_TAINT)
    host = read_text(machine.down("network", "hostname"))
    file = posixpath.splitext(posixpath.basename(item.document.file))[0]
    return NodeTemplate(
        name=host if host and not is_placeholder(host) else file,
        labels=labels,
        undetermined={
            key: Because(PoolGround.LABEL_PLACEHOLDER, (key,)) for key, text in written.items() if is_placeholder(text)
        },
        taints=tuple(taints),
        at=item.at,
    )


def _taint(key: str, value: Field) -> Taint:
    """``value:Effect``, or the effect alone."""
    text, _, effect = read_text(value).rpartition(":")
    return Taint(key, text, effect, at=value.at)
