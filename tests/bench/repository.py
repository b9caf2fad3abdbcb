"""A synthetic repository of a given size, the same bytes every time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from tests.bench.ballast import ballast
from tests.bench.platform import namespaces, node_list, policies
from tests.bench.training import manifest, trains

__all__ = ["Size", "build", "build_small"]


@dataclass(frozen=True)
class Size:
    """What was written: files and bytes, training groups and their pods."""

    files: int
    bytes: int
    groups: int
    pods: int


def build(root: Path, scale: float) -> Size:
    """Write the repository below ``root``. Scale 1 is 1,000 training pods in 150 groups, 200 policies, 500 nodes and
    20 MB of manifests that say nothing about training.
    """
    groups = trains(scale)
    return _write(root, chain(_subject(scale), ballast(scale)), len(groups), sum(train.pods for train in groups))


def build_small(root: Path) -> Size:
    """Write a repository of 20 files: 3 groups and what belongs to them, and Helm values, objects and a CRD."""
    groups = trains(0.02)
    wanted = [(name, text) for name, text in _subject(0.02) if not name.startswith("policies/web")]
    chosen = {train.namespace for train in groups}
    wanted = [each for each in wanted if not each[0].startswith("policies/") or each[0].split("/")[1] in chosen]
    rest = [each for each in ballast(0.05) if "/crds/" not in each[0]]
    return _write(root, [*wanted, *islice(rest, 20 - len(wanted))], len(groups), sum(train.pods for train in groups))


def _subject(scale: float) -> Iterator[tuple[str, str]]:
    groups = trains(scale)
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
