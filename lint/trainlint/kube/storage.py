"""PersistentVolume, PersistentVolumeClaim, storage.k8s.io: from cursors at the objects."""

from __future__ import annotations

from typing import Final

from trainlint.kube.meta import read_meta
from trainlint.kube.selectors import read_label_selector, read_node_selector_terms
from trainlint.kube.values import known_text, read_int, read_strings, read_text
from trainlint.model.api_kind import declared, names
from trainlint.model.known import Known
from trainlint.model.selector import Requirement
from trainlint.model.storage import Claim, CsiNode, PersistentVolume, StorageCapacity, StorageClass
from trainlint.source.document import Field

__all__ = [
    "KINDS",
    "STORAGE_KINDS",
    "read_claim",
    "read_csi_node",
    "read_persistent_volume",
    "read_storage_capacity",
    "read_storage_class",
]

KINDS: Final = (
    *declared("", namespaced="PersistentVolumeClaim", cluster="PersistentVolume"),
    *declared("storage.k8s.io", namespaced="CSIStorageCapacity", cluster="CSIDriver CSINode StorageClass"),
)
STORAGE_KINDS: Final = names(KINDS)

_CLASS = "volume.beta.kubernetes.io/storage-class"
_BOUND = "pv.kubernetes.io/bind-completed"
_SELECTED_NODE = "volume.kubernetes.io/selected-node"
_DEFAULT_CLASS = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")


def read_persistent_volume(field: Field) -> PersistentVolume:
    """The PersistentVolume at the cursor."""
    meta, spec = read_meta(field), field["spec"]
    claim = spec["claimRef"]
    return PersistentVolume(
        name=meta.name,
        labels=meta.labels,
        capacity=_quantity(spec.down("capacity", "storage"), "0"),
        access_modes=frozenset(read_strings(spec["accessModes"])),
        storage_class=meta.annotations.get(_CLASS) or read_text(spec["storageClassName"]),
        volume_mode=read_text(spec["volumeMode"]) or "Filesystem",
        phase=read_text(field.down("status", "phase")) or "Available",
        node_affinity=read_node_selector_terms(spec.down("nodeAffinity", "required")),
        claim=(read_text(claim["namespace"]) or "default", read_text(claim["name"])) if claim.present else None,
        driver=read_text(spec.down("csi", "driver")),
        handle=read_text(spec.down("csi", "volumeHandle")),
        deleting=field.down("metadata", "deletionTimestamp").present,
        at=field.at,
    )


def read_claim(field: Field, namespace: str = "default") -> Claim:
    """The PersistentVolumeClaim at the cursor; ``namespace`` for one that names none."""
    meta, spec = read_meta(field), field["spec"]
    named = spec["storageClassName"].scalar
    return Claim(
        namespace=meta.namespace or namespace,
        name=meta.name,
        access_modes=frozenset(read_strings(spec["accessModes"])),
        storage_class=meta.annotations.get(_CLASS, named),
        volume=read_text(spec["volumeName"]),
        selector=read_label_selector(spec["selector"]),
        request=_quantity(spec.down("resources", "requests", "storage"), ""),
        volume_mode=read_text(spec["volumeMode"]) or "Filesystem",
        phase=read_text(field.down("status", "phase")),
        bound=_BOUND in meta.annotations,
        selected_node=meta.annotations.get(_SELECTED_NODE, ""),
        deleting=field.down("metadata", "deletionTimestamp").present,
        owners=tuple(read_text(owner["name"]) for owner in field.down("metadata", "ownerReferences").elements()),
        at=field.at,
    )


def read_storage_class(field: Field) -> StorageClass:
    """The StorageClass at the cursor."""
    meta = read_meta(field)
    return StorageClass(
        name=meta.name,
        provisioner=read_text(field["provisioner"]),
        delayed=read_text(field["volumeBindingMode"]) == "WaitForFirstConsumer",
        topologies=tuple(
            tuple(
                Requirement(read_text(element["key"]), "In", read_strings(element["values"]), at=element.at)
                for element in term["matchLabelExpressions"].elements()
            )
            for term in field["allowedTopologies"].elements()
        ),
        default=any(meta.annotations.get(name) == "true" for name in _DEFAULT_CLASS),
        at=field.at,
    )


def read_csi_node(field: Field) -> CsiNode:
    """The CSINode at the cursor."""
    limits: dict[str, int | None] = {}
    for driver in field.down("spec", "drivers").elements():
        count = driver.down("allocatable", "count")
        number = read_int(count) if count.present else None
        limits[read_text(driver["name"])] = number if isinstance(number, int) else None
    return CsiNode(read_meta(field).name, limits)


def read_storage_capacity(field: Field) -> StorageCapacity:
    """The CSIStorageCapacity at the cursor."""
    return StorageCapacity(
        storage_class=read_text(field["storageClassName"]),
        topology=read_label_selector(field["nodeTopology"]),
        capacity=_quantity(field["capacity"], ""),
        maximum=_quantity(field["maximumVolumeSize"], ""),
    )


def _quantity(field: Field, default: str) -> Known[str]:
    return known_text(field) if field.present else default
