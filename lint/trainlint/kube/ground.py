"""Why the value of a field is not known, as data."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["FieldGround"]


class FieldGround(Enum):
    """Why the value of a field is not known; beside each the values of its ``Because``."""

    NO_NUMBER = auto()  # the text
    NO_QUANTITY = auto()  # the text
    NOT_WHOLE = auto()  # the field, its value
    PLACEHOLDER = auto()  # the field, its value
    NOT_PLAIN = auto()  # the field
    EMPTY = auto()  # the field
    NO_SOURCE = auto()
    POD_FIELD = auto()  # the path
    CONTAINER_FIELD = auto()  # the resource
    CONFIG_KEY = auto()  # ConfigMap or Secret, its name, the key
    ELEMENT = auto()
