"""Rules that admit no pod for one mistake, an empty list, a label of no identity or an address, written right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainlint.facts.facts import Facts
from trainlint.finding import Edit, Location, Put, Remove
from trainlint.model.policy import Direction
from trainlint.model.workload import Group
from trainlint.policy.selector import split_source
from trainlint.questions.named_pods import lasting_labels, pods_with
from trainlint.questions.written_policies import CILIUM, keys_of, rules_written, written
from trainlint.repairs.allowances import Allowance, members
from trainlint.repairs.own_policies import peers_of

__all__ = ["revived"]

_ADDRESSES = ("CIDR", "CIDRSet")


def revived(facts: Facts, group: Group, wanted: Allowance) -> tuple[Edit, ...]:
    """The edits after which the first dead rule of an isolating policy admits what is lacking; none where there is
    no such rule, or its ports are others.
    """
    for origin, entry in {each.origin: each for each in wanted.isolating}.items():
        item = written(facts, origin)
        if item is None:
            continue
        like = keys_of(entry.subject)
        for at, rule in rules_written(item, wanted.direction):
            if bool(rule.get("toPorts") or rule.get("ports")) is not bool(wanted.ports):
                continue
            peers = peers_of(facts, group, wanted, cilium=origin.kind in CILIUM, like=like)
            edits = _edits(facts, group, wanted, at, rule, peers) if peers else ()
            if edits:
                return edits
    return ()


def _edits(
    facts: Facts, group: Group, wanted: Allowance, at: Location, rule: dict[str, Any], peers: list[dict[str, Any]]
) -> tuple[Edit, ...]:
    way = "from" if wanted.direction is Direction.INGRESS else "to"
    keys = [key for key in rule if key.startswith(way) and key != "toPorts"]
    if len(keys) != 1:
        return ()
    (key,) = keys
    good = way if key == way else f"{way}Endpoints"
    if key == f"{way}Endpoints" and not rule[key]:
        return (Put(at.child(key), peers),)
    if key in (way, f"{way}Endpoints"):
        dropped = _dropped(facts, at.child(key))
        if dropped and isinstance(rule[key], list) and dropped.keys() == set(range(len(rule[key]))):
            cut = _cut(facts, group, wanted, at.child(key), rule[key], dropped)
            return cut or (Put(at.child(key), peers),)
    if key in {f"{way}{each}" for each in _ADDRESSES} or key == way:
        useless = {each.peer.at for each in facts.mistakes.useless_cidrs if each.peer.at is not None}
        inside = [each for each in useless if _is_below(each, at.child(key))]
        if isinstance(rule[key], list) and rule[key] and len(inside) == len(rule[key]):
            return (Put(at.child(good), peers), *(() if good == key else (Remove(at.child(key)),)))
    return ()


def _dropped(facts: Facts, at: Location) -> dict[int, list[Location]]:
    """The requirements in a list of peers that no identity can meet, by the index of their peer."""
    found: dict[int, list[Location]] = {}
    for each in facts.mistakes.dropped_labels:
        if not each.subject and not each.negative and _is_below(each.at, at):
            index = each.at.path[len(at.path)]
            if isinstance(index, int):
                found.setdefault(index, []).append(each.at)
    return found


def _cut(
    facts: Facts, group: Group, wanted: Allowance, at: Location, peers: list[Any], dropped: dict[int, list[Location]]
) -> tuple[Edit, ...]:
    """The peers without those requirements, where what is left of them names just the pods that are meant."""
    meant = members(group, wanted.peers)
    edits: list[Edit] = []
    for index, places in dropped.items():
        selector = peers[index] if isinstance(peers[index], dict) else {}
        labels = selector.get("matchLabels") or {}
        if set(selector) - {"matchLabels", "matchExpressions"} or not labels:
            return ()
        kept = {
            split_source(f"any:{key}" if ":" not in key else key)[1]: value
            for key, value in labels.items()
            if at.child(index, "matchLabels", key) not in places
        }
        named = pods_with(facts, meant[0].namespace, kept.items())
        if not kept or len(named) != len(meant) or not all(_carries(each, kept) for each in meant):
            return ()
        edits += _without(at.child(index), selector, places)
    return tuple(edits)


def _carries(pods: Any, labels: dict[str, str]) -> bool:
    own = lasting_labels(pods)
    return all(own.get(key) == value for key, value in labels.items())


def _without(at: Location, selector: dict[str, Any], places: list[Location]) -> Iterator[Edit]:
    """A selector without some of its requirements; a list of expressions that would be left empty goes too."""
    expressions = at.child("matchExpressions")
    gone = [each for each in places if _is_below(each, expressions)]
    if gone and len(gone) == len(selector.get("matchExpressions") or ()):
        yield Remove(expressions)
    else:
        yield from map(Remove, gone)
    yield from (Remove(each) for each in places if each not in gone)


def _is_below(at: Location, above: Location) -> bool:
    return (at.file, at.document) == (above.file, above.document) and (
        len(at.path) > len(above.path) and at.path[: len(above.path)] == above.path
    )
