"""The namespaces of a snapshot, with their labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainlint.finding import Unknown
from trainlint.model.namespace import METADATA_NAME, Namespaces
from trainlint.snapshot.objects import ApiObject

__all__ = ["disputed", "namespaces_of"]


def namespaces_of(objects: Iterable[ApiObject]) -> Namespaces:
    """Every namespace that is defined or used, with its labels; the API server adds its name as a label.

    Of a namespace that is only used, the labels are not known: they were set where it was made.
    """
    found: dict[str, dict[str, str] | None] = {}
    for each in objects:
        if each.meta.kind == "Namespace":
            found[each.meta.name] = {**(found.get(each.meta.name) or {}), **each.meta.labels}
        elif each.ref.namespace:
            found.setdefault(each.ref.namespace, None)
    return {name: None if labels is None else {**labels, METADATA_NAME: name} for name, labels in found.items()}


def disputed(objects: Iterable[ApiObject]) -> Iterator[Unknown]:
    """Namespaces of which two documents say different things: it is unknown which of them is applied last."""
    said: dict[tuple[str, str], ApiObject] = {}
    for each in objects:
        for label in each.meta.labels if each.meta.kind == "Namespace" else ():
            before = said.setdefault((each.meta.name, label), each)
            if before.meta.labels[label] != each.meta.labels[label]:
                yield Unknown(
                    subject=f"namespace {each.meta.name}",
                    missing=f"its label {label}: it is {before.meta.labels[label]} in {before.file}, "
                    f"{each.meta.labels[label]} in {each.file}",
                    remedy="define the namespace once",
                    at=each.field.at,
                )
