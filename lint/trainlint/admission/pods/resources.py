"""Resources of containers and pods: amounts, huge pages, requests above limits.

Extended resources (devices) without an equal limit are a matter of scheduling/requests.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.admission.flaws import PodFlaw
from trainlint.admission.name_syntax import label_key
from trainlint.admission.plain_values import mapping, text, written
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because
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
                yield Problem(
                    (*at, kind, name), Because(PodFlaw.RESOURCE_DOMAIN, (name, kind, who)), f"resource {name}"
                )
            elif "/" in name and (wrong := label_key(name)):
                yield Problem((*at, kind, name), Because(PodFlaw.RESOURCE_NAME, (name, wrong)), name)
            elif (value := _milli(amount)) is None:
                if _bad(amount):
                    yield Problem((*at, kind, name), Because(PodFlaw.QUANTITY, (kind, name, who, repr(amount))), name)
            elif value < 0:
                yield Problem(
                    (*at, kind, name), Because(PodFlaw.NEGATIVE_AMOUNT, (kind, name, who, amount)), f"negative {name}"
                )


def _above(resources: Mapping[str, Any], at: Path, who: str) -> Iterator[Problem]:
    limits = mapping(resources.get("limits"))
    for name, asked in mapping(resources.get("requests")).items():
        if name not in _PLAIN and not (name.startswith(_HUGE) or "kubernetes.io/" in name):
            continue
        limit = limits.get(name)
        request, most = _milli(asked), _milli(limit)
        if name.startswith(_HUGE) and not written(limit) and request:
            yield Problem(
                (*at, "requests", name),
                Because(PodFlaw.HUGE_PAGES_LIMIT, (who, asked, name)),
                name,
                put=((*at, "limits", name), asked),
            )
        if request is None or most is None:
            continue
        if name.startswith(_HUGE) and request != most:
            evidence = {"request": str(asked), "limit": str(limit)}
            yield Problem(
                (*at, "requests", name),
                Because(PodFlaw.HUGE_PAGES_EQUAL, (who, asked, name, limit)),
                name,
                evidence=evidence,
            )
        elif request > most:
            evidence = {"request": str(asked), "limit": str(limit)}
            yield Problem(
                (*at, "requests", name),
                Because(PodFlaw.ABOVE_LIMIT, (who, asked, name, limit)),
                f"above {name}",
                evidence=evidence,
            )


def _huge_pages(resources: Mapping[str, Any], at: Path, who: str) -> Iterator[Problem]:
    limits, requests = mapping(resources.get("limits")), mapping(resources.get("requests"))
    huge = [name for name in {**limits, **requests} if name.startswith(_HUGE)]
    if huge and not any(name in {**limits, **requests} for name in ("cpu", "memory")):
        kind = "limits" if huge[0] in limits else "requests"
        yield Problem((*at, kind, huge[0]), Because(PodFlaw.HUGE_PAGES_ALONE, (who, huge[0])), "huge pages alone")
    for name in huge:
        page = _milli(name.removeprefix(_HUGE))
        for kind, amounts in (("limits", limits), ("requests", requests)):
            amount = _milli(amounts.get(name))
            if amount is None:
                continue
            if page is None or page <= 0 or amount % page:
                evidence = {"amount": str(amounts[name]), "page": name.removeprefix(_HUGE)}
                yield Problem(
                    (*at, kind, name),
                    Because(PodFlaw.HUGE_PAGE_SIZE, (who, name, amounts[name])),
                    f"pages of {name}",
                    evidence=evidence,
                )
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
