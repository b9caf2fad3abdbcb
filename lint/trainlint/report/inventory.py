"""Pools as a trainlint Inventory, one fact to a line where it may change, so that a diff shows what did."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.known import Undetermined
from trainlint.model.pool import Pool
from trainlint.model.settings import ZONE
from trainlint.report.inventory_devices import device_lines

__all__ = ["HEAD", "inventory_yaml"]

_PLAIN: Final = lazy_pattern(r"[A-Za-z][A-Za-z0-9_./-]*")
_WORDS: Final = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_UNITS: Final = ("cpu", "memory", "ephemeral-storage", "pods")
HEAD: Final = (
    "Written by `trainlint inventory` from the cluster's nodes. Nodes that are equal but for 1 Gi or 1 percent are one",
    "pool with the least of them; names, addresses and annotations are left out. Where a pool can grow or shrink,",
    "write min and max in place of count.",
)
REGION: Final = "topology.kubernetes.io/region"


def inventory_yaml(pools: Iterable[Pool], name: str, head: Sequence[str] = HEAD) -> str:
    """The document, with ``head`` as comments; the same nodes always give the same text."""
    return "".join(f"{line}\n" for line in _lines(tuple(pools), name, head))


def _lines(pools: tuple[Pool, ...], name: str, head: Sequence[str]) -> Iterator[str]:
    yield from (f"# {line}" for text in head for line in text.splitlines())
    yield "apiVersion: trainlint.io/v1alpha1"
    yield "kind: Inventory"
    yield f"metadata: {{name: {_text(name)}}}"
    yield "complete: true"
    yield "pools:"
    for pool in pools:
        yield from _pool(pool)


def _pool(pool: Pool) -> Iterator[str]:
    labels = {key: value for key, value in pool.labels.items() if key not in {ZONE, REGION, "kubernetes.io/os"}}
    if pool.labels.get("kubernetes.io/os", "linux") != "linux":
        labels["kubernetes.io/os"] = pool.labels["kubernetes.io/os"]
    yield from (f"  # {note}" for note in pool.notes)
    yield f"  - name: {_text(pool.name)}"
    yield f"    count: {pool.minimum}"
    for key, label in (("zone", ZONE), ("region", REGION)):
        if pool.labels.get(label):
            yield f"    {key}: {_text(pool.labels[label])}"
    if pool.unschedulable:
        yield "    unschedulable: true"
    yield from _mapping("labels", labels, sorted(labels))
    if pool.taints:
        yield "    taints:"
        for taint in pool.taints:
            value = f"value: {_text(taint.value)}, " if taint.value else ""
            yield f"      - {{key: {_text(taint.key)}, {value}effect: {taint.effect}}}"
    amounts = {key: text for key, text in (pool.allocatable or {}).items() if not isinstance(text, Undetermined)}
    order = [key for key in _UNITS if key in amounts] + sorted(set(amounts) - set(_UNITS))
    yield from _mapping("allocatable", amounts, order)
    if pool.devices is not None:
        yield from device_lines(pool.devices, _text)


def _mapping(name: str, values: Mapping[str, str], order: Iterable[str]) -> Iterator[str]:
    lines = [f"      {_text(key)}: {json.dumps(values[key], ensure_ascii=True)}" for key in order]
    if lines:
        yield f"    {name}:"
        yield from lines


def _text(text: str) -> str:
    """As a plain scalar where YAML 1.1 and 1.2 read it as that text, else quoted."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return json.dumps(text, ensure_ascii=True)
