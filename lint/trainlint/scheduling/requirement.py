"""Requirements on labels, as apimachinery validates and matches them (S 1.3, 1.6)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from trainlint.kube.node import HOSTNAME
from trainlint.kube.values import is_placeholder
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.known import Known, Undetermined
from trainlint.model.selector import LabelSelector, Requirement
from trainlint.scheduling.ternary import every

__all__ = [
    "holds",
    "is_filled_in",
    "is_qualified_name",
    "parse_int64",
    "requirement_error",
    "selector_error",
    "selector_matches",
]

_NAME = lazy_pattern(r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?")
_SUBDOMAIN = lazy_pattern(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
_INTEGER = lazy_pattern(r"[+-]?[0-9]+")
_LABEL_OPERATORS = frozenset({"In", "NotIn", "Exists", "DoesNotExist"})
_NODE_OPERATORS = _LABEL_OPERATORS | {"Gt", "Lt"}
_SUBDOMAIN_LENGTH = 253
_CAPITALS = lazy_pattern(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")


@lru_cache(maxsize=16384)
def is_qualified_name(text: str) -> bool:
    """Whether it is a valid label key or resource name: an optional DNS prefix and ``/``, then a short name."""
    prefix, slash, name = text.rpartition("/")
    if slash and not (len(prefix) <= _SUBDOMAIN_LENGTH and _SUBDOMAIN.fullmatch(prefix)):
        return False
    return _NAME.fullmatch(name) is not None


@lru_cache(maxsize=16384)
def _is_label_value(text: str) -> bool:
    return text == "" or _NAME.fullmatch(text) is not None


def parse_int64(text: str) -> int | None:
    """The number as Go's ParseInt(text, 10, 64) reads it; ``None`` where the text is none."""
    if _INTEGER.fullmatch(text) is None or len(text) > 4096:
        return None
    value = int(text)
    return value if -(2**63) <= value < 2**63 else None


@lru_cache(maxsize=16384)
def requirement_error(requirement: Requirement, *, of_node: bool = False) -> str:
    """Why the requirement is malformed; empty if it is not. Placeholders are as good as what will replace them."""
    key, operator, values = requirement.key, requirement.operator, requirement.values
    if is_placeholder(operator):
        return ""
    if operator not in (_NODE_OPERATORS if of_node else _LABEL_OPERATORS):
        return f"{operator!r} is no operator of a {'node' if of_node else 'label'} selector"
    if not is_qualified_name(key) and not is_placeholder(key):
        return f"{key!r} is no label key"
    if operator in {"In", "NotIn"} and not values:
        return f"{operator} needs at least one value"
    if operator in {"Exists", "DoesNotExist"} and values:
        return f"{operator} takes no values"
    if operator in {"Gt", "Lt"} and (
        len(values) != 1 or (parse_int64(values[0]) is None and not is_placeholder(values[0]))
    ):
        return f"{operator} needs exactly one whole number"
    bad = next((value for value in values if not _is_label_value(value) and not is_placeholder(value)), None)
    return f"{bad!r} is no label value" if bad is not None else ""


def selector_error(selector: LabelSelector | None) -> str:
    """Why the label selector is malformed; empty if it is not."""
    if selector is None:
        return ""
    return next(filter(None, map(requirement_error, selector.requirements)), "")


def selector_matches(selector: LabelSelector | None, labels: Mapping[str, Known[str]]) -> bool | None:
    """Whether a well-formed selector matches; ``None`` as a selector matches nothing."""
    if selector is None:
        return False
    return every(holds(requirement, labels.get(requirement.key)) for requirement in selector.requirements)


def holds(requirement: Requirement, value: Known[str] | None) -> bool | None:
    """Whether a well-formed requirement holds for the value of its key (``None``: no such label)."""
    if is_placeholder(requirement.key) or is_placeholder(requirement.operator):
        return None
    match requirement.operator:
        case "In":
            return _is_in(value, requirement)
        case "NotIn":
            inside = _is_in(value, requirement)
            return None if inside is None else not inside
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt":
            return _compares(requirement, value)
        case _:
            return False


def _is_in(value: Known[str] | None, requirement: Requirement) -> bool | None:
    if value is None:
        return False
    if isinstance(value, Undetermined) or is_placeholder(value):
        return None
    if value in requirement.values:
        return True
    return None if is_filled_in(requirement) else False


def is_filled_in(requirement: Requirement) -> bool:
    """Whether a value is a placeholder; a host name in capitals (``NODE_NAME``) is no node's, so it is one too."""
    return any(map(is_placeholder, requirement.values)) or (
        requirement.key == HOSTNAME and any(map(_CAPITALS.search, requirement.values))
    )


def _compares(requirement: Requirement, value: Known[str] | None) -> bool | None:
    if value is None:
        return False
    if isinstance(value, Undetermined):
        return None
    left, right = parse_int64(value), parse_int64(requirement.values[0])
    if left is None:
        return None if is_placeholder(value) else False
    if right is None:
        return None
    return left > right if requirement.operator == "Gt" else left < right
