"""Labels that kustomizations add to selectors, and not to the pods of kinds that kustomize does not know."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from trainlint.finding import Location
from trainlint.snapshot.objects import ApiObject
from trainlint.source.document import Document

__all__ = ["LabelTransformers"]

_FIELDS: Final = ("commonLabels", "labels")


class LabelTransformers:
    """The labels in rendered objects that ``commonLabels`` or ``labels`` of a kustomization wrote.

    Both change the selectors of Services and the selectors and peers of NetworkPolicies; of pod templates they change
    those of the kinds that kustomize knows (Deployment, Job and the like), never those of a custom kind.
    """

    def __init__(self, objects: Iterable[ApiObject]) -> None:
        self._documents: dict[tuple[str, int], Document] = {
            (each.file, each.field.document.index): each.field.document
            for each in objects
            if each.field.document.origin is not None
        }

    def adds(self, at: Location | None) -> bool:
        """Whether the label at a place of a rendered object is one that a kustomization adds to everything."""
        document = self._documents.get((at.file, at.document)) if at is not None else None
        if at is None or document is None:
            return False
        field, *below = document.at(at.path).path or ("",)
        return field in _FIELDS and at.path[:1] == ("spec",) and bool(below)
