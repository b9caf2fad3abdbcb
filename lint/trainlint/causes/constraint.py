"""What in the manifests keeps a group from running and could be taken away: one place each.

A constraint that is there is dropped by removing what stands at its place. One that consists in something missing
stands at the parent of what is missing, and is dropped by adding that: a toleration, an entry that admits the group, a
zone that all of its pods are pinned to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import StrEnum

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.pod import Container, PodSpec
from trainlint.model.workload import PodSet
from trainlint.proof.feasibility import Feasibility
from trainlint.scheduling.node import Node
from trainlint.scheduling.node_affinity import describe
from trainlint.scheduling.taint_toleration import describe as describe_taint
from trainlint.scheduling.taint_toleration import untolerated
from trainlint.workload.accelerators import is_accelerator

__all__ = ["Constraint", "ConstraintKind", "constraints", "request_part"]

Asked = tuple["ConstraintKind", Location | None, str, object]


class ConstraintKind(StrEnum):
    """What a constraint is, in the order in which people would keep it: the first are the last to be dropped."""

    NODE_SELECTOR = "nodeSelector"
    NODE_AFFINITY = "required node affinity"
    NODE_NAME = "nodeName"
    POD_AFFINITY = "required pod affinity"
    POD_ANTI_AFFINITY = "required pod anti-affinity"
    SPREAD = "topology spread"
    TOGETHER = "exclusive or required topology"
    QUEUE = "queue"
    MISSING_TOLERATION = "missing toleration"
    TAINT = "taint"
    CORDON = "cordon"
    VOLUME = "volume"
    CLAIM = "resource claim"
    REQUEST = "request"
    HOST_PORT = "host port"
    DENY = "denying policy entry"
    MISSING_ALLOW = "missing policy entry"
    MISSING_PIN = "missing zone"


_RANKS = {kind: rank for rank, kind in enumerate(ConstraintKind)}


@fact
class Constraint:
    """One removable constraint: its kind, its place, and in words what it does there.

    ``part`` is the element of the model, ``of`` the pod sets (by number) or, for what stands at nodes, the nodes that
    it binds. ``also`` are further places of something that is missing at several. Two constraints are the same if they
    are of one kind and stand at one place.
    """

    kind: ConstraintKind
    at: Location
    text: str = field(compare=False)
    part: object = field(default=None, compare=False)
    of: frozenset[int] = field(default=frozenset(), compare=False)
    also: tuple[Location, ...] = field(default=(), compare=False)

    @property
    def places(self) -> tuple[Location, ...]:
        """Every place of it."""
        return (self.at, *self.also)

    @property
    def rank(self) -> tuple[int, bool]:
        """How readily it is dropped: the higher, the sooner; accelerators are what people ask for nodes for."""
        return (_RANKS[self.kind], not self.of_accelerator)

    @property
    def of_accelerator(self) -> bool:
        """Whether it is the request for an accelerator."""
        return is_accelerator(str(self.part).rpartition(" ")[2])


def constraints(judged: Sequence[Feasibility], nodes: Sequence[Node]) -> tuple[Constraint, ...]:
    """Everything removable about where the pods of some sets may go, those that people would keep first.

    Pod sets of one template share its constraints, and pools of one source its taints.
    """
    found: dict[tuple[ConstraintKind, Location], Constraint] = {}
    for number, each in enumerate(judged):
        for constraint in (*_of_pods(number, each), *_tolerations(number, each, nodes)):
            _add(found, constraint)
    for constraint in _of_nodes(judged, nodes):
        _add(found, constraint)
    return tuple(sorted(found.values(), key=lambda constraint: constraint.rank))


def _add(found: dict[tuple[ConstraintKind, Location], Constraint], one: Constraint) -> None:
    before = found.get((one.kind, one.at))
    if before is not None:
        parts = (before.part, one.part) if before.part != one.part else (one.part,)
        text = before.text if before.text == one.text or before.of >= one.of else f"{before.text}; {one.text}"
        one = Constraint(one.kind, one.at, text, _flat(parts), before.of | one.of)
    found[one.kind, one.at] = one


def _flat(parts: Iterable[object]) -> object:
    """Several elements at one place as a tuple, one as itself."""
    flat = [each for part in parts for each in (part if isinstance(part, tuple) else (part,))]
    return tuple(dict.fromkeys(flat)) if len(flat) > 1 else flat[0]


def _of_pods(number: int, judged: Feasibility) -> Iterator[Constraint]:
    """What the pod spec itself asks for."""
    pod_set, own = judged.pod_set, frozenset({number})
    spec, name = pod_set.spec, pod_set.name
    home = spec.at or pod_set.at

    def one(kind: ConstraintKind, at: Location | None, text: str, part: object) -> Constraint:
        return Constraint(kind, at or home, f"what {name} asks for: {text}", part, own)

    for requirement in spec.node_selector:
        yield one(ConstraintKind.NODE_SELECTOR, requirement.at, describe(requirement), requirement)
    yield from (one(ConstraintKind.NODE_AFFINITY, at, text, part) for at, text, part in _node_affinity(pod_set))
    if spec.node_name:
        yield one(ConstraintKind.NODE_NAME, home.child("nodeName"), f"the node {spec.node_name}", spec.node_name)
    for term in spec.pod_affinity:
        yield one(ConstraintKind.POD_AFFINITY, term.at, f"pods to be near, by {term.topology_key}", term)
    for term in spec.pod_anti_affinity:
        yield one(ConstraintKind.POD_ANTI_AFFINITY, term.at, f"pods to keep away from, by {term.topology_key}", term)
    for spread in spec.spread:
        if spread.hard:
            yield one(ConstraintKind.SPREAD, spread.at, f"to be spread over {spread.topology_key}", spread)
    for together in (pod_set.together, pod_set.parts):
        if together is not None:
            yield one(ConstraintKind.TOGETHER, together.at, together.by, together)
    if pod_set.queue:
        yield one(ConstraintKind.QUEUE, pod_set.at, f"the queue {pod_set.queue}", pod_set.queue)
    for asked in (*_volumes(spec), *_requests(spec)):
        yield one(*asked)


def _volumes(spec: PodSpec) -> Iterator[Asked]:
    for volume in spec.volumes:
        if volume.claim or volume.disk or volume.kind == "ephemeral":
            yield ConstraintKind.VOLUME, volume.at, f"the volume {volume.name}", volume.name
    for claim in spec.resource_claims:
        yield ConstraintKind.CLAIM, claim.at, f"the resource claim {claim.name}", claim.name


def _requests(spec: PodSpec) -> Iterator[Asked]:
    for container in (*spec.containers, *spec.init_containers):
        for resource, amount in _asked(container).items():
            at = (
                container.resources_at.child(_column(container, resource), resource) if container.resources_at else None
            )
            yield ConstraintKind.REQUEST, at, f"{amount} {resource} for each pod", request_part(container, resource)
        if any(port.host_port or spec.host_network for port in container.ports):
            at = container.at.child("ports") if container.at else None
            yield ConstraintKind.HOST_PORT, at, "ports of the node", container.name


def _node_affinity(pod_set: PodSet) -> Iterator[tuple[Location | None, str, object]]:
    """The requirements of all terms; an affinity without any matches nothing and is one constraint."""
    spec = pod_set.spec
    if spec.node_affinity is None:
        return
    requirements = [each for term in spec.node_affinity for each in (*term.expressions, *term.fields)]
    for each in requirements:
        yield each.at, describe(each), each
    if not requirements:
        at = spec.at.child("affinity", "nodeAffinity") if spec.at else None
        yield at, "a node affinity that matches nothing", None


def _asked(container: Container) -> Mapping[str, object]:
    """What a container requests; a missing request takes the limit's value."""
    return {**container.limits, **container.requests}


def request_part(container: Container, resource: str) -> str:
    """What tells the request of a container for a resource from others of the pod."""
    return f"{container.name}: {resource}"


def _column(container: Container, resource: str) -> str:
    return "requests" if resource in container.requests else "limits"


def _tolerations(number: int, judged: Feasibility, nodes: Sequence[Node]) -> Iterator[Constraint]:
    """The taints that the pods could tolerate and do not."""
    spec = judged.pod_set.spec
    taints = dict.fromkeys(taint for node in nodes for taint in untolerated(node.pool.taints, judged.pod.spec))
    if taints:
        at = (spec.at or judged.pod_set.at).child("tolerations")
        texts = ", ".join(describe_taint(taint) for taint in taints)
        text = f"{judged.pod_set.name} has no toleration for {texts}"
        yield Constraint(ConstraintKind.MISSING_TOLERATION, at, text, tuple(taints), frozenset({number}))


def _of_nodes(judged: Sequence[Feasibility], nodes: Sequence[Node]) -> Iterator[Constraint]:
    """The taints and cordons that keep some of the pods away; taints that the role of a node brings are no choice."""
    for index, node in enumerate(nodes):
        pool, own = node.pool, frozenset({index})
        for taint in dict.fromkeys(taint for each in judged for taint in untolerated(pool.taints, each.pod.spec)):
            if taint.at is not None:
                names = ", ".join(each.pod_set.name for each in judged if untolerated((taint,), each.pod.spec))
                text = f"the taint {describe_taint(taint)} of pool {pool.name}, which {names} does not tolerate"
                yield Constraint(ConstraintKind.TAINT, taint.at, text, taint, own)
        if pool.unschedulable and pool.at is not None:
            yield Constraint(ConstraintKind.CORDON, pool.at, f"the nodes of pool {pool.name} are cordoned", None, own)
