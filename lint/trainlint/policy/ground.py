"""Why a verdict of policies is what it is, or not known, as data."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["MergeGround", "MissGround", "PolicyGround", "VerdictGround"]


class PolicyGround(Enum):
    """Why a label of an endpoint is not known; beside each the values of its ``Because``."""

    CLUSTER_NAME = auto()
    PLACEHOLDER = auto()  # the value
    NAMED_PORTS = auto()
    NODE_MAY_DIFFER = auto()  # the label
    NODE_DIFFERS = auto()  # the label


class VerdictGround(Enum):
    """What is not known about a verdict, or why no policy sees a connection.

    Beside each stand the values of its ``Because``.
    """

    DNS_NAMES = auto()
    CLOUD_GROUPS = auto()
    NO_CIDR_GROUP = auto()
    SERVICE_ADDRESSES = auto()  # the Service
    NO_SERVICE = auto()
    UNDECIDABLE = auto()  # the policy, why
    LABEL = auto()  # the policy, the label, the end, why its value is not known
    NAMESPACE_LABEL = auto()  # the policy, the label, the namespace
    UNREAD_LABEL = auto()  # the policy, the label, the end
    ONLY_EXCLUDES = auto()  # the policy, the builds of Cilium
    ADDRESS = auto()  # the policy, the end
    NOT_COMPUTED = auto()  # why
    FOREIGN = auto()  # the policy
    SOURCE_PORT = auto()
    ICMP_CODE = auto()
    ADDRESS_FAMILY = auto()
    OWN_ADDRESS = auto()  # the side of the rule
    UNREAD_SERVICE = auto()  # the Service
    HOST_ENDPOINT = auto()  # the HostEndpoint
    FORWARDED = auto()  # the policy
    DOUBTFUL = auto()  # the policy, why
    SELECTOR = auto()  # the policy, the end
    HOST_CACHE = auto()  # the cache
    REDIRECTED_ADDRESS = auto()  # the redirect
    REDIRECTED_TO_HOST = auto()  # the redirect, the cache
    REDIRECTS = auto()  # the redirect
    OWN_POD = auto()
    REPLY = auto()
    OTHER_INTERFACE = auto()


class MergeGround(Enum):
    """Why entries cannot be merged; beside each the values of its ``Because``."""

    LISTENER_NAMESPACE = auto()  # the policy
    AUTHENTICATIONS = auto()  # one policy, the other or nothing, what each asks for
    PROXIES = auto()  # one policy, the other or nothing, what both ask for
    PARSERS = auto()  # both parsers
    LISTENERS = auto()  # both listeners
    TLS_CONTEXTS = auto()  # terminating or originating
    NO_TERMINATION = auto()


class MissGround(Enum):
    """Why an entry is not about a connection; beside each the values of its ``Because``."""

    REQUIRED_OF_ALL = auto()  # the end
    NO_PEERS = auto()
    NEITHER = auto()
    UNDECIDABLE = auto()  # the peer as it is written, why
    ENTITY = auto()  # the end, the entity
    NODE_BY_LABELS = auto()  # the end
    NO_POD_BY_LABELS = auto()  # the end
    INSIDE = auto()  # the prefixes, the end
    MAY_LIE_IN = auto()  # the end, the prefixes
    EXCEPT = auto()  # the address, the prefixes, those left out
    NOT_IN = auto()  # the address, the prefixes
    NO_PORT = auto()
    PORTS = auto()  # the ports that are listed, those that are asked for
    NAMED_PORT = auto()  # the name of the port, the end
    OUTSIDE = auto()  # the end, the prefixes
