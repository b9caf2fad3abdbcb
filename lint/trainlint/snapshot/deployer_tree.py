"""Deployers, with all that they bring: their objects, and the objects of the deployers among these."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from trainlint.deploy.context import ConfigMaps, DeployContext
from trainlint.deploy.deployment import HERE, Deployed, Deployment, Transformation, Variables, Way
from trainlint.deploy.kinds import DEPLOYER_KINDS, SOURCE_KINDS
from trainlint.deploy.read import deployed_by, is_deployer
from trainlint.deploy.sources import Sources
from trainlint.deploy.substitution import refused
from trainlint.finding import Unknown
from trainlint.model.settings import Settings
from trainlint.model.workload import ObjectRef
from trainlint.snapshot.closed_kinds import Opening
from trainlint.snapshot.cluster_builder import ClusterBuilder
from trainlint.snapshot.delivery import carried, changed, keeps_variables, marked
from trainlint.snapshot.missing_namespaces import unplaced
from trainlint.snapshot.objects import ApiObject
from trainlint.snapshot.path_objects import DeliveredObject, Reach
from trainlint.snapshot.repository import Repository
from trainlint.snapshot.substituted_variables import emptied
from trainlint.source.document import Field
from trainlint.source.kustomization_faults import BuildFault
from trainlint.source.reading import is_kustomization

__all__ = ["DeployerWalk"]

_REFERRED = DEPLOYER_KINDS | SOURCE_KINDS


class DeployerWalk:
    """Follows deployers from the first ones on; what was followed once for a cluster is not followed again."""

    def __init__(self, repository: Repository, sources: Sources) -> None:
        self.reach = Reach(repository)
        documents = (
            document
            for reading in repository.readings
            if is_kustomization(reading.file)
            for document in reading.documents
        )
        self._context = DeployContext(sources, ConfigMaps(sources, documents), _known(repository.objects))
        self._unclear: dict[ObjectRef, str] = {}
        self.clusters: dict[str, ClusterBuilder] = {}
        self._seen: set[tuple[str, str, str, str]] = set()
        self._glanced: dict[int, tuple[ApiObject, Deployed, frozenset[str]]] = {}

    def glance(self, deployer: ApiObject) -> tuple[Deployed, frozenset[str]]:
        """What a deployer brings as it is written, and the files of that."""
        known = self._glanced.get(id(deployer))
        if known is None:
            made = deployed_by(deployer.meta, deployer.field, self._context)
            files = frozenset[str]().union(*(self._files(each) for each in made.deployments))
            known = self._glanced[id(deployer)] = (deployer, made, files)  # kept, so that no other gets its number
        return known[1], known[2]

    def _files(self, deployment: Deployment) -> frozenset[str]:
        match deployment.way:
            case Way.DIRECTORY:
                return frozenset(each.item.file for each in self._objects(deployment))
            case Way.CHART:
                return self.reach.chart_files(deployment.path, deployment.at)
            case _:
                return self.reach.files(deployment.path)

    def _objects(self, deployment: Deployment) -> Iterator[DeliveredObject]:
        one = deployment
        match one.way:
            case Way.DIRECTORY:
                return self.reach.directory(one.path, recurse=one.recurse, include=one.include, exclude=one.exclude)
            case Way.CHART:
                return self.reach.chart(one.path, one.at)
            case _:
                return self.reach.objects(one.path)

    def cluster(self, name: str, why: str, stated: Settings | None = None) -> ClusterBuilder:
        """The cluster of this name, as far as it has grown."""
        return self.clusters.setdefault(name, ClusterBuilder(name, why, stated))

    def follow(self, home: ClusterBuilder, deployer: ApiObject) -> None:
        """Add everything to the clusters that follows from a deployer in the cluster ``home``."""
        pending = deque([(home, deployer)])
        while pending:
            cluster, here = pending.popleft()
            made = self.glance(here)[0]
            doubt = self._unclear.get(here.ref)
            cluster.unknowns += made.unknowns
            cluster.contested += made.contested
            if made.closed:
                cluster.followed.add(here.ref)
            for release in made.releases:
                self._target(cluster, release.cluster, release.by).releases.append(release)
            for deployment in made.deployments if doubt is None else map(partial(_doubted, doubt), made.deployments):
                target = self._target(cluster, deployment.cluster, deployment.by)
                key = (target.name, deployment.by, deployment.path, deployment.namespace)
                if key not in self._seen:
                    self._seen.add(key)
                    target.fed = True
                    pending.extend((target, each) for each in self.bring(target, deployment))

    def _target(self, cluster: ClusterBuilder, name: str, by: str) -> ClusterBuilder:
        return cluster if name == HERE else self.cluster(name, f"{by} deploys to it")

    def bring(self, cluster: ClusterBuilder, deployment: Deployment) -> list[ApiObject]:
        """Add what a deployment brings to a cluster; the deployers among it."""
        cluster.deployments.append(deployment)
        cluster.assumes += deployment.assumes
        if deployment.way is Way.CHART and not self.reach.renders(deployment.path, deployment.at):
            cluster.open.setdefault(deployment.namespace, Opening(deployment.kind, deployment.by))
            cluster.unknowns += _unrendered(deployment)
        cluster.files |= self._files(deployment)
        cluster.files |= frozenset[str]().union(*map(self.reach.files, deployment.components))
        if self._fails(cluster, deployment):
            return []
        bringing, changes, changing = self._bringing(deployment)
        items = [self._moved(each, deployment, changes, changing) for each in bringing]
        wrong = next(filter(None, (self._unreadable(item, deployment) for item, by in items if not by)), None)
        if wrong is not None:
            _gives_up(cluster, deployment, (wrong,))
            return []
        found: list[ApiObject] = []
        for before, by in items:
            item = marked(carried(before, variables=deployment.variables), deployment.common)
            if by:
                cluster.unrendered.setdefault(item.file, by)
                self._unclear.setdefault(item.ref, by)
            else:
                cluster.brought.append((item, deployment))
                lost = emptied(before, deployment)
                cluster.emptied += [lost] if lost is not None else []
            cluster.objects.append(item)
            if is_deployer(item.meta):
                found.append(item)
        return found

    @staticmethod
    def _moved(
        brought: DeliveredObject, deployment: Deployment, changes: Sequence[Transformation], changing: str
    ) -> tuple[ApiObject, str]:
        """An object in the namespace that it is deployed to, with the changes that can be told, and what else changes
        it.
        """
        item = brought.item
        if brought.namespace:
            item = carried(item, namespace=brought.namespace, moves=True)
        item = carried(item, namespace=deployment.namespace, moves=deployment.moves)
        item, unclear = changed(item, changes)
        return item, brought.by or unclear or changing

    @staticmethod
    def _unreadable(item: ApiObject, deployment: Deployment) -> BuildFault | None:
        """The fault of an object in which Flux cannot replace variables."""
        if deployment.variables is None or not deployment.variables.values or keeps_variables(item):
            return None
        found = refused(item.field.value)
        if found is None:
            return None
        path, written = found
        at = item.field.down(*path).at
        what = f"holds {written}, which Flux reads as no substitution, so it refuses everything in the path"
        remedy = "write $${ where the text is meant for a shell, or take the object out of the substitution: "
        remedy += "kustomize.toolkit.fluxcd.io/substitute: disabled"
        return BuildFault(deployment.path, at, what, remedy, subject=str(item.ref))

    def _fails(self, cluster: ClusterBuilder, deployment: Deployment) -> bool:
        """Whether the path does not build: then nothing of it is applied, and what was applied before is unknown."""
        if deployment.way is not Way.KUSTOMIZE or not deployment.insists:
            return False
        faults = self.reach.faults(deployment.path, deployment.overlay)
        if not faults:
            homeless = unplaced(deployment, self.reach, self._context.sources.library)
            faults = (homeless,) if homeless is not None else ()
        if not faults:
            return False
        _gives_up(cluster, deployment, faults)
        return True

    def _bringing(self, deployment: Deployment) -> tuple[Iterable[DeliveredObject], Sequence[Transformation], str]:
        """The objects of a deployment, the changes that they still need, and what else changes them."""
        made = self.reach.with_deployer_fields(deployment.path, deployment.overlay)
        if made is not None:  # with everything that the deployer adds
            return self.reach.made(made), (), ""
        if self.reach.refuses(deployment.path, deployment.overlay):  # then it is unknown what is deployed, if anything
            changing = deployment.path or "."
        else:
            changing = next(filter(None, map(self.reach.changer, deployment.components)), "")
        components = map(self.reach.objects, deployment.components)
        return chain(self._objects(deployment), *components), deployment.changes, changing


def _gives_up(cluster: ClusterBuilder, deployment: Deployment, faults: Iterable[BuildFault]) -> None:
    """Nothing of a path is applied, and what was applied before is unknown."""
    cluster.unbuilt += [(fault, deployment) for fault in faults]
    cluster.open.setdefault("", Opening(deployment.kind, deployment.by))
    missing = f"what is applied of {deployment.path or '.'}: it does not build, so what it brought before stays"
    cluster.unknowns.append(Unknown(deployment.by, missing, "fix what keeps it from being built", deployment.at))


def _unrendered(deployment: Deployment) -> Iterator[Unknown]:
    """What keeps a chart from being rendered as it is installed, if its values do."""
    values = deployment.release.values if deployment.release is not None else ()
    missing = next((each.missing for each in values if each.missing), "")
    if missing:
        yield Unknown(
            deployment.by,
            f"what its chart {deployment.path or '.'} makes: its values come from {missing}, which is not in Git",
            "lint what it makes: helm template CHART --values FILE | trainlint check -",
            deployment.at,
        )


def _doubted(why: str, deployment: Deployment) -> Deployment:
    """What a deployer brings that something changes which was not rendered: it may fill in other variables."""
    values = deployment.variables.values if deployment.variables is not None else {}
    missing = deployment.variables.missing if deployment.variables is not None else ()
    return replace(deployment, variables=Variables(values, (*missing, why)), refuses_unplaced=False)


def _known(objects: Iterable[ApiObject]) -> dict[tuple[str, str, str], Field]:
    found: dict[tuple[str, str, str], Field] = {}
    for each in objects:
        if (each.meta.api_group, each.meta.kind) in _REFERRED:
            found.setdefault((each.meta.kind, each.meta.namespace, each.meta.name), each.field)
    return found
