"""Objects as a deployer hands them to the API server: in the namespace that it gives, with its variables filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trainlint.deploy.changes import matches
from trainlint.deploy.deployment import Transformation, Variables
from trainlint.deploy.patch import PatchError, applied, is_custom
from trainlint.deploy.substitution import DISABLED, substituted
from trainlint.snapshot.objects import ApiObject, api_object, is_cluster_scoped
from trainlint.source.document import Field

__all__ = ["carried", "changed", "keeps_variables", "marked"]


def carried(
    item: ApiObject, *, namespace: str = "", moves: bool = False, variables: Variables | None = None
) -> ApiObject:
    """The object in this namespace (with ``moves`` whatever it says itself), with its variables replaced."""
    value: Any = item.field.value
    if variables is not None and not keeps_variables(item):
        value = substituted(value, variables)
    metadata = value.get("metadata") if isinstance(value, dict) else None
    if namespace and not is_cluster_scoped(item.meta) and isinstance(metadata, dict):
        own = metadata.get("namespace")
        if own != namespace and (moves or not own):
            value = {**value, "metadata": {**metadata, "namespace": namespace}}
    if value is item.field.value:
        return item
    return api_object(Field(item.field.document, item.field.path, value))


def keeps_variables(item: ApiObject) -> bool:
    """Whether the object says that no variables of it are replaced."""
    return "disabled" in (item.meta.annotations.get(DISABLED), item.meta.labels.get(DISABLED))


def marked(item: ApiObject, common: Mapping[str, Mapping[str, str]]) -> ApiObject:
    """The object with the labels and annotations that its deployer gives to everything; they win over its own."""
    value = item.field.value
    metadata = value.get("metadata") if isinstance(value, dict) else None
    if not isinstance(metadata, dict) or not any(common.values()):
        return item
    made = {**metadata}
    for name, pairs in common.items():
        own = made.get(name)
        if pairs:
            made[name] = {**(own if isinstance(own, dict) else {}), **pairs}
    return api_object(Field(item.field.document, item.field.path, {**value, "metadata": made}))


def changed(item: ApiObject, changes: Sequence[Transformation]) -> tuple[ApiObject, str]:
    """The object with the changes that can be told, and what else changes it in a way that only a renderer knows."""
    unclear = ""
    for change in changes:
        if not matches(change, item.meta):
            continue
        if change.patch is None or not is_custom(item.meta):
            unclear = unclear or change.what
            continue
        try:
            value = applied(item.field.value, change.patch)
        except PatchError:
            unclear = unclear or change.what
        else:
            item = api_object(Field(item.field.document, item.field.path, value))
    return item, unclear
