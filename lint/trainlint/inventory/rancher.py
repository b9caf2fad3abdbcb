"""Configuration files of k3s and RKE2 (S 3; rancher/rke2-docs:docs/install/configuration.md)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Final

from trainlint.inventory.node_template import NodeTemplate
from trainlint.inventory.part import InventoryPart, Objects
from trainlint.inventory.registration import parse_labels, parse_taints
from trainlint.kube.values import is_placeholder, read_text
from trainlint.model.because import Because
from trainlint.model.pool import Taint
from trainlint.model.settings import Settings
from trainlint.source.document import Field
from trainlint.source.node_files import RANCHER_CONFIG

__all__ = ["read_parts"]

PARTIAL: Final = "a configuration of k3s or RKE2 is about one node or several equal ones, and others may join"


def read_parts(objects: Objects, _: Settings) -> Iterator[InventoryPart]:
    """Each file as nodes of unknown number and size; servers are not tainted by themselves (S 5.63)."""
    for _meta, item in objects.get(RANCHER_CONFIG, ()):
        labels: dict[str, str] = {}
        left_open: dict[str, Because] = {}
        taints: list[Taint] = []
        for entry in _entries(item, "node-label"):
            known, unknown = parse_labels(read_text(entry))
            labels.update(known)
            left_open.update(unknown)
        for entry in _entries(item, "node-taint"):
            taints += parse_taints(read_text(entry), entry.at)
        name = read_text(item["node-name"])
        template = NodeTemplate(
            name=name if name and not is_placeholder(name) else posixpath.dirname(item.document.file) or "k3s",
            labels={key: (value,) for key, value in labels.items()},
            undetermined=left_open,
            taints=tuple(taints),
            at=item.at,
        )
        yield InventoryPart(template.pools(), item.at, partial=PARTIAL)


def _entries(item: Field, key: str) -> Iterator[Field]:
    """A list or a single text; ``key+`` adds to what other files say."""
    for name in (key, f"{key}+"):
        field = item[name]
        if isinstance(field.value, list):
            yield from field.elements()
        elif field.present:
            yield field
