"""What one manifest states about a cluster, and the value that several of them agree on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from trainlint.fact import fact
from trainlint.finding import Unknown
from trainlint.source.document import Field
from trainlint.source.spans import locate

__all__ = ["StatedSetting", "agreed", "disputes"]


@fact
class StatedSetting:
    """``name`` is that of the setting in trainlint.yaml (``cni.options.labels``), ``by`` who says it, ``at`` where."""

    name: str
    value: str
    by: str
    at: Field = field(compare=False)


def agreed(statements: Iterable[StatedSetting]) -> Mapping[str, StatedSetting]:
    """The statements on which all agree; a version that says more agrees with one that says less."""
    found: dict[str, StatedSetting | None] = {}
    for each in statements:
        before = found.get(each.name, each)
        found[each.name] = None if before is None else _closer(before, each)
    return {name: each for name, each in found.items() if each is not None}


def disputes(statements: Iterable[StatedSetting]) -> Iterator[Unknown]:
    """The settings of which two statements contradict each other, with both places."""
    first: dict[str, StatedSetting] = {}
    told: set[str] = set()
    for each in statements:
        before = first.setdefault(each.name, each)
        if each.name not in told and _closer(before, each) is None:
            told.add(each.name)
            at = each.at.document.at(each.at.path)
            yield Unknown(
                f"{each.name} of the cluster",
                f"which is right: {before.value} ({before.by}, {_place(before.at)}) or {each.value} ({each.by}, "
                f"{_place(each.at)})",
                f"write {each.name} to trainlint.yaml",
                at,
                None if each.at.document.origin else locate(each.at.document, each.at.path)[1],
            )


def _place(at: Field) -> str:
    """File and line; the file alone of what was rendered."""
    if at.document.origin is not None:
        return at.document.at(at.path).file
    return f"{at.document.file}:{locate(at.document, at.path)[1].line}"


def _closer(one: StatedSetting, other: StatedSetting) -> StatedSetting | None:
    """The one that says more, or none where they contradict each other."""
    if one.value == other.value or one.value.startswith(f"{other.value}."):
        return one
    return other if other.value.startswith(f"{one.value}.") else None
