"""The environment of a container: what its manifest sets and what its scripts set on top."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from trainlint.finding import Location
from trainlint.launch.command import Command, commands, place, variables_of
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import Container

__all__ = ["MPI_PROGRAMS", "Carrier", "Variable", "environment", "expand"]

_REFERENCE: Final = re.compile(
    r"\$(?:\((?P<kubernetes>[A-Za-z_]\w*)\)|\{(?P<braced>[A-Za-z_]\w*)\}|(?P<plain>[A-Za-z_]\w*))"
)
_KUBERNETES_REFERENCE: Final = re.compile(r"\$\(([A-Za-z_]\w*)\)")
MPI_PROGRAMS: Final = frozenset({"mpirun", "mpiexec", "horovodrun", "orterun", "mpiexec.hydra"})
"""Programs that start MPI ranks on other hosts."""


class Carrier(StrEnum):
    """What sets a variable."""

    MANIFEST = "env"
    SCRIPT = "script"
    MPI = "mpirun -x"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable as the process sees it: its value or why nobody can know it, and what set it last."""

    name: str
    value: Known[str]
    at: Location
    carrier: Carrier = Carrier.MANIFEST


def environment(container: Container) -> dict[str, Variable]:
    """The variables of the container's processes, by name.

    Of several entries the last one counts, as for the kubelet; what the container's scripts set (``export``,
    ``VAR=x command``, ``mpirun -x VAR=x``) comes after the manifest. References to known variables are filled in.
    """
    found: dict[str, Variable] = {}
    for entry in container.env:
        found[entry.name] = Variable(
            entry.name,
            _manifest_value(entry.value, found),
            entry.at or place(container),
            Carrier.OPERATOR if entry.injected else Carrier.MANIFEST,
        )
    for command in commands(container):
        for name, text, at in _set_by(command):
            carrier = Carrier.MPI if command.program in MPI_PROGRAMS else Carrier.SCRIPT
            found[name] = Variable(name, _shell_value(text, found), at, carrier)
    return found


def expand(text: str, variables: Mapping[str, Variable]) -> str:
    """The text with every reference to a known variable filled in; all others stay as written."""

    def value(match: re.Match[str]) -> str:
        name = match["kubernetes"] or match["braced"] or match["plain"]
        known = variables[name].value if name in variables else None
        return known if isinstance(known, str) else match[0]

    return _REFERENCE.sub(value, text) if "$" in text else text


def _manifest_value(value: Known[str], variables: Mapping[str, Variable]) -> Known[str]:
    """The kubelet fills in ``$(NAME)`` of earlier entries, and leaves names that it does not know as they are."""
    if isinstance(value, Undetermined) or "$(" not in value:
        return value
    text = _KUBERNETES_REFERENCE.sub(lambda match: expand(match[0], variables), value)
    unknown = [name for name in _KUBERNETES_REFERENCE.findall(text) if name in variables]
    return Undetermined(f"it refers to {unknown[0]}, which is not known") if unknown else text


def _shell_value(text: str, variables: Mapping[str, Variable]) -> Known[str]:
    value = expand(text, variables)
    if "$" in value or "`" in value:
        return Undetermined(f"the script computes it: {text}")
    return value


def _set_by(command: Command) -> Iterator[tuple[str, str, Location]]:
    yield from variables_of(command)
    if command.program in MPI_PROGRAMS:
        texts = [word.text for word in command.words]
        for index, text in enumerate(texts[:-1]):
            if text in {"-x", "-genv", "--genv"}:
                name, equals, value = texts[index + 1].partition("=")
                if equals:
                    yield name, value, command.words[index + 1].at
