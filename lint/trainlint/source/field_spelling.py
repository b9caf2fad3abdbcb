"""Fields of kustomizations and of the configurations of plugins, which kustomize finds in whatever case they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from trainlint.finding import Path
from trainlint.source.path_escape import NO_PATHS

__all__ = ["misspelled", "texts"]

_FIELDS: Final = (
    # the fields of a kustomization
    *("apiVersion", "bases", "buildMetadata", "commonAnnotations", "commonLabels", "components", "configMapGenerator"),
    *("configurations", "crds", "generatorOptions", "generators", "helmChartInflationGenerator", "helmCharts"),
    *("helmGlobals", "images", "imageTags", "inventory", "kind", "labels", "metadata", "namePrefix", "namespace"),
    *("nameSuffix", "openapi", "patches", "patchesJson6902", "patchesStrategicMerge", "replacements", "replicas"),
    *("resources", "secretGenerator", "sortOptions", "transformers", "validators", "vars"),
    # those below them, and of builtin plugins, that name files or say what is content
    *("annotations", "chartHome", "env", "envs", "file", "files", "jsonOp", "literals", "options", "pairs", "patch"),
    *("path", "paths", "source", "target", "targets"),
)
_SPELLED: Final = {name.casefold(): name for name in _FIELDS}


def misspelled(data: Any, path: Path = ()) -> tuple[Path, str] | None:
    """The first key that kustomize would take for a field though it is spelled otherwise, and how that is spelled;
    ``None`` where there is none.
    """
    steps = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, value in steps:
        if isinstance(step, str):
            right = _SPELLED.get(step.casefold(), step)
            if right != step:
                return (*path, step), right
            if step in NO_PATHS:
                continue
        found = misspelled(value, (*path, step))
        if found is not None:
            return found
    return None


def texts(data: Any) -> Iterator[str]:
    """All texts but those that are content, never the name of a file."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key not in NO_PATHS:
                yield from texts(value)
    elif isinstance(data, list):
        for each in data:
            yield from texts(each)
    elif isinstance(data, str):
        yield data
