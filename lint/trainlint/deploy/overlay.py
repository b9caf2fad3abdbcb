"""What deployers write into the kustomization that they build: the fields that Flux and Argo CD pass on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from trainlint.finding import Location, Path
from trainlint.kube.values import read_text
from trainlint.source.document import Field
from trainlint.source.rendered_root import Overlay

__all__ = ["argo_overlay", "flux_overlay"]

_FLUX: Final = ("patches", "images", "namePrefix", "nameSuffix", "components")
_ARGO: Final = (
    *("namePrefix", "nameSuffix", "commonLabels", "commonAnnotations", "images", "replicas", "patches", "components"),
)
_LEGACY: Final = ("patchesStrategicMerge", "patchesJson6902")


def flux_overlay(spec: Field) -> Overlay | None:
    """What the spec of a Kustomization of Flux changes (fluxcd/pkg kustomize, Generator.WriteFile); ``None`` where that
    is nothing but the namespace, or more than can be told.
    """
    fields = {name: spec[name].value for name in _FLUX if spec[name].value}
    if not fields or any(spec[name].value for name in _LEGACY):
        return None
    return _overlay(fields, spec, "targetNamespace")


def argo_overlay(kustomize: Field) -> Overlay | None:
    """What ``kustomize`` of a source of an Application changes (`kustomize edit` in its directory); ``None`` where it
    changes nothing, or in a way that is not read.
    """
    fields = {name: kustomize[name].value for name in _ARGO if kustomize[name].value}
    if not fields:
        return None
    if "images" in fields:
        images = [_image(each.scalar) for each in kustomize["images"].elements()]
        if None in images:
            return None
        fields["images"] = images
    if fields.get("commonLabels") and kustomize["labelWithoutSelector"].value is True:
        pairs, templates = fields.pop("commonLabels"), kustomize["labelIncludeTemplates"].value is True
        fields["labels"] = [{"pairs": pairs, "includeTemplates": templates}]
    return _overlay(fields, kustomize, "namespace")


def _overlay(fields: Mapping[str, Any], home: Field, namespace: str) -> Overlay | None:
    """The fields, with the namespace that stands under a name of its own."""
    made = dict(fields)
    if moved := read_text(home[namespace]):
        made["namespace"] = moved
    try:
        key = json.dumps(made, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError):
        return None
    document, path = home.document, home.path

    def at(inside: Path) -> Location:
        if inside[:1] == ("namespace",):
            inside = (namespace,)
        elif inside[:1] == ("labels",):
            inside = ("commonLabels", *inside[3:])
        return document.at((*path, *inside))

    return Overlay(key, made, at)


def _image(text: str | None) -> dict[str, str] | None:
    """An image as `kustomize edit set image` takes it: ``[old=]new[:tag][@digest]``; ``None`` if it keeps something."""
    if not text or "*" in text:
        return None
    old, equals, new = text.partition("=")
    new = new if equals else old
    bare, _, digest = new.partition("@")
    name, colon, tag = bare.rpartition(":")
    if not colon or "/" in tag:
        name, tag = bare, ""
    made = {"name": old if equals else name, "newName": name if equals else "", "newTag": tag, "digest": digest}
    return {key: value for key, value in made.items() if value}
