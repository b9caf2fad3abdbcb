"""Whether nodes that Git does not describe could take pods, where it may not describe all of them (design, section 11).

A selector that only described nodes satisfy, or a device that described nodes offer, closes the world for the pods that
ask for it: what all described nodes refuse is then refused, under an assumption that is shown.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Sequence

from trainlint.fact import fact
from trainlint.inventory.instance_types import meant_accelerator
from trainlint.kube.spelling import only_meant
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because
from trainlint.model.pod import PodSpec
from trainlint.model.pool import COMPUTE_CLASS, NAMES, Inventory, Pool
from trainlint.model.selector import Requirement
from trainlint.proof.ground import ClosureGround
from trainlint.scheduling.node import Node
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.requests import is_extended_resource

__all__ = ["NodeClosure", "closed_for", "home_of"]

NODE_POOL = "karpenter.sh/nodepool"


@fact
class NodeClosure:
    """No other nodes take the pods; ``assumes`` says under which assumptions, none where that is certain."""

    assumes: tuple[Because, ...] = ()


def closed_for(
    pod: Pod, inventory: Inventory, nodes: Sequence[Node], concerns: Callable[[Pool], bool], *, stated: str
) -> NodeClosure | None:
    """Why no nodes beside those of an incomplete inventory can take the pods; ``None`` where others might.

    ``concerns`` tells the pools that were written for these pods or for a whole cluster; ``stated`` is what the
    settings say about nodes (``open``, ``closed`` or nothing).
    """
    if inventory.complete or stated == "closed":
        return NodeClosure()
    makers = [node.pool for node in nodes if node.pool.own_labels is not None]
    named = _by_selector(pod.spec, lambda each: _by_name(each, makers))
    if named is not None:
        return named
    if stated == "open" or (inventory.live and not inventory.derived):
        return None
    mine = [pool for pool in makers if concerns(pool)]
    absent = _by_selector(pod.spec, lambda each: _by_other_name(each, mine) or _by_label(each, mine))
    if absent is not None:
        return absent
    free = (node for node in nodes if node.pool.own_labels is not None and COMPUTE_CLASS not in node.pool.labels)
    return _by_device(pod, [node for node in free if concerns(node.pool)])


def _by_selector(spec: PodSpec, closes: Callable[[Requirement], NodeClosure | None]) -> NodeClosure | None:
    """What one requirement of nodeSelector closes, or of every term of the required node affinity together."""
    for each in spec.node_selector:
        if (found := closes(each)) is not None:
            return found
    terms = [_first(closes, term.expressions) for term in spec.node_affinity or ()]
    if not terms or any(each is None for each in terms):
        return None
    return NodeClosure(tuple(dict.fromkeys(why for each in terms if each is not None for why in each.assumes)))


def _first(
    closes: Callable[[Requirement], NodeClosure | None], requirements: Iterable[Requirement]
) -> NodeClosure | None:
    return next((found for each in requirements if (found := closes(each)) is not None), None)


def _chosen(requirement: Requirement) -> tuple[str, ...]:
    """The values that a requirement admits; none where it does not list them, or one is a placeholder."""
    if requirement.operator != "In" or any(map(is_placeholder, (requirement.key, *requirement.values))):
        return ()
    return requirement.values


def _by_name(requirement: Requirement, makers: Iterable[Pool]) -> NodeClosure | None:
    """The names of objects in Git: only these make nodes with the label."""
    values = _chosen(requirement)
    if requirement.key not in NAMES or not values:
        return None
    return NodeClosure() if set(values) <= {each.labels.get(requirement.key, "") for each in makers} else None


def _by_other_name(requirement: Requirement, makers: Iterable[Pool]) -> NodeClosure | None:
    """A name that no object in Git has: of a NodePool, or one that is a slip of the pen away from one that is there."""
    values = _chosen(requirement)
    names = {each.labels[requirement.key] for each in makers if requirement.key in each.labels}
    if requirement.key not in NAMES or not values or not names:
        return None
    if requirement.key == NODE_POOL:
        return NodeClosure((Because(ClosureGround.NODE_POOLS),))
    if all(value in names or only_meant(value, names) for value in values):
        return NodeClosure((Because(ClosureGround.LABEL, (requirement.key,)),))
    return None


def _by_label(requirement: Requirement, makers: Iterable[Pool]) -> NodeClosure | None:
    """A label that the template of a described pool sets and no platform does, with its value or nearly so."""
    values = _chosen(requirement)
    own = {each.labels[requirement.key] for each in makers if requirement.key in (each.own_labels or ())}
    if not values or not own or not all(value in own or only_meant(value, own) for value in values):
        return None
    return NodeClosure((Because(ClosureGround.LABEL, (requirement.key,)),))


def _by_device(pod: Pod, makers: Sequence[Node]) -> NodeClosure | None:
    """A device that described pools offer. A ComputeClass makes nodes for those that name it: for others it is none."""
    for name, amount in pod.requests.compared:
        if amount == 0 or not is_extended_resource(name):
            continue
        if any(_offers(node, name) for node in makers):
            return NodeClosure((Because(ClosureGround.DEVICE, (name,)),))
        meant = meant_accelerator(name)
        if meant and any(_offers(node, meant) for node in makers):
            return NodeClosure((Because(ClosureGround.MEANT_DEVICE, (meant,)),))
    return None


def _offers(node: Node, name: str) -> bool:
    amount = (node.allocatable or {}).get(name, 0)
    return isinstance(amount, int) and amount > 0


def home_of(pool: Pool) -> str:
    """The directory of what makes the pool's nodes, with a slash at its end; empty for the root."""
    home = posixpath.dirname(pool.at.file) if pool.at is not None else ""
    return f"{home}/" if home else ""
