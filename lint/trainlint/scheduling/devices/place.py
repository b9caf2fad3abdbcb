"""From which nodes a claim can be used once it has devices."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.model.because import Because
from trainlint.model.selector import NodeSelectorTerm, Requirement
from trainlint.scheduling.devices.outcome import AllocationError, DeviceGround
from trainlint.scheduling.devices.search import DeviceResult
from trainlint.scheduling.node import Node

__all__ = ["node_terms"]


def node_terms(results: Iterable[DeviceResult], node: Node) -> tuple[NodeSelectorTerm, ...] | None:
    """The terms of the allocation's node selector: the node, where one device is local to it, else all that the slices
    ask for; ``None``: every node. Raises AllocationError.
    """
    expressions: list[Requirement] = []
    fields: list[Requirement] = []
    for each in results:
        made = each.candidate
        reach = made.device.reach if made.slice.per_device else made.slice.reach
        if reach.node:
            return (NodeSelectorTerm(fields=(Requirement("metadata.name", "In", (node.name,)),)),)
        if not reach.terms:
            continue
        if len(reach.terms) > 1:
            raise AllocationError(Because(DeviceGround.SEVERAL_TERMS, (made.slice.name,)))
        expressions += [found for found in reach.terms[0].expressions if found not in expressions]
        fields += [found for found in reach.terms[0].fields if found not in fields]
    if not expressions and not fields:
        return None
    return (NodeSelectorTerm(tuple(expressions), tuple(fields)),)
