"""API objects of the repository, each with its identity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.inventory.kinds import CONFIGURATION_KINDS
from trainlint.kube.meta import Meta, read_meta
from trainlint.kube.values import is_placeholder
from trainlint.model.workload import ObjectRef
from trainlint.snapshot.kinds import REGISTRY
from trainlint.source.document import Document, Field
from trainlint.source.reading import objects

__all__ = ["ApiObject", "api_object", "api_objects", "is_cluster_scoped"]


def is_cluster_scoped(meta: Meta) -> bool:
    """Whether objects of the kind belong to no namespace; some names of kinds stand for several APIs."""
    return REGISTRY.of_cluster(meta.api_group, meta.kind)


Key = tuple[str, str, str, str]
"""API group, kind, namespace, name."""


@fact(eq=False)
class ApiObject:
    """One object: the cursor at its root and its metadata."""

    field: Field
    meta: Meta
    key: Key | None
    """The identity by which the API server tells objects apart; ``None`` where the name is not known."""

    @property
    def file(self) -> str:
        """The file that holds it; that of the root, if it was rendered."""
        return self.field.document.file

    @property
    def written(self) -> Location:
        """Where it is written: in a file of its own also if it was rendered."""
        return self.field.document.at(self.field.path)

    @property
    def ref(self) -> ObjectRef:
        """The identity as findings show it."""
        namespace = "" if is_cluster_scoped(self.meta) else self.meta.namespace or "default"
        return ObjectRef(self.meta.kind, namespace, self.meta.name)


def api_objects(documents: Iterable[Document]) -> Iterator[ApiObject]:
    """The objects of all documents, Lists opened, in the order of the files."""
    for document in documents:
        for item in objects(document):
            yield api_object(item)


def api_object(item: Field) -> ApiObject:
    """The object at the cursor."""
    meta = read_meta(item)
    return ApiObject(item, meta, _key(item, meta))


def _key(item: Field, meta: Meta) -> Key | None:
    named = item.down("metadata", "name").string
    if meta.kind in CONFIGURATION_KINDS or not named or is_placeholder(named) or is_placeholder(meta.namespace):
        return None
    namespace = "" if is_cluster_scoped(meta) else meta.namespace or "default"
    return (meta.api_group, meta.kind, namespace, named)
