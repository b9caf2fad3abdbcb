"""Volumes of a pod: their names, and that each has one source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainlint.admission.flaws import FlawRole, PodFlaw
from trainlint.admission.name_syntax import meant_to_be_replaced, rfc1123_label
from trainlint.admission.plain_values import elements, text
from trainlint.admission.pods.volume_sources import of_source
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.model.because import Because

__all__ = ["of_volumes"]


def of_volumes(spec: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    """Volumes without a name, with the name of another one, of several sources, or of one that is refused."""
    seen: dict[str, Path] = {}
    for at, volume in elements(spec.get("volumes"), *path, "volumes"):
        name = text(volume.get("name"))
        if not name:
            yield Problem(at, Because(PodFlaw.NO_VOLUME_NAME), "volume name", lacks="name")
        elif meant_to_be_replaced(name):
            continue
        elif wrong := rfc1123_label(name):
            yield Problem((*at, "name"), Because(PodFlaw.VOLUME_NAME, (name, wrong)), f"volume {name}")
        elif name in seen:
            related = ((Because(FlawRole.OTHER_ONE), seen[name]),)
            yield Problem((*at, "name"), Because(PodFlaw.VOLUME_TWICE, (name,)), f"volume {name}", related=related)
        seen.setdefault(name, at)
        sources = [key for key, value in volume.items() if key != "name" and value is not None]
        if len(sources) > 1:
            why = Because(PodFlaw.VOLUME_SOURCES, (name, len(sources), tuple(sources)))
            yield Problem(at, why, f"sources of {name}")
        for source in sources:
            if isinstance(volume[source], dict):
                yield from of_source(source, volume[source], (*at, source), name)
