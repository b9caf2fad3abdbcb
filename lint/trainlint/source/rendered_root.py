"""What a kustomization or a chart makes of its files when it is rendered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from trainlint.fact import fact
from trainlint.finding import Location, Path, Span, Unknown
from trainlint.source.document import Document

__all__ = ["BuildRoot", "Overlay", "RenderedRoot"]


@fact
class Overlay:
    """What a deployer writes into the kustomization that it builds: the ``fields``, in kustomize's words.

    ``at`` tells where a field stands in the deployer's own manifest, ``key`` tells one overlay from another.
    """

    key: str
    fields: Mapping[str, Any] = field(compare=False)
    at: Callable[[Path], Location] = field(compare=False)


@fact
class BuildRoot:
    """A directory that a deployer (Flux, Argo CD) builds by itself, and the namespace that its objects are put into.

    ``directory`` is relative to the world's root, which is ``.``; an empty ``namespace`` changes none.
    ``unrestricted``: it may read files beside and above its directory, as Flux lets it (LoadRestrictionsNone).
    ``lenient``: no manifest says how it is built, so it may where it must. ``overlay`` is what its deployer adds.
    """

    directory: str
    namespace: str = ""
    unrestricted: bool = False
    lenient: bool = False
    overlay: Overlay | None = None

    @property
    def key(self) -> str:
        """The key of its overlay; empty without one."""
        return self.overlay.key if self.overlay is not None else ""


@fact
class RenderedRoot:
    """One root that was rendered as a whole.

    ``documents`` stand in the file of the root (``overlays/prod/kustomization.yaml``, ``charts/train/Chart.yaml``),
    each under an index of its own, and know where their values were written (``Document.origin``). ``files`` are the
    files whose own objects and templates they stand for: those are not deployed as they are written. ``unknowns`` are
    the parts that could not be rendered: they may add objects. ``lost`` are those of which only a single file was left
    out, or a generator. ``failure`` says why nothing could be rendered, if nothing could; ``refused`` is what kustomize
    says of it, if it refuses the root as it is, with nothing left out.

    ``places`` tells, for documents that stand in a file which is no YAML (a template), the nearest place at or above a
    path, and its span. ``assumptions`` are what was taken for granted; ``undeployed``: also where it is installed.
    ``chart`` is the directory of the chart that was rendered, ``at`` where a manifest says that it is installed.
    ``overlay`` is the key of what a deployer added.
    """

    root: str
    documents: tuple[Document, ...]
    files: frozenset[str]
    unknowns: tuple[Unknown, ...] = ()
    failure: str = ""
    places: Mapping[tuple[str, int], Callable[[Path], tuple[Path, Span]]] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    undeployed: bool = False
    chart: str = ""
    at: Location | None = None
    overlay: str = ""
    lost: tuple[Unknown, ...] = ()
    refused: str = ""

    @property
    def failed(self) -> bool:
        """Whether nothing could be rendered."""
        return bool(self.failure)
