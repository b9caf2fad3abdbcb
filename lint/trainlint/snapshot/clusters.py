"""Which clusters the repository makes: those that the configuration names, and those whose deployers are here."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.deploy.deployment import Deployment
from trainlint.deploy.read import is_deployer
from trainlint.model.settings import Settings
from trainlint.snapshot.alternative_parts import parts
from trainlint.snapshot.alternative_sets import find_alternatives
from trainlint.snapshot.cluster_builder import Cluster
from trainlint.snapshot.deployer_tree import DeployerWalk
from trainlint.snapshot.objects import ApiObject
from trainlint.snapshot.repository import Repository
from trainlint.snapshot.root_deployers import First, first_deployers
from trainlint.source.reading import is_kustomization

__all__ = ["find_clusters"]

IN_CLUSTER: Final = "in-cluster"
CLUSTERS: Final = frozenset({"cluster", "clusters"})
COMMON: Final = frozenset(
    {"apps", "argocd", "base", "bootstrap", "cluster", "clusters", "config", "deploy", "flux", "flux-system", "gitops"}
    | {"infrastructure", "k8s", "kube", "kubernetes", "manifests", "overlays"}
)
"""Directories that say what lies there, and not for which cluster."""


def find_clusters(repository: Repository, settings: Sequence[Settings], follower: DeployerWalk) -> tuple[Cluster, ...]:
    """The clusters of the repository, those of the configuration first; none where nothing tells them apart."""
    deployers = [each for each in repository.objects if is_deployer(each.meta)]
    if not deployers and not any(each.paths for each in settings):
        return ()
    for stated in settings:
        if stated.paths:
            _state(stated, follower)
    taken = {file for cluster in follower.clusters.values() for file in cluster.files}
    waiting = [each for each in deployers if each.file not in taken]
    for name, why, first in _planes(first_deployers(waiting, repository.objects, follower)):
        cluster = follower.cluster(name, why)
        for each in first:
            follower.follow(cluster, each)
        for each in first:
            home = posixpath.dirname(each.file) if is_kustomization(each.file) else each.file
            follower.bring(cluster, Deployment(str(each.ref), each.field.at, home, insists=False))
    return tuple(each.grown() for each in follower.clusters.values() if each.fed)


def _state(settings: Settings, follower: DeployerWalk) -> None:
    """A cluster of the configuration: what its paths hold, and what deployers in them bring."""
    cluster = follower.cluster(settings.cluster, "trainlint.yaml names its paths", settings)
    cluster.fed = True
    by = f"cluster {settings.cluster} of trainlint.yaml"
    found = [
        each
        for path in settings.paths
        for each in follower.bring(cluster, Deployment(by, None, path, namespace=settings.namespace, insists=False))
    ]
    for each in found:
        follower.follow(cluster, each)


def _planes(first: Sequence[First]) -> Iterator[tuple[str, str, list[ApiObject]]]:
    """The clusters in which the first deployers are: one for each that manages its own directory, and one for the
    others, or several where they define one deployer differently in several directories.
    """
    names: dict[str, ApiObject] = {}
    for each, paths in first:
        if paths:
            name = _name_of(paths[0])
            names[name if name not in names else paths[0]] = each
    for name, each in names.items():
        yield name, f"{each.ref} in {each.file} manages itself there", [each]
    others = [each for each, paths in first if not paths]
    if not others:
        return
    for part in parts(find_alternatives(others, {}, wholly=True), alone=True):
        members = [each for each in others if part.holds(each.file)]
        name = _common_name(members) if part.name == "." else _name_of(part.name)
        more = " and those beside it" if len(members) > 1 else ""
        yield name, f"{members[0].ref} in {members[0].file}{more} deploy{'' if more else 's'} to it", members


def _common_name(members: Sequence[ApiObject]) -> str:
    """The name of a cluster all of whose deployers are in one ``clusters/NAME``."""
    names = {_name_of(each.file) if CLUSTERS.intersection(each.file.split("/")) else IN_CLUSTER for each in members}
    return names.pop() if len(names) == 1 else IN_CLUSTER


def _name_of(path: str) -> str:
    """The name of a cluster whose first deployer is in a directory: ``clusters/NAME/...``, or the last step that says
    more than what lies there.
    """
    steps = [step for step in path.split("/") if step]
    names = [step for step in steps if step not in COMMON]
    for index, step in enumerate(steps):
        if step in CLUSTERS:
            below = [each for each in steps[index + 1 :] if each not in COMMON]
            return below[0] if below else IN_CLUSTER
    return names[-1] if names else IN_CLUSTER
