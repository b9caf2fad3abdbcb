"""Whether a snapshot holds everything of a kind (decision 5): what may add objects that are not read here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trainlint.snapshot.alternatives import Part
from trainlint.snapshot.objects import ApiObject
from trainlint.source.rendered import Rendered

__all__ = ["OPENERS", "opened"]

OPENERS = frozenset(
    {
        ("argoproj.io", "Application"),
        ("argoproj.io", "ApplicationSet"),
        ("helm.cattle.io", "HelmChart"),
        ("helm.toolkit.fluxcd.io", "HelmRelease"),
        ("kustomize.toolkit.fluxcd.io", "Kustomization"),
    }
)
"""Objects that bring in others: API group and kind."""

EVERYWHERE = ""
DEFAULT = "default"
"""Where charts are taken to be installed, and objects to be, that say nothing else."""


def opened(
    objects: Iterable[ApiObject],
    *,
    transformed: Mapping[str, str],
    rendered: Iterable[Rendered],
    templates: bool,
    part: Part,
) -> Mapping[str, str]:
    """The namespaces to which something may add objects, each with what does (empty: to every namespace)."""
    found: dict[str, str] = {}
    if templates:
        found[EVERYWHERE] = "templates that were not rendered"
    for directory in transformed.values():
        found[EVERYWHERE] = f"the kustomization {directory}, which was not rendered"
    for root in rendered:
        if root.unknowns and part.holds(root.root):
            found[EVERYWHERE] = f"{root.root}, of which {'nothing' if root.failed else 'not all'} could be rendered"
        if root.undeployed and part.holds(root.root):
            said = "nobody says where it is installed, and with which values"
            found.setdefault(DEFAULT, f"the chart of {root.root}: {said}")
    if any(child is None for _, child in part.chosen):
        found[EVERYWHERE] = "other alternatives, which are left out here"
    for each in objects:
        if (each.meta.api_group, each.meta.kind) in OPENERS:
            found.setdefault(_target(each), f"{each.ref}, whose objects are not in Git")
    return found


def _target(opener: ApiObject) -> str:
    """The namespace that an object brings others into, or every one where it does not say."""
    spec = opener.field["spec"]
    match opener.meta.kind:
        case "HelmRelease" | "HelmChart":
            return spec["targetNamespace"].scalar or opener.ref.namespace
        case "Application":
            return spec.down("destination", "namespace").scalar or EVERYWHERE
        case _:
            return EVERYWHERE
