"""What a source says about nodes that it does not name one by one, and the pools that follow from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from itertools import product
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.inventory.ground import PoolGround
from trainlint.inventory.instance_types import InstanceType, instance_type
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.model.known import Known
from trainlint.model.pool import NAMES, Pool, Taint, is_of_platform
from trainlint.model.settings import ZONE

__all__ = ["ARCH", "INSTANCE_TYPE", "OS", "REGION", "Bound", "NodeTemplate", "region_of"]

ARCH: Final = "kubernetes.io/arch"
INSTANCE_TYPE: Final = "node.kubernetes.io/instance-type"
OS: Final = "kubernetes.io/os"
REGION: Final = "topology.kubernetes.io/region"

MAX_POOLS: Final = 64
"""Into so many pools at most one template is divided; what is left has labels of several possible values."""

_AWS_ZONE: Final = lazy_pattern(r"([a-z]{2,}(?:-[a-z]+)+-\d+)[a-z]")
_GCP_ZONE: Final = lazy_pattern(r"([a-z]+-[a-z]+\d+)-[a-z]")


def region_of(zone: str) -> str | None:
    """The region in the name of a zone of AWS or Google; ``None`` for other names (S 3)."""
    found = _AWS_ZONE.fullmatch(zone) or _GCP_ZONE.fullmatch(zone)
    return found[1] if found else None


@fact
class Bound:
    """The most nodes that a source makes, what says so in words (``limits nvidia.com/gpu 2``), and where it stands."""

    nodes: int
    text: str
    at: Location


@fact
class NodeTemplate:
    """Nodes that may be made. ``labels`` maps keys to their possible values; ``undetermined`` to why they are unknown.

    ``minimum`` and ``maximum`` (which ``limit`` names) hold for all nodes together; ``bound`` gives a smaller maximum
    for nodes of one type.
    ``derived_labels`` are those that follow from the instance type, and ``of_type`` prefixes of keys that do: these do
    not divide the nodes. ``allocatable`` is what the source itself says, ``none`` are resources that it expects of no
    machine.
    """

    name: str
    provider: str = ""
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    undetermined: Mapping[str, Because] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    minimum: int = 0
    maximum: int | None = None
    limit: Bound | None = None
    bound: Callable[[InstanceType | None], Bound | None] = lambda _: None
    derived_labels: Callable[[InstanceType], Mapping[str, str]] = lambda _: {}
    of_type: tuple[str, ...] = ()
    allocatable: Mapping[str, Known[str]] | None = None
    pods: Known[str] | None = None
    none: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    at: Location | None = None

    def pools(self) -> tuple[Pool, ...]:
        """One pool for each zone, instance type and other choice that the nodes may differ in (S 3)."""
        return tuple(self._pools())

    def _pools(self) -> Iterator[Pool]:
        types = {name: kind for name in self.labels.get(INSTANCE_TYPE, ()) if (kind := self._type(name))}
        told = {key for kind in types.values() for key in self.derived_labels(kind)} - {INSTANCE_TYPE}
        fixed = {key: values[0] for key, values in self.labels.items() if len(values) == 1}
        left_open = dict(self.undetermined)
        axes: list[tuple[str, tuple[str, ...]]] = []
        count = 1
        for key, values in sorted(self.labels.items(), key=_by_weight):
            if len(values) <= 1 or (key in told and len(types) == len(self.labels[INSTANCE_TYPE])):
                continue
            if count * len(values) > MAX_POOLS or (self.of_type and key.startswith(self.of_type)):
                left_open[key] = Because(PoolGround.SEVERAL_VALUES, (key, self.name, ", ".join(values)))
            else:
                axes.append((key, values))
                count *= len(values)
        for key in (ZONE, REGION):
            if key not in self.labels:
                left_open.setdefault(key, Because(PoolGround.NO_PLACE, (key.rpartition("/")[2], self.name)))
        for chosen in product(*(values for _, values in axes)):
            own = dict(zip((key for key, _ in axes), chosen, strict=True))
            kind = types.get({**fixed, **own}.get(INSTANCE_TYPE, ""))
            derived = self.derived_labels(kind) if kind else {}
            if any(value not in self.labels.get(key, (value,)) for key, value in derived.items()):
                continue  # the other requirements exclude this type
            name = f"{self.name} ({', '.join(chosen)})" if chosen else self.name
            yield self._pool(name, {OS: "linux", **fixed, **derived, **own}, left_open, kind, shared=count > 1)

    def _type(self, name: str) -> InstanceType | None:
        return instance_type(self.provider, name)

    def _pool(
        self,
        name: str,
        labels: dict[str, str],
        left_open: dict[str, Because],
        kind: InstanceType | None,
        *,
        shared: bool,
    ) -> Pool:
        region = region_of(labels.get(ZONE, ""))
        if region and REGION not in labels:
            labels[REGION] = region
        if kind is not None:
            labels.setdefault(ARCH, kind.arch)
        left_open = {key: why for key, why in left_open.items() if key not in labels}
        bounds = [each for each in (self.limit, self.bound(kind)) if each is not None]
        tightest = min(bounds, key=lambda each: each.nodes, default=None)
        sizes = [each.nodes for each in bounds] + ([] if self.maximum is None else [self.maximum])
        maximum = min(sizes, default=None)
        pool = Pool(
            name=name,
            labels=labels,
            taints=self.taints,
            allocatable=self.allocatable,
            minimum=0 if shared else self.minimum,
            maximum=maximum,
            listed_keys=frozenset({OS, ZONE, REGION, *labels, *left_open}),
            notes=self.notes,
            at=self.at,
            undetermined=left_open,
            open_resources=True,
            budget=self.name if shared and maximum is not None else "",
            bound=tightest.text if tightest is not None else "",
            bound_at=tightest.at if tightest is not None else None,
            own_labels=frozenset(key for key in self.labels if key in NAMES or not _by_platform(key)),
        )
        return pool if self.allocatable is not None or kind is None else self._of_type(pool, kind)

    def _of_type(self, pool: Pool, kind: InstanceType) -> Pool:
        allocatable = {**kind.allocatable, **dict.fromkeys(self.none, "0")}
        if self.pods is not None:
            allocatable["pods"] = self.pods
        note = f"pool {self.name}: what a {kind.name} leaves to pods is taken from tables, with a margin for the system"
        return replace(pool, allocatable=allocatable, ceiling=kind.ceiling, notes=(*pool.notes, note))


def _by_platform(key: str) -> bool:
    return is_of_platform(key) or key.startswith(("topology.kubernetes.io/", "node.kubernetes.io/", "karpenter.sh/"))


def _by_weight(item: tuple[str, tuple[str, ...]]) -> tuple[int, str]:
    """Zones matter most, then types: these become pools of their own first."""
    key = item[0]
    return ({ZONE: 0, INSTANCE_TYPE: 1}.get(key, 2), key)
