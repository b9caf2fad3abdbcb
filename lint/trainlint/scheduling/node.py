"""A node as the scheduler sees it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field

from trainlint.fact import fact
from trainlint.inventory.instance_types import meant_accelerator
from trainlint.kube.node import HOSTNAME
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.pool import Pool
from trainlint.scheduling.ground import NodeGround
from trainlint.scheduling.quantity import QuantityError, milli
from trainlint.scheduling.requests import rounded

__all__ = ["OWN", "Node", "node_of"]

OWN = "<one domain for each node>"
"""The domain of a node whose value of the topology key no other node shares; no label value looks like it."""


@fact(eq=False)
class Node:
    """One node of a pool; ``allocatable`` in the units of Requests, ``None`` where it is unknown.

    A resource that is missing from allocatable is zero, ``pods`` too (S 1.5). ``name`` is empty for a node that only
    stands for one of many equal ones. ``ceiling`` is the most that there may be of a resource where allocatable is a
    cautious estimate. ``by_devices`` are resources that device classes stand for and no plugin of the node offers.
    """

    pool: Pool
    allocatable: Mapping[str, Known[int]] | None
    name: str = ""
    ceiling: Mapping[str, int] = field(default_factory=dict)
    by_devices: frozenset[str] = frozenset()

    def label(self, key: str) -> Known[str] | None:
        """The value of a label; ``None`` where the node surely lacks it."""
        if key == HOSTNAME and self._anonymous and self.pool.listed_keys is not None:
            return Undetermined(Because(NodeGround.NO_NAMES, (self.pool.name,)))
        return self.pool.label(key)

    def domain(self, key: str) -> Known[str] | None:
        """The node's domain for a topology key; ``OWN`` where every node of the pool is a domain by itself; ``None``
        where the node has none.
        """
        return OWN if key == HOSTNAME and self._anonymous else self.pool.label(key)

    @property
    def _anonymous(self) -> bool:
        return not self.name and HOSTNAME not in self.pool.labels


def node_of(pool: Pool, asked: Collection[str] = ()) -> Node:
    """One node of the pool, prepared for the filters.

    ``asked`` are the resources that pods request: those that device plugins may offer there are not known.
    """
    allocatable: dict[str, Known[int]] | None = None
    ceiling = {name: amount for name, text in pool.ceiling.items() if isinstance(amount := _amount(name, text), int)}
    if pool.allocatable is not None:
        allocatable = {name: _amount(name, text) for name, text in pool.allocatable.items()}
        for name in asked if pool.open_resources else ():
            if allocatable.get(meant_accelerator(name)):
                continue  # the plugin of the device that is there gives it its right name
            allocatable.setdefault(name, Undetermined(Because(NodeGround.DEVICE_PLUGIN, (name, pool.name))))
    return Node(pool, allocatable, pool.node_name, ceiling)


def _amount(name: str, text: Known[str]) -> Known[int]:
    if isinstance(text, Undetermined):
        return text
    try:
        return rounded(name, milli(text))
    except QuantityError as error:
        return Undetermined(Because(NodeGround.QUANTITY, (name, str(error))))
