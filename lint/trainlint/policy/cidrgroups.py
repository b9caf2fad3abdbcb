"""Peers by CiliumCIDRGroup: by name, or by the groups' labels (P 1.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainlint.model.because import Because
from trainlint.model.policy import Peer
from trainlint.model.selector import LabelSelector, Requirement
from trainlint.policy.addresses import Network, parse_prefix
from trainlint.policy.context import CidrGroup
from trainlint.policy.ground import VerdictGround
from trainlint.policy.options import Version
from trainlint.policy.selector import Matcher, prefixed, read_selector
from trainlint.source.document import Field

__all__ = ["group_peers"]

Groups = tuple[CidrGroup, ...]

KIND = "CIDRSet"
POSITIVE = {"NotIn": "In", "DoesNotExist": "Exists"}
NOT_IN_GIT = Because(VerdictGround.NO_CIDR_GROUP)


def group_peers(
    element: Field, excepts: tuple[str, ...], groups: Groups, version: Version, *, bare: bool
) -> Iterator[Peer]:
    """The peers that an element of a CIDR set with ``cidrGroupRef`` or ``cidrGroupSelector`` means.

    A group that is not in Git may be in the cluster: what it matches is not known, or (``bare``) nothing.
    """
    reference, selector = element["cidrGroupRef"], element["cidrGroupSelector"]
    if reference.scalar:
        found = [group for group in groups if group.name == reference.scalar]
        undecidable = None if found or bare else NOT_IN_GIT
        prefixes = None if undecidable else (_prefixes(found),)
        written = f"cidrGroupRef: {reference.scalar}"
        yield Peer(
            prefixes=prefixes, excepts=excepts, undecidable=undecidable, kind=KIND, written=written, at=element.at
        )
    elif version >= (1, 20, 0):
        yield _selected(selector, excepts, groups)
    else:
        yield from _selected_by_address(selector, excepts, groups)


def _labels(group: CidrGroup) -> dict[str, str]:
    return {f"cidrgroup:{key}": value for key, value in group.labels.items()}


def _prefixes(groups: Iterable[CidrGroup]) -> tuple[str, ...]:
    return tuple(prefix for group in groups for prefix in group.prefixes)


def _selected(field: Field, excepts: tuple[str, ...], groups: Groups) -> Peer:
    """Addresses in some group that meets each positive requirement, and in none that a negative one excludes."""
    selector = prefixed(read_selector(field), "cidrgroup")
    if not selector.requirements and not excepts:
        return Peer(kind=KIND, written="cidrGroupSelector", at=field.at)  # Everyone, pods and nodes too (P 10.2).
    within: list[tuple[str, ...]] = []
    outside = list(excepts)
    for item in selector.requirements:
        positive = Requirement(item.key, POSITIVE.get(item.operator, item.operator), item.values)
        matcher = Matcher.of(LabelSelector((positive,)))
        prefixes = _prefixes(group for group in groups if matcher.matches(_labels(group)))
        if item.operator in POSITIVE:
            outside += prefixes
        else:
            within.append(prefixes)
    return Peer(prefixes=tuple(within), excepts=tuple(outside), kind=KIND, written="cidrGroupSelector", at=field.at)


def _selected_by_address(field: Field, excepts: tuple[str, ...], groups: Groups) -> Iterator[Peer]:
    """Up to 1.19 an address has the labels of all groups that hold it, of equal keys that of the longest prefix.

    So each prefix counts for the addresses in it that no longer one covers. What lies in no group has no such labels:
    that meets a selector of negative requirements only, and it may be a pod or a node too.
    """
    matcher = Matcher.of(prefixed(read_selector(field), "cidrgroup"))
    owners = [(network, group) for group in groups for text in group.prefixes if (network := parse_prefix(text))]
    networks = list(dict.fromkeys(network for network, _ in owners))
    for network in networks:
        labels: dict[str, str] = {}
        covering = [(other, group) for other, group in owners if _covers(other, network)]
        for _, group in sorted(covering, key=lambda each: each[0].prefixlen):
            labels |= _labels(group)
        if matcher.matches(labels):
            longer = tuple(str(other) for other in networks if other != network and _covers(network, other))
            prefixes = ((str(network),),)
            yield Peer(prefixes=prefixes, excepts=excepts + longer, kind=KIND, written="cidrGroupSelector", at=field.at)
    if matcher.matches({}):
        outside = excepts + tuple(str(network) for network in networks)
        yield Peer(excepts=outside, kind=KIND, written="cidrGroupSelector", at=field.at)


def _covers(wide: Network, narrow: Network) -> bool:
    return wide.version == narrow.version and wide.prefixlen <= narrow.prefixlen and narrow.network_address in wide
