"""Why a policy is refused, or has no effect, as data."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["RejectionGround", "UnenforcedGround"]


class RejectionGround(Enum):
    """Why the API server or Cilium refuses a policy; beside each the values of its ``Because``."""

    LABEL_KEY = auto()  # the key, why it is none
    ANNOTATION_KEY = auto()  # the key, why it is none
    HOST_BITS = auto()  # the addresses, what they should be
    POLICY_TYPES = auto()
    PROTOCOL = auto()  # the protocols
    NO_PEER = auto()
    IP_BLOCK_ALONE = auto()
    PREFIX = auto()  # the text
    OPERATOR = auto()  # the operator
    POLICY_TYPE = auto()
    PORT_NUMBER = auto()  # the last port
    PORT_NAME = auto()  # the name
    END_PORT_ALONE = auto()
    VALUES_MISSING = auto()  # the operator
    END_PORT = auto()  # the last port
    OUTSIDE_BLOCK = auto()  # the addresses, the block
    VALUES_GIVEN = auto()  # the operator
    PRIORITY = auto()  # the highest
    ONE_OF = auto()  # the values
    EXACTLY_ONE_OF = auto()  # the fields
    TOO_MANY_ELEMENTS = auto()  # how many are admitted
    NO_PEER_IN = auto()  # the field
    RANGE_ORDER = auto()
    NAMED_PORTS_OF_NODES = auto()
    POLICY_NAME = auto()
    NO_SPEC = auto()
    EMPTY_RULE = auto()
    TWO_SELECTORS = auto()
    TWO_PEERS = auto()  # both fields
    NODE_PEERS_OFF = auto()
    ENTITY = auto()  # the entity
    TWO_NAMES = auto()
    NO_ADDRESS = auto()
    NO_CIDR = auto()
    SEVERAL_CIDRS = auto()
    ICMP_OFF = auto()
    ICMP_BESIDE_PORTS = auto()
    ICMP_FAMILY = auto()
    NO_ICMP_TYPE = auto()
    NO_PORT = auto()
    UNKNOWN_PROTOCOL = auto()  # the protocol
    NO_SELECTOR = auto()
    TOO_MANY_PORTS = auto()  # how many, how many are admitted
    TOO_MANY_ICMP_TYPES = auto()  # how many, how many are admitted
    ICMP_TYPE = auto()  # the type, the family
    PROTOCOL_WITHOUT_PORTS = auto()  # the protocol
    NODES_SELECTED = auto()
    OUTSIDE_CIDR = auto()  # the addresses, the block
    PORT = auto()  # the port
    SERVER_NAMES = auto()
    LISTENER_ON_INGRESS = auto()
    LISTENER_BESIDE_RULES = auto()
    TWO_KINDS_OF_RULES = auto()
    DNS_WITHOUT_PORT = auto()
    DNS_NAME = auto()  # the name
    PATTERN_LENGTH = auto()  # the most characters
    SERVER_NAME = auto()
    RULES_WITH_PORT_0 = auto()
    L7_WITHOUT_PROTOCOL = auto()
    REGULAR_EXPRESSION = auto()  # the text, why it is none
    HEADER_NAME = auto()
    MISMATCH = auto()
    SECRET_NAME = auto()
    DNS_PATTERN = auto()  # the pattern
    RULES_TO_NODES = auto()
    L7_PROXY_OFF = auto()
    DNS_ON_INGRESS = auto()
    DNS_PORT_RANGE = auto()
    RULES_NOT_TCP = auto()  # the protocol
    RULES_FROM_NODES = auto()
    REQUIRES = auto()  # the direction
    AUTHENTICATION_MODE = auto()  # the modes
    NO_OBJECT_NAME = auto()
    OBJECT_NAME = auto()  # the name
    LOG_LENGTH = auto()  # the most characters
    PROTOCOL_IN_CAPITALS = auto()  # the protocols
    PORT_BOUNDS = auto()
    ICMP_BOUNDS = auto()
    DOMAIN_NAMES_DENIED = auto()
    DOMAIN_NAMES_OFF = auto()
    IP_BLOCK_BESIDE = auto()  # the other field
    EMPTY_LABEL_NAME = auto()
    LABEL_NAME_LENGTH = auto()
    LABEL_NAME = auto()
    LABEL_VALUE_LENGTH = auto()
    LABEL_VALUE = auto()
    KEY_COLONS = auto()
    KEY_SOURCE = auto()
    KEY_SLASHES = auto()
    EMPTY_KEY_PREFIX = auto()
    KEY_PREFIX = auto()
    FIELD_TYPE = auto()  # the field, whether it is an element of it, what it must be, what it is
    STRING = auto()
    WHOLE_NUMBER = auto()
    NUMBER = auto()
    NUMBER_OR_STRING = auto()
    FLAG = auto()
    BOOLEAN = auto()
    LIST = auto()
    MAPPING = auto()
    SOMETHING_ELSE = auto()


class UnenforcedGround(Enum):
    """Why a policy has no effect in a cluster; beside each the values of its ``Because``."""

    NOT_READ = auto()  # the kind
    ONLY_CILIUM = auto()  # the kind, the network plugin
    ONLY_CALICO = auto()  # the kind, the network plugin
    HOST_FIREWALL = auto()
    NOT_IMPLEMENTED = auto()  # the kind
