"""Manifests as plain values: what operators read of them and write into them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, Final

__all__ = [
    "ANY",
    "Manifest",
    "annotations_of",
    "below",
    "containers_of",
    "copied",
    "count",
    "cut_end",
    "cut_open",
    "cut_start",
    "drop_empty",
    "every_container",
    "expanded_length",
    "generated_name",
    "items",
    "labels_of",
    "mapping",
    "meta",
    "name_of",
    "namespace_of",
    "object_of",
    "own_of",
    "set_env",
    "text",
]

Manifest = dict[str, Any]

ANY: Final = "*"
"""Stands in a text for what is decided in the cluster only: random characters, uids, hashes."""

_LONGEST_BASE: Final = 58
"""Of a generated name, without its five random characters."""


def mapping(value: Any) -> Manifest:
    """The value if it is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Manifest]:
    """The mappings in a list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def below(value: Any, *steps: str) -> Any:
    """The value several steps below, ``None`` where there is none."""
    for step in steps:
        if not isinstance(value, dict):
            return None
        value = value.get(step)
    return value


def text(value: Any) -> str:
    """A string, empty for anything else."""
    return value if isinstance(value, str) else ""


def count(value: Any, default: int) -> int:
    """A whole number, or the default."""
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def copied(value: Any) -> Any:
    """A deep copy."""
    return deepcopy(value)


def drop_empty(value: Mapping[str, Any]) -> Manifest:
    """The entries that say something: not ``None``, and no empty text, list or mapping."""
    return {key: each for key, each in value.items() if each not in (None, "", [], {})}


def meta(item: Manifest) -> Manifest:
    """The metadata of an object."""
    return mapping(item.get("metadata"))


def name_of(item: Manifest) -> str:
    """The name, with ``ANY`` for the part that is generated."""
    own = meta(item)
    return text(own.get("name")) or (text(own.get("generateName")) and generated_name(text(own["generateName"])))


def generated_name(base: str) -> str:
    """What becomes of ``generateName``: cut to fit, with ``ANY`` for the random part."""
    return cut_end(base, _LONGEST_BASE) + ANY


def namespace_of(item: Manifest) -> str:
    """The namespace, ``default`` where none is written."""
    return text(meta(item).get("namespace")) or "default"


def labels_of(item: Manifest) -> Manifest:
    """The labels, to be read."""
    return mapping(meta(item).get("labels"))


def annotations_of(item: Manifest) -> Manifest:
    """The annotations, to be read."""
    return mapping(meta(item).get("annotations"))


def own_of(item: Manifest, key: str) -> Manifest:
    """A mapping of the item to be written to: made where there is none."""
    if not isinstance(item.get(key), dict):
        item[key] = {}
    found: Manifest = item[key]
    return found


def containers_of(spec: Manifest) -> list[Manifest]:
    """The containers of a pod spec, without init containers."""
    return items(spec.get("containers"))


def every_container(spec: Manifest) -> Iterator[Manifest]:
    """Init containers, then containers."""
    yield from items(spec.get("initContainers"))
    yield from items(spec.get("containers"))


def set_env(container: Manifest, *entries: Manifest) -> None:
    """Append variables to a container."""
    container["env"] = [*items(container.get("env")), *entries]


def object_of(api_version: str, kind: str, name: str, namespace: str, **parts: Any) -> Manifest:
    """A new object; ``labels`` and ``annotations`` go into its metadata, empty parts are left out."""
    metadata = {
        "name": name,
        "namespace": namespace,
        "labels": parts.pop("labels", None),
        "annotations": parts.pop("annotations", None),
    }
    return {"apiVersion": api_version, "kind": kind, "metadata": drop_empty(metadata), **drop_empty(parts)}


_RANDOM: Final = "\0" * 5


def expanded_length(value: str) -> int:
    """The characters of a name, with five for each random part."""
    return len(value.replace(ANY, _RANDOM))


def cut_end(value: str, most: int) -> str:
    """The first characters of a name whose random parts have five; of such a part ``ANY`` is left."""
    return _collapsed(value.replace(ANY, _RANDOM)[:most])


def cut_open(value: str, most: int) -> str:
    """As ``cut_end``, for a name that is cut once more: what is left of a random part still counts as it is."""
    return value.replace(ANY, _RANDOM)[:most]


def cut_start(value: str, most: int) -> str:
    """The last characters of a name whose random parts have five; of such a part ``ANY`` is left."""
    return _collapsed(value.replace(ANY, _RANDOM)[-most:])


def _collapsed(value: str) -> str:
    return re.sub("\0+", ANY, value)
