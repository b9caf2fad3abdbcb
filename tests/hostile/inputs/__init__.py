"""Repositories that were written to stall a run or to take all the memory: ``INPUTS`` by name."""

from __future__ import annotations

from tests.hostile.inputs.clusters import CLUSTERS
from tests.hostile.inputs.definitions import DEFINITIONS
from tests.hostile.inputs.made import Made
from tests.hostile.inputs.policies import POLICIES
from tests.hostile.inputs.rendering import RENDERING
from tests.hostile.inputs.texts import TEXTS

__all__ = ["INPUTS", "Made"]

INPUTS: dict[str, Made] = {**POLICIES, **CLUSTERS, **TEXTS, **RENDERING, **DEFINITIONS}
