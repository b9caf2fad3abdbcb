"""Gatekeeper's constraints and mutators: which of them act at admission, and for what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from trainlint.fact import fact
from trainlint.installed.gates.arrival import Arrival
from trainlint.installed.gates.match import all_of, any_of, matches_globs, selects_labels, selects_namespace
from trainlint.kube.meta import Meta
from trainlint.kube.values import read_strings, read_text
from trainlint.model.namespace import Namespaces
from trainlint.source.document import Field

__all__ = ["Exempt", "matches_constraint", "read_exempt", "verb_of"]

_CONSTRAINTS: Final = "constraints.gatekeeper.sh"
_MUTATIONS: Final = "mutations.gatekeeper.sh"
_WEBHOOK: Final = ("*", "validation.gatekeeper.sh")
_PROCESSES: Final = {"mutate": ("*", "mutation-webhook"), "validate": ("*", "webhook")}


@fact
class Exempt:
    """Patterns of namespaces that Gatekeeper's configuration leaves out, by what is done there."""

    mutate: tuple[str, ...] = ()
    validate: tuple[str, ...] = ()


def verb_of(meta: Meta) -> str:
    """What the object does: ``mutate``, ``validate``; empty where it is none of Gatekeeper's."""
    return {_CONSTRAINTS: "validate", _MUTATIONS: "mutate"}.get(meta.api_group, "")


def read_exempt(objects: Iterable[tuple[Meta, Field]]) -> Exempt:
    """The namespaces that the configuration exempts."""
    found: dict[str, list[str]] = {"mutate": [], "validate": []}
    for meta, item in objects:
        if (meta.api_group, meta.kind) == ("config.gatekeeper.sh", "Config"):
            for entry in item.down("spec", "match").elements():
                for verb, names in _PROCESSES.items():
                    if set(names) & set(read_strings(entry["processes"])):
                        found[verb] += read_strings(entry["excludedNamespaces"])
    return Exempt(tuple(found["mutate"]), tuple(found["validate"]))


def matches_constraint(
    meta: Meta, item: Field, exempt: Exempt, namespaces: Namespaces, arrival: Arrival
) -> bool | None:
    """Whether a constraint that refuses, or a mutator, is about the creation of an object; ``None`` where that is not
    known.
    """
    spec, verb = item["spec"], verb_of(meta)
    if verb == "validate" and not _denies(spec):
        return False
    left_out = matches_globs(exempt.mutate if verb == "mutate" else exempt.validate, arrival.namespace)
    applies = any_of(_applied(each, arrival) for each in spec["applyTo"].elements())
    everything = verb == "validate" or meta.kind == "AssignMetadata"
    return all_of(
        (
            None if left_out is None else not left_out,
            everything or applies,
            _matched(spec["match"], arrival, namespaces),
        )
    )


def _denies(spec: Field) -> bool:
    action = read_text(spec["enforcementAction"]) or "deny"
    if action != "scoped":
        return action not in ("dryrun", "warn")
    return any(
        read_text(each["action"]) == "deny"
        and any(read_text(point["name"]) in _WEBHOOK for point in each["enforcementPoints"].elements())
        for each in spec["scopedEnforcementActions"].elements()
    )


def _applied(entry: Field, arrival: Arrival) -> bool:
    groups, kinds = read_strings(entry["groups"]), read_strings(entry["kinds"])
    return bool({arrival.group, "*"} & set(groups)) and bool({arrival.kind, "*"} & set(kinds))


def _matched(match: Field, arrival: Arrival, namespaces: Namespaces) -> bool | None:
    kinds, spaces = match["kinds"], read_strings(match["namespaces"])
    left_out = matches_globs(read_strings(match["excludedNamespaces"]), arrival.namespace)
    name = read_text(match["name"])
    return all_of(
        (
            any(_of_kind(each, arrival) for each in kinds.elements()) if kinds.value else True,
            read_text(match["scope"]) != "Cluster",
            read_text(match["source"]) != "Generated",
            matches_globs(spaces, arrival.namespace) if spaces else True,
            None if left_out is None else not left_out,
            matches_globs((name,), arrival.name) if name else True,
            selects_labels(match["labelSelector"], arrival),
            selects_namespace(match["namespaceSelector"], arrival, namespaces),
        )
    )


def _of_kind(entry: Field, arrival: Arrival) -> bool:
    groups, kinds = read_strings(entry["apiGroups"]), read_strings(entry["kinds"])
    return (not groups or bool({arrival.group, "*"} & set(groups))) and (
        not kinds or bool({arrival.kind, "*"} & set(kinds))
    )
