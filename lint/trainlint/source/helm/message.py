"""What helm says about a chart that it does not render, in one line, and the line of the template that it means."""

from __future__ import annotations

from typing import Final

from trainlint.fact import fact
from trainlint.lazy_pattern import lazy_pattern

__all__ = ["HelmComplaint", "complaint"]

_MAX: Final = 300
_PLACE: Final = lazy_pattern(r"(?P<template>[^\s():\"']+/(?:templates|charts)/[^\s():\"']+):(?P<line>\d+)(?::\d+)?")
_NOISE: Final = (
    lazy_pattern(r"^(?:execution error at|parse error at) \([^)]*\): "),
    lazy_pattern(r"^template: "),
    lazy_pattern(r"executing \"[^\"]*\" (?=at <)"),
    lazy_pattern(r"error calling \w+: "),
    lazy_pattern(r"\s+Use --debug flag to render out invalid YAML$"),
)


@fact
class HelmComplaint:
    """``template`` is the template as helm names it and ``line`` counts from 1; empty and 0 where it names none."""

    text: str
    template: str = ""
    line: int = 0


def complaint(text: str) -> HelmComplaint:
    """Read helm's message. Of several places the last one is meant: the others lead there."""
    places = list(_PLACE.finditer(text))
    template, line = (places[-1]["template"], int(places[-1]["line"])) if places else ("", 0)
    if len(places) > 1:  # what stands before the last place only leads there
        text = f"{template}:{line} {text[places[-1].end() :].lstrip(': ')}"
    text = " ".join(text.split())
    for noise in _NOISE:
        text = noise.sub("", text)
    return HelmComplaint(text if len(text) <= _MAX else f"{text[:_MAX]} ...", template, line)
