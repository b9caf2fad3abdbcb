"""What in the manifests keeps a group from running and could be taken away: one place each, as data without words.

A constraint that is there is dropped by removing what stands at its place. One that consists in something missing
stands at the parent of what is missing, and is dropped by adding that: a toleration, an entry that admits the group, a
zone that all of its pods are pinned to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import Enum, auto

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.pod import Container, PodSpec
from trainlint.model.policy import Direction
from trainlint.model.pool import Taint
from trainlint.model.workload import PodSet
from trainlint.proof.feasibility import Feasibility
from trainlint.scheduling.node import Node
from trainlint.scheduling.taint_toleration import untolerated
from trainlint.workload.accelerators import is_accelerator

__all__ = [
    "Barrier",
    "Constraint",
    "ConstraintKind",
    "Cordon",
    "NodeTaint",
    "PodDemand",
    "ResourceRequest",
    "Subject",
    "Unpinned",
    "Untolerated",
    "constraints",
]

Asked = tuple["ConstraintKind", Location | None, object]


class ConstraintKind(Enum):
    """What a constraint is, in the order in which people would keep it: the first are the last to be dropped."""

    NODE_SELECTOR = auto()
    NODE_AFFINITY = auto()
    NODE_NAME = auto()
    POD_AFFINITY = auto()
    POD_ANTI_AFFINITY = auto()
    SPREAD = auto()
    TOGETHER = auto()
    QUEUE = auto()
    MISSING_TOLERATION = auto()
    TAINT = auto()
    CORDON = auto()
    VOLUME = auto()
    CLAIM = auto()
    REQUEST = auto()
    HOST_PORT = auto()
    DENY = auto()
    MISSING_ALLOW = auto()
    MISSING_PIN = auto()


_RANKS = {kind: rank for rank, kind in enumerate(ConstraintKind)}


@fact
class ResourceRequest:
    """What a container asks for of one resource; the same for the same container and resource."""

    container: str
    resource: str
    amount: object = field(default=None, compare=False)


@fact
class PodDemand:
    """An element of the spec of one pod set; a node affinity without any terms is ``None``."""

    pod_set: str
    part: object


@fact
class Untolerated:
    """Taints that the pods of one set could tolerate and do not."""

    pod_set: str
    taints: tuple[Taint, ...]


@fact
class NodeTaint:
    """A taint of a pool, and the pod sets that do not tolerate it."""

    taint: Taint
    pool: str
    pod_sets: tuple[str, ...]


@fact
class Cordon:
    """A pool of which all nodes are cordoned."""

    pool: str


@fact
class Barrier:
    """A direction of a policy that denies a flow, or does not admit it."""

    direction: Direction
    policy: str


@fact
class Unpinned:
    """Pod sets that nothing keeps in one zone with the rest of their group."""

    pod_sets: tuple[str, ...]


Subject = PodDemand | Untolerated | NodeTaint | Cordon | Barrier | Unpinned
"""What a constraint is about."""


@fact
class Constraint:
    """One removable constraint: its kind, its place, and what it is about there.

    ``part`` is the element of the model, ``of`` the pod sets (by number) or, for what stands at nodes, the nodes that
    it binds. ``also`` are further places of something that is missing at several. Two constraints are the same if they
    are of one kind and stand at one place.
    """

    kind: ConstraintKind
    at: Location
    subjects: tuple[Subject, ...] = field(compare=False)
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
        return isinstance(self.part, ResourceRequest) and is_accelerator(self.part.resource)

    @property
    def parts(self) -> tuple[object, ...]:
        """Every element of the model that stands at its place."""
        return self.part if isinstance(self.part, tuple) else (self.part,)


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
        more = () if before.of >= one.of else one.subjects
        subjects = tuple(dict.fromkeys((*before.subjects, *more)))
        one = Constraint(one.kind, one.at, subjects, _flat(parts), before.of | one.of)
    found[one.kind, one.at] = one


def _flat(parts: Iterable[object]) -> object:
    """Several elements at one place as a tuple, one as itself."""
    flat = [each for part in parts for each in (part if isinstance(part, tuple) else (part,))]
    return tuple(dict.fromkeys(flat)) if len(flat) > 1 else flat[0]


def _of_pods(number: int, judged: Feasibility) -> Iterator[Constraint]:
    """What the pod spec itself asks for."""
    pod_set, own = judged.pod_set, frozenset({number})
    spec = pod_set.spec
    home = spec.at or pod_set.at

    def one(kind: ConstraintKind, at: Location | None, part: object) -> Constraint:
        return Constraint(kind, at or home, (PodDemand(pod_set.name, part),), part, own)

    for requirement in spec.node_selector:
        yield one(ConstraintKind.NODE_SELECTOR, requirement.at, requirement)
    yield from (one(ConstraintKind.NODE_AFFINITY, at, part) for at, part in _node_affinity(pod_set))
    if spec.node_name:
        yield one(ConstraintKind.NODE_NAME, home.child("nodeName"), spec.node_name)
    for term in spec.pod_affinity:
        yield one(ConstraintKind.POD_AFFINITY, term.at, term)
    for term in spec.pod_anti_affinity:
        yield one(ConstraintKind.POD_ANTI_AFFINITY, term.at, term)
    for spread in spec.spread:
        if spread.hard:
            yield one(ConstraintKind.SPREAD, spread.at, spread)
    for together in (pod_set.together, pod_set.parts):
        if together is not None:
            yield one(ConstraintKind.TOGETHER, together.at, together)
    if pod_set.queue:
        yield one(ConstraintKind.QUEUE, pod_set.at, pod_set.queue)
    for asked in (*_volumes(spec), *_requests(spec)):
        yield one(*asked)


def _volumes(spec: PodSpec) -> Iterator[Asked]:
    for volume in spec.volumes:
        if volume.claim or volume.disk or volume.kind == "ephemeral":
            yield ConstraintKind.VOLUME, volume.at, volume.name
    for claim in spec.resource_claims:
        yield ConstraintKind.CLAIM, claim.at, claim.name


def _requests(spec: PodSpec) -> Iterator[Asked]:
    for container in (*spec.containers, *spec.init_containers):
        for resource, amount in _asked(container).items():
            at = (
                container.resources_at.child(_column(container, resource), resource) if container.resources_at else None
            )
            yield ConstraintKind.REQUEST, at, ResourceRequest(container.name, resource, amount)
        taken = [port for port in container.ports if port.host_port or spec.host_network]
        if taken and all(port.made for port in taken):  # only the host network makes them ports of the node
            yield ConstraintKind.HOST_PORT, spec.at.child("hostNetwork") if spec.at else None, container.name
        elif taken:
            yield ConstraintKind.HOST_PORT, container.at.child("ports") if container.at else None, container.name


def _node_affinity(pod_set: PodSet) -> Iterator[tuple[Location | None, object]]:
    """The requirements of all terms; an affinity without any matches nothing and is one constraint."""
    spec = pod_set.spec
    if spec.node_affinity is None:
        return
    requirements = [each for term in spec.node_affinity for each in (*term.expressions, *term.fields)]
    for each in requirements:
        yield each.at, each
    if not requirements:
        at = spec.at.child("affinity", "nodeAffinity") if spec.at else None
        yield at, None


def _asked(container: Container) -> Mapping[str, object]:
    """What a container requests; a missing request takes the limit's value."""
    return {**container.limits, **container.requests}


def _column(container: Container, resource: str) -> str:
    return "requests" if resource in container.requests else "limits"


def _tolerations(number: int, judged: Feasibility, nodes: Sequence[Node]) -> Iterator[Constraint]:
    """The taints that the pods could tolerate and do not."""
    spec = judged.pod_set.spec
    taints = dict.fromkeys(taint for node in nodes for taint in untolerated(node.pool.taints, judged.pod.spec))
    if taints:
        at = (spec.at or judged.pod_set.at).child("tolerations")
        about = Untolerated(judged.pod_set.name, tuple(taints))
        yield Constraint(ConstraintKind.MISSING_TOLERATION, at, (about,), tuple(taints), frozenset({number}))


def _of_nodes(judged: Sequence[Feasibility], nodes: Sequence[Node]) -> Iterator[Constraint]:
    """The taints and cordons that keep some of the pods away; taints that the role of a node brings are no choice."""
    for index, node in enumerate(nodes):
        pool, own = node.pool, frozenset({index})
        for taint in dict.fromkeys(taint for each in judged for taint in untolerated(pool.taints, each.pod.spec)):
            if taint.at is not None:
                names = tuple(each.pod_set.name for each in judged if untolerated((taint,), each.pod.spec))
                yield Constraint(ConstraintKind.TAINT, taint.at, (NodeTaint(taint, pool.name, names),), taint, own)
        if pool.unschedulable and pool.at is not None:
            yield Constraint(ConstraintKind.CORDON, pool.at, (Cordon(pool.name),), None, own)
