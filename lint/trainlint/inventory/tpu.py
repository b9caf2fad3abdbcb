"""TPU slices of GKE: how many hosts a topology has, and how many chips each of them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from math import prod
from typing import Final

from trainlint.fact import fact
from trainlint.lazy_pattern import lazy_pattern

__all__ = ["ACCELERATOR_KEY", "TOPOLOGY_ANNOTATION", "TOPOLOGY_KEY", "TPU", "Slice", "slices"]

TPU: Final = "google.com/tpu"
ACCELERATOR_KEY: Final = "cloud.google.com/gke-tpu-accelerator"
TOPOLOGY_KEY: Final = "cloud.google.com/gke-tpu-topology"
TOPOLOGY_ANNOTATION: Final = "cloud.google.com/gke-tpu-slice-topology"
"""With dynamic slicing the pod's annotation takes the place of the label."""

_DIMENSIONS: Final = lazy_pattern(r"[1-9]\d{0,3}(?:x[1-9]\d{0,3}){1,2}")


@fact
class Slice:
    """A slice with ``hosts`` nodes, each with ``chips`` TPU chips."""

    chips: int
    hosts: int


def slices(accelerator: str, topology: str, chips: int) -> tuple[Slice, ...]:
    """The slices that a topology of an accelerator exists as; empty where that is not known.

    For a topology that the table does not hold, ``chips`` is what one pod asks for, and the product of the dimensions
    divided by it is the number of hosts.
    """
    known = _table().get((accelerator, topology))
    if known is not None:
        return known
    if not _DIMENSIONS.fullmatch(topology) or not any(name == accelerator for name, _ in _table()):
        return ()
    total = prod(map(int, topology.split("x")))
    return (Slice(chips, total // chips),) if chips > 0 and total % chips == 0 else ()


@cache
def _table() -> dict[tuple[str, str], tuple[Slice, ...]]:
    text = (files("trainlint.inventory") / "tables" / "tpu.tsv").read_text(encoding="utf-8")
    found: dict[tuple[str, str], tuple[Slice, ...]] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            accelerator, topology, chips, hosts = line.split("\t")
            key = (accelerator, topology)
            found[key] = (*found.get(key, ()), Slice(int(chips), int(hosts)))
    return found
