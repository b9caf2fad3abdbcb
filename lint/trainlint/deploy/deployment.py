"""Deployments: what a deployer brings to a cluster, from where, and what it changes on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any, Final

from trainlint.fact import fact
from trainlint.finding import Location, Unknown
from trainlint.model.because import Because
from trainlint.source.document import Field
from trainlint.source.rendered_root import Overlay

__all__ = ["HERE", "Deployed", "Deployment", "Release", "Transformation", "Values", "Variables", "Way"]

HERE = ""
"""The cluster that the deployer itself is in."""


class Way(StrEnum):
    """How the objects come from the path."""

    KUSTOMIZE = "kustomize"
    """What the kustomization in the directory makes; without one, all manifests below it (Flux writes one)."""
    DIRECTORY = "directory"
    """The manifests of the directory as they are written."""
    CHART = "chart"
    """What the Helm chart in the directory makes."""


MAX_FILLED: Final = 64 << 20
"""Characters of values that are filled into the objects of one deployment."""


@fact
class Variables:
    """What is put in place of ``${NAME}`` after rendering (Flux, spec.postBuild).

    ``missing`` names sources that are not in Git: a variable that is not among ``values`` may come from there. ``room``
    is the number of characters that may still be put into objects: past it they stay as they are written.
    """

    values: Mapping[str, str]
    missing: tuple[str, ...] = ()
    room: list[int] = field(default_factory=lambda: [MAX_FILLED], repr=False, compare=False)


@fact
class Transformation:
    """A change of objects on the way: a patch, a prefix, an image. Empty selectors match all.

    ``kind`` and ``name`` are regular expressions that match the whole, as kustomize reads them; ``labels`` and
    ``annotations`` selectors as text. ``patch`` is a patch that is written in place.
    """

    what: str
    group: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    labels: str = ""
    annotations: str = ""
    patch: Any = None


@fact
class Deployment:
    """One part of the repository on its way to a cluster.

    ``by`` is the deployer as messages show it, ``kind`` its kind, ``at`` its place.
    ``path`` is a directory or file below the root (empty:
    the root). ``namespace`` is for objects that name none; with ``moves`` for all of them. ``components`` are
    directories of kustomize components that join in. ``recurse``, ``include`` and ``exclude`` (patterns below the path)
    narrow a plain directory. ``unrestricted``: its kustomizations may read any file of the repository.
    ``overlay`` is what the deployer writes into the kustomization; ``changes`` say the same where it was not rendered.
    ``common`` are labels and annotations that the objects themselves get, not what they make.
    ``insists``: who deploys it puts back what others change. ``refuses_unplaced``: it applies nothing where an object
    has no namespace and none is given. ``assumes`` says what is taken for granted.
    """

    by: str
    at: Location | None
    path: str
    way: Way = Way.KUSTOMIZE
    cluster: str = HERE
    namespace: str = ""
    moves: bool = False
    variables: Variables | None = None
    changes: tuple[Transformation, ...] = ()
    components: tuple[str, ...] = ()
    recurse: bool = True
    include: str = ""
    exclude: str = ""
    unrestricted: bool = False
    overlay: Overlay | None = None
    common: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    insists: bool = True
    refuses_unplaced: bool = False
    release: Release | None = None
    assumes: tuple[Because, ...] = ()
    kind: str = ""


@fact
class Values:
    """A layer of values of a chart: ``field`` holds the mapping, where it is known; later ones win over earlier ones.

    ``missing`` says what is not known of it; ``file`` names the values file that it is.
    """

    field: Field | None = None
    missing: str = ""
    file: str = ""


@fact
class Release:
    """A Helm chart that is installed: ``chart`` is its name, ``path`` its directory where it is in this repository.

    ``version`` may be a range, or empty; ``version_at`` is where it stands, ``evidence`` what installs the chart.
    """

    name: str
    namespace: str
    chart: str
    version: str = ""
    repository: str = ""
    path: str | None = None
    values: tuple[Values, ...] = ()
    by: str = ""
    at: Location | None = field(default=None, compare=False)
    version_at: Field | None = field(default=None, compare=False)
    evidence: Field | None = field(default=None, compare=False)
    cluster: str = HERE


@fact
class Deployed:
    """What one deployer says. ``closed`` tells that nothing comes from elsewhere: all that it brings is followed.

    ``contested`` are those of the unknowns where a source may be this repository or another one.
    """

    deployments: tuple[Deployment, ...] = ()
    releases: tuple[Release, ...] = ()
    unknowns: tuple[Unknown, ...] = ()
    closed: bool = False
    contested: tuple[Unknown, ...] = ()
