"""Nodes that are not in Git: what ``--inventory`` names, for one run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Final

from trainlint.config.choices import NodesFile
from trainlint.fact import fact, remembered
from trainlint.finding import Location, UsageError
from trainlint.inventory.autoscaler import NodeGroup, is_status, node_groups
from trainlint.inventory.kinds import INVENTORY_KINDS
from trainlint.inventory.read import listed_inventories
from trainlint.kube.meta import Meta, read_meta
from trainlint.kube.values import is_placeholder
from trainlint.model.pool import Inventory
from trainlint.source.document import Document, Field
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import objects, read
from trainlint.source.spans import locate
from trainlint.source.text import decode

__all__ = ["GivenNodes", "read_given"]

HOW: Final = "give the output of `kubectl get nodes -o yaml`, an autoscaler's status or an Inventory"
_NAMES_CLUSTER: Final = ("alpha.eksctl.io/cluster-name", "eks.amazonaws.com/cluster-name")


@fact(eq=False)
class GivenNodes:
    """Nodes of one cluster that are not in Git.

    ``cluster`` is the cluster that the command line names, ``names`` what the file itself calls it; ``groups`` are node
    groups of the Cluster Autoscaler. ``text`` is the whole file, in which ``documents`` are.
    """

    source: str
    inventory: Inventory
    cluster: str = ""
    names: frozenset[str] = frozenset()
    groups: tuple[NodeGroup, ...] = ()
    documents: tuple[Document, ...] = ()
    text: str = field(default="", repr=False)


@remembered
def read_given(file: NodesFile) -> GivenNodes:
    """The nodes of a file.

    Raises:
        UsageError: it does not parse, is no text, or holds nothing that says which nodes there are; with its line.
    """
    kinds = KindFilter({*INVENTORY_KINDS, "ConfigMap"})
    found = read(file.name, file.content, kinds)
    for broken in found.broken:
        raise UsageError(_at(file.name, broken.span.line, broken.span.column, broken.message))
    for unknown in found.unknowns:
        remedy = f"; {unknown.remedy}" if unknown.remedy else ""
        raise UsageError(f"--inventory: {file.name}: {unknown.missing}{remedy}")
    for template in found.templates:
        raise UsageError(_at(file.name, template.span.line, template.span.column, f"this is a template; {HOW}"))
    items = [(read_meta(item), item) for document in found.documents for item in objects(document)]
    groups = tuple(_groups(items))
    nodes = [(meta, item) for meta, item in items if meta.kind in INVENTORY_KINDS]
    _refuse_empty(nodes)
    if not nodes and not groups:
        raise UsageError(f"--inventory: nothing in {file.name} says which nodes there are; {HOW}")
    return GivenNodes(
        source=file.name,
        inventory=_one(listed_inventories(nodes, together=True), file.name),
        cluster=file.cluster,
        names=frozenset(_names(nodes)),
        groups=groups,
        documents=found.documents,
        text=decode(file.content),
    )


def _at(file: str, line: int, column: int, message: str) -> str:
    return f"{file}:{line}:{column}: --inventory: {message}"


def _place(item: Field, *path: str) -> tuple[str, int, int]:
    _, span = locate(item.document, (*item.path, *path))
    return item.document.file, span.line, span.column


def _groups(items: Sequence[tuple[Meta, Field]]) -> Iterator[NodeGroup]:
    for meta, item in items:
        if meta.kind == "ConfigMap":
            groups = node_groups(item) if is_status(item) else ()
            if not groups:
                said = "this ConfigMap is not the status of the Cluster Autoscaler, or lists no node group"
                raise UsageError(_at(*_place(item), f"{said}: `kubectl -n kube-system get configmap` shows its name"))
            yield from groups


def _refuse_empty(nodes: Sequence[tuple[Meta, Field]]) -> None:
    """Refuse Nodes that say nothing of what they offer: counted as absent they would make a false answer."""
    for meta, item in nodes:
        if meta.kind != "Node" or meta.api_version != "v1":
            continue
        name = meta.name or "without a name"
        if not meta.name or is_placeholder(meta.name):
            raise UsageError(_at(*_place(item, "metadata"), f"Node {name} is none that a cluster has; {HOW}"))
        if not any(item.down("status", each).mapping for each in ("allocatable", "capacity")):
            raise UsageError(_at(*_place(item), f"Node {name} has no status.allocatable; {HOW}"))


def _names(nodes: Sequence[tuple[Meta, Field]]) -> Iterator[str]:
    """What the file calls its cluster: the name of an Inventory or a configuration, the label of eksctl's nodes."""
    for meta, _ in nodes:
        if meta.kind in {"ClusterConfig", "Inventory"} and meta.name:
            yield meta.name
        if meta.kind == "Node":
            yield from (meta.labels[key] for key in _NAMES_CLUSTER if key in meta.labels)


def _one(found: Sequence[Inventory], file: str) -> Inventory:
    """The inventories of one file as one: they are about one cluster."""
    if len(found) == 1:
        return found[0]
    complete = any(each.complete for each in found)
    return Inventory(
        name=f"Nodes in {file}" if found else "",
        pools=tuple(pool for each in found for pool in each.pools),
        complete=complete,
        at=Location(file, 0),
        partial="" if complete else next((each.partial for each in found), ""),
        derived=True,
        live=any(each.live for each in found),
    )
