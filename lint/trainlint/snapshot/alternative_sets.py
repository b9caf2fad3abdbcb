"""Which sets of alternatives the objects of a repository make (design, section 7.3)."""

from __future__ import annotations

import json
import posixpath
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import combinations

from trainlint.inventory.kinds import INVENTORY_KINDS
from trainlint.snapshot.alternatives import Alternatives, Sides, Steps
from trainlint.snapshot.objects import ApiObject, Key
from trainlint.source.reading import is_kustomization

__all__ = ["find_alternatives"]

Differing = dict[str, frozenset[str]]
"""Children of a directory, each with how it defines one object: the same text for the same definition."""

MOST = 64
"""With how many others each child is compared: more than that have one name by chance."""


def find_alternatives(
    objects: Iterable[ApiObject],
    together: Mapping[str, str],
    places: Mapping[str, tuple[str, ...]] | None = None,
    transformed: Mapping[str, str] | None = None,
    *,
    wholly: bool = False,
) -> tuple[Alternatives, ...]:
    """The sets of alternatives among the objects: whole directories and files, outermost first, then single objects.

    ``together`` maps files to the kustomization that deploys them: files of one kustomization are no alternatives.
    ``places`` are the files as which a file is deployed; what the kustomization to which ``transformed`` maps it makes
    of it there is not known. ``wholly``: directories always alternate as a whole.
    """
    definitions: dict[Key, dict[str, ApiObject]] = defaultdict(dict)
    places, transformed = places or {}, transformed or {}
    for each in objects:
        if each.meta.kind != "Namespace" and each.key is not None:
            for place in places.get(each.file, (each.file,)):
                definitions[each.key][place] = each  # in one file the last definition counts
    joined: dict[Steps, dict[Key, Differing]] = defaultdict(dict)
    contested: dict[Key, dict[str, str]] = {}
    for key, by_place in definitions.items():
        if len(by_place) < 2 or len({_home(place, together) for place in by_place}) < 2:
            continue
        texts = _texts(by_place, transformed)
        if len(set(texts.values())) > 1:
            contested[key] = texts
            for directory, differing in _rivals(texts, together):
                joined[directory][key] = differing
    held = {} if wholly else _held(definitions, joined)
    whole = tuple(
        each
        for directory in sorted(joined, key=lambda steps: (len(steps), steps))
        for each in _whole(directory, joined[directory], held, contested)
    )
    return whole if wholly else (*whole, *_single(contested, Sides(whole)))


def _home(place: str, together: Mapping[str, str]) -> str:
    return posixpath.dirname(place) or "." if is_kustomization(place) else together.get(place, place)


def _texts(by_place: Mapping[str, ApiObject], transformed: Mapping[str, str]) -> dict[str, str]:
    """How each place defines one object: equal texts for equal definitions."""
    found: dict[str, str] = {}
    for place, each in by_place.items():
        directory = posixpath.dirname(place) or "."
        if place != each.file and transformed.get(each.file) == directory:
            found[place] = f"not known in {place}"
        else:
            found[place] = json.dumps(each.field.value, sort_keys=True, default=str)
    return found


def _rivals(texts: Mapping[str, str], together: Mapping[str, str]) -> Iterator[tuple[Steps, Differing]]:
    """The children of the nearest common directory that define one object, and those inside each child that do."""
    if len(set(texts.values())) < 2 or len({_home(place, together) for place in texts}) < 2:
        return
    split = {place: tuple(place.split("/")) for place in texts}
    directory = _common([steps[:-1] for steps in split.values()])
    children: dict[str, dict[str, str]] = defaultdict(dict)
    for place, steps in split.items():
        children[steps[len(directory)]][place] = texts[place]
    yield directory, {child: frozenset(inside.values()) for child, inside in children.items()}
    for inside in children.values():
        yield from _rivals(inside, together)


def _common(paths: Collection[Steps]) -> Steps:
    common: list[str] = []
    for steps in zip(*paths, strict=False):
        if len(set(steps)) > 1:
            break
        common.append(steps[0])
    return tuple(common)


def _held(
    definitions: Mapping[Key, Mapping[str, ApiObject]], joined: Mapping[Steps, Mapping[Key, Differing]]
) -> dict[Steps, set[Key]]:
    """What each child defines in which there is a rival, itself or through what lies in it."""
    found: dict[Steps, set[Key]] = {
        (*directory, child): set() for directory, keys in joined.items() for each in keys.values() for child in each
    }
    if not found:
        return found
    for key, by_place in definitions.items():
        for place in by_place:
            steps = tuple(place.split("/"))
            for depth in range(1, len(steps) + 1):
                keys = found.get(steps[:depth])
                if keys is not None:
                    keys.add(key)
    return found


def _whole(
    directory: Steps,
    keys: Mapping[Key, Differing],
    held: Mapping[Steps, set[Key]],
    contested: Mapping[Key, Mapping[str, str]],
) -> Iterator[Alternatives]:
    """The children of a directory that are states of one thing, in sets that have nothing to do with each other."""
    sets: list[tuple[set[str], list[Key]]] = []
    compared: dict[tuple[str, str], bool] = {}
    for key, differing in keys.items():
        names = sorted(differing)
        for index, one in enumerate(names[:MOST]):
            for other in names[index + 1 :]:
                if len(differing[one] | differing[other]) < 2:
                    continue
                pair = (one, other)
                if pair not in compared:
                    compared[pair] = not held or _are_states(held[(*directory, one)], held[(*directory, other)])
                if compared[pair]:
                    _join(sets, {one, other}, key)
    for children, differing_keys in sets:
        key = differing_keys[0]
        files = all("/".join((*directory, child)) in contested[key] for child in children)
        own = [held.get((*directory, child), set()) for child in children]
        apart = set[Key]().union(*own) - set[Key].intersection(*own)
        yield Alternatives(
            directory,
            tuple(sorted(children)),
            key,
            files,
            apart=frozenset(namespace for _, _, namespace, _ in apart),
            nodes=all(kind in INVENTORY_KINDS for _, kind, _, _ in differing_keys),
        )


def _are_states(one: Collection[Key], other: Collection[Key]) -> bool:
    """Whether most of what the smaller one defines is defined by the other."""
    smaller, larger = sorted((one, other), key=len)
    return 2 * sum(key in larger for key in smaller) > len(smaller)


def _join(sets: list[tuple[set[str], list[Key]]], children: set[str], key: Key) -> None:
    """Add children that are states of one thing and differ in an object, united with the sets that they are in."""
    for known, keys in sets:
        if children <= known:
            if keys[-1] != key:
                keys.append(key)
            return
    apart = [each for each in sets if each[0].isdisjoint(children)]
    overlapping = [each for each in sets if not each[0].isdisjoint(children)]
    united = children.union(*(each[0] for each in overlapping))
    sets[:] = [*apart, (united, [*(one for _, keys in overlapping for one in keys), key])]


def _single(contested: Mapping[Key, Mapping[str, str]], sides: Sides) -> Iterator[Alternatives]:
    """The objects that two places define differently which may be deployed together."""
    for key, texts in sorted(contested.items()):
        places = sorted(texts)
        if any(
            texts[one] != texts[other] and _meet(one, other, sides) for one, other in combinations(places[:MOST], 2)
        ):
            yield Alternatives((), tuple(places), key, key=key, nodes=key[1] in INVENTORY_KINDS)


def _meet(one: str, other: str, sides: Sides) -> bool:
    """Whether no set keeps two places apart."""
    chosen = dict(sides.of(one))
    return all(chosen.get(number, child) == child for number, child in sides.of(other))
