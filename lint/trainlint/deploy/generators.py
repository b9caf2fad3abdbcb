"""The generators of an ApplicationSet, as far as the repository decides them: parameters, one set per Application."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.deploy.context import DeployContext
from trainlint.deploy.templating import flat, normalized, rendered
from trainlint.kube.values import read_text
from trainlint.source.document import Field
from trainlint.source.glob import matches

__all__ = ["MAX_SETS", "UndecidedError", "generated"]

Parameters = Mapping[str, Any]

MAX_SETS: Final = 1000
"""More Applications than this are not made out of one ApplicationSet."""

_OFFLINE: Final = ("list", "git", "matrix", "merge")


class UndecidedError(Exception):
    """A generator that asks another service: a forge, the clusters that Argo CD knows, a plugin."""


def generated(
    generator: Field, context: DeployContext, before: Parameters | None = None, *, go: bool
) -> list[Parameters]:
    """The parameters of a generator. Raises UndecidedError.

    ``before`` are those of the first generator of a matrix, which the second may use.
    """
    kind = next((name for name in _OFFLINE if generator[name].present), None)
    if kind is None:
        names = [name for name, _ in generator.items() if name not in ("selector", "template")]
        raise UndecidedError(f"the {names[0] if names else 'empty'} generator, which asks what is not in Git")
    here = generator[kind]
    if before:
        here = Field(here.document, here.path, rendered(here.value, before, go=go))
    found = list({"list": _listed, "git": _git, "matrix": _matrix, "merge": _merged}[kind](here, context, go))
    if len(found) > MAX_SETS:
        raise UndecidedError(f"the {kind} generator, which makes more than {MAX_SETS} Applications")
    return [each for each in found if _selected(each, generator["selector"])]


def _listed(here: Field, context: DeployContext, go: bool) -> Iterator[Parameters]:  # noqa: FBT001
    del context, go
    if here["elementsYaml"].present:
        raise UndecidedError("the list generator, whose elementsYaml is made from other parameters")
    for element in here["elements"].elements():
        if element.mapping is not None:
            yield element.mapping


def _git(here: Field, context: DeployContext, go: bool) -> Iterator[Parameters]:  # noqa: FBT001
    url = read_text(here["repoURL"])
    kind = "directories" if here["directories"].present else "files"
    entries = [(read_text(each["path"]), each["exclude"].value is True) for each in here[kind].elements()]
    library = context.sources.library
    known = library.directories - {""} if kind == "directories" else frozenset(library.names)
    wanted = {name for name in known if any(matches(name, path) for path, out in entries if not out)}
    dropped = {name for name in wanted if any(matches(name, path) for path, out in entries if out)}
    found = sorted(name for name in wanted - dropped if kind == "files" or "/." not in f"/{name}")
    if not found or not context.sources.owner(url, found[0]).ours:
        raise UndecidedError(f"the git generator, whose {kind} are those of {url}")
    values = here["values"].mapping or {}
    for name in found:
        directory = name if kind == "directories" else posixpath.dirname(name)
        path = _path(directory, name if kind == "files" else "", go=go)
        prefix = read_text(here["pathParamPrefix"])
        placed: Parameters = {prefix: path} if prefix and go else path
        if prefix and not go:
            placed = {f"{prefix}.{key}": value for key, value in path.items()}
        for content in _contents(name, context) if kind == "files" else [{}]:
            made = {**content, **placed}
            yield {**made, "values": rendered(values, made, go=go)} if values else made


def _path(directory: str, file: str, *, go: bool) -> dict[str, Any]:
    segments, name = directory.split("/"), posixpath.basename(directory)
    own = posixpath.basename(file)
    if go:
        found: dict[str, Any] = {
            "path": directory,
            "basename": name,
            "basenameNormalized": normalized(name),
            "segments": segments,
        }
        if file:
            found |= {"filename": own, "filenameNormalized": normalized(own)}
        return {"path": found}
    plain: dict[str, Any] = {"path": directory, "path.basename": name, "path.basenameNormalized": normalized(name)}
    plain |= {f"path[{index}]": segment for index, segment in enumerate(segments)}
    if file:
        plain |= {"path.filename": own, "path.filenameNormalized": normalized(own)}
    return plain


def _contents(file: str, context: DeployContext) -> Iterator[Parameters]:
    document = context.sources.library.first(file)
    if document is None:
        return
    for element in document.data if isinstance(document.data, list) else [document.data]:
        if isinstance(element, dict):
            yield element


def _matrix(here: Field, context: DeployContext, go: bool) -> Iterator[Parameters]:  # noqa: FBT001
    parts = list(here["generators"].elements())
    if len(parts) != 2:
        raise UndecidedError("the matrix generator, which takes two generators")
    for first in generated(parts[0], context, go=go):
        for second in generated(parts[1], context, first, go=go):
            yield {**first, **second}


def _merged(here: Field, context: DeployContext, go: bool) -> Iterator[Parameters]:  # noqa: FBT001
    keys = [key.scalar or "" for key in here["mergeKeys"].elements()]
    parts = list(here["generators"].elements())
    if len(parts) < 2:
        raise UndecidedError("the merge generator, which takes two generators or more")
    base, *others = (generated(part, context, go=go) for part in parts)
    for one in base:
        made = dict(one)
        for found in others:
            for other in found:
                if all(flat(one).get(key) == flat(other).get(key) for key in keys):
                    made |= other
        yield made


def _selected(parameters: Parameters, selector: Field) -> bool:
    if not selector.present:
        return True
    plain = flat(parameters)
    for key, value in selector["matchLabels"].items():
        if plain.get(key) != value.scalar:
            return False
    for each in selector["matchExpressions"].elements():
        key, values = read_text(each["key"]), [value.scalar for value in each["values"].elements()]
        match read_text(each["operator"]):
            case "In":
                holds = plain.get(key) in values
            case "NotIn":
                holds = plain.get(key) not in values
            case "Exists":
                holds = key in plain
            case _:
                holds = key not in plain
        if not holds:
            return False
    return True
