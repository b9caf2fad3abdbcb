"""The clusters of a repository with what is installed on them, and what else is installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.deploy.deployment import Release
from trainlint.deploy.inflated_charts import inflated
from trainlint.deploy.read import is_deployer
from trainlint.deploy.sources import Sources
from trainlint.model.settings import Settings
from trainlint.snapshot.cluster_builder import Fleet
from trainlint.snapshot.clusters import find_clusters
from trainlint.snapshot.deployer_tree import DeployerWalk
from trainlint.snapshot.repository import Repository
from trainlint.source.library import Library
from trainlint.source.reading import is_kustomization

__all__ = ["find_fleet"]


def find_fleet(repository: Repository, settings: Sequence[Settings], sources: Sources) -> Fleet:
    """Everything that deployers say, and what configures a network plugin by itself."""
    follower = DeployerWalk(repository, sources)
    clusters = find_clusters(repository, settings, follower)
    idle = (each for cluster in follower.clusters.values() if not cluster.fed for each in cluster.contested)
    return Fleet(clusters, tuple(_charts(repository, sources.library, follower)), tuple(dict.fromkeys(idle)))


def _charts(repository: Repository, library: Library, follower: DeployerWalk) -> Iterator[tuple[str, Release]]:
    for item in repository.objects:
        if is_deployer(item.meta):
            for release in follower.glance(item)[0].releases:
                yield item.file, release
    for reading in repository.readings:
        if is_kustomization(reading.file):
            for document in reading.documents:
                for release in inflated(document, library):
                    yield reading.file, release
