"""Sets of addresses with labels, HostEndpoints and tiers, as objects in Git say (P 11.4 to 11.6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Final

from trainlint.fact import fact
from trainlint.kube.meta import read_meta
from trainlint.kube.values import read_strings
from trainlint.model.namespace import Namespaces
from trainlint.model.selector import LabelCondition
from trainlint.model.workload import ObjectRef
from trainlint.policy.addresses import parse_address
from trainlint.policy.calico.labels import HOST_ENDPOINT
from trainlint.policy.calico_cluster import HostEndpoint
from trainlint.policy.identity import Endpoint, expand
from trainlint.policy.labels import OpenLabels
from trainlint.policy.selector import Matcher
from trainlint.source.document import Field

__all__ = ["NetworkSets", "Tier", "host_endpoints", "network_sets", "tiers"]

ANY_LABEL: Final = OpenLabels(("k8s:", "any:"))
DEFAULT_ALLOW: Final = "projectcalico-default-allow"


@fact
class Tier:
    """A tier: its order (infinite where none is written) and what becomes of connections that no rule matches."""

    name: str
    order: float
    passes: bool


BUILT_IN: Final = (
    Tier("default", 1_000_000, passes=False),
    Tier("kube-admin", 1_000, passes=True),
    Tier("kube-baseline", 10_000_000, passes=True),
)


def tiers(roots: Iterable[Field]) -> Mapping[str, Tier]:
    """The tiers by name: those in Git, and those that Calico makes by itself."""
    found = {tier.name: tier for tier in BUILT_IN}
    for root in roots:
        if root["kind"].scalar == "Tier":
            name, order = read_meta(root).name, root["spec"]["order"]
            if order.present and not isinstance(order.value, int | float | None):
                found.pop(name, None)
                continue
            number = float(order.value) if isinstance(order.value, int | float) else inf
            found.setdefault(name, Tier(name, number, root.down("spec", "defaultAction").scalar == "Pass"))
    return found


@fact
class NetworkSets:
    """Sets of addresses, each with the labels by which selectors find it."""

    sets: tuple[tuple[Mapping[str, str], tuple[str, ...]], ...]

    def matching(self, selector: LabelCondition | None) -> tuple[str, ...]:
        """The addresses of all sets that a condition on Calico's labels finds."""
        if selector is None or not self.sets:
            return ()
        matcher = Matcher((), selector)
        return tuple(net for labels, nets in self.sets if matcher.matches(labels) is True for net in nets)


def network_sets(roots: Iterable[Field], namespaces: Namespaces) -> NetworkSets:
    """The NetworkSets and GlobalNetworkSets among the objects; the former have the labels of their namespace too."""
    found = []
    for root in roots:
        meta = read_meta(root)
        if meta.kind == "GlobalNetworkSet":
            found.append((dict(meta.labels), read_strings(root["spec"]["nets"])))
        elif meta.kind == "NetworkSet":
            namespace = meta.namespace or "default"
            labels = dict(meta.labels)
            for key, value in (namespaces.get(namespace) or {}).items():
                labels[f"pcns.{key}"] = value
            labels["pcns.projectcalico.org/name"] = labels["projectcalico.org/namespace"] = namespace
            found.append((labels, read_strings(root["spec"]["nets"])))
    return NetworkSets(tuple(found))


def host_endpoints(roots: Sequence[Field]) -> Iterator[HostEndpoint]:
    """The HostEndpoints in Git, and one that stands for those that Calico makes of every node where that is on."""
    for root in roots:
        meta = read_meta(root)
        origin = ObjectRef(f"Calico {meta.kind}", "", meta.name)
        if meta.kind == "HostEndpoint":
            profiles = read_strings(root["spec"]["profiles"])
            seen = bool(read_strings(root["spec"]["expectedIPs"]))
            allows = {(): False, (DEFAULT_ALLOW,): True}.get(profiles)
            yield HostEndpoint(origin, _endpoint(root, dict(meta.labels)), allows, seen, root.at)
        elif meta.kind == "KubeControllersConfiguration":
            made = root.down("spec", "controllers", "node", "hostEndpoint", "autoCreate")
            if made.scalar == "Enabled":
                yield HostEndpoint(origin, _endpoint(root, {}, open_labels=True), allows=True, seen=True, at=made.at)


def _endpoint(root: Field, labels: Mapping[str, str], *, open_labels: bool = False) -> Endpoint:
    source, _, key = HOST_ENDPOINT.partition(":")
    known = expand([*(("k8s", name, value) for name, value in labels.items()), (source, key, "")])
    addresses = read_strings(root["spec"]["expectedIPs"])
    unknown = ANY_LABEL if open_labels else None
    return Endpoint(
        name=f"{root['kind'].scalar} {root.down('metadata', 'name').scalar}",
        labels=known,
        subject=known,
        address=parse_address(addresses[0]) if len(addresses) == 1 else None,
        unknown=unknown,
        unknown_subject=unknown,
    )
