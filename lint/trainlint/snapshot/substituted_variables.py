"""Variables of a container's shell that its deployer has replaced before the container starts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import Final

from trainlint.deploy.deployment import Deployment
from trainlint.deploy.envsubst import EnvsubstError, Text, Use, parsed_text, value_of
from trainlint.deploy.substitution import has_substitutions
from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.pod import Container
from trainlint.model.settings import Settings
from trainlint.model.workload import ObjectRef
from trainlint.snapshot.delivery import keeps_variables
from trainlint.snapshot.objects import ApiObject
from trainlint.workload.reading import read_workloads

__all__ = ["EmptiedSubstitution", "EmptiedVariables", "emptied"]

_SHELLS: Final = frozenset({"ash", "bash", "dash", "ksh", "sh", "zsh"})
_OF_SHELLS: Final = frozenset({"HOME", "HOSTNAME", "PATH", "PWD"})
_ASSIGNED: Final = lazy_pattern(
    r"(?:^|[\s;&|(`])(?:(?:export|local|readonly|declare|typeset)\s+(?:-\w+\s+)*)?([A-Za-z_]\w*)\+?="
    r"|\bfor\s+([A-Za-z_]\w*)\s+in\b|\bread\s+(?:-\w+\s+)*([A-Za-z_]\w*)",
    re.MULTILINE,
)


@fact
class EmptiedSubstitution:
    """A substitution as it is written in a text, what sets its variable in the pod, and what is put in its place."""

    written: str
    name: str
    source: str
    becomes: str
    at: Location
    text: str


@fact
class EmptiedVariables:
    """What a deployer empties in one object. ``missing`` are sources of variables that are not in Git."""

    owner: ObjectRef
    by: str
    at: Location | None
    uses: tuple[EmptiedSubstitution, ...]
    missing: tuple[str, ...] = ()


def emptied(item: ApiObject, deployment: Deployment) -> EmptiedVariables | None:
    """The variables that the deployer of an object, which is as it was before, replaces although the pods set them;
    ``None`` where there are none. A variable that the deployer itself gives is meant.
    """
    variables = deployment.variables
    if variables is None or keeps_variables(item) or not has_substitutions(item.field.value):
        return None
    found: dict[tuple[Location, str], EmptiedSubstitution] = {}
    for pods in read_workloads([item.field], Settings()).pod_sets:
        for container in (*pods.spec.init_containers, *pods.spec.containers):
            for use in _uses(container, item.meta.kind):
                given = use.name in variables.values or (variables.missing and use.source != _operator(item.meta.kind))
                if not given:
                    found.setdefault((use.at, use.written), use)
    if not found:
        return None
    return EmptiedVariables(item.ref, deployment.by, deployment.at, tuple(found.values()), variables.missing)


def _operator(kind: str) -> str:
    return f"the controller of the {kind}"


def _uses(container: Container, kind: str) -> Iterator[EmptiedSubstitution]:
    """The substitutions in the scripts of a container whose variables its pods have from elsewhere."""
    words = [
        (container.at.child(name, index), word)
        for name, part in (("command", container.command), ("args", container.args))
        for index, word in enumerate(part)
        if isinstance(word, str) and container.at is not None
    ]
    if not any(posixpath.basename(word) in _SHELLS for _, word in words) or not any("${" in word for _, word in words):
        return
    sources = dict.fromkeys(_OF_SHELLS, "the shell")
    for _, word in words:
        sources |= dict.fromkeys(
            filter(None, (name for found in _ASSIGNED.findall(word) for name in found)), "the script"
        )
    for entry in container.env:
        sources[entry.name] = _operator(kind) if entry.injected else "the container's env"
    for at, word in words:
        try:
            parts = parsed_text(word)
        except EnvsubstError:
            continue
        for use in _all_uses(parts):
            becomes = value_of(use, lambda name: "")
            if use.name in sources and becomes is not None:
                yield EmptiedSubstitution(use.written, use.name, sources[use.name], becomes, at, word)


def _all_uses(parts: Iterable[Text | Use]) -> Iterator[Use]:
    for each in parts:
        if isinstance(each, Use):
            yield each
            yield from _all_uses(each.words)
