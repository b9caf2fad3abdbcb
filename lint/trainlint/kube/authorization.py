"""Istio's AuthorizationPolicy: from whom the proxies of pods take connections, and on which ports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.meta import read_meta
from trainlint.kube.selectors import read_label_selector
from trainlint.kube.values import read_strings, read_text
from trainlint.model.selector import LabelSelector
from trainlint.source.document import Field

__all__ = ["AuthorizationPolicy", "AuthorizationRule", "Term", "read_authorization_policy"]

_GROUP: Final = "security.istio.io"
_SOURCES: Final = {
    "principals": "principal",
    "namespaces": "namespace",
    "serviceAccounts": "serviceAccount",
}
_KEYS: Final = {
    "source.principal": "principal",
    "source.namespace": "namespace",
    "source.serviceAccount": "serviceAccount",
    "destination.port": "port",
}


@fact
class Term:
    """One condition: the attribute (empty: one that no manifest decides) has one of ``values`` and none of
    ``excluded``.
    """

    attribute: str
    values: tuple[str, ...]
    excluded: tuple[str, ...] = ()


@fact
class AuthorizationRule:
    """A rule: some element of ``sources`` (none: any), some of ``operations`` (none: any) and all ``conditions``."""

    sources: tuple[tuple[Term, ...], ...]
    operations: tuple[tuple[Term, ...], ...]
    conditions: tuple[Term, ...]
    at: Location


@fact
class AuthorizationPolicy:
    """One object: its action, and the rules of which one must match for it to act."""

    name: str
    namespace: str
    selector: LabelSelector
    action: str
    rules: tuple[AuthorizationRule, ...]
    at: Location


def read_authorization_policy(item: Field) -> AuthorizationPolicy | None:
    """The object at the cursor; ``None`` where it is of another kind, only reports (AUDIT, dry run), or is for a
    waypoint or gateway and not for pods.
    """
    meta, spec = read_meta(item), item["spec"]
    if meta.kind != "AuthorizationPolicy" or meta.api_group != _GROUP:
        return None
    action = read_text(spec["action"]).upper() or "ALLOW"
    if action == "AUDIT" or meta.annotations.get("istio.io/dry-run", "").lower() == "true":
        return None
    if spec["targetRef"].present or spec["targetRefs"].present:
        return None
    return AuthorizationPolicy(
        meta.name,
        meta.namespace or "default",
        read_label_selector(spec["selector"]) or LabelSelector(),
        action,
        tuple(map(_rule, spec["rules"].elements())),
        next((each.at for each in (spec["rules"], spec) if each.present), item.at),
    )


def _rule(rule: Field) -> AuthorizationRule:
    return AuthorizationRule(
        tuple(tuple(_of_source(each["source"])) for each in rule["from"].elements()),
        tuple(tuple(_of_operation(each["operation"])) for each in rule["to"].elements()),
        tuple(
            Term(_KEYS.get(read_text(each["key"]), ""), read_strings(each["values"]), read_strings(each["notValues"]))
            for each in rule["when"].elements()
        ),
        rule.at,
    )


def _of_source(source: Field) -> Iterator[Term]:
    known: set[str] = set()
    for field, attribute in _SOURCES.items():
        opposite = f"not{field[0].upper()}{field[1:]}"
        known |= {field, opposite}
        if source[field].present or source[opposite].present:
            yield Term(attribute, read_strings(source[field]), read_strings(source[opposite]))
    if set(read_strings(source["ipBlocks"])) >= {"0.0.0.0/0"} and not source["notIpBlocks"].present:
        known.add("ipBlocks")
    if {key for key, _ in source.items()} - known:
        yield Term("", ())


def _of_operation(operation: Field) -> Iterator[Term]:
    if operation["ports"].present or operation["notPorts"].present:
        yield Term("port", read_strings(operation["ports"]), read_strings(operation["notPorts"]))
    if {key for key, _ in operation.items()} - {"ports", "notPorts"}:
        yield Term("", ())
