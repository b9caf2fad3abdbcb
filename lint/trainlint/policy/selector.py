"""Label selectors of policies: reading, label sources, implicit scoping, matching (P 2.2, 2.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trainlint.fact import fact, remembered
from trainlint.finding import Location
from trainlint.kube.selectors import read_label_selector
from trainlint.kube.values import is_placeholder
from trainlint.model.known import SYMBOL, Known, Undetermined
from trainlint.model.selector import LabelCondition, LabelSelector, Requirement
from trainlint.policy.identity import CLUSTER_KEY, NAMESPACE_KEY, NAMESPACE_LABELS
from trainlint.policy.labels import OpenLabels
from trainlint.policy.options import CiliumOptions
from trainlint.source.document import Field

__all__ = [
    "Matcher",
    "add",
    "cluster_scope",
    "has_key",
    "has_prefix",
    "keys_asked",
    "overwrite",
    "peer_scope",
    "prefixed",
    "read_selector",
    "requirement",
    "split_source",
    "subject_scope",
]

_ABSENT = object()


def split_source(key: str) -> tuple[str, str]:
    """Source and key of ``source:key``; an empty source where none is written (C:pkg/labels/labels.go parseSource)."""
    if key.startswith("$"):
        return "reserved", key[1:]
    source, colon, rest = key.partition(":")
    return (source, rest) if colon else ("", key)


def requirement(key: str, operator: str, *values: str, at: Location | None = None) -> Requirement:
    """A requirement in one line."""
    return Requirement(key, operator, values, at)


def read_selector(field: Field) -> LabelSelector:
    """The requirements of a Kubernetes label selector, keys as written; one that is not there selects everything."""
    return read_label_selector(field) or LabelSelector((), field.at)


def prefixed(selector: LabelSelector, source: str, key_prefix: str = "") -> LabelSelector:
    """The selector with a source before every key that has none."""
    requirements = []
    for item in selector.requirements:
        given, key = split_source(key_prefix + item.key)
        requirements.append(Requirement(f"{given or source}:{key}", item.operator, item.values, item.at))
    return LabelSelector(tuple(requirements), selector.at)


def has_key(selector: LabelSelector, *keys: str) -> bool:
    """Whether a requirement, whatever its operator, is about one of the keys."""
    return any(item.key in keys for item in selector.requirements)


def has_prefix(selector: LabelSelector, *prefixes: str) -> bool:
    """Whether a requirement's key begins with one of the prefixes."""
    return any(item.key.startswith(prefixes) for item in selector.requirements)


def add(selector: LabelSelector, *requirements: Requirement) -> LabelSelector:
    """The selector with further requirements."""
    return LabelSelector((*selector.requirements, *requirements), selector.at)


def overwrite(selector: LabelSelector, key: str, value: str) -> LabelSelector:
    """Set ``matchLabels[key]``: replaces what people wrote there, and nothing in ``matchExpressions``."""
    kept = tuple(item for item in selector.requirements if item.key != key or not _from_match_labels(item))
    return LabelSelector((*kept, Requirement(key, "In", (value,), selector.at)), selector.at)


def _from_match_labels(item: Requirement) -> bool:
    return item.at is None or "matchLabels" in item.at.path[-2:]


def subject_scope(selector: LabelSelector, namespace: str) -> LabelSelector:
    """What a policy selects: its own namespace only (P 2.3); cluster-wide policies are taken literally."""
    return overwrite(selector, f"k8s:{NAMESPACE_KEY}", namespace) if namespace else selector


def peer_scope(selector: LabelSelector, namespace: str, options: CiliumOptions, *, init: bool) -> LabelSelector:
    """The namespace and cluster that a Cilium endpoint peer gets by itself (P 2.3, steps 1 to 5)."""
    if has_prefix(selector, "reserved:"):
        return selector
    if not has_key(selector, f"k8s:{NAMESPACE_KEY}", f"any:{NAMESPACE_KEY}"):
        if not namespace:
            if not init:
                selector = add(selector, requirement(f"k8s:{NAMESPACE_KEY}", "Exists", at=selector.at))
        elif not has_prefix(selector, f"k8s:{NAMESPACE_LABELS}", f"any:{NAMESPACE_LABELS}"):
            selector = add(selector, requirement(f"k8s:{NAMESPACE_KEY}", "In", namespace, at=selector.at))
    return cluster_scope(selector, options)


def cluster_scope(selector: LabelSelector, options: CiliumOptions) -> LabelSelector:
    """Limit a peer to the local cluster, unless it names a cluster itself or the option is off.

    Where the cluster's name is not known, every pod of this cluster has it all the same.
    """
    if not options.local_cluster or has_key(selector, f"k8s:{CLUSTER_KEY}", f"any:{CLUSTER_KEY}"):
        return selector
    if not options.cluster_named:
        return add(selector, requirement(f"k8s:{CLUSTER_KEY}", "Exists", at=selector.at))
    return add(selector, requirement(f"k8s:{CLUSTER_KEY}", "In", options.local_cluster, at=selector.at))


def _made(found: Undetermined, values: frozenset[str]) -> bool | None:
    """Whether a generated value is among those asked for: known only among generated values, and of those that begin
    as it does not.
    """
    if not found.symbol:
        return None
    if found.symbol in values:
        return True
    others = all(value.endswith(SYMBOL) or _begins_otherwise(value, found.prefix) for value in values)
    return False if others else None


def _begins_otherwise(value: str, prefix: str) -> bool:
    return bool(prefix) and not value.startswith(prefix)


@fact
class Matcher:
    """A selector made ready for matching: terms are (key, negative, values or None for existence, open).

    ``open`` marks a term that holds a placeholder: what it will require is not known. ``expression`` must hold too.
    """

    terms: tuple[tuple[str, bool, frozenset[str] | None, bool], ...]
    expression: LabelCondition | None = None

    @classmethod
    def of(cls, selector: LabelSelector) -> Matcher:
        """Compile a selector; an unknown operator requires nothing, as in the engine."""
        terms: list[tuple[str, bool, frozenset[str] | None, bool]] = []
        for item in selector.requirements:
            opened = is_placeholder(item.key) or any(is_placeholder(value) for value in item.values)
            match item.operator:
                case "In" | "NotIn":
                    terms.append((item.key, item.operator == "NotIn", frozenset(item.values), opened))
                case "Exists" | "DoesNotExist":
                    terms.append((item.key, item.operator == "DoesNotExist", None, opened))
                case _:
                    continue
        return cls(tuple(terms), selector.expression)

    @property
    def only_excludes(self) -> bool:
        """Whether it asks for nothing, and excludes something."""
        return bool(self.terms) and all(negative for _, negative, _, _ in self.terms) and self.expression is None

    def matches(self, labels: Mapping[str, Known[str]], unknown: OpenLabels | None = None) -> bool | None:
        """Whether labels meet all requirements; ``None`` where a label or value that is not known decides."""
        result: bool | None = True
        for key, negative, values, opened in self.terms:
            found = labels.get(key, _ABSENT)
            if opened:
                result = None
            elif found is _ABSENT:
                if unknown is not None and unknown.may_hold(key):
                    result = None
                elif not negative:
                    return False
            elif values is None:
                if negative:
                    return False
            elif isinstance(found, Undetermined):
                if (made := _made(found, values)) is None:
                    result = None
                elif made is negative:
                    return False
            elif (found in values) is negative:
                return False
        if self.expression is not None:
            held = _holds(self.expression, labels, unknown)
            return False if held is False else result and held
        return result


def keys_asked(selector: LabelSelector) -> frozenset[str]:
    """The keys of all labels that it depends on."""
    own = (item.key for item in selector.requirements)
    return frozenset((*own, *_keys(selector.expression))) if selector.expression is not None else frozenset(own)


def _keys(expression: LabelCondition) -> Iterator[str]:
    if expression.requirement is not None:
        yield expression.requirement.key
    for each in expression.operands:
        yield from _keys(each)


def _holds(expression: LabelCondition, labels: Mapping[str, Known[str]], unknown: OpenLabels | None) -> bool | None:
    """Whether a condition holds for labels; ``None`` where what is not known decides."""
    match expression.form:
        case "test":
            return _meets(expression.requirement, labels, unknown) if expression.requirement else None
        case "not":
            found = _holds(expression.operands[0], labels, unknown)
            return None if found is None else not found
        case "and" | "or" as form:
            decisive, result = form == "or", bool(form == "and")
            unsure = False
            for each in expression.operands:
                found = _holds(each, labels, unknown)
                if found is decisive:
                    return decisive
                unsure = unsure or found is None
            return None if unsure else result
        case _:
            return None


@remembered
def _single(item: Requirement) -> Matcher:
    return Matcher.of(LabelSelector((item,)))


def _meets(item: Requirement, labels: Mapping[str, Known[str]], unknown: OpenLabels | None) -> bool | None:
    if item.operator not in ("Contains", "StartsWith", "EndsWith"):
        return _single(item).matches(labels, unknown)
    found, wanted = labels.get(item.key), item.values[0]
    if found is None:
        return None if unknown is not None and unknown.may_hold(item.key) else False
    if isinstance(found, Undetermined) or is_placeholder(wanted):
        return None
    if item.operator == "Contains":
        return wanted in found
    return found.startswith(wanted) if item.operator == "StartsWith" else found.endswith(wanted)
