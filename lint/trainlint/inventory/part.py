"""What one source says about the nodes of a cluster."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.meta import Meta
from trainlint.model.pool import Pool
from trainlint.source.document import Field

__all__ = ["InventoryPart", "Objects"]

Objects = Mapping[str, tuple[tuple[Meta, Field], ...]]
"""The objects of a snapshot by kind."""


@fact
class InventoryPart:
    """Pools of one cluster, named if the source names it. ``partial`` says why there may be other nodes; empty: none.

    ``at`` is where the source stands; what stands in one directory is taken to be about one cluster. ``live``: nodes
    that there are.
    """

    pools: tuple[Pool, ...]
    at: Location
    cluster: str = ""
    partial: str = ""
    live: bool = False

    @property
    def directory(self) -> str:
        """The directory of the source."""
        return posixpath.dirname(self.at.file)
