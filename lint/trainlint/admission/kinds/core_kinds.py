"""Kinds without pods that pods and queues rely on: Services, data, claims of volumes, quotas, priorities."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from trainlint.admission.kinds.data import of_config_map, of_secret
from trainlint.admission.kinds.quotas import of_limit_range, of_priority_class, of_resource_quota
from trainlint.admission.kinds.services import of_service
from trainlint.admission.plain_values import below, mapping
from trainlint.admission.pods.annotations import of_metadata
from trainlint.admission.pods.volume_claims import of_claim
from trainlint.admission.problem import Problem
from trainlint.kube.meta import Meta

__all__ = ["CORE_KINDS", "is_complete", "of_core_kind"]


def _of_volume_claim(item: Any) -> Iterator[Problem]:
    yield from of_claim(mapping(below(item, "spec")), ("spec",))


_CHECKS: Final[Mapping[tuple[str, str], Callable[[Any], Iterator[Problem]]]] = {
    ("", "ConfigMap"): of_config_map,
    ("", "LimitRange"): of_limit_range,
    ("", "PersistentVolumeClaim"): _of_volume_claim,
    ("", "ResourceQuota"): of_resource_quota,
    ("", "Secret"): of_secret,
    ("", "Service"): of_service,
    ("scheduling.k8s.io", "PriorityClass"): of_priority_class,
}
CORE_KINDS: Final = frozenset(kind for _, kind in _CHECKS)
_WRITTEN: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "PersistentVolumeClaim": (("spec", "accessModes"), ("spec", "resources")),
    "Secret": (("type",),),
    "Service": (("spec", "selector"), ("spec", "ports")),
}
"""Fields by which an object is told from a patch, which writes few of them."""


def of_core_kind(meta: Meta, item: Any) -> Iterator[Problem]:
    """What is refused of an object of one of these kinds."""
    check = _CHECKS.get((meta.api_group, meta.kind))
    if check is not None:
        yield from of_metadata(mapping(below(item, "metadata")), ("metadata",))
        yield from check(item)


def is_complete(meta: Meta, item: Any) -> bool:
    """Whether an object writes so much that what is missing is a fault, and no matter of the object that it patches."""
    fields = _WRITTEN.get(meta.kind, ())
    return bool(fields) and all(below(item, *path) for path in fields)
