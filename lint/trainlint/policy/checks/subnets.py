"""Address ranges of the cluster itself, and peers that name them (P 1.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_network

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.policy import Peer, PolicyEntry
from trainlint.source.document import Field

__all__ = ["Subnet", "UselessCidr", "read_subnets", "useless_cidrs"]

Network = IPv4Network | IPv6Network


@fact
class Subnet:
    """A range that the cluster gives to pods or nodes, and where that is written."""

    network: Network
    what: str
    at: Location


@fact
class UselessCidr:
    """A peer inside such a range: under Cilium it matches neither pods nor nodes."""

    entry: PolicyEntry
    peer: Peer
    written: str
    subnet: Subnet


NODES_PODS = "a node's pod subnet"
LARGER = 8
"""How many bits a prefix over the pods of all nodes may be shorter than that of one node: 256 nodes."""


def read_subnets(objects: Iterable[Field]) -> Iterator[Subnet]:
    """The ranges that kubeadm, kind and Cilium's own configuration give to pods, and the addresses of nodes."""
    for root in objects:
        match (root.mapping or {}).get("kind"):
            case "ClusterConfiguration" | "Cluster":
                yield from _ranges(root.down("networking", "podSubnet"), "the pod subnet")
            case "ConfigMap" if root.down("metadata", "name").scalar == "cilium-config":
                yield from _ranges(root.down("data", "cluster-pool-ipv4-cidr"), "the pod subnet")
            case "Node":
                yield from _ranges(root.down("spec", "podCIDR"), NODES_PODS)
                for each in root.down("spec", "podCIDRs").elements():
                    yield from _ranges(each, NODES_PODS)
                for address in root.down("status", "addresses").elements():
                    if address["type"].scalar == "InternalIP":
                        yield from _ranges(address["address"], "a node's address")


def _ranges(field: Field, what: str) -> Iterator[Subnet]:
    for text in (field.scalar or "").replace(",", " ").split():
        if (network := _network(text)) is not None:
            yield Subnet(network, what, field.at)


@lru_cache(maxsize=16384)
def _network(text: str) -> Network | None:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None


def useless_cidrs(entries: Iterable[PolicyEntry], subnets: Iterable[Subnet]) -> Iterator[UselessCidr]:
    """Peers by address that lie wholly inside one of the ranges."""
    first: dict[Network, tuple[int, Subnet]] = {}
    for number, subnet in enumerate(subnets):
        first.setdefault(subnet.network, (number, subnet))
    sizes = sorted({(network.version, network.prefixlen) for network in first})
    nodes = _united(each for _, each in first.values() if each.what == NODES_PODS)
    for entry in entries:
        for peer in entry.peers or ():
            for prefix in (each for group in peer.prefixes or () for each in group):
                network = _network(prefix)
                around = [] if network is None else [first[each] for each in _around(network, sizes) if each in first]
                if around and peer.at is not None:
                    yield UselessCidr(entry, peer, prefix, min(around, key=lambda found: found[0])[1])
                elif network is not None and peer.at is not None:
                    over = nodes.get(network.version)
                    if over is not None and over.is_all_but(network, peer.excepts):
                        yield UselessCidr(entry, peer, prefix, over.first)


@fact
class _NodeRanges:
    """The ranges of all nodes' pods of one IP version: the first of them, the outermost addresses, longest prefix."""

    first: Subnet
    lowest: int
    highest: int
    longest: int

    def is_all_but(self, network: Network, excepts: Iterable[str]) -> bool:
        """Whether a network is the range of all nodes' pods and little more, and leaves none of it out."""
        inside = int(network.network_address) <= self.lowest and self.highest <= int(network.broadcast_address)
        if not inside or self.longest - network.prefixlen > LARGER:
            return False
        left_out = (each for text in excepts if (each := _network(text)) is not None)
        return not any(_within(self.first.network, each) for each in left_out)


def _united(subnets: Iterable[Subnet]) -> dict[int, _NodeRanges]:
    """The ranges of nodes by IP version."""
    by_version: dict[int, list[Subnet]] = {}
    for each in subnets:
        by_version.setdefault(each.network.version, []).append(each)
    return {
        version: _NodeRanges(
            ranges[0],
            min(int(each.network.network_address) for each in ranges),
            max(int(each.network.broadcast_address) for each in ranges),
            max(each.network.prefixlen for each in ranges),
        )
        for version, ranges in by_version.items()
    }


def _within(inner: Network, outer: Network) -> bool:
    same = inner.version == outer.version and inner.prefixlen >= outer.prefixlen
    return same and inner.network_address in outer


def _around(inner: Network, sizes: Iterable[tuple[int, int]]) -> Iterator[Network]:
    """The networks of these sizes (IP version, length of prefix) that hold another one."""
    for version, length in sizes:
        if version == inner.version and length <= inner.prefixlen:
            yield inner.supernet(new_prefix=length)
