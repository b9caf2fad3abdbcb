"""GKE ComputeClass: nodes that GKE may make for pods that ask for the class (S 3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.inventory.ground import PoolGround
from trainlint.inventory.node_template import INSTANCE_TYPE, NodeTemplate
from trainlint.inventory.part import InventoryPart, Objects
from trainlint.kube.meta import Meta, read_labels
from trainlint.kube.node import read_taints
from trainlint.kube.values import is_placeholder, read_strings, read_text
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.pool import COMPUTE_CLASS as CLASS
from trainlint.model.pool import Taint
from trainlint.model.settings import ZONE, Settings
from trainlint.source.document import Field

__all__ = ["read_parts"]

GROUP: Final = "cloud.google.com"
PARTIAL: Final = "a ComputeClass says which nodes may be made for it, not which others there are"


def read_parts(objects: Objects, _: Settings) -> Iterator[InventoryPart]:
    """Each priority of each ComputeClass that makes nodes of its own."""
    for meta, item in objects.get("ComputeClass", ()):
        if meta.api_group != GROUP or not meta.name:
            continue
        templates = [
            _template(meta, item, priority, number)
            for number, priority in enumerate(item.down("spec", "priorities").elements())
            if not priority["nodepools"].present
        ]
        pools = tuple(pool for template in templates for pool in template.pools())
        if pools:
            yield InventoryPart(pools, item.at, partial=PARTIAL)


def _template(meta: Meta, item: Field, priority: Field, number: int) -> NodeTemplate:
    configuration = item.down("spec", "nodePoolConfig")
    labels: dict[str, tuple[str, ...]] = {
        key: (text,) for key, text in read_labels(configuration["nodeLabels"]).items() if not is_placeholder(text)
    }
    labels[CLASS] = (meta.name,)
    defaults = item.down("spec", "priorityDefaults")
    zones = read_strings(priority.down("location", "zones")) or read_strings(defaults.down("location", "zones"))
    if zones and not any(map(is_placeholder, zones)):
        labels[ZONE] = zones
    left_open = {INSTANCE_TYPE: Because(PoolGround.CLASS_MACHINE)}
    machine = read_text(priority["machineType"])
    if machine and not is_placeholder(machine):
        labels[INSTANCE_TYPE] = (machine,)
        left_open = {}
    gpu = priority["gpu"]
    if read_text(gpu["type"]):
        labels["cloud.google.com/gke-accelerator"] = (read_text(gpu["type"]),)
    own = Taint(CLASS, meta.name, at=item.at)  # GKE's: it adds the toleration to every pod that selects the class
    return NodeTemplate(
        name=f"{meta.name}/{number}",
        provider="gcp",
        labels=labels,
        undetermined=left_open,
        taints=(own, *read_taints(configuration["taints"])),
        pods=UNKNOWN_PODS,
        at=priority.at,
    )


UNKNOWN_PODS: Final[Known[str]] = Undetermined(Because(PoolGround.CLASS_PODS))
