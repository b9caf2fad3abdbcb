"""Whether selectors, names and rules match what is created: yes, no, or ``None`` where that is not known."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping

from trainlint.installed.gates.arrival import Arrival
from trainlint.kube.selectors import read_label_selector
from trainlint.kube.values import is_placeholder, read_strings, read_text
from trainlint.model.known import Known, Undetermined
from trainlint.model.namespace import METADATA_NAME, Namespaces
from trainlint.model.selector import Requirement
from trainlint.source.document import Field

__all__ = ["all_of", "any_of", "matches_globs", "matches_rules", "selects_labels", "selects_namespace"]


def any_of(found: Iterable[bool | None]) -> bool | None:
    """Whether one of several conditions holds; ``None`` where none does for certain and one may."""
    answers = set(found)
    return True if True in answers else None if None in answers else False


def all_of(found: Iterable[bool | None]) -> bool | None:
    """Whether all of several conditions hold; ``None`` where none fails for certain and one may."""
    answers = set(found)
    return False if False in answers else None if None in answers else True


def matches_globs(patterns: Iterable[str], text: str) -> bool | None:
    """Whether a name fits one of several patterns; ``None`` where that is not known, as for an empty name."""
    return any_of(
        None if not text or is_placeholder(each) or is_placeholder(text) else fnmatch.fnmatchcase(text, each)
        for each in patterns
    )


def selects_labels(selector: Field, arrival: Arrival) -> bool | None:
    """Whether a label selector takes the object; ``None`` where that is not known. A selector that is not there takes
    everything.
    """
    return _selects(selector, arrival.labels, open_ended=arrival.open)


def selects_namespace(selector: Field, arrival: Arrival, namespaces: Namespaces) -> bool | None:
    """Whether a label selector takes the namespace of the object; ``None`` where that is not known. Of a namespace
    without a document only the name is known.
    """
    labels = namespaces.get(arrival.namespace)
    named = {METADATA_NAME: arrival.namespace}
    return _selects(selector, named if labels is None else {**labels, **named}, open_ended=labels is None)


def _selects(selector: Field, labels: Mapping[str, Known[str]], *, open_ended: bool) -> bool | None:
    found = read_label_selector(selector)
    return all_of(
        _holds(each, labels, open_ended=open_ended) for each in (found.requirements if found is not None else ())
    )


def _holds(requirement: Requirement, labels: Mapping[str, Known[str]], *, open_ended: bool) -> bool | None:
    value = labels.get(requirement.key)
    wild = any("*" in each or "?" in each or is_placeholder(each) for each in (requirement.key, *requirement.values))
    if wild or isinstance(value, Undetermined) or (value is None and open_ended):
        return None
    return {
        "In": value in requirement.values,
        "NotIn": value not in requirement.values,
        "Exists": value is not None,
        "DoesNotExist": value is None,
    }.get(requirement.operator)


def matches_rules(rules: Field, arrival: Arrival) -> bool | None:
    """Whether one of the rules of a webhook or an admission policy is about the creation of the object; ``None`` where
    that is not known.

    Versions are left out: an object is converted to the one that a rule names (matchPolicy: Equivalent).
    """
    return any_of(_covers(each, arrival) for each in rules.elements())


def _covers(rule: Field, arrival: Arrival) -> bool | None:
    groups, operations = read_strings(rule["apiGroups"]), read_strings(rule["operations"])
    names = read_strings(rule["resourceNames"])
    return all_of(
        (
            arrival.group in groups or "*" in groups,
            "CREATE" in operations or "*" in operations,
            read_text(rule["scope"]) != "Cluster",
            any(_is_resource(each, arrival) for each in read_strings(rule["resources"])),
            (arrival.name in names if arrival.name else None) if names else True,
        )
    )


def _is_resource(written: str, arrival: Arrival) -> bool:
    """``pods``, ``*``, ``*/*`` and ``pods/*`` are about pods themselves, ``pods/binding`` is not."""
    resource, _, part = written.partition("/")
    return resource in ("*", arrival.resource) and part in ("", "*")
