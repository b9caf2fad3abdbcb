"""How many interfaces a pod can have on machines with several network cards."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

__all__ = ["extra_interfaces"]


def extra_interfaces(machine: str) -> int | None:
    """The interfaces beside eth0 that a pod of GKE can have on a machine; ``None`` where that is not known."""
    return _table().get(machine)


@cache
def _table() -> Mapping[str, int]:
    text = (files("trainlint.inventory") / "tables" / "interfaces.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return {machine: int(count) for machine, count in rows}
