"""Whether a snapshot holds everything of a kind (decision 5): what may add objects that are not read here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from trainlint.deploy.kinds import DEPLOYER_KINDS
from trainlint.fact import fact
from trainlint.model.workload import ObjectRef
from trainlint.snapshot.alternatives import SnapshotPart
from trainlint.snapshot.objects import ApiObject
from trainlint.source.rendered_root import RenderedRoot

__all__ = ["Opening", "opened"]

EVERYWHERE = ""


@fact
class Opening:
    """Something that may add objects which are not read here: what it is, or the kind of a deployer, and which."""

    kind: str
    name: str = ""


def opened(
    objects: Iterable[ApiObject],
    *,
    transformed: Mapping[str, str],
    rendered: Iterable[RenderedRoot],
    templates: bool,
    part: SnapshotPart | None = None,
    followed: Collection[ObjectRef] = (),
) -> Mapping[str, Opening]:
    """The namespaces to which something may add objects, each with what does (empty: to every namespace).

    ``followed`` are deployers of which everything is here.
    """
    found: dict[str, Opening] = {}
    if templates:
        found[EVERYWHERE] = Opening("templates")
    for directory in transformed.values():
        found[EVERYWHERE] = Opening("kustomization", directory)
    for root in rendered:
        if root.unknowns and (part is None or part.holds(root.root)):
            found[EVERYWHERE] = Opening("rendered", root.root)
        if root.undeployed and (part is None or part.holds(root.root)):
            found.setdefault(EVERYWHERE, Opening("chart", root.root))
    for namespace in part.open if part is not None else ():
        found.setdefault(namespace, Opening("alternatives"))
    for each in objects:
        if (each.meta.api_group, each.meta.kind) in DEPLOYER_KINDS and each.ref not in followed:
            found.setdefault(_target(each), Opening(each.meta.kind, str(each.ref)))
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
