"""Policy entries and verdicts: one allow or deny of one direction, whatever kind of policy it was written in."""

from __future__ import annotations

from dataclasses import field
from enum import Enum, StrEnum, auto
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.because import Because
from trainlint.model.selector import LabelSelector
from trainlint.model.workload import ObjectRef, PortRange

__all__ = [
    "MADE_BY",
    "MADE_RULES",
    "Action",
    "Condition",
    "ConditionChoice",
    "Decision",
    "Direction",
    "Peer",
    "Permission",
    "PolicyEntry",
    "PortRule",
    "Proxy",
    "Rejection",
    "Unenforced",
    "Verdict",
]


MADE_BY: Final = "trainlint.io/made-by"
"""The annotation of a policy that an operator makes: who makes it of what, as a noun."""

MADE_RULES: Final = "trainlint.io/rules-of-"
"""The beginning of its annotations, with a direction: the list of users' rules, and how many rules come before."""


class Direction(StrEnum):
    """Seen from the pods that a policy selects."""

    INGRESS = "ingress"
    EGRESS = "egress"


class Action(StrEnum):
    """What an entry does with the connections it matches."""

    ALLOW = "allow"
    DENY = "deny"
    PASS = "pass"  # noqa: S105 (not a password)


class Permission(StrEnum):
    """The answer of a policy engine to "may this connection be opened?"."""

    ALLOW = "allow"
    DENY = "deny"
    UNKNOWN = "unknown"


class Condition(Enum):
    """What must hold beside an allow, once the connection is let through."""

    HTTP = auto()
    DNS = auto()
    KAFKA = auto()
    LAYER_SEVEN = auto()
    SERVER_NAME = auto()
    LISTENER = auto()
    AUTHENTICATION = auto()
    NAME = auto()


@fact
class ConditionChoice:
    """What must hold beside an allow: all of one of ``one_of`` where there are some, and all of ``always``."""

    one_of: tuple[tuple[Condition, ...], ...] = ()
    always: tuple[Condition, ...] = ()


@fact
class Peer:
    """The peers of an entry: identities by labels, or addresses.

    ``selector`` holds requirements whose keys carry a source prefix (``k8s:``, ``any:``, ``reserved:``). ``prefixes``
    is ``None`` for peers chosen by labels; a peer chosen by address lies in some prefix of each of its tuples, and in
    none of ``excepts``. ``within`` holds prefixes in which a peer chosen by labels must lie too, as Calico's may.
    ``undecidable`` says why no offline answer exists (DNS names, cloud groups) where that is so. ``kind`` is the field
    that says it, without its direction (Endpoints, Entities, CIDR, podSelector, nodes, ...), and ``written`` the peer
    as people wrote it (``fromEntities: cluster``).
    """

    selector: LabelSelector = field(default_factory=LabelSelector)
    prefixes: tuple[tuple[str, ...], ...] | None = None
    excepts: tuple[str, ...] = ()
    within: tuple[tuple[str, ...], ...] = ()
    undecidable: Because | None = None
    kind: str = field(default="", compare=False)
    written: str = field(default="", compare=False)
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class Proxy:
    """What a port rule hands to a proxy: the parser (http, dns, tls, crd, ...), and what must agree in a merge."""

    parser: str
    listener: str = ""
    priority: int = 0
    namespaced_listener: bool = False
    server_names: bool = False
    rules: bool = False
    terminating: str = ""
    originating: str = ""


@fact
class PortRule:
    """Ports of one protocol (upper case; ``""`` is every protocol, for ICMP the "ports" are message types).

    ``ports`` is ``None`` for all of them; ``name`` is a port name that each pod resolves for itself, and ``last`` the
    end of a range that begins at that name (0: none). ``only_if`` names what else must hold (layer-7 rules).
    """

    protocol: str
    ports: PortRange | None = None
    name: str = ""
    last: int = 0
    only_if: tuple[Condition, ...] = ()
    proxy: Proxy | None = None
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class PolicyEntry:
    """A normalised policy entry (P 0.3).

    ``peers`` is ``None`` where the entry matches no peer (a list written empty), ``()`` where no peer is written (on
    the given ports: every peer; without ports: no peer). ``ports`` is ``None`` where no ports are written, and ``()``
    where they are written without any port, which matches nothing. ``namespace`` is empty for cluster-wide policies.
    ``node`` marks policies of nodes. ``only_if`` names a condition of the whole entry (authentication). ``requires`` is
    what Cilium 1.18 asks of the endpoint peers of every like entry that selects the pod (``fromRequires``).
    ``made_by`` names the policy where an operator makes it. ``doubtful`` says why it is not known whether the entry is
    about a connection that it seems to match, and ``not_ports`` are ports that are not meant (both Calico's).
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
    only_if: tuple[Condition, ...] = ()
    authentication: str = ""
    requires: LabelSelector | None = None
    at: Location = field(default_factory=lambda: Location("", 0), compare=False)
    made_by: str = field(default="", compare=False)
    doubtful: Because | None = None
    not_ports: tuple[PortRule, ...] = ()

    @property
    def policy(self) -> str:
        """The policy by name, or as what an operator makes of another object."""
        return self.made_by or str(self.origin)

    @property
    def admits(self) -> bool:
        """Whether some peer could match the entry."""
        return self.peers is not None and (bool(self.peers) or self.ports is not None)


@fact
class Rejection:
    """A policy that is refused as a whole, and the field to blame.

    ``engine`` is true where Cilium itself refuses it, false where only the API server's schema or validation does;
    ``server`` is true where the API server refuses it, so that Cilium never sees it.
    """

    origin: ObjectRef
    at: Location
    reason: Because
    engine: bool
    server: bool = True


@fact
class Unenforced:
    """A policy object that has no effect in this cluster, and why."""

    origin: ObjectRef
    at: Location
    why: Because


@fact
class Decision:
    """What the policies of one end of a connection decide about it.

    ``deciding`` are the entries that allowed or denied it: empty where nothing matched, then ``isolating`` are the
    entries that made deny the default, and empty too where nothing selects the pod. ``allowed`` are the ports asked for
    that are allowed for certain. ``only_if`` is what else must hold, in one of these ways. ``uncertain`` says
    what is not known where the answer is unknown; ``conflict`` why the engine cannot compute a policy at all;
    ``bypass`` why no policy sees the connection.
    """

    direction: Direction
    answer: Permission
    deciding: tuple[PolicyEntry, ...] = ()
    isolating: tuple[PolicyEntry, ...] = ()
    allowed: tuple[PortRange, ...] = ()
    only_if: tuple[ConditionChoice, ...] = ()
    uncertain: tuple[Because, ...] = ()
    conflict: Because | None = None
    bypass: Because | None = None


@fact
class Verdict:
    """May the connection be opened? Allow: on every port asked for; deny: not on every one of them.

    ``allowed`` are the ports on which both ends allow it: where the answer is deny and there are some, the connection
    is open on just these.
    """

    answer: Permission
    egress: Decision
    ingress: Decision
    allowed: tuple[PortRange, ...] = ()

    @property
    def partly(self) -> bool:
        """Whether some of the ports asked for are open and others are not."""
        return self.answer is Permission.DENY and bool(self.allowed)
