"""A synthetic repository of a given size, the same bytes every time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path

from tests.bench.ballast import ballast
from tests.bench.cluster import app_policy, namespaces, node_list, policies
from tests.bench.training import Train, manifest, trains

__all__ = ["Scales", "Size", "build", "build_files", "build_scaled", "build_small"]

MORE_POLICIES = 200
"""Policies at scale 1."""


@dataclass(frozen=True)
class Size:
    """What was written: files and bytes, training groups and their pods."""

    files: int
    bytes: int
    groups: int
    pods: int


@dataclass(frozen=True)
class Scales:
    """How much there is of each thing: 1 is 1,000 training pods in 150 groups, 200 policies, 500 nodes and 20 MB of
    manifests that say nothing about training. ``pods`` are those of each group, ``policies`` are those that are about
    no group.
    """

    pods: float = 1.0
    groups: float = 1.0
    policies: float = 1.0
    nodes: float = 1.0
    files: float = 1.0


def build(root: Path, scale: float) -> Size:
    """Write the repository below ``root``, everything at one scale but for the pods of a group."""
    return build_scaled(root, Scales(1.0, scale, scale, scale, scale))


def build_scaled(root: Path, scales: Scales) -> Size:
    """Write the repository below ``root``."""
    groups = [replace(train, pods=round(train.pods * scales.pods)) for train in trains(scales.groups)]
    more = round(MORE_POLICIES * (scales.policies - scales.groups))
    files = chain(_subject(groups, scales.nodes), _policies_of_apps(len(groups), more), ballast(scales.files))
    return _write(root, files, len(groups), sum(train.pods for train in groups))


def _policies_of_apps(groups: int, more: int) -> Iterator[tuple[str, str]]:
    first = groups // 5
    for number in range(first, first + max(more, 0)):
        yield f"policies/web/app-{number:04}.yaml", app_policy(number)


def build_small(root: Path) -> Size:
    """Write a repository of 20 files: 3 groups of 2 pods and what belongs to them, 30 nodes, and other manifests."""
    groups = [replace(train, pods=2) for train in trains(0.02)]
    names = {train.namespace for train in groups}
    wanted = [
        each for each in _subject(groups, 0.06) if not each[0].startswith("policies/") or _space(each[0]) in names
    ]
    rest = (each for each in ballast(0.05) if "/crds/" not in each[0])
    return _write(root, [*wanted, *islice(rest, 20 - len(wanted))], len(groups), sum(train.pods for train in groups))


def build_files(root: Path, count: int) -> Size:
    """Write a repository of so many files: 200 training pods in 30 groups, 100 nodes, and other manifests."""
    groups = trains(0.2)
    wanted = list(_subject(groups, 0.2))
    rest = islice(ballast(1.0), count - len(wanted))
    return _write(root, chain(wanted, rest), len(groups), sum(train.pods for train in groups))


def _space(name: str) -> str:
    return name.split("/")[1]


def _subject(groups: list[Train], scale: float) -> Iterator[tuple[str, str]]:
    yield "cluster/nodes.yaml", node_list(scale)
    yield "cluster/namespaces.yaml", namespaces()
    for name, text in policies(groups):
        yield f"policies/{name}", text
    for train in groups:
        yield f"training/{train.namespace}/{train.name}.yaml", manifest(train)


def _write(root: Path, files: Iterator[tuple[str, str]] | list[tuple[str, str]], groups: int, pods: int) -> Size:
    count = size = 0
    for name, text in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        count += 1
        size += len(text.encode())
    return Size(count, size, groups, pods)
