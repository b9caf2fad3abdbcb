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

__all__ = [
    "MULTIKUEUE",
    "PROVISIONING",
    "AdmissionCheck",
    "ClusterQueue",
    "Cohort",
    "Flavor",
    "LocalQueue",
    "MultiKueueConfig",
    "Queues",
    "Quota",
    "ResourceGroup",
]

MULTIKUEUE = "kueue.x-k8s.io/multikueue"
PROVISIONING = "kueue.x-k8s.io/provisioning-request"
"""Controllers of admission checks."""


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
    """A ClusterQueue. ``namespace_selector`` is ``None`` where it is not there: then no namespace may use it.

    ``on_flavors`` are the flavors for which a check counts, where it does not count for all.
    """

    name: str
    groups: tuple[ResourceGroup, ...] = ()
    cohort: str = ""
    namespace_selector: LabelSelector | None = None
    stopped: str = ""
    checks: tuple[str, ...] = ()
    on_flavors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    borrows_last: bool = False
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
class AdmissionCheck:
    """An AdmissionCheck: ``parameters`` are kind and name of its configuration, ``active`` what its status says."""

    name: str
    controller: str = ""
    parameters: tuple[str, str] = ("", "")
    active: bool | None = None
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class MultiKueueConfig:
    """The worker clusters that a MultiKueueConfig names."""

    name: str
    clusters: tuple[str, ...]
    undetermined: bool = False
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class Queues:
    """Everything of Kueue in a snapshot. ``cohorts`` are those that are objects of their own; ``topologies`` map names
    to the node labels of their levels; ``remotes`` are the MultiKueueClusters, with their places.
    """

    local: Mapping[tuple[str, str], LocalQueue] = field(default_factory=dict)
    cluster: Mapping[str, ClusterQueue] = field(default_factory=dict)
    flavors: Mapping[str, Flavor] = field(default_factory=dict)
    topologies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    checks: Mapping[str, AdmissionCheck] = field(default_factory=dict)
    cohorts: Mapping[str, Cohort] = field(default_factory=dict)
    configs: Mapping[str, MultiKueueConfig] = field(default_factory=dict)
    remotes: Mapping[str, Location] = field(default_factory=dict)
