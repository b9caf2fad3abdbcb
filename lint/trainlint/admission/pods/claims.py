"""Resource claims of a pod, and which of them its containers use."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from trainlint.admission.field_flaws import FieldFlaw
from trainlint.admission.fields import name, refused
from trainlint.admission.flaws import PodFlaw
from trainlint.admission.name_syntax import rfc1123_label
from trainlint.admission.plain_values import elements, known, mapping, names, nearest, text, written
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because

__all__ = ["of_claims"]

Containers = Collection[tuple[Path, Mapping[str, Any]]]
_BOTH: Final = ("resourceClaimName", "resourceClaimTemplateName")


def of_claims(spec: Mapping[str, Any], path: Path, containers: Containers) -> Iterator[Problem]:
    """What is refused of claims in the form that Kubernetes 1.31 and newer read."""
    yield from _claims(spec, path)
    claims = names(spec.get("resourceClaims"))
    for at, container in containers:
        listed = mapping(container.get("resources")).get("claims")
        if listed:
            yield from _uses(listed, (*at, "resources", "claims"), claims, text(container.get("name")))


def _claims(spec: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    seen: set[str] = set()
    for at, claim in elements(spec.get("resourceClaims"), *path, "resourceClaims"):
        named = text(claim.get("name"))
        given = [key for key in _BOTH if written(claim.get(key)) and claim[key] != ""]
        if len(given) == 2:
            yield Problem(at, Because(PodFlaw.CLAIM_TWICE, (named, _BOTH[0], _BOTH[1])), f"claim {named}")
        elif not given and not written(claim.get("source")):
            why = Because(PodFlaw.NO_CLAIM, (named, _BOTH[0], _BOTH[1]))
            yield Problem(at, why, f"claim {named}", lacks=_BOTH[0])
        if not named:
            yield refused(at, FieldFlaw.MISSING, "name", key="name")
        elif named in seen and not is_placeholder(named):
            yield refused((*at, "name"), FieldFlaw.TWICE, named, where="resourceClaims")
        seen.add(named)
        yield from name(claim, at, "name", rfc1123_label)
        for key in _BOTH:
            yield from name(claim, at, key)


def _uses(listed: Any, at: Path, claims: list[str], who: str) -> Iterator[Problem]:
    whole: set[str] = set()
    parts: set[tuple[str, str]] = set()
    for place, use in elements(listed, *at):
        wanted, request = known(use.get("name")), text(use.get("request"))
        if not use.get("name"):
            yield refused(place, FieldFlaw.MISSING, "name", key="name")
        if not wanted or is_placeholder(request):
            continue
        yield from name(use, place, "request", rfc1123_label)
        if wanted not in claims and not any(map(is_placeholder, claims)):
            near = nearest(wanted, claims)
            why = Because(PodFlaw.UNKNOWN_CLAIM, (who, wanted, near))
            yield Problem((*place, "name"), why, f"uses claim {wanted}")
        overlaps = wanted in whole or (not request and any(claim == wanted for claim, _ in parts))
        if overlaps or (wanted, request) in parts:
            yield refused((*place, "name"), FieldFlaw.TWICE, wanted, where=f"resources.claims of {who}")
        if request:
            parts.add((wanted, request))
        else:
            whole.add(wanted)
