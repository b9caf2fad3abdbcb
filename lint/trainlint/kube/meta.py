"""Object metadata, of any kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from trainlint.fact import fact
from trainlint.kube.values import read_text
from trainlint.source.document import Field

__all__ = ["Meta", "read_labels", "read_meta"]


@fact
class Meta:
    """What identifies and describes an object; empty where it is not written."""

    kind: str = ""
    api_version: str = ""
    namespace: str = ""
    name: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)

    @property
    def api_group(self) -> str:
        """The API group: empty for the core group."""
        return self.api_version.rpartition("/")[0]


def read_labels(field: Field) -> dict[str, str]:
    """A mapping of strings such as labels or annotations; values that are no scalars are left out."""
    return {key: text for key, value in field.items() if (text := value.scalar) is not None}


def read_meta(field: Field) -> Meta:
    """The identity of the object at the cursor; a ``generateName`` stands for the unknown name."""
    return field.once(_read)


def _read(field: Field) -> Meta:
    metadata = field["metadata"]
    written = metadata.mapping or {}  # few objects have all of these
    return Meta(
        kind=read_text(field["kind"]),
        api_version=read_text(field["apiVersion"]),
        namespace=read_text(metadata["namespace"]) if "namespace" in written else "",
        name=read_text(metadata["name"]) or read_text(metadata["generateName"]),
        labels=read_labels(metadata["labels"]) if "labels" in written else {},
        annotations=read_labels(metadata["annotations"]) if "annotations" in written else {},
    )
