"""What is true of the cluster and stands in no manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.because import Because
from trainlint.model.definition import Definition
from trainlint.model.selector import LabelSelector

__all__ = [
    "EXTENDED_RESOURCE_TOLERATION",
    "NEWEST_CILIUM",
    "NEWEST_KUBERNETES",
    "ZONE",
    "Cni",
    "DescribedFlow",
    "DescribedKind",
    "DescribedRole",
    "KueueManager",
    "SelectedGroup",
    "Settings",
]

ZONE = "topology.kubernetes.io/zone"

EXTENDED_RESOURCE_TOLERATION = "ExtendedResourceToleration"
"""The admission plugin that tolerates taints named like a resource for the pods that ask for it."""

NEWEST_KUBERNETES = "1.37"
NEWEST_CILIUM = "1.20"


@fact
class Cni:
    """The network plugin: its name in lower case, version and options.

    ``stated`` is false where neither the configuration nor what installs it states it; the snapshot then decides
    from the kinds of policies that it holds, and an empty name is an unknown plugin.
    """

    name: str = "cilium"
    version: str = NEWEST_CILIUM
    options: Mapping[str, str] = field(default_factory=dict)
    stated: bool = False
    version_stated: bool = False


@fact
class DescribedRole:
    """Where one role of a kind sits: ``at`` from the object, the other paths from there; ``*`` is each element.

    ``replicas`` is a path, or the number itself. ``ranks`` says that the pods exchange data.
    """

    name: str = ""
    at: tuple[str, ...] = ()
    template: tuple[str, ...] = ("template",)
    replicas: tuple[str, ...] | int = ("replicas",)
    name_at: tuple[str, ...] = ()
    ranks: bool = True


@fact
class DescribedFlow:
    """A connection between two roles of a kind, by their names."""

    source: str
    target: str
    port: int
    protocol: str = "TCP"


@fact
class DescribedKind:
    """A kind that the configuration describes; an empty ``group`` is any API group."""

    kind: str
    group: str = ""
    roles: tuple[DescribedRole, ...] = ()
    flows: tuple[DescribedFlow, ...] = ()


@fact
class SelectedGroup:
    """A group that the configuration declares: the objects whose pods carry these labels in its namespace."""

    name: str
    namespace: str
    labels: Mapping[str, str]


@fact
class KueueManager:
    """Which objects Kueue manages: kinds by the names of its integrations (``batch/job``, ``pod``), ``external`` ones
    as ``Kind.version.group``. With ``all_jobs`` also those that name no queue, in the ``namespaces`` that match.
    ``version`` is that of Kueue (major and minor), where Git says it.
    """

    frameworks: frozenset[str]
    external: frozenset[str] = frozenset()
    all_jobs: bool = False
    namespaces: LabelSelector | None = None
    version: tuple[int, int] | None = None
    at: Location | None = field(default=None, compare=False)
    selector_at: Location | None = field(default=None, compare=False)


@fact
class Settings:
    """Settings of one cluster; the defaults are the newest supported versions and no extra admission plugin.

    ``platform_unknown`` says that neither the configuration nor the manifests show which platform it is, so that what
    platforms add by themselves is not known.

    ``paths`` are files and directories that are deployed to it (none: not stated), ``namespace`` that of objects
    that name none, ``inventories`` the files that describe its nodes. ``closed`` are the kinds of which Git holds all
    objects. ``nodes`` is ``open`` or ``closed`` where it is stated whether there may be nodes that Git does not
    describe. ``kueue`` is how Kueue is configured, where that is known, and ``operators`` which release of each is
    installed (major and minor, by its name). ``definitions`` are the CRDs in Git by API group and kind, of kinds
    that are used.
    """

    cluster: str = ""
    kubernetes: str = NEWEST_KUBERNETES
    kubernetes_stated: bool = False
    profile: str = "generic"
    profile_stated: bool = False
    platform_unknown: bool = False
    cni: Cni = field(default_factory=Cni)
    admission: frozenset[str] = frozenset()
    topology_key: str = ZONE
    cross_zone_allowed: frozenset[str] = frozenset()
    assumptions: tuple[Because, ...] = ()
    workloads: tuple[DescribedKind, ...] = ()
    groups: tuple[SelectedGroup, ...] = ()
    paths: tuple[str, ...] = ()
    namespace: str = ""
    inventories: tuple[str, ...] = ()
    closed: frozenset[str] = frozenset()
    nodes: str = ""
    kueue: KueueManager | None = None
    operators: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    definitions: Mapping[tuple[str, str], Definition] = field(default_factory=dict)
