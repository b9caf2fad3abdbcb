"""Resources of containers and pods: amounts, huge pages, requests above limits.

Extended resources (devices) without an equal limit are a matter of scheduling/requests.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.admission.plain import mapping, text, written
from trainlint.admission.problem import Problem
from trainlint.admission.syntax import label_key
from trainlint.finding import Path
from trainlint.kube.values import is_placeholder
from trainlint.model.quantity import QuantityError, milli

__all__ = ["of_pod_resources", "of_resources"]

_HUGE: Final = "hugepages-"
_PLAIN: Final = frozenset({"cpu", "memory", "ephemeral-storage"})


def of_resources(container: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    """What is refused of a container's resources."""
    resources = mapping(container.get("resources"))
    if resources:
        who = f"container {text(container.get('name')) or 'without a name'}"
        yield from _amounts(resources, (*at, "resources"), who)
        yield from _above(resources, (*at, "resources"), who)
        yield from _huge_pages(resources, (*at, "resources"), who)


def of_pod_resources(spec: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    """What is refused of the resources of a pod as a whole."""
    resources = mapping(spec.get("resources"))
    if resources:
        yield from _amounts(resources, (*at, "resources"), "the pod")
        yield from _above(resources, (*at, "resources"), "the pod")


def _amounts(resources: Mapping[str, Any], at: Path, who: str) -> Iterator[Problem]:
    for kind in ("limits", "requests"):
        for name, amount in mapping(resources.get(kind)).items():
            if is_placeholder(name):
                continue
            if "/" not in name and name not in _PLAIN and not name.startswith(_HUGE):
                why = f"{name} in the {kind} of {who} is no resource of a container: device names have a domain"
                remedy = "write the name that the device plugin announces, such as nvidia.com/gpu"
                yield Problem((*at, kind, name), why, remedy, f"resource {name}")
            elif "/" in name and (wrong := label_key(name)):
                yield Problem((*at, kind, name), f"{name} is no name of a resource: {wrong}", "correct it", name)
            elif (value := _milli(amount)) is None:
                if _bad(amount):
                    why = f"{kind}.{name} of {who} is {amount!r}, which is no quantity"
                    yield Problem((*at, kind, name), why, "write a number with a unit such as 500m or 16Gi", name)
            elif value < 0:
                why = f"{kind}.{name} of {who} is {amount}, and amounts are not negative"
                yield Problem((*at, kind, name), why, "write a positive amount", f"negative {name}")


def _above(resources: Mapping[str, Any], at: Path, who: str) -> Iterator[Problem]:
    limits = mapping(resources.get("limits"))
    for name, asked in mapping(resources.get("requests")).items():
        if name not in _PLAIN and not (name.startswith(_HUGE) or "kubernetes.io/" in name):
            continue
        limit = limits.get(name)
        request, most = _milli(asked), _milli(limit)
        if name.startswith(_HUGE) and not written(limit) and request:
            why = f"{who} requests {asked} {name} without a limit, and huge pages cannot be overcommitted"
            remedy = f"set limits.{name} to {asked}"
            yield Problem((*at, "requests", name), why, remedy, name, put=((*at, "limits", name), asked))
        if request is None or most is None:
            continue
        if name.startswith(_HUGE) and request != most:
            why = f"{who} requests {asked} {name} and is limited to {limit}: huge pages cannot be overcommitted"
            evidence = {"request": str(asked), "limit": str(limit)}
            yield Problem((*at, "requests", name), why, "set both to the same amount", name, evidence=evidence)
        elif request > most:
            why = f"{who} requests {asked} {name}, and its limit is {limit}"
            remedy = f"raise limits.{name} to {asked} or more, or request at most {limit}"
            evidence = {"request": str(asked), "limit": str(limit)}
            yield Problem((*at, "requests", name), why, remedy, f"above {name}", evidence=evidence)


def _huge_pages(resources: Mapping[str, Any], at: Path, who: str) -> Iterator[Problem]:
    limits, requests = mapping(resources.get("limits")), mapping(resources.get("requests"))
    huge = [name for name in {**limits, **requests} if name.startswith(_HUGE)]
    if huge and not any(name in {**limits, **requests} for name in ("cpu", "memory")):
        kind = "limits" if huge[0] in limits else "requests"
        why = f"{who} asks for {huge[0]} and for neither cpu nor memory, one of which huge pages need beside them"
        yield Problem((*at, kind, huge[0]), why, "add cpu and memory", "huge pages alone")
    for name in huge:
        page = _milli(name.removeprefix(_HUGE))
        for kind, amounts in (("limits", limits), ("requests", requests)):
            amount = _milli(amounts.get(name))
            if amount is None:
                continue
            if page is None or page <= 0 or amount % page:
                why = f"{who} asks for {name}: {amounts[name]}, which is no multiple of the page size"
                remedy = "write the size of all pages together, in bytes or with a unit such as 5120Mi"
                evidence = {"amount": str(amounts[name]), "page": name.removeprefix(_HUGE)}
                yield Problem((*at, kind, name), why, remedy, f"pages of {name}", evidence=evidence)
                break


def _milli(amount: Any) -> int | None:
    """The amount in thousandths; ``None`` where it is unknown."""
    if isinstance(amount, bool) or not isinstance(amount, (str, int, float)):
        return None
    written = str(amount)
    if is_placeholder(written):
        return None
    try:
        return milli(written)
    except QuantityError:
        return None


def _bad(amount: Any) -> bool:
    """Whether something that is written is surely no quantity: plain text, of which no tool makes another one."""
    if isinstance(amount, bool):
        return True
    if not isinstance(amount, str) or is_placeholder(amount) or not amount.strip():
        return False
    return amount[0].isdigit()
