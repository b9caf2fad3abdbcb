"""What a change opens, in words: each pair of ends is named once, pairs that belong together in one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from trainlint.questions.opened_connections import EVERY_PORT, PROTOCOLS, Gain, Ranges

__all__ = ["gained", "ports_text"]

_Pairs = dict[str, set[str]]
_FEW = 8
"""Workloads of one namespace that are named one by one, even where they are all that it has."""


def gained(gains: Iterable[Gain], names: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Sentences that name every pair: source, target and ports.

    ``names`` are the workloads of each namespace: where all of them are meant, the namespace says it.
    """
    by_ports: dict[tuple[Ranges, bool], _Pairs] = {}
    singles: set[str] = set()
    for each in gains:
        by_ports.setdefault((each.ports, each.sure), {}).setdefault(each.source, set()).add(each.target)
        singles |= {name for name, single in zip((each.source, each.target), each.single, strict=True) if single}
    found: list[str] = []
    for (ports, sure), pairs in by_ports.items():
        end = f" on {ports_text(ports)}{'' if sure else ', as far as is known'}"
        found += [text + end for text in _sentences(pairs, singles, names)]
    return tuple(found)


def ports_text(ports: Ranges) -> str:
    """Ports as people say them: ``every port``, ``TCP 2379``, ``TCP and UDP 53``."""
    by_range: dict[tuple[str, ...], list[str]] = {}
    for protocol, ranges in ports:
        by_range.setdefault(tuple(str(each) for each in ranges), []).append(protocol)
    texts = []
    for ranges_text, protocols in by_range.items():
        whole = ranges_text == (str(EVERY_PORT),)
        if whole and tuple(protocols) == PROTOCOLS:
            return "every port"
        texts.append(f"{' and '.join(protocols)} {'on every port' if whole else ', '.join(ranges_text)}")
    return "; ".join(text.replace(" on every port", ", every port") for text in texts)


def _sentences(pairs: _Pairs, singles: Set[str], names: Mapping[str, Sequence[str]]) -> Iterator[str]:
    among = _among(pairs, singles)
    if among:
        ends = _listed(sorted(among), names) if len(among) > 1 else [f"the pods of {next(iter(among))}"]
        yield f"{' and '.join(ends)} among each other"
        pairs = {
            source: left
            for source, targets in pairs.items()
            if (left := {each for each in targets if source not in among or each not in among})
        }
    rows: dict[tuple[str, ...], list[str]] = {}
    for source, targets in pairs.items():
        rows.setdefault(tuple(sorted(targets)), []).append(source)
    for reached, sources in rows.items():
        yield f"{', '.join(_listed(sorted(sources), names))} to {', '.join(_listed(reached, names))}"


def _among(pairs: _Pairs, singles: Set[str]) -> set[str]:
    """The ends of which each reaches all of them, and its own other pods where it has some."""
    found = {each for each in pairs if any(each in targets for targets in pairs.values())}
    found = {each for each in found if each in singles or each in pairs[each]}
    for source in sorted(found):
        if not found - {source} <= pairs[source]:
            found.discard(source)
    whole = {each for each in found if found - {each} <= pairs[each]}
    return whole if len(whole) > 1 or any(each in pairs[each] for each in whole) else set()


def _listed(ends: Sequence[str], names: Mapping[str, Sequence[str]]) -> list[str]:
    """The names, or the namespace where all of its many workloads are meant."""
    left, found = set(ends), []
    for namespace, workloads in names.items():
        if len(workloads) > _FEW and left.issuperset(workloads):
            left -= set(workloads)
            found.append(f"all pods of namespace {namespace}")
    return [*found, *(each for each in ends if each in left)]
