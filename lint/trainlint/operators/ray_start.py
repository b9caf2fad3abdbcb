"""The ``ray start`` command that KubeRay generates (W 7)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Final

from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.quantity import QuantityError, parse_quantity
from trainlint.operators.manifest import Manifest, mapping, text

__all__ = ["group_params", "start_command"]

_SPELLED_OUT: Final = ("log-color", "include-dashboard", "include-log-monitor")
"""Flags that take ``true`` and ``false`` as words."""
_ACCELERATORS: Final = {"aws.amazon.com/neuroncore": "neuron_cores", "google.com/tpu": "TPU"}
_GPU: Final = lazy_pattern(r".*gpu|.*nvidia\.com/mig-\d+g\.\d+gb")


def group_params(group: Manifest) -> dict[str, str]:
    """The parameters that the resources and labels of a group stand for."""
    found: dict[str, str] = {}
    others: dict[str, float] = {}
    for name, value in mapping(group.get("resources")).items():
        try:
            quantity = parse_quantity(str(value))
        except QuantityError:
            continue
        key = _param_of(name.lower())
        if key:
            found[key] = str(math.ceil(quantity))
        else:
            others[name] = float(quantity)
    if others:
        found["resources"] = f"'{_json(others)}'"
    labels = mapping(group.get("labels"))
    if labels:
        found["labels"] = ",".join(f"{key}={labels[key]}" for key in sorted(labels))
    return found


def _param_of(name: str) -> str:
    if name in {"cpu", "memory"}:
        return {"cpu": "num-cpus", "memory": "memory"}[name]
    return "num-gpus" if _GPU.fullmatch(name) else ""


def _json(values: Mapping[str, float]) -> str:
    whole = {key: int(value) if value.is_integer() else value for key, value in sorted(values.items())}
    return json.dumps(whole, separators=(",", ":"))


def start_command(params: Mapping[str, str], container: Manifest, *, head: bool) -> str:
    """The command, with what the container's resources say of CPUs, memory and accelerators."""
    params = dict(params)
    limits, requests = (mapping(mapping(container.get("resources")).get(key)) for key in ("limits", "requests"))
    if "num-cpus" not in params and (cpus := _units(limits, "cpu") or _units(requests, "cpu")):
        params["num-cpus"] = str(cpus)
    if "memory" not in params and (memory := _units(limits, "memory")):
        params["memory"] = str(memory)
    _add_accelerators(params, limits)
    return f"ray start {'--head ' if head else ''}{''.join(_flag(key, params[key]) for key in sorted(params))}"


def _units(resources: Mapping[str, Any], name: str) -> int:
    try:
        return math.ceil(parse_quantity(str(resources.get(name, 0))))
    except QuantityError:
        return 0


def _add_accelerators(params: dict[str, str], limits: Mapping[str, Any]) -> None:
    try:
        own = json.loads(params.get("resources", "{}").strip("'\"` "))
    except ValueError:
        return
    done = any(each in own for each in _ACCELERATORS.values())
    for name in sorted(limits):
        if (amount := _units(limits, name)) == 0:
            continue
        if "num-gpus" not in params and _GPU.fullmatch(name):
            params["num-gpus"] = str(amount)
        if not done and name in _ACCELERATORS:
            own.setdefault(_ACCELERATORS[name], float(amount))
            params["resources"] = f"'{_json({key: float(value) for key, value in own.items()})}'"
            done = True


def _flag(name: str, value: str) -> str:
    if text(value).lower() in {"true", "false"} and name not in _SPELLED_OUT:
        return f" --{name} " if value.lower() == "true" else ""
    return f" --{name}={value} "
