"""What is refused of a field whatever kind it belongs to, as data."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["FieldFlaw", "FieldPlace"]


class FieldFlaw(Enum):
    """What the API server refuses of a field; beside each are its values. A field is named with the one above it."""

    NAME = auto()  # the field, the name, what is wrong with its form
    RANGE = auto()  # the field, the number, the least, the most
    MISSING = auto()  # the holder, the key
    TWICE = auto()  # the field, the value
    EXCLUDES = auto()  # a field, another one
    NEEDS = auto()  # a field, what it needs
    TOO_MANY = auto()  # the field, the count, the most, of what
    SEVERAL = auto()  # the holder, those that are there, those of which one is allowed
    PATH = auto()  # the field, the path, whether it must be relative
    UPWARD = auto()  # the field, the path
    ABSOLUTE = auto()  # the field, the path
    ADDRESS = auto()  # the field, the address
    BELONGS = auto()  # the field, the place where alone it is allowed
    UNKNOWN = auto()  # the field, the name, of what, those that are there
    SLEEP = auto()  # the seconds, those that a pod has to end
    WHOLE = auto()  # the field, the amount
    ABOVE = auto()  # the field, the amount, the other field, its amount
    AT_LEAST = auto()  # the field, the amount, the least
    RESERVED = auto()  # the name, the prefix
    DIFFERS = auto()  # the field, the amount, the other field, its amount
    POD_TOTAL = auto()  # the resource, what the containers ask for together, what the pod asks for
    HOST_PORT_TWICE = auto()  # the port, the protocol, whether the host network makes it one
    EMPTY_DIR = auto()  # the volume
    BLOCK = auto()  # the container, the volume
    PRIVILEGED = auto()  # the container
    PADDED = auto()  # the field
    KEY_OF_DATA = auto()  # the key, what is wrong with it
    TOTAL_SIZE = auto()  # the field, the bytes, the most
    QUANTITY = auto()  # the field, the amount
    NEGATIVE = auto()  # the field, the amount
    POSITIVE = auto()  # the field, the amount
    RESOURCE = auto()  # the field, the resource
    SCOPE = auto()  # the scope, the resource
    SELECTED_KEY = auto()  # the key, the list that has it too


class FieldPlace(Enum):
    """Where alone a field is allowed."""

    RESTARTING = auto()
    RUNNING = auto()
    ENDING = auto()
    INIT_CONTAINER = auto()
    CONTAINER = auto()
    LINUX = auto()
    WINDOWS = auto()
    LOCALHOST = auto()
    LOAD_BALANCER = auto()
    NODE_PORT = auto()
