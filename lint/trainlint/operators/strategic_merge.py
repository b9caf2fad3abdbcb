"""Strategic merge patches on pod templates, as far as TrainJob's runtimePatches need them (W 4)."""

from __future__ import annotations

import copy
from typing import Any, Final

__all__ = ["merged"]

_MERGE_KEYS: Final = {
    "replicatedJobs": "name",
    "containers": "name",
    "initContainers": "name",
    "ephemeralContainers": "name",
    "env": "name",
    "volumes": "name",
    "volumeMounts": "mountPath",
    "volumeDevices": "devicePath",
    "ports": "containerPort",
    "imagePullSecrets": "name",
    "hostAliases": "ip",
    "schedulingGates": "name",
    "topologySpreadConstraints": "topologyKey",
    "resourceClaims": "name",
}
"""The lists that are merged element by element, and by which key (the API's patchMergeKey); others are replaced."""


def merged(base: Any, patch: Any) -> Any:
    """The base with the patch applied; neither is changed. ``null`` removes, ``$patch: delete|replace`` is obeyed."""
    if not isinstance(base, dict) or not isinstance(patch, dict):
        return copy.deepcopy(patch)
    if patch.get("$patch") == "replace":
        return {key: copy.deepcopy(value) for key, value in patch.items() if key != "$patch"}
    result = copy.deepcopy(base)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, list) and key in _MERGE_KEYS and isinstance(result.get(key), list):
            result[key] = _merged_list(result[key], value, _MERGE_KEYS[key])
        elif key in result:
            result[key] = merged(result[key], value)
        else:
            result[key] = copy.deepcopy(value)
    return result


def _merged_list(base: list[Any], patch: list[Any], key: str) -> list[Any]:
    """New elements of the patch come before the first element that only the base has, as upstream orders them."""
    order = [each.get(key) if isinstance(each, dict) else None for each in base]
    result, news = list(base), []
    for element in patch:
        identity = element.get(key) if isinstance(element, dict) else None
        place = next(
            (
                i
                for i, old in enumerate(result)
                if isinstance(old, dict) and identity is not None and old.get(key) == identity
            ),
            None,
        )
        if isinstance(element, dict) and element.get("$patch") == "delete":
            if place is not None:
                del result[place]
        elif place is None:
            news.append(copy.deepcopy(element))
        else:
            result[place] = merged(result[place], element)
    if not news:
        return result
    patched = [each.get(key) for each in patch if isinstance(each, dict)]
    mine = [each for each in result if isinstance(each, dict) and each.get(key) in patched] + news
    mine.sort(key=lambda each: patched.index(each.get(key)) if isinstance(each, dict) else 0)
    others = [each for each in result if not isinstance(each, dict) or each.get(key) not in patched]
    return _interleaved(others, mine, order, key)


def _interleaved(others: list[Any], mine: list[Any], order: list[Any], key: str) -> list[Any]:
    """Two lists in one: an element of ``others`` first only where both are known and it stood before."""
    found: list[Any] = []
    while others and mine:
        one, other = (each[0].get(key) if isinstance(each[0], dict) else None for each in (others, mine))
        before = one in order and other in order and order.index(one) < order.index(other)
        found.append((others if before else mine).pop(0))
    return [*found, *others, *mine]
