"""The objects that a path of the repository brings when it is deployed."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.snapshot.objects import ApiObject
from trainlint.snapshot.repository import Repository
from trainlint.source.glob import matches
from trainlint.source.kustomization import Kustomization
from trainlint.source.kustomization_faults import BuildFault
from trainlint.source.reading import is_kustomization
from trainlint.source.rendered_root import Overlay, RenderedRoot

__all__ = ["DeliveredObject", "Reach"]

_NEUTRAL = frozenset({"components", "namespace"})
"""Fields of a kustomization that are followed here: what its components change is seen in them."""


@fact
class DeliveredObject:
    """An object on its way: ``namespace`` is what a kustomization moves it into, ``by`` the kustomization that changes
    it and was not rendered.
    """

    item: ApiObject
    namespace: str = ""
    by: str = ""


class Reach:
    """Which objects a directory brings: as a kustomization that was rendered or not, as a chart, or file by file."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._kustomizations = repository.kustomizations
        self._builds = {
            (posixpath.dirname(each.root), each.overlay): each
            for each in repository.rendered
            if is_kustomization(each.root) and not each.failed
        }
        self._failed = {(posixpath.dirname(each.root), each.overlay) for each in repository.rendered if each.failed}
        self._charts = {(each.chart, each.at): each for each in repository.rendered if each.chart and not each.failed}

    @cached_property
    def _by_document(self) -> Mapping[int, tuple[ApiObject, ...]]:
        """The objects of each document, by the identity of that."""
        found: dict[int, list[ApiObject]] = defaultdict(list)
        for each in self._repository.objects:
            found[id(each.field.document)].append(each)
        return {number: tuple(items) for number, items in found.items()}

    @cached_property
    def _by_file(self) -> Mapping[str, tuple[ApiObject, ...]]:
        """The objects that were not rendered, by file."""
        made = {id(document) for each in self._repository.rendered for document in each.documents}
        found: dict[str, list[ApiObject]] = defaultdict(list)
        for each in self._repository.objects:
            if id(each.field.document) not in made:
                found[each.file].append(each)
        return {file: tuple(items) for file, items in found.items()}

    @cached_property
    def _files(self) -> tuple[str, ...]:
        """The files that hold objects, or did before they were rendered."""
        return tuple(dict.fromkeys([*self._by_file, *sorted(self._repository.rendered_files)]))

    def kustomization(self, directory: str) -> Kustomization | None:
        """The kustomization in a directory, by any name that leads to it; ``None`` where there is none."""
        return self._kustomizations.get(directory) or self._kustomizations.get(self._repository.real(directory))

    def roots(self, path: str) -> tuple[str, ...]:
        """The kustomizations that a deployer of the path builds."""
        return (path,) if path in self._kustomizations else self._topmost(path)

    def renders(self, chart: str, at: Location | None) -> bool:
        """Whether a chart was rendered as a deployer installs it."""
        return (chart or ".", at) in self._charts

    def chart(self, directory: str, at: Location | None) -> Iterator[DeliveredObject]:
        """What a chart makes as it is installed there; nothing where it was not rendered."""
        yield from self._of(self._charts.get((directory or ".", at)))

    def chart_files(self, directory: str, at: Location | None) -> frozenset[str]:
        """The files for which that stands, and the one in which it stands. Of a chart that was not rendered as it is
        installed, those in which it stands otherwise: that is not what is deployed.
        """
        made = self._charts.get((directory or ".", at))
        if made is not None:
            return made.files | {made.root}
        others = [each for (chart, _), each in self._charts.items() if chart == (directory or ".")]
        return frozenset().union(*(each.files | {each.root} for each in others if each.undeployed))

    def with_deployer_fields(self, path: str, overlay: Overlay | None) -> RenderedRoot | None:
        """What the kustomization in a directory makes with what its deployer adds; ``None`` where it was not rendered
        so.
        """
        return self._builds.get((path, overlay.key)) if overlay is not None else None

    def refuses(self, path: str, overlay: Overlay | None) -> bool:
        """Whether that was tried, and does not build."""
        return overlay is not None and (path, overlay.key) in self._failed

    def faults(self, path: str, overlay: Overlay | None) -> tuple[BuildFault, ...]:
        """Why nothing of the path is applied: what keeps it, or a kustomization that it brings, from being built."""
        found = self._repository.faults
        if overlay is not None and path in self._kustomizations:
            if (path, overlay.key) in self._builds:
                return ()
            if (path, overlay.key) in found:
                return found[path, overlay.key]
        return tuple(fault for root in self.roots(path) for fault in found.get((root, ""), ()))

    def made(self, rendered: RenderedRoot) -> Iterator[DeliveredObject]:
        """The objects that were rendered."""
        yield from self._of(rendered)

    def files(self, path: str) -> frozenset[str]:
        """The files whose objects nothing else deploys, once the path is deployed."""
        return frozenset(self._covered(path))

    def objects(self, path: str) -> Iterator[DeliveredObject]:
        """The objects of a file, or of a directory as Flux takes it: the kustomization in it, or all that is below."""
        if path in self._by_file or is_kustomization(path):
            yield from self._plain(path)
        elif path in self._kustomizations:
            yield from self._built(path)
        else:
            yield from self._below(path)

    def changer(self, component: str) -> str:
        """The component, if it changes the objects of others beyond their namespace; else an empty text."""
        one = self._kustomizations.get(component)
        return "" if one is not None and not self._changes(one) else f"the component {component}"

    def directory(self, path: str, *, recurse: bool, include: str, exclude: str) -> Iterator[DeliveredObject]:
        """The objects of the manifests of a plain directory, as Argo CD takes it."""
        for file in self._files:
            below = self.below(file, path)
            if below is None or is_kustomization(file) or ("/" in below and not recurse):
                continue
            if (not include or _matches(below, include)) and not (exclude and _matches(below, exclude)):
                yield from self._plain(file)

    @staticmethod
    def below(file: str, path: str) -> str | None:
        """The name of a file from a directory on; ``None`` where it is not below."""
        if not path:
            return file
        return file[len(path) + 1 :] if file.startswith(f"{path}/") else None

    def _plain(self, file: str) -> Iterator[DeliveredObject]:
        for item in self._by_file.get(file) or self._repository.as_written(file):
            yield DeliveredObject(item)

    def _of(self, made: RenderedRoot | None) -> Iterator[DeliveredObject]:
        for document in made.documents if made is not None else ():
            for item in self._by_document.get(id(document), ()):
                yield DeliveredObject(item)

    def _below(self, path: str) -> Iterator[DeliveredObject]:
        roots = self._topmost(path)
        for root in roots:
            yield from self._built(root)
        for file in self._files:
            if self.below(file, path) is not None and not any(self.below(file, root) is not None for root in roots):
                yield from self._plain(file)

    def _topmost(self, path: str) -> tuple[str, ...]:
        """The kustomizations below a directory that are in no other one's directory."""
        found: list[str] = []
        for directory in sorted(self._kustomizations):
            inside = self.below(directory, path) is not None and directory != path
            if inside and not any(self.below(directory, other) is not None for other in found):
                found.append(directory)
        return tuple(found)

    def _built(self, root: str) -> Iterator[DeliveredObject]:
        made = self._builds.get((root, ""))
        if made is not None:
            yield from self._of(made)
        elif root in self._kustomizations:
            yield from self._unrendered(root, "", "", ())

    def _unrendered(self, directory: str, namespace: str, by: str, above: tuple[str, ...]) -> Iterator[DeliveredObject]:
        """What a kustomization brings as it is written; its own namespace is overruled by those above it."""
        one = self._kustomizations[directory]
        namespace = namespace or self._namespace(one)
        if not by and self._changes(one):
            by = directory or "."
        for name in one.resources:
            target = name if name in self._kustomizations or name in self._by_file else self._repository.real(name)
            if target in self._kustomizations:
                if target not in above and target != directory:
                    yield from self._unrendered(target, namespace, by, (*above, directory))
            else:
                for each in self._plain(target):
                    yield DeliveredObject(each.item, namespace, by)

    def _namespace(self, one: Kustomization) -> str:
        return one.namespace or next((other.namespace for other in self._components(one) if other.namespace), "")

    def _changes(self, one: Kustomization) -> bool:
        return not _NEUTRAL.issuperset(one.changes) or any(
            not _NEUTRAL.issuperset(other.changes) for other in self._components(one)
        )

    def _components(self, one: Kustomization) -> Iterator[Kustomization]:
        for name in one.resources:
            other = self._kustomizations.get(name) or self._kustomizations.get(self._repository.real(name))
            if other is not None and other.component:
                yield other

    def _covered(self, path: str) -> Iterator[str]:
        if path in self._by_file:
            yield path
            return
        for root in self.roots(path):
            for (directory, _), made in self._builds.items():
                if directory == root:
                    yield made.root
                    yield from made.files
            yield from self._repository.reached.get(root, ())
        if path not in self._kustomizations:
            yield from (file for file in self._files if self.below(file, path) is not None)


def _matches(name: str, pattern: str) -> bool:
    """A glob of Argo CD's; ``{a,b}`` are several."""
    if pattern.startswith("{") and pattern.endswith("}"):
        return any(_matches(name, each) for each in pattern[1:-1].split(","))
    return matches(name, pattern) or matches(posixpath.basename(name), pattern)
