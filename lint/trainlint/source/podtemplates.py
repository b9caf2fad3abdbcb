"""Pod templates in objects of kinds without a description: recognised by their form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from trainlint.finding import Path
from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.document import Field

__all__ = ["POD_OWNERS", "may_be_owner", "may_own_pods", "pod_templates"]

POD_OWNERS: Final = "(any kind with a pod template)"
"""Stands among the wanted kinds for every kind whose objects hold a pod template; no kind has this name."""

_NONE_OF_THEIRS: Final = frozenset(
    {"Addon", "Application", "ApplicationSet", "ClusterPolicy", "ClusterRoleBinding", "Composition", "ConfigMap"}
    | {"Configuration", "RoleBinding"}
    | {"CustomResourceDefinition", "DaemonSet", "HelmChart", "HelmChartConfig", "HelmRelease", "Kustomization"}
    | {
        "List",
        "MutatingPolicy",
        "Policy",
        "PodTemplate",
        "ResourceSet",
        "Secret",
        "ServiceAccount",
        "Template",
        "ValidatingAdmissionPolicy",
    }
)
"""Kinds that describe other objects, hold none, or (DaemonSet) are no workload of a group."""
_DEPTH: Final = 12
_PLACES: Final = frozenset({"spec", "podSpec", "podTemplate", "template"})
_CONTAINERS: Final = lazy_pattern(rb"""(?m)^[ \t\-]*["']?containers["']?[ \t]*:[ \t]*(?:\[|(?:\#[^\n]*)?\r?\n)""")
_KIND: Final = lazy_pattern(
    rb"""(?m)^["']?kind["']?[ \t]*:[ \t]*["']?([A-Za-z][A-Za-z0-9]*)["']?[ \t]*(?:\#[^\n]*)?\r?$"""
)


def may_be_owner(kind: str) -> bool:
    """Whether objects of a kind without a description may hold a pod template of their own."""
    return kind not in _NONE_OF_THEIRS


def may_own_pods(content: bytes) -> bool:
    """Whether a document in block style may be an object with a pod template, told from its bytes."""
    if b"containers" not in content or _CONTAINERS.search(content) is None:
        return False
    return any(kind[1].decode() not in _NONE_OF_THEIRS for kind in _KIND.finditer(content))


def pod_templates(item: Field) -> Iterator[Field]:
    """The pod templates (or pod specs that stand alone) in an object, outermost first."""
    kind = item["kind"].string
    if kind and kind not in _NONE_OF_THEIRS and item["apiVersion"].string and _holds_containers(item.value):
        for steps in _below(item.value, ()):
            yield item.down(*steps)


def _holds_containers(value: Any) -> bool:
    """Whether a list of containers is anywhere in it: hardly any object has one, so this is what has to be quick."""
    pending = [value]
    while pending:
        here = pending.pop()
        if type(here) is dict and type(here.get("containers")) is list:
            return True
        children = here.values() if type(here) is dict else here
        pending += [child for child in children if type(child) is dict or type(child) is list]
    return False


def _below(value: Any, steps: Path) -> Iterator[Path]:
    """Walks plain values, because hardly any object has one: only what is found needs a field."""
    if len(steps) > _DEPTH:
        return
    children = value.items() if type(value) is dict else enumerate(value)
    for step, child in children:
        if type(child) is not dict and type(child) is not list:
            continue
        if step in _PLACES and _is_pod_spec(child):
            yield steps if step == "spec" and steps else (*steps, step)
        else:
            yield from _below(child, (*steps, step))


def _is_pod_spec(value: Any) -> bool:
    containers = value.get("containers") if type(value) is dict else None
    return type(containers) is list and any(
        type(each) is dict and type(each.get("image")) is str and type(each.get("name")) is str for each in containers
    )
