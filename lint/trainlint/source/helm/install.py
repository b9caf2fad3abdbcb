"""How charts are installed: what a deployer says, or what is assumed where nothing is said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.document import Document
from trainlint.source.helm.chart import Chart
from trainlint.source.reading import Reading

__all__ = ["HelmInstall", "TemplateCluster", "by_itself", "is_custom", "served"]

MAX_VALUES_FILES: Final = 24
NAMESPACE: Final = "default"

_BUILT_IN: Final = frozenset(
    f"{name}.k8s.io"
    for name in (
        "admissionregistration",
        "apiextensions",
        "apiregistration",
        "authentication",
        "authorization",
        "certificates",
        "coordination",
        "discovery",
        "events",
        "flowcontrol.apiserver",
        "internal.apiserver",
        "networking",
        "node",
        "rbac.authorization",
        "resource",
        "scheduling",
        "storage",
        "storagemigration",
    )
)
_NAME: Final = lazy_pattern(r"[^a-z0-9.-]+")


@fact
class HelmInstall:
    """One release of a chart: the chart's directory, and what it is installed with.

    ``value_files`` are names in the world, what counts most last; ``values``, written in place at ``values_at``, count
    more. ``at`` is where that is said: what is rendered stands in that file.
    """

    chart: str
    release: str
    namespace: str = NAMESPACE
    value_files: tuple[str, ...] = ()
    values: Any = None
    values_at: Location | None = None
    at: Location | None = None


@fact
class TemplateCluster:
    """What templates are told of the cluster: its version (``1.33``), and the APIs beside Kubernetes' own."""

    kubernetes: str = ""
    apis: frozenset[str] = frozenset()


def by_itself(chart: Chart) -> tuple[HelmInstall, ...]:
    """The releases of a chart that no deployer installs: with its own values, and with each values file that
    stands with it. They are alternatives of each other.
    """
    name = _NAME.sub("-", chart.name.lower()).strip("-.")[:53] or "release"
    places = [Location(chart.file, 0), *(Location(file, 0) for file in chart.values_files[:MAX_VALUES_FILES])]
    return tuple(
        HelmInstall(chart.directory, name, value_files=() if at.file == chart.file else (at.file,), at=at)
        for at in places
    )


def served(readings: Iterable[Reading]) -> frozenset[str]:
    """The APIs that a repository uses and Kubernetes does not have by itself, each with and without its kind."""
    found: set[str] = set()
    for reading in readings:
        for document in reading.documents:
            found.update(_apis(document))
    return frozenset(found)


def _apis(document: Document) -> Iterator[str]:
    version, kind = document.root["apiVersion"].string or "", document.root["kind"].string or ""
    if is_custom(version):
        yield version
        yield f"{version}/{kind}"


def is_custom(api: str) -> bool:
    """Whether an API (``kueue.x-k8s.io/v1beta1``) is none that every cluster has."""
    group = api.split("/", maxsplit=1)[0] if "/" in api else ""
    return "." in group and group not in _BUILT_IN and re.fullmatch(r"[a-z0-9.-]+(?:/\w+)+", api) is not None
