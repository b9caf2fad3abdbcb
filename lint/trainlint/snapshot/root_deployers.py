"""The deployers that were put into a cluster by hand, from which everything else follows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from trainlint.deploy.deployment import HERE, Deployment, Way
from trainlint.deploy.read import is_deployer
from trainlint.snapshot.deployer_tree import DeployerWalk
from trainlint.snapshot.objects import ApiObject

__all__ = ["First", "first_deployers"]

First = tuple[ApiObject, tuple[str, ...]]
"""A deployer with the paths that it deploys and in which it lies itself."""

LEADERS: Final = frozenset({"Application", "ApplicationSet", "FluxInstance", "Kustomization"})
ORIGINS: Final = frozenset({"GitRepository", "OCIRepository"})


def first_deployers(
    deployers: Sequence[ApiObject], objects: Iterable[ApiObject], follower: DeployerWalk
) -> list[First]:
    """Those that no other one brings; of several that bring each other, the one that brings most.

    A deployer that only installs charts shows no cluster. Where Flux manages itself, its other Kustomizations that no
    deployer brings are not in use.
    """
    return _Choice([each for each in deployers if _leads(each, follower)], objects, follower).made()


def _leads(deployer: ApiObject, follower: DeployerWalk) -> bool:
    return deployer.meta.kind in LEADERS or any(
        made.way is not Way.CHART for made in follower.glance(deployer)[0].deployments
    )


class _Choice:
    def __init__(self, deployers: Sequence[ApiObject], objects: Iterable[ApiObject], follower: DeployerWalk) -> None:
        self._deployers = deployers
        self._files = {id(each): follower.glance(each)[1] for each in deployers}
        at_home: dict[str, list[ApiObject]] = defaultdict(list)
        for each in deployers:
            at_home[each.file].append(each)
        self._at_home = at_home
        self._sources = {each.file for each in objects if each.meta.kind in ORIGINS and not is_deployer(each.meta)}
        self._own = {
            id(each): tuple(
                made.path
                for made in follower.glance(each)[0].deployments
                if made.cluster == HERE and self._manages(each, made)
            )
            for each in deployers
        }
        self._found: list[First] = []
        self._reached: set[int] = set()

    def made(self) -> list[First]:
        """The first ones, those that manage themselves before the others."""
        brought = {
            file
            for each in self._deployers
            for file in self._files[id(each)]
            if file != each.file or not self._own[id(each)]
        }
        managers = [each for each in self._deployers if self._own[id(each)]]
        self._take(each for each in managers if each.file not in brought)
        self._take(managers)
        flux = any(each.meta.kind == "Kustomization" for each in managers)
        others = [each for each in self._deployers if not (flux and each.meta.kind == "Kustomization")]
        self._take(each for each in others if each.file not in brought)
        self._take(others)
        return self._found

    def _take(self, chosen: Iterable[ApiObject]) -> None:
        for each in sorted(chosen, key=lambda one: (-len(self._files[id(one)]), one.file)):
            if id(each) not in self._reached:
                self._found.append((each, self._own[id(each)]))
                self._spread(each)

    def _spread(self, start: ApiObject) -> None:
        pending = [start]
        while pending:
            here = pending.pop()
            if id(here) not in self._reached:
                self._reached.add(id(here))
                pending.extend(one for file in self._files[id(here)] for one in self._at_home.get(file, ()))

    def _manages(self, deployer: ApiObject, made: Deployment) -> bool:
        """Whether a deployer lies in the directory that it deploys, with other deployers or its own source."""
        if made.path and not deployer.file.startswith(f"{made.path}/"):
            return False
        others = {file for file in self._files[id(deployer)] if file != deployer.file} & self._at_home.keys()
        return bool(others) or len(self._at_home[deployer.file]) > 1 or deployer.file in self._sources
