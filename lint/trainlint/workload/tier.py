"""Volcano's network topology: pods in one HyperNode of a tier (S 2.3, W 8)."""

from __future__ import annotations

from typing import Final

from trainlint.kube.values import known_text, read_text
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.workload import Colocation
from trainlint.source.document import Field
from trainlint.workload.ground import PodGround

__all__ = ["VOLCANO_SCHEDULERS", "tier_of"]

VOLCANO_SCHEDULERS: Final = frozenset({"volcano", "volcano-scheduler"})
"""The names under which Volcano is installed."""

_NO_TIER = Undetermined(Because(PodGround.NO_TIER))


def tier_of(
    topology: Field, unit: str, by: str, *, doubt: Because | None = None, size: Known[int] | None = None
) -> Colocation | None:
    """What a ``networkTopology`` asks for; ``None`` where it is not there or only preferred.

    With ``size`` it holds for each part of so many pods.
    """
    if topology.mapping is None or read_text(topology["mode"]) not in {"", "hard"}:
        return None
    written = topology["highestTierAllowed"] if topology["highestTierAllowed"].present else topology["highestTierName"]
    return Colocation(
        "",
        unit,
        by,
        topology.at,
        per_block=size is not None,
        size=size,
        tier=known_text(written) if written.present else _NO_TIER,
        doubt=doubt,
    )
