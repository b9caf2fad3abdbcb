"""LimitRange, ResourceQuota, RuntimeClass, and the annotations of Namespaces that admission plugins read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from trainlint.finding import Location
from trainlint.kube.meta import read_meta
from trainlint.kube.node import read_quantities
from trainlint.kube.pod import read_tolerations
from trainlint.kube.selectors import read_equalities
from trainlint.kube.values import is_placeholder, read_strings, read_text
from trainlint.model.admission import LimitItem, LimitRange, NamespaceDefaults, ResourceQuota, RuntimeClass, ScopeRule
from trainlint.model.api_kind import declared, names
from trainlint.model.pod import Toleration
from trainlint.model.selector import Requirement
from trainlint.source.document import Field

__all__ = [
    "ADMISSION_KINDS",
    "KINDS",
    "read_limit_range",
    "read_namespace_defaults",
    "read_resource_quota",
    "read_runtime_class",
]

KINDS: Final = (
    *declared("", namespaced="LimitRange ResourceQuota", cluster="Namespace"),
    *declared("node.k8s.io", cluster="RuntimeClass"),
)
ADMISSION_KINDS: Final = names(KINDS)

_PREFIX: Final = "scheduler.alpha.kubernetes.io/"
NODE_SELECTOR: Final = _PREFIX + "node-selector"
DEFAULT_TOLERATIONS: Final = _PREFIX + "defaultTolerations"
ALLOWED_TOLERATIONS: Final = _PREFIX + "tolerationsWhitelist"
_SCHEDULING: Final = ("nodeSelector", "tolerations")


def read_limit_range(field: Field, namespace: str) -> LimitRange:
    """The LimitRange at the cursor, in this namespace."""
    items = tuple(
        LimitItem(
            type=read_text(element["type"]),
            default=read_quantities(element["default"]),
            default_request=read_quantities(element["defaultRequest"]),
            minimum=read_quantities(element["min"]),
            maximum=read_quantities(element["max"]),
            ratio=read_quantities(element["maxLimitRequestRatio"]),
            at=element.at,
        )
        for element in field.down("spec", "limits").elements()
    )
    return LimitRange(namespace, read_meta(field).name, items, at=field.at)


def read_resource_quota(field: Field, namespace: str) -> ResourceQuota:
    """The ResourceQuota at the cursor, in this namespace."""
    spec = field["spec"]
    named = (ScopeRule(name) for name in read_strings(spec["scopes"]))
    ruled = (
        ScopeRule(
            read_text(element["scopeName"]),
            read_text(element["operator"]) or "Exists",
            read_strings(element["values"]),
        )
        for element in spec.down("scopeSelector", "matchExpressions").elements()
    )
    hard = read_quantities(spec["hard"])
    return ResourceQuota(namespace, read_meta(field).name, hard, (*named, *ruled), at=field.at)


def read_runtime_class(field: Field) -> RuntimeClass:
    """The RuntimeClass at the cursor; ``undetermined`` where a placeholder stands for a part of it."""
    parts = (field.down("overhead", "podFixed"), *(field.down("scheduling", key) for key in _SCHEDULING))
    return RuntimeClass(
        name=read_meta(field).name,
        overhead=read_quantities(parts[0]),
        node_selector=read_equalities(parts[1]),
        tolerations=read_tolerations(parts[2]),
        undetermined=any(isinstance(part.value, str) for part in (*parts, field["overhead"], field["scheduling"])),
        at=field.at,
    )


def read_namespace_defaults(field: Field) -> NamespaceDefaults:
    """What the Namespace at the cursor says to admission plugins."""
    annotations = read_meta(field).annotations
    unreadable = ""
    selector = annotations.get(NODE_SELECTOR)
    if selector is not None and is_placeholder(selector):
        unreadable = NODE_SELECTOR
    lists: dict[str, tuple[Toleration, ...] | None] = {}
    for key in (DEFAULT_TOLERATIONS, ALLOWED_TOLERATIONS):
        text = annotations.get(key)
        lists[key] = None if text is None else _tolerations(text, field.down("metadata", "annotations", key).at)
        if text is not None and lists[key] is None:
            unreadable = unreadable or key
    return NamespaceDefaults(
        node_selector=None if selector is None else tuple(_equalities(selector, field.at)),
        tolerations=lists[DEFAULT_TOLERATIONS],
        allowed=lists[ALLOWED_TOLERATIONS],
        unreadable=unreadable,
        at=field.at,
    )


def _equalities(text: str, at: Location) -> Iterator[Requirement]:
    """``key=value`` pairs, as the plugin reads them; ``==`` is the same."""
    place = at.child("metadata", "annotations", NODE_SELECTOR)
    for part in filter(None, (each.strip() for each in text.split(","))):
        key, _, value = part.replace("==", "=").partition("=")
        yield Requirement(key.strip(), "In", (value.strip(),), at=place)


def _tolerations(text: str, at: Location) -> tuple[Toleration, ...] | None:
    """A JSON list of tolerations; ``None`` if it is no such list."""
    try:
        written = json.loads(text) if text.strip() else []
    except (ValueError, RecursionError):
        return None
    if not isinstance(written, list) or not all(isinstance(each, dict) for each in written):
        return None
    parts = [[str(each.get(key) or "") for key in ("key", "operator", "value", "effect")] for each in written]
    return tuple(Toleration(key, operator, value, effect, at=at) for key, operator, value, effect in parts)
