"""What is deployed to one cluster, and how it is gathered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from trainlint.deploy.deployment import Deployment, Release, Way
from trainlint.fact import fact
from trainlint.finding import Location, Unknown
from trainlint.model.because import Because
from trainlint.model.settings import Settings
from trainlint.model.workload import ObjectRef
from trainlint.snapshot.build_faults import UnbuiltPath
from trainlint.snapshot.closed_kinds import Opening
from trainlint.snapshot.objects import ApiObject
from trainlint.snapshot.substituted_variables import EmptiedVariables
from trainlint.source.kustomization_faults import BuildFault

__all__ = ["Cluster", "ClusterBuilder", "Fleet", "deployed_unbuilt"]


@fact(eq=False)
class Cluster:
    """What is deployed to one cluster.

    ``files`` are those whose objects it takes, ``unrendered`` maps some of them to what would change their objects.
    ``followed`` are the deployers of which everything is here, ``open`` maps namespaces to what may add objects there.
    ``brought`` are the objects of which it is known how their deployer applies them. ``unbuilt`` are deployments of
    which nothing is applied, each with the fault. ``emptied`` are the variables that deployers replace.
    ``stated`` are the settings whose paths make it.
    """

    name: str
    why: str
    objects: tuple[ApiObject, ...]
    files: frozenset[str]
    unrendered: Mapping[str, str]
    followed: frozenset[ObjectRef]
    releases: tuple[Release, ...]
    unknowns: tuple[Unknown, ...]
    assumes: tuple[Because, ...]
    stated: Settings | None = None
    deployments: tuple[Deployment, ...] = ()
    brought: tuple[tuple[ApiObject, Deployment], ...] = ()
    open: Mapping[str, Opening] = field(default_factory=dict)
    unbuilt: tuple[tuple[BuildFault, Deployment], ...] = ()
    emptied: tuple[EmptiedVariables, ...] = ()

    def covers(self, file: str) -> bool:
        """Whether a file, of whatever content, lies in what is deployed to the cluster."""
        return file in self.files or any(
            each.way is not Way.CHART and (not each.path or file.startswith(f"{each.path}/"))
            for each in self.deployments
        )


@dataclass
class ClusterBuilder:
    """A cluster while its deployers are followed."""

    name: str
    why: str
    stated: Settings | None = None
    objects: list[ApiObject] = field(default_factory=list)
    files: set[str] = field(default_factory=set)
    unrendered: dict[str, str] = field(default_factory=dict)
    followed: set[ObjectRef] = field(default_factory=set)
    releases: list[Release] = field(default_factory=list)
    unknowns: list[Unknown] = field(default_factory=list)
    contested: list[Unknown] = field(default_factory=list)
    assumes: list[Because] = field(default_factory=list)
    fed: bool = False
    deployments: list[Deployment] = field(default_factory=list)
    brought: list[tuple[ApiObject, Deployment]] = field(default_factory=list)
    open: dict[str, Opening] = field(default_factory=dict)
    unbuilt: list[tuple[BuildFault, Deployment]] = field(default_factory=list)
    emptied: list[EmptiedVariables] = field(default_factory=list)

    def grown(self) -> Cluster:
        """What has come together."""
        return Cluster(
            self.name,
            self.why,
            tuple(self.objects),
            frozenset(self.files),
            self.unrendered,
            frozenset(self.followed),
            tuple(self.releases),
            tuple(dict.fromkeys(self.unknowns)),
            tuple(dict.fromkeys(self.assumes)),
            self.stated,
            tuple(self.deployments),
            tuple(self.brought),
            self.open,
            tuple(self.unbuilt),
            tuple(self.emptied),
        )


@fact(eq=False)
class Fleet:
    """The clusters of a repository, and the charts that are installed by what belongs to none of them, by file.

    ``unknowns`` are those of deployers whose repository this one may be, or not.
    """

    clusters: tuple[Cluster, ...] = ()
    charts: tuple[tuple[str, Release], ...] = ()
    unknowns: tuple[Unknown, ...] = ()


def deployed_unbuilt(tops: Iterable[UnbuiltPath], clusters: Sequence[Cluster]) -> Iterator[UnbuiltPath]:
    """The faults of what is deployed, with who deploys it, and those of other kustomizations at the ``tops``."""
    found: dict[BuildFault, dict[tuple[str, Location | None], None]] = {}
    for cluster in clusters:
        for fault, deployment in cluster.unbuilt:
            found.setdefault(fault, {})[deployment.by, deployment.at] = None
    yield from (UnbuiltPath(fault, tuple(deployers)) for fault, deployers in found.items())
    for each in tops:
        if each.fault not in found:
            stated = any(cluster.stated and cluster.covers(each.fault.at.file) for cluster in clusters)
            yield replace(each, unused=not stated)
