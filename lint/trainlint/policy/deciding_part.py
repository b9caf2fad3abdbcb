"""Which part of a policy set can decide about the connections of some namespaces.

Clusters that differ in other policies only decide the same about them, so that what was proved in one holds in another.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.policy import PolicyEntry
from trainlint.policy.policyset import PolicySet
from trainlint.policy.resolvers import DNS_NAMESPACE

__all__ = ["DecidingPart", "deciding_part"]

_CLUSTER_WIDE: Final = ""


@fact
class DecidingPart:
    """The entries that can decide, with their ``places``, and ``others``: what else verdicts read of the policies."""

    entries: tuple[PolicyEntry, ...]
    places: tuple[Location, ...]
    others: tuple[object, ...]


def deciding_part(policies: PolicySet, namespaces: Collection[str]) -> DecidingPart:
    """All that verdicts on connections from and to pods of the namespaces, and to the cluster's DNS, are made of.

    Two sets whose parts are equal give equal verdicts under the same settings and labels of namespaces. Entries count
    with their places, because a verdict names them.
    """
    names = dict.fromkeys((_CLUSTER_WIDE, DNS_NAMESPACE, policies.dns.namespace, *sorted(namespaces)))
    entries = tuple(entry for name in names for entry in policies.in_namespace(name))
    foreign = [each for each in policies.foreign if each.namespace in names]
    by_name = any(rule.name for entry in entries for rule in entry.ports or ())
    table = policies.rules.context.port_names if by_name else None
    return DecidingPart(
        entries, tuple(entry.at for entry in entries), (foreign, policies.dns, table, policies.rules.calico)
    )
