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
    result = list(base)
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
            result.append(copy.deepcopy(element))
        else:
            result[place] = merged(result[place], element)
    return result
