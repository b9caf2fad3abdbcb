"""ResourceQuotas, LimitRanges and PriorityClasses (kubernetes:pkg/apis/{core,scheduling}/validation)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.admission.field_flaws import FieldFlaw
from trainlint.admission.fields import is_no_quantity, lacks, milli_of, one_word, refused, word
from trainlint.admission.name_syntax import label_key
from trainlint.admission.plain_values import below, elements, known, mapping, number, text
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.kube.values import is_placeholder

__all__ = ["of_limit_range", "of_priority_class", "of_resource_quota"]

_HUGE: Final = "hugepages-"
_COMPUTE: Final = frozenset({"cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"})
_COUNTED: Final = frozenset(
    {"configmaps", "persistentvolumeclaims", "pods", "replicationcontrollers", "resourcequotas", "secrets"}
    | {"services", "services.loadbalancers", "services.nodeports"}
)
_QUOTED: Final = (
    _COMPUTE
    | _COUNTED
    | {*("ephemeral-storage", "limits.ephemeral-storage", "requests.ephemeral-storage", "requests.storage")}
)
"""Resources without a domain that a quota may limit."""
_OF_CONTAINERS: Final = frozenset({"cpu", "memory", "ephemeral-storage"})
_SCOPES: Final = (
    *("Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity"),
    "VolumeAttributesClass",
)
_PLAIN_SCOPES: Final = frozenset(_SCOPES) - {"PriorityClass", "VolumeAttributesClass"}
_PAIRS: Final = (("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating"))
_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")
_TYPES: Final = ("Container", "PersistentVolumeClaim", "Pod")
_LISTS: Final = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")
_ORDER: Final = (
    *(("min", "max"), ("min", "defaultRequest"), ("min", "default")),
    *(("defaultRequest", "max"), ("defaultRequest", "default"), ("default", "max")),
)
"""Lists of which no amount of the first may be above that of the second."""
_HIGHEST: Final = 1_000_000_000
_LOWEST: Final = -(2**31)
_SYSTEM: Final = "system-"
_CRITICAL: Final = ("system-node-critical", "system-cluster-critical")


def of_resource_quota(item: Any) -> Iterator[Problem]:
    """What is refused of a ResourceQuota."""
    spec, at = mapping(below(item, "spec")), ("spec",)
    hard = mapping(spec.get("hard"))
    for resource, amount in hard.items():
        place = (*at, "hard", resource)
        yield from _resource(resource, place, _QUOTED, (_HUGE, f"requests.{_HUGE}"))
        yield from _amount(resource, amount, place)
    scopes = spec.get("scopes")
    for index, scope in enumerate(scopes if isinstance(scopes, list) else ()):
        yield from _scope(scope, (*at, "scopes", index), hard)
    if isinstance(scopes, list):
        for one, other in _PAIRS:
            if one in scopes and other in scopes:
                yield refused((*at, "scopes"), FieldFlaw.EXCLUDES, other, where=f"scope {one}")
    place = (*at, "scopeSelector", "matchExpressions")
    for where, requirement in elements(below(spec, "scopeSelector", "matchExpressions"), *place):
        yield from lacks(requirement, where, "scopeName", "operator")
        yield from _scope(requirement.get("scopeName"), (*where, "scopeName"), hard)
        yield from _requirement(requirement, where)


def _scope(scope: Any, at: Path, hard: Mapping[str, Any]) -> Iterator[Problem]:
    given = known(scope)
    if not given:
        return
    yield from one_word(given, at, "a scope", _SCOPES)
    for resource in hard:
        if given in _SCOPES and _is_standard(resource) and not _goes_with(given, resource):
            yield refused(at, FieldFlaw.SCOPE, resource, where=given)


def _is_standard(resource: str) -> bool:
    return resource in _QUOTED or resource.startswith((_HUGE, f"requests.{_HUGE}"))


def _goes_with(scope: str, resource: str) -> bool:
    if scope == "BestEffort":
        return resource == "pods"
    if scope == "VolumeAttributesClass":
        return resource in {"persistentvolumeclaims", "requests.storage"}
    return resource == "pods" or resource in _COMPUTE


def _requirement(requirement: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    scope, operator, values = text(requirement.get("scopeName")), known(requirement.get("operator")), "values"
    if scope in _PLAIN_SCOPES:
        yield from word(requirement, at, "operator", ("Exists",))
        return
    yield from word(requirement, at, "operator", _OPERATORS)
    if operator in ("In", "NotIn"):
        yield from lacks(requirement, at, values)
    elif operator in ("Exists", "DoesNotExist") and requirement.get(values):
        yield refused((*at, values), FieldFlaw.EXCLUDES, f"operator: {operator}")


def of_limit_range(item: Any) -> Iterator[Problem]:
    """What is refused of a LimitRange."""
    seen: set[str] = set()
    for at, limit in elements(below(item, "spec", "limits"), "spec", "limits"):
        yield from lacks(limit, at, "type")
        kind = known(limit.get("type"))
        if not kind:
            continue
        if "/" not in kind:
            yield from word(limit, at, "type", _TYPES)
        if kind in seen:
            yield refused((*at, "type"), FieldFlaw.TWICE, kind, where="spec.limits")
        seen.add(kind)
        yield from _limit(limit, at, kind)


def _limit(limit: Mapping[str, Any], at: Path, kind: str) -> Iterator[Problem]:
    lists = {key: mapping(limit.get(key)) for key in _LISTS}
    for key in ("default", "defaultRequest"):
        if kind == "Pod" and lists[key]:
            yield refused((*at, key), FieldFlaw.EXCLUDES, "type: Pod", where=key)
    if kind == "PersistentVolumeClaim" and "storage" not in {**lists["min"], **lists["max"]}:
        yield refused(at, FieldFlaw.MISSING, "max.storage", key="max")
    if kind in ("Pod", "Container"):
        for key, amounts in lists.items():
            for resource in amounts:
                yield from _resource(resource, (*at, key, resource), _OF_CONTAINERS, (_HUGE,))
    yield from _order(lists, at)
    for resource, amount in lists["maxLimitRequestRatio"].items():
        ratio = milli_of(amount)
        if ratio is not None and ratio < 1000:
            yield refused((*at, "maxLimitRequestRatio", resource), FieldFlaw.AT_LEAST, amount, 1)


def _order(lists: Mapping[str, Mapping[str, Any]], at: Path) -> Iterator[Problem]:
    """Amounts that are above others; of resources that nodes do not overcommit both defaults are one."""
    for low, high in _ORDER:
        for resource, amount in lists[low].items():
            least, most = milli_of(amount), milli_of(lists[high].get(resource))
            if least is not None and most is not None and least > most:
                values = (amount, f"{high}.{resource}", lists[high][resource])
                yield refused((*at, low, resource), FieldFlaw.ABOVE, *values)
    for resource, amount in lists["default"].items():
        if "kubernetes.io/" in resource or ("/" not in resource and not resource.startswith(_HUGE)):
            continue
        given, asked = milli_of(amount), milli_of(lists["defaultRequest"].get(resource))
        if given is not None and asked is not None and given > asked:
            values = (lists["defaultRequest"][resource], f"default.{resource}", amount)
            yield refused((*at, "defaultRequest", resource), FieldFlaw.DIFFERS, *values)


def of_priority_class(item: Any) -> Iterator[Problem]:
    """What is refused of a PriorityClass; those of the system are its own."""
    given = number(item.get("value"))
    named = text(below(item, "metadata", "name"))
    if named.startswith(_SYSTEM) and named not in _CRITICAL:
        yield refused(("metadata", "name"), FieldFlaw.RESERVED, _SYSTEM, where=named)
    elif given is not None and given > _HIGHEST and not named.startswith(_SYSTEM):
        yield refused(("value",), FieldFlaw.RANGE, given, _LOWEST, _HIGHEST)
    yield from word(item, (), "preemptionPolicy", ("Never", "PreemptLowerPriority"))


def _resource(resource: str, at: Path, plain: frozenset[str], prefixes: tuple[str, ...]) -> Iterator[Problem]:
    if is_placeholder(resource):
        return
    wrong = label_key(resource)
    if wrong or ("/" not in resource and resource not in plain and not resource.startswith(prefixes)):
        yield refused(at, FieldFlaw.RESOURCE, resource, where=str(at[-2]))


def _amount(resource: str, amount: Any, at: Path) -> Iterator[Problem]:
    value = milli_of(amount)
    if value is None and is_no_quantity(amount):
        yield refused(at, FieldFlaw.QUANTITY, amount)
    elif value is not None and value < 0:
        yield refused(at, FieldFlaw.NEGATIVE, amount)
    elif value is not None and value % 1000 and (resource in _COUNTED or _is_extended(resource)):
        yield refused(at, FieldFlaw.WHOLE, amount)


def _is_extended(resource: str) -> bool:
    """Whether a resource is counted in whole units: one with a domain of its own, and no ``requests.`` before it."""
    return "/" in resource and "kubernetes.io/" not in resource and not resource.startswith("requests.")
