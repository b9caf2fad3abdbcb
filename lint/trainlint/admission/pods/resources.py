"""Resources of containers and pods: amounts, huge pages, requests above limits.

Extended resources (devices) without an equal limit are a matter of scheduling/requests.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.admission.field_flaws import FieldFlaw, FieldPlace
from trainlint.admission.fields import is_no_quantity, milli_of, refused
from trainlint.admission.flaws import PodFlaw
from trainlint.admission.name_syntax import label_key
from trainlint.admission.plain_values import elements, mapping, text, written
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because

__all__ = ["of_pod_resources", "of_resources"]

_HUGE: Final = "hugepages-"
_OF_PODS: Final = frozenset({"cpu", "memory"})
_POD_LEVEL_SINCE: Final = (1, 34)
_PLAIN: Final = frozenset({"cpu", "memory", "ephemeral-storage"})


def of_resources(container: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    """What is refused of a container's resources."""
    resources = mapping(container.get("resources"))
    if resources:
        who = f"container {text(container.get('name')) or 'without a name'}"
        yield from _amounts(resources, (*at, "resources"), who)
        yield from _above(resources, (*at, "resources"), who)
        yield from _huge_pages(resources, (*at, "resources"), who)


def of_pod_resources(spec: Mapping[str, Any], at: Path, version: tuple[int, ...]) -> Iterator[Problem]:
    """What is refused of the overhead of a pod, and of its resources as a whole, which 1.34 and newer read."""
    overhead = mapping(spec.get("overhead"))
    if overhead:
        yield from _amounts({"overhead": overhead}, at, "the pod", ("overhead",))
    resources = mapping(spec.get("resources"))
    if not resources or (version and version < _POD_LEVEL_SINCE):
        return
    place = (*at, "resources")
    yield from _amounts(resources, place, "the pod")
    yield from _above(resources, place, "the pod")
    yield from _huge_pages(resources, place, "the pod")
    if resources.get("claims") is not None:
        yield refused((*place, "claims"), FieldFlaw.BELONGS, FieldPlace.CONTAINER)
    for kind in ("limits", "requests"):
        for name in mapping(resources.get(kind)):
            if name not in _OF_PODS and not name.startswith(_HUGE) and ("/" in name or name in _PLAIN):
                yield refused((*place, kind, name), FieldFlaw.RESOURCE, name, where=f"{kind} of the pod")
    yield from _totals(spec, resources, place)


def _totals(spec: Mapping[str, Any], resources: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    """Containers that ask for more than their pod (validatePodResourceConsistency)."""
    requests, limits = mapping(resources.get("requests")), mapping(resources.get("limits"))
    for name, amount in requests.items():
        total, most = _together(spec, name, "requests"), milli_of(amount)
        if total is not None and most is not None and total > most:
            yield refused((*at, "requests", name), FieldFlaw.POD_TOTAL, _written(total), amount, where=name)
    for name, amount in limits.items():
        most = milli_of(amount)
        if most is None:
            continue
        total = _together(spec, name, "limits") if name.startswith(_HUGE) else None
        if total is not None and total > most:
            yield refused((*at, "limits", name), FieldFlaw.POD_TOTAL, _written(total), amount, where=name)
        for place, container in elements(spec.get("containers"), *at[:-1], "containers"):
            own = mapping(mapping(container.get("resources")).get("limits")).get(name)
            if (milli_of(own) or 0) > most:
                where = f"limits.{name} of {container.get('name')}"
                values = (own, f"spec.resources.limits.{name}", amount)
                yield refused((*place, "resources", "limits", name), FieldFlaw.ABOVE, *values, where=where)


def _together(spec: Mapping[str, Any], name: str, kind: str) -> int | None:
    """What the containers ask for together at any time, in thousandths; ``None`` where one amount is unknown."""
    main, sidecars, most = 0, 0, 0
    for key in ("containers", "initContainers"):
        for _, container in elements(spec.get(key)):
            resources = mapping(container.get("resources"))
            given = mapping(resources.get(kind)).get(name)
            if given is None and kind == "requests":
                given = mapping(resources.get("limits")).get(name)
            amount = 0 if given is None else milli_of(given)
            if amount is None:
                return None
            if key == "containers":
                main += amount
            elif container.get("restartPolicy") == "Always":
                sidecars += amount
                most = max(most, sidecars)
            else:
                most = max(most, sidecars + amount)
    return max(main + sidecars, most)


def _written(amount: int) -> str:
    """Thousandths as people write them."""
    return str(amount // 1000) if amount % 1000 == 0 else f"{amount}m"


def _amounts(
    resources: Mapping[str, Any], at: Path, who: str, kinds: tuple[str, ...] = ("limits", "requests")
) -> Iterator[Problem]:
    for kind in kinds:
        for name, amount in mapping(resources.get(kind)).items():
            if is_placeholder(name):
                continue
            if "/" not in name and name not in _PLAIN and not name.startswith(_HUGE):
                yield Problem(
                    (*at, kind, name), Because(PodFlaw.RESOURCE_DOMAIN, (name, kind, who)), f"resource {name}"
                )
            elif "/" in name and name.startswith("requests."):
                yield refused((*at, kind, name), FieldFlaw.RESOURCE, name, where=f"{kind} of {who}")
            elif "/" in name and (wrong := label_key(name)):
                yield Problem((*at, kind, name), Because(PodFlaw.RESOURCE_NAME, (name, wrong)), name)
            elif (value := milli_of(amount)) is None:
                if is_no_quantity(amount):
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
        request, most = milli_of(asked), milli_of(limit)
        if name.startswith(_HUGE) and not written(limit) and request is not None:
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
        page = milli_of(name.removeprefix(_HUGE))
        for kind, amounts in (("limits", limits), ("requests", requests)):
            amount = milli_of(amounts.get(name))
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
