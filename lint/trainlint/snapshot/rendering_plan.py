"""What must be rendered because a deployer names it: kustomizations by themselves, charts as they are installed."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.deploy.deployment import Release, Way
from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.snapshot.cluster_builder import Cluster
from trainlint.snapshot.path_objects import Reach
from trainlint.snapshot.repository import Repository
from trainlint.source.rendered_root import BuildRoot

__all__ = ["RenderingPlan", "planned"]


@fact
class RenderingPlan:
    """``kustomizations`` are built by themselves; ``charts`` the releases of charts in the repository, each with the
    place of who installs it.
    """

    kustomizations: tuple[BuildRoot, ...] = ()
    charts: tuple[tuple[Release, Location | None], ...] = ()


def planned(repository: Repository, clusters: Iterable[Cluster]) -> RenderingPlan:
    """What the deployers that are known by now name."""
    reach = Reach(repository)
    deployments = [each for cluster in clusters for each in cluster.deployments]
    built = dict.fromkeys(
        BuildRoot(root, unrestricted=each.unrestricted, overlay=each.overlay if root == each.path else None)
        for each in deployments
        if each.way is Way.KUSTOMIZE
        for path in (each.path, *each.components)
        for root in reach.roots(path)
    )
    charts: list[tuple[Release, Location | None]] = []
    for each in deployments:
        if each.way is Way.CHART and each.release is not None and (each.release, each.at) not in charts:
            charts.append((each.release, each.at))  # once, where it is installed in several clusters
    return RenderingPlan(tuple(built), tuple(charts))
