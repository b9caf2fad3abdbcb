"""Names of files that are templates of manifests, and the engine that each promises."""

from __future__ import annotations

import re
from typing import Final

from trainlint.lazy_pattern import lazy_pattern

__all__ = ["TEMPLATE_SUFFIXES", "engine_of_name", "plain_name"]

TEMPLATE_SUFFIXES: Final = {
    "j2": "jinja",
    "jinja": "jinja",
    "jinja2": "jinja",
    "tpl": "",
    "tmpl": "go-template",
    "gotmpl": "go-template",
    "template": "",
    "tftpl": "terraform",
    "erb": "erb",
    "mustache": "mustache",
    "hbs": "handlebars",
    "in": "",
    "dist": "",
    "envsubst": "envsubst",
    "example": "",
    "sample": "",
}
"""What may follow ``.yaml`` in the name of a template, and the engine that it promises; empty: any may be meant."""

_SUFFIXED: Final = lazy_pattern(
    rf"(?P<plain>.*\.(?:ya?ml|json))[.\-_](?P<suffix>{'|'.join(TEMPLATE_SUFFIXES)})", re.DOTALL
)


def engine_of_name(name: str) -> str | None:
    """The engine that a file name promises (``job.yaml.j2``), empty if any may be meant, ``None`` for plain names."""
    found = _SUFFIXED.fullmatch(name)
    return None if found is None else TEMPLATE_SUFFIXES[found["suffix"]]


def plain_name(name: str) -> str:
    """The name without the suffix of a template."""
    found = _SUFFIXED.fullmatch(name)
    return name if found is None else found["plain"]
