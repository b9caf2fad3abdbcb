"""Why Calico refuses a policy, as data."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["CalicoGround"]


class CalicoGround(Enum):
    """Why Calico refuses a policy or a selector; beside each the values of its ``Because``."""

    NAME = auto()
    NO_LIST = auto()
    TOO_MANY_RULES = auto()  # how many are admitted
    TYPE = auto()
    TYPE_TWICE = auto()  # the type
    GLOBAL_ELSEWHERE = auto()
    GLOBAL_BESIDE = auto()
    NOT_FORWARDED = auto()
    TWO_STAGES = auto()
    EGRESS_RULES = auto()
    EGRESS_TYPE = auto()
    ACTION = auto()  # the actions
    IP_VERSION = auto()
    HTTP_EGRESS = auto()
    HTTP_ACTION = auto()
    HTTP_PROTOCOL = auto()
    PROTOCOL_NUMBER = auto()
    PROTOCOL = auto()  # the protocols
    ICMP_PROTOCOL = auto()
    ICMP_CODE_ALONE = auto()
    ICMP_NUMBER = auto()  # the field, the highest
    PROTOCOL_VERSION = auto()  # the protocol, the IP version
    PORTS_PROTOCOL = auto()
    NO_PORT = auto()  # the text
    NUMBERS_PROTOCOL = auto()
    PORT = auto()
    NO_ADDRESS = auto()  # the text
    NOTHING_LEFT = auto()
    TWO_VERSIONS = auto()
    OTHER_VERSION = auto()
    SERVICES_SIDE = auto()  # the side, the direction
    SERVICES_NAME = auto()
    SERVICES_NAMESPACE = auto()
    SERVICES_BESIDE = auto()  # the field
    NO_OPERATOR = auto()  # the label
    UNCLOSED_CALL = auto()  # the function
    LONG_LABEL = auto()
    NOT_JOINED = auto()
    UNCLOSED = auto()
    ENDS_EARLY = auto()
    NO_CONDITION = auto()  # what stands there
    TEXT_NEEDED = auto()  # the label, the operator
    NO_SET = auto()
    OPEN_SET = auto()
    OPEN_TEXT = auto()
    SINGLE_SIGN = auto()  # the sign
    LINE_BREAK = auto()
    SIGN = auto()  # the sign
    LONG_SELECTOR = auto()  # how many are admitted
    NO_SELECTOR = auto()  # the text, why
