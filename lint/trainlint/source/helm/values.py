"""Values files, as helm reads and merges them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainlint.source.events import YamlError
from trainlint.source.helm.chart import Dependency
from trainlint.source.loader import load
from trainlint.source.text import NotTextError, decode, split
from trainlint.source.yaml_tree import MAX_DEPTH

__all__ = ["ValuesError", "enabled", "load_values", "merged"]


class ValuesError(Exception):
    """A values file that helm does not read; the message says why."""


def load_values(content: bytes) -> dict[str, Any]:
    """The values in a file; its first document counts. Raises ValuesError."""
    try:
        text = decode(content)
        part = next(split(text), None)
        data = load(part.text).data if part is not None else None
    except NotTextError as error:
        raise ValuesError(str(error)) from None
    except YamlError as error:
        line = text.count("\n", 0, error.index) + (part.line if part is not None else 1)
        raise ValuesError(f"it does not parse: {error.message} (line {line})") from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise ValuesError("it is no mapping")
    return data


def merged(below: Mapping[str, Any], above: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """Two sets of values: mappings are merged, all else that ``above`` gives counts."""
    found = dict(below)
    for key, value in above.items():
        before = found.get(key)
        if isinstance(value, dict) and isinstance(before, dict) and depth < MAX_DEPTH:
            found[key] = merged(before, value, depth + 1)
        else:
            found[key] = value
    return found


def enabled(dependency: Dependency, values: Mapping[str, Any]) -> bool:
    """Whether a chart brings a dependency in: by the first of its conditions that is there, else by its tags."""
    for condition in dependency.conditions:
        here: Any = values
        for step in condition.split("."):
            here = here.get(step) if isinstance(here, dict) else None
        if isinstance(here, bool):
            return here
    tags = values.get("tags")
    said = [tags[tag] for tag in dependency.tags if isinstance(tags, dict) and isinstance(tags.get(tag), bool)]
    return any(said) or not said
