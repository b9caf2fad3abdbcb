"""What GKE adds to the requests of pods that its interfaces annotation attaches to further networks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from trainlint.kube.values import is_placeholder
from trainlint.model.pod import PodSpec

__all__ = ["with_networks"]

ANNOTATION: Final = "networking.gke.io/interfaces"
RESOURCE: Final = "networking.gke.io.networks/"
DEFAULT: Final = "default"
"""The pod network, which every node offers."""


def with_networks(spec: PodSpec, annotations: Mapping[str, str]) -> PodSpec:
    """The spec with a request for each network of the annotation but the default one: the first container asks for it,
    unless one does already (cloud.google.com/kubernetes-engine/docs/how-to/setup-multinetwork-support-for-pods).
    """
    asked = {name for each in spec.containers for name in (*each.requests, *each.limits)}
    more = {
        name: "1" for network in _networks(annotations.get(ANNOTATION, "")) if (name := RESOURCE + network) not in asked
    }
    if not more or not spec.containers:
        return spec
    first, *others = spec.containers
    first = replace(first, requests={**first.requests, **more}, limits={**first.limits, **more})
    return replace(spec, containers=(first, *others))


def _networks(text: str) -> Iterator[str]:
    """The networks beside the default one; none where the annotation cannot be read."""
    try:
        listed = json.loads(text) if text else []
    except ValueError:
        return
    for each in listed if isinstance(listed, list) else ():
        name = each.get("network") if isinstance(each, dict) else None
        if isinstance(name, str) and name and name != DEFAULT and not is_placeholder(name):
            yield name
