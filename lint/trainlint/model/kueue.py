"""Kueue's queues: what decides whether a workload is admitted, and onto which nodes (S 2.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.known import Known
from trainlint.model.pod import Toleration
from trainlint.model.pool import Taint
from trainlint.model.selector import LabelSelector, Requirement

__all__ = ["ClusterQueue", "Cohort", "Flavor", "LocalQueue", "Queues", "Quota", "ResourceGroup"]


@fact
class LocalQueue:
    """A LocalQueue: the door of a namespace to a ClusterQueue; ``stopped`` is its stopPolicy, if it holds."""

    namespace: str
    name: str
    cluster_queue: Known[str]
    stopped: str = ""
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class Quota:
    """What a ClusterQueue has of one resource in one flavor; ``None`` for a limit that is not set."""

    nominal: Known[str]
    borrowing: Known[str] | None = None
    lending: Known[str] | None = None
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class ResourceGroup:
    """Resources that are counted together, and the flavors that they may come in, each with its quotas."""

    covered: tuple[str, ...]
    flavors: Mapping[str, Mapping[str, Quota]]
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class ClusterQueue:
    """A ClusterQueue. ``namespace_selector`` is ``None`` where it is not there: then no namespace may use it."""

    name: str
    groups: tuple[ResourceGroup, ...] = ()
    cohort: str = ""
    namespace_selector: LabelSelector | None = None
    stopped: str = ""
    checks: tuple[str, ...] = ()
    undetermined: bool = False
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class Cohort:
    """A Cohort: queues and other cohorts that lend to each other; it may have quotas and a parent of its own."""

    name: str
    parent: str = ""
    groups: tuple[ResourceGroup, ...] = ()
    undetermined: bool = False
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class Flavor:
    """A ResourceFlavor: which nodes it stands for, and what Kueue adds to pods that it admits onto them."""

    name: str
    node_labels: tuple[Requirement, ...] = ()
    node_taints: tuple[Taint, ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    topology: str = ""
    undetermined: bool = False
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class Queues:
    """Everything of Kueue in a snapshot. ``cohorts`` are those that are objects of their own; ``checks`` are names of
    AdmissionChecks; ``topologies`` map names to the node labels of their levels.
    """

    local: Mapping[tuple[str, str], LocalQueue] = field(default_factory=dict)
    cluster: Mapping[str, ClusterQueue] = field(default_factory=dict)
    flavors: Mapping[str, Flavor] = field(default_factory=dict)
    topologies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    checks: frozenset[str] = frozenset()
    cohorts: Mapping[str, Cohort] = field(default_factory=dict)
