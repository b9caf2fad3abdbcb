"""What helm printed, as documents: without notes, partials, tests and kinds that are not read."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.fact import fact
from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.events import YamlError
from trainlint.source.loader import load
from trainlint.source.node_files import may_be_kindless
from trainlint.source.prefilter import KindFilter
from trainlint.source.yaml_values import Loaded

__all__ = ["BrokenError", "Manifest", "manifests"]

_TESTS: Final = frozenset({"test", "test-success", "test-failure"})
_SEPARATOR: Final = lazy_pattern(r"(?:\A|\n)---\s*")
"""As helm splits what it made (releaseutil.SplitManifests), which is not as Kubernetes splits a file."""

_HOOK: Final = "helm.sh/hook"


@fact(eq=False)
class Manifest:
    """One document that a template made (``template`` as helm names it)."""

    template: str
    text: str
    loaded: Loaded


class BrokenError(Exception):
    """A template makes what is no YAML: helm would refuse it."""

    def __init__(self, template: str, message: str) -> None:
        super().__init__(message)
        self.template = template


def manifests(rendered: Mapping[str, str], kinds: KindFilter) -> Iterator[Manifest]:
    """The documents of each template, in order.

    Raises:
        BrokenError: what a template makes does not parse.
    """
    for template, text in sorted(rendered.items()):
        name = posixpath.basename(template)
        if name.startswith("_") or name == "NOTES.txt" or not text.strip():
            continue
        for part in _split(text):
            if not kinds.may_hold(part) and not may_be_kindless(part):
                continue
            try:
                loaded = load(part)
            except YamlError as error:
                said = part[: error.index].rpartition("\n")[2] + part[error.index :].partition("\n")[0]
                raise BrokenError(template, f"it makes no YAML: {error.message}: {said.strip()}") from None
            if isinstance(loaded.data, dict) and not _is_test(loaded.data):
                yield Manifest(template, part, loaded)


def _split(text: str) -> list[str]:
    *parts, last = _SEPARATOR.split(text)
    return [*(part.rstrip() for part in parts), last]


def _is_test(data: Mapping[str, Any]) -> bool:
    metadata = data.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    hook = annotations.get(_HOOK) if isinstance(annotations, dict) else None
    if not isinstance(hook, str):
        return False
    events = {event.strip() for event in hook.split(",")}
    return bool(events) and events <= _TESTS
