"""Kustomizations rendered by the real kustomize, from a copy of what they need."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from trainlint.finding import Location, Unknown
from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.build_cache import Builds, digest_of
from trainlint.source.copied_files import Closure
from trainlint.source.deployer_overlay import patch_files
from trainlint.source.document import Document
from trainlint.source.documents import every_document
from trainlint.source.events import TooDeepError, YamlError
from trainlint.source.file_tree import Tree
from trainlint.source.kustomization import passes_through, read_kustomizations, resolve
from trainlint.source.kustomize_closure import close
from trainlint.source.kustomize_program import Program
from trainlint.source.loader import load
from trainlint.source.origins import NOTE, Origins
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import Reading, read
from trainlint.source.rendered_root import BuildRoot, RenderedRoot
from trainlint.source.safe_kustomization import RefusedError
from trainlint.source.world import World

__all__ = ["render"]

_AT_A_TIME: Final = 2
_DOUBTFUL: Final = lazy_pattern(
    r"is not in or below|plugin|--enable|unknown field|longer than|more than|"
    r"cannot be (?:copied|started)|broke off|not tried|did not say why"
)
"""Complaints that another version of kustomize, or one with other options, may not have."""
_RESTRICTED: Final = "is not in or below"
"""The complaint that only kustomize's restriction to files below the directory makes."""
_OUTPUT: Final = "rendered.yaml"
_NAME_DIRECTORY: Final = "give the directory of that file a kustomization, and name the directory"
_FAILED: Final = "failed"
"""The subject of what is kept of a build that failed: its message, and the directory of the kustomization at fault."""
_LIFTED: Final = "lifted"
"""The subject of what is kept of a build that needed files beside its directory."""
_LENIENT: Final = (
    "kustomizations that name files outside of their directory, and that no deployer here builds, are built with "
    "--load-restrictor=LoadRestrictionsNone, as Flux does it"
)


def render(
    world: World,
    readings: Sequence[Reading],
    kinds: KindFilter,
    builds: Builds,
    program: Program,
    extra: Iterable[BuildRoot] = (),
    tell: Callable[[str, int, int], None] = lambda stage, done, total: None,
) -> tuple[RenderedRoot, ...]:
    """What every root kustomization makes that changes objects or generates some, itself or through others.

    ``extra`` are directories that are deployed by themselves, also where another kustomization uses them. Only
    documents of the ``kinds`` are kept. A root that cannot be rendered is ``failed``, and says why. ``tell`` is told
    how many of those that were not rendered before are done.
    """
    kustomizations = read_kustomizations(readings)
    resolution = resolve(kustomizations.values(), [file.name for file in world.files], real=world.real)
    extra = [replace(each, directory="") if each.directory == "." else each for each in extra]
    named: dict[tuple[str, str, str], BuildRoot] = {}
    for one in extra:
        identity = (one.directory, one.namespace, one.key)
        if identity not in named or one.unrestricted:
            named[identity] = one
    by_others = {one.directory for one in named.values()}
    deployed = [BuildRoot(directory, lenient=True) for directory in resolution.roots if directory not in by_others]
    deployed += [one for one in named.values() if one.directory in kustomizations]
    deployed.sort(key=lambda one: (one.directory, one.namespace, one.key))
    deployed = [one for one in deployed if not kustomizations[one.directory].component]
    roots: list[BuildRoot] = []
    as_written: set[str] = set()
    for one in deployed:
        if one.namespace or one.overlay is not None or not passes_through(one.directory, kustomizations, resolution):
            roots.append(one)
        else:
            as_written |= resolution.files[one.directory]
    if not roots:
        return ()
    tree = Tree(world)
    documents = _Documents(tree, readings)
    made = [_Root(one, kustomizations[one.directory].file, tree, kinds, program, documents) for one in roots]
    _build([each for each in made if each.closure and builds.get(each.digest) is None], builds, program, tell)
    found: dict[str, int] = {}
    rendered = []
    for each in made:
        first = found.get(each.file, 0) + 1  # 0 is the index of the kustomization itself
        output = each.rendered(builds, resolution.files[each.directory] - as_written, first)
        found[each.file] = max((document.index for document in output.documents), default=first)
        rendered.append(output)
    return tuple(rendered)


def _build(roots: Sequence[_Root], builds: Builds, program: Program, tell: Callable[[str, int, int], None]) -> None:
    """Render what was not rendered before, a few at a time."""
    if not roots:
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 (heavy, and most runs have nothing to render)

    from trainlint.source.kustomize_build import BuildError, build  # noqa: PLC0415

    allowance = builds.kustomizations
    refusals = [allowance.refusal(root.closure.builds, root.closure.size) if root.closure else "" for root in roots]

    def one(root: _Root, refusal: str) -> bytes | BuildError:
        if refusal:
            return BuildError(refusal)
        closure = root.closure
        try:
            return build(closure, program, allowance) if closure else b""
        except BuildError as error:
            if closure is None or not closure.lenient or _RESTRICTED not in str(error):
                return error
        root.lifted = True
        try:
            return build(replace(closure, unrestricted=True), program, allowance)
        except BuildError as error:
            return error

    with ThreadPoolExecutor(_AT_A_TIME) as pool:
        for number, (root, output) in enumerate(zip(roots, pool.map(one, roots, refusals), strict=True), 1):
            tell("rendering", number, len(roots))
            if isinstance(output, BuildError):
                fault = root.directory if output.directory is None else output.directory
                failed = Unknown(_FAILED, str(output), fault)
                builds.keep(root.digest, Reading(_OUTPUT, unknowns=(failed,)), lasting=output.lasting)
            else:
                reading = read(_OUTPUT, output, root.kinds)
                mark = (Unknown(_LIFTED, _LENIENT),) if root.lifted else ()
                builds.keep(root.digest, replace(reading, unknowns=(*mark, *reading.unknowns)))


class _Documents:
    """All documents of a file, each file once; what the readings hold is not read again."""

    def __init__(self, tree: Tree, readings: Iterable[Reading]) -> None:
        self._tree = tree
        self._readings = {reading.file: reading for reading in readings}
        self._known: dict[str, tuple[Document, ...]] = {}

    def __call__(self, file: str) -> tuple[Document, ...]:
        if file not in self._known:
            reading = self._readings.get(file)
            documents = reading.documents if reading is not None else ()
            self._known[file] = documents or every_document(file, self._tree.read(file) or b"")
        return self._known[file]


class _Root:
    """One root: what it needs, or why that is not to be had."""

    def __init__(
        self,
        deployed: BuildRoot,
        file: str,
        tree: Tree,
        kinds: KindFilter,
        program: Program,
        documents: _Documents,
    ) -> None:
        self.directory = deployed.directory
        self.overlay = deployed.overlay
        self.file = file
        self.kinds = kinds
        self.closure: Closure | None = None
        self._written = documents
        self.digest = ""
        self.lifted = False
        self._refused: RefusedError | None = None
        try:
            self.closure = close(tree, deployed, documents)
        except RefusedError as error:
            self._refused = error
            return
        what = [program.identity, self.directory, *sorted(kinds.kinds), *sorted(self.closure.directories)]
        what += ["unrestricted"] if self.closure.unrestricted else []
        what += ["lenient"] if self.closure.lenient else []
        self.digest = digest_of(what, self.closure.files, self.closure.links)

    def rendered(self, builds: Builds, files: frozenset[str], first: int) -> RenderedRoot:
        """What was made of it, under indices from the ``first`` on."""
        if self._refused is not None:
            return self._failed(str(self._refused), self._refused.remedy, self._refused.at)
        reading = builds.get(self.digest)
        if reading is None or self.closure is None:
            return self._failed("the reason is unknown")
        failed = next((unknown for unknown in reading.unknowns if unknown.subject == _FAILED), None)
        if failed is not None:
            fault = self.closure.kustomizations.get(failed.remedy)
            at = fault.at(()) if fault is not None else None
            whole = not self.closure.unknowns and not self.closure.lost
            sure = whole and not _DOUBTFUL.search(failed.missing)
            return replace(self._failed(failed.missing, at=at), refused=failed.missing if sure else "")
        origins = Origins(self.directory, self.closure.kustomizations, self._written, self.closure.links, self.overlay)
        made = tuple(self._documents(reading, origins, first))
        if templated := next(filter(None, map(_template_in, made)), ""):
            remedy = "lint what the chart or template renders to"
            return self._failed(
                f"what it makes is a template itself ({templated}), which another program fills", remedy
            )
        here = Location(self.file, 0)
        lifted = tuple(each.missing for each in reading.unknowns if each.subject == _LIFTED)
        left = (each for each in reading.unknowns if each.subject != _LIFTED)
        unread = (replace(each, subject=f"what {self.file} makes", at=here) for each in left)
        files = files.union(patch_files(self.overlay, self.directory)) if self.overlay is not None else files
        unknowns = (*self.closure.unknowns, *self.closure.lost, *unread)
        return RenderedRoot(
            self.file, made, files, unknowns, overlay=self._key, lost=tuple(self.closure.lost), assumptions=lifted
        )

    @property
    def _key(self) -> str:
        return self.overlay.key if self.overlay is not None else ""

    def _documents(self, reading: Reading, origins: Origins, first: int) -> Iterator[Document]:
        for document in reading.documents:
            data, note = _without_note(document.data)
            yield Document(self.file, first + document.index, 1, "", data, origin=origins.of(data, note))

    def _failed(self, why: str, remedy: str = "", at: Location | None = None) -> RenderedRoot:
        if at is not None and at.file != self.file:
            why = f"{why} (in {posixpath.dirname(at.file) or '.'})"
        if self.closure is not None and self.closure.unknowns:
            why += f"; it was tried without {', '.join(dict.fromkeys(each.subject for each in self.closure.unknowns))}"
        by_hand = "" if remedy or "is not in or below" in why else f"kubectl kustomize {self.directory or '.'}"
        unknown = Unknown(
            subject=f"kustomization {self.directory or '.'}",
            missing=f"its rendered objects: {why}",
            remedy=remedy or (f"try it by hand: {by_hand}" if by_hand else _NAME_DIRECTORY),
            at=at or Location(self.file, 0),
            command=by_hand,
        )
        return RenderedRoot(self.file, (), frozenset(), (unknown,), failure=why, overlay=self._key)


def _template_in(document: Document) -> str:
    """What in the metadata of an object is an expression of a template; empty if nothing is."""
    metadata = document.data.get("metadata") if isinstance(document.data, dict) else None
    if not isinstance(metadata, dict):
        return ""
    labels = metadata.get("labels")
    values = {key: metadata.get(key) for key in ("name", "namespace")}
    values |= {f"label {key}": value for key, value in labels.items()} if isinstance(labels, dict) else {}
    marked = (f"{key}: {text}" for key, text in values.items() if isinstance(text, str) and "{{" in text)
    return next(marked, "")


def _without_note(data: Any) -> tuple[Any, Any]:
    """An object as kustomize would have written it without being asked for origins, and what it says of them."""
    metadata = data.get("metadata") if isinstance(data, dict) else None
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if not isinstance(annotations, dict) or NOTE not in annotations:
        return data, None
    kept = {key: value for key, value in annotations.items() if key != NOTE}
    others = {key: value for key, value in (metadata or {}).items() if key != "annotations"}
    if kept:
        others["annotations"] = kept
    try:
        note = load(str(annotations[NOTE])).data
    except (YamlError, TooDeepError):
        note = None
    return {**data, "metadata": others}, note
