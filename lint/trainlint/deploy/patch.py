"""Patches in place, as kustomize applies them to objects of custom kinds: without a schema lists are replaced whole."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Final

from trainlint.kube.meta import Meta
from trainlint.lazy_pattern import lazy_pattern

__all__ = ["PatchError", "applied", "is_custom", "selects"]

_BUILT_IN: Final = lazy_pattern(r"|apps|autoscaling|batch|extensions|policy|.*\.k8s\.io")
_CUSTOM: Final = frozenset({"jobset.x-k8s.io", "kueue.x-k8s.io", "leaderworkerset.x-k8s.io"})
_REQUIREMENT: Final = lazy_pattern(
    r"\s*(?:(?P<not>!)?\s*(?P<key>[\w./\-]+)\s*(?:(?P<equal>==?|!=)\s*(?P<value>[\w.\-]*)"
    r"|\s(?P<set>in|notin)\s*\((?P<values>[^()]*)\))?)\s*(?:,|\Z)"
)


class PatchError(Exception):
    """A patch that cannot be applied here."""


def is_custom(meta: Meta) -> bool:
    """Whether an object is of a kind whose structure kustomize does not know."""
    group = meta.api_group
    return group in _CUSTOM or (_BUILT_IN.fullmatch(group) is None and not group.endswith(".x-k8s.io"))


def applied(value: Any, patch: Any) -> Any:
    """The value after a merge patch (a mapping) or operations of RFC 6902 (a list). Raises PatchError."""
    if isinstance(patch, dict):
        return _merged(value, {key: inner for key, inner in patch.items() if key not in ("apiVersion", "kind")})
    if isinstance(patch, list):
        made = copy.deepcopy(value)
        for operation in patch:
            made = _operated(made, operation)
        return made
    raise PatchError


def _merged(value: Any, patch: Any, depth: int = 0) -> Any:
    if not isinstance(patch, dict) or not isinstance(value, dict):
        return patch
    if "$patch" in patch:
        raise PatchError
    made = dict(value)
    for key, inner in patch.items():
        if depth == 1 and key in ("name", "namespace"):  # who is patched, not what
            continue
        if inner is None:
            made.pop(key, None)
        else:
            below = 1 if depth == 0 and key == "metadata" else 2
            made[key] = _merged(made.get(key), inner, below)
    return made


def _operated(value: Any, operation: Any) -> Any:
    if not isinstance(operation, dict) or operation.get("op") not in ("add", "replace", "remove"):
        raise PatchError
    steps = [step.replace("~1", "/").replace("~0", "~") for step in str(operation.get("path", "")).split("/")[1:]]
    if not steps:
        raise PatchError
    here = value
    try:
        for step in steps[:-1]:
            here = here[int(step)] if isinstance(here, list) else here[step]
        last = steps[-1]
        if isinstance(here, list):
            _in_list(here, last, operation)
        elif operation["op"] == "remove":
            del here[last]
        elif operation["op"] == "replace" and last not in here:
            raise PatchError
        else:
            here[last] = copy.deepcopy(operation["value"])
    except (KeyError, IndexError, ValueError, TypeError):
        raise PatchError from None
    return value


def _in_list(here: list[Any], last: str, operation: dict[str, Any]) -> None:
    index = len(here) if last == "-" else int(last)
    if operation["op"] == "remove":
        del here[index]
    elif operation["op"] == "replace":
        here[index] = copy.deepcopy(operation["value"])
    elif index > len(here):
        raise PatchError
    else:
        here.insert(index, copy.deepcopy(operation["value"]))


def selects(selector: str, labels: Mapping[str, str]) -> bool | None:
    """Whether a selector as text (``a=b,c in (d, e),!f``) matches labels; ``None`` where it is not understood."""
    position = 0
    while position < len(selector):
        found = _REQUIREMENT.match(selector, position)
        if found is None or found.end() == position:
            return None
        position = found.end()
        own = labels.get(found["key"])
        if found["not"]:
            holds = own is None
        elif found["equal"]:
            holds = (own == found["value"]) is (found["equal"] != "!=")
        elif found["set"]:
            among = own is not None and own in [each.strip() for each in found["values"].split(",")]
            holds = among is (found["set"] == "in")
        else:
            holds = own is not None
        if not holds:
            return False
    return True
