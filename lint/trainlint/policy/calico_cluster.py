"""What Calico's objects say of a cluster beside the rules of its policies."""

from __future__ import annotations

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.workload import ObjectRef
from trainlint.policy.identity import Endpoint

__all__ = ["CalicoCluster", "HostEndpoint"]


@fact
class HostEndpoint:
    """A node's interface that policies are about, with its labels as an end of connections.

    ``allows`` says what its profiles do with connections that no policy is about (``None``: not known), ``seen``
    whether selectors of peers find it, which they do by its addresses.
    """

    origin: ObjectRef
    end: Endpoint
    allows: bool | None
    seen: bool
    at: Location


@fact
class CalicoCluster:
    """``passing`` are the tiers, by number, at whose end connections go on to the next one.

    ``forwarding`` are policies that nodes apply to the traffic of their pods too (``applyOnForward``).
    """

    passing: frozenset[int] = frozenset()
    hosts: tuple[HostEndpoint, ...] = ()
    forwarding: tuple[ObjectRef, ...] = ()
