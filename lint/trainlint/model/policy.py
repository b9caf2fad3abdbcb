"""Policy entries: one allow or deny of one direction, whatever kind of policy it was written in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from trainlint.finding import Location
from trainlint.model.selector import LabelSelector
from trainlint.model.workload import ObjectRef, PortRange

__all__ = ["Action", "Direction", "Peer", "PolicyEntry", "PortRule"]


class Direction(StrEnum):
    """Seen from the pods that a policy selects."""

    INGRESS = "ingress"
    EGRESS = "egress"


class Action(StrEnum):
    """What an entry does with the connections it matches."""

    ALLOW = "allow"
    DENY = "deny"
    PASS = "pass"


@dataclass(frozen=True, slots=True)
class Peer:
    """One selector over identities: requirements on labels with a source prefix (``k8s:``, ``any:``, ``reserved:``).

    ``undecidable`` says why no offline answer exists (security groups, DNS names) where that is so.
    """

    selector: LabelSelector
    cidr: str = ""
    excepts: tuple[str, ...] = ()
    undecidable: str = ""
    at: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class PortRule:
    """Ports of one protocol; ``ports`` is ``None`` for all of them; ``name`` is a port name still to be resolved."""

    protocol: str
    ports: PortRange | None = None
    name: str = ""
    at: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class PolicyEntry:
    """A normalised policy entry (P 0.3).

    ``peers`` is ``None`` where no layer-3 field is written and ``()`` where one is written empty. ``ports`` is
    ``None`` where no layer-4 field is written and ``()`` where it is written without any port. ``namespace`` is
    empty for cluster-wide policies. ``only_if`` names a condition beyond layers 3 and 4 (L7 rules, authentication).
    """

    origin: ObjectRef
    namespace: str
    direction: Direction
    action: Action
    subject: LabelSelector
    peers: tuple[Peer, ...] | None
    ports: tuple[PortRule, ...] | None
    isolates: bool
    node: bool = False
    tier: int = 200
    priority: float = 0.0
    only_if: str = ""
    at: Location | None = field(default=None, compare=False)
    notes: Mapping[str, str] = field(default_factory=dict, compare=False)
