"""Quantities as the API server writes them, and their sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Final

from trainlint.model.quantity import QuantityError, parse_quantity

__all__ = ["canonical", "pod_requests", "quota_usage", "requests_of", "scaled", "total_of"]

_BINARY: Final = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_DECIMAL: Final = ("", "k", "M", "G", "T", "P", "E")
_SMALL: Final = ("", "m", "u", "n")


def canonical(value: Any) -> str:
    """A quantity in the one form that the API server writes; what is no quantity stays."""
    try:
        return _written(parse_quantity(str(value)), binary=str(value).endswith("i"))
    except QuantityError:
        return str(value)


def _written(value: Fraction, *, binary: bool) -> str:
    if binary and value.denominator == 1 and abs(value) >= _KIBI:
        return _scaled(value, _BINARY, _KIBI)
    for power, suffix in enumerate(_SMALL):
        if (value * 1000**power).denominator == 1:
            scaled = value * 1000**power
            return f"{scaled}{suffix}" if power else _scaled(scaled, _DECIMAL, 1000)
    return str(value)


_KIBI: Final = 1024


def _scaled(value: Fraction, suffixes: tuple[str, ...], step: int) -> str:
    power = 0
    while value and power < len(suffixes) - 1 and (value / step).denominator == 1:
        value, power = value / step, power + 1
    return f"{value}{suffixes[power]}"


def total_of(lists: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The sums of lists of resources; each in the form of its first."""
    sums: dict[str, Fraction] = {}
    binary: dict[str, bool] = {}
    for each in lists:
        for name, value in each.items():
            sums[name] = sums.get(name, Fraction()) + parse_quantity(str(value))
            binary.setdefault(name, str(value).endswith("i"))
    return {name: _written(value, binary=binary[name]) for name, value in sums.items()}


def requests_of(container: Mapping[str, Any]) -> dict[str, Any]:
    """What a container requests: its limits where it has no requests at all, as operators read it."""
    resources = container.get("resources")
    resources = resources if isinstance(resources, dict) else {}
    chosen = resources.get("requests") or resources.get("limits")
    return dict(chosen) if isinstance(chosen, dict) else {}


def pod_requests(spec: Mapping[str, Any]) -> dict[str, str]:
    """What a pod requests by its written requests: containers and sidecars together, or an init container if more."""
    running = [_requests(each) for each in _mappings(spec.get("containers"))]
    inits = _mappings(spec.get("initContainers"))
    running += [_requests(each) for each in inits if each.get("restartPolicy") == "Always"]
    found = total_of(running)
    for each in inits:
        for name, value in _requests(each).items():
            if name not in found or parse_quantity(str(value)) > parse_quantity(found[name]):
                found[name] = str(value)
    return found


def _requests(container: Mapping[str, Any]) -> dict[str, Any]:
    resources = container.get("resources")
    chosen = resources.get("requests") if isinstance(resources, dict) else None
    return dict(chosen) if isinstance(chosen, dict) else {}


def _mappings(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def scaled(values: Mapping[str, Any], times: int) -> dict[str, str]:
    """A list of resources, so many times."""
    return total_of([values] * times)


_COMPUTE: Final = ("cpu", "memory", "ephemeral-storage")


def quota_usage(spec: Mapping[str, Any]) -> dict[str, str]:
    """What a pod takes of quotas, by the names that quotas have, and by the plain name of extended resources."""
    found = {"count/pods": "1", "pods": "1"}
    for name, value in pod_requests(spec).items():
        if name in _COMPUTE or name.startswith("hugepages-") or "/" in name:
            found[name] = value
        found[f"requests.{name}"] = value
    for name, value in _pod_limits(spec).items():
        if name in _COMPUTE:
            found[f"limits.{name}"] = value
    return found


def _pod_limits(spec: Mapping[str, Any]) -> dict[str, str]:
    def limited(container: dict[str, Any]) -> dict[str, Any]:
        resources = container.get("resources")
        return {
            "resources": {"requests": (resources or {}).get("limits")},
            "restartPolicy": container.get("restartPolicy"),
        }

    return pod_requests(
        {key: [limited(each) for each in _mappings(spec.get(key))] for key in ("containers", "initContainers")}
    )
