"""What the objects of a snapshot say about admission and about volumes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TypeVar

from trainlint.fact import remembered, together
from trainlint.kube.admission import (
    ADMISSION_KINDS,
    read_limit_range,
    read_namespace_defaults,
    read_resource_quota,
    read_runtime_class,
)
from trainlint.kube.storage import (
    STORAGE_KINDS,
    read_claim,
    read_csi_node,
    read_persistent_volume,
    read_storage_capacity,
    read_storage_class,
)
from trainlint.model.admission import Admission, LimitRange, ResourceQuota
from trainlint.model.storage import Storage
from trainlint.snapshot.objects import ApiObject

__all__ = ["read_admission", "read_storage"]

T = TypeVar("T", LimitRange, ResourceQuota)


def read_admission(objects: Iterable[ApiObject]) -> Admission:
    """What is known about admission."""
    return _admission(together(*(each for each in objects if each.meta.kind in ADMISSION_KINDS)))


@remembered
def _admission(objects: tuple[ApiObject, ...]) -> Admission:
    kinds = _by_kind(objects)
    return Admission(
        limits=_by_namespace(read_limit_range(each.field, each.ref.namespace) for each in kinds["LimitRange"]),
        quotas=_by_namespace(read_resource_quota(each.field, each.ref.namespace) for each in kinds["ResourceQuota"]),
        runtime_classes={each.meta.name: read_runtime_class(each.field) for each in kinds["RuntimeClass"]},
        namespaces={each.meta.name: read_namespace_defaults(each.field) for each in kinds["Namespace"]},
    )


def read_storage(objects: Iterable[ApiObject]) -> Storage:
    """What is known about volumes; there may always be others, which are not in Git."""
    return _storage(together(*(each for each in objects if each.meta.kind in STORAGE_KINDS)))


@remembered
def _storage(objects: tuple[ApiObject, ...]) -> Storage:
    kinds = _by_kind(objects)
    claims = [read_claim(each.field) for each in kinds["PersistentVolumeClaim"]]
    return Storage(
        volumes={each.meta.name: read_persistent_volume(each.field) for each in kinds["PersistentVolume"]},
        claims={(claim.namespace, claim.name): claim for claim in claims},
        classes={each.meta.name: read_storage_class(each.field) for each in kinds["StorageClass"]},
        csi_nodes={each.meta.name: read_csi_node(each.field) for each in kinds["CSINode"]},
        capacity_drivers=frozenset(
            each.meta.name for each in kinds["CSIDriver"] if each.field.down("spec", "storageCapacity").value is True
        ),
        capacities=tuple(read_storage_capacity(each.field) for each in kinds["CSIStorageCapacity"]),
    )


def _by_kind(objects: Iterable[ApiObject]) -> dict[str, list[ApiObject]]:
    found: dict[str, list[ApiObject]] = defaultdict(list)
    for each in objects:
        if each.meta.name:
            found[each.meta.kind].append(each)
    return found


def _by_namespace(objects: Iterable[T]) -> dict[str, tuple[T, ...]]:
    found: dict[str, list[T]] = defaultdict(list)
    for each in objects:
        found[each.namespace].append(each)
    return {namespace: tuple(each) for namespace, each in found.items()}
