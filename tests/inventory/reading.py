"""Inventories and pools of manifests that tests write down."""

from __future__ import annotations

from trainlint.inventory.read import read_inventories
from trainlint.kube.meta import read_meta
from trainlint.model.pool import Inventory, Pool
from trainlint.model.settings import Settings
from trainlint.source.document import Document
from trainlint.source.loader import load
from trainlint.source.reading import objects
from trainlint.source.text import split

__all__ = ["inventories", "pools", "taints"]


def inventories(files: dict[str, str], settings: Settings | None = None) -> tuple[Inventory, ...]:
    """The inventories that the files describe."""
    documents = [
        Document(name, index, part.line, part.text, load(part.text).data)
        for name, text in files.items()
        for index, part in enumerate(split(text))
    ]
    return read_inventories(((read_meta(item), item) for each in documents for item in objects(each)), settings)


def pools(text: str, file: str = "cluster.yaml", settings: Settings | None = None) -> dict[str, Pool]:
    """The pools of the one inventory that a file describes, by name."""
    (inventory,) = inventories({file: text}, settings)
    return {pool.name: pool for pool in inventory.pools}


def taints(pool: Pool) -> list[tuple[str, str, str]]:
    """Key, value and effect of each taint."""
    return [(taint.key, taint.value, taint.effect) for taint in pool.taints]
