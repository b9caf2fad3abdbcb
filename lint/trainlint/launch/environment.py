"""The environment of a container: what its manifest sets and what its scripts set on top."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final

from trainlint.fact import fact, remembered
from trainlint.finding import Location
from trainlint.launch.command import Command, commands, place, variables_of
from trainlint.launch.ground import VariableGround
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import Container

__all__ = ["MPI_PROGRAMS", "Carrier", "Variable", "environment", "expand", "hidden_carriers"]

_REFERENCE: Final = lazy_pattern(
    r"\$(?:\((?P<kubernetes>[A-Za-z_]\w*)\)|\{(?P<braced>[A-Za-z_]\w*)\}|(?P<plain>[A-Za-z_]\w*))"
)
_KUBERNETES_REFERENCE: Final = lazy_pattern(r"\$\(([A-Za-z_]\w*)\)")
MAX_VALUE: Final = 32 << 10
"""Characters of a value with its references filled in; references of references could double it at every step."""
MAX_ALL: Final = 256 << 10
"""Characters of all such values of a container."""
_TOO_LONG: Final = Because(VariableGround.TOO_LONG, (MAX_VALUE >> 10,))
_TOO_MUCH: Final = Because(VariableGround.TOO_MUCH, (MAX_ALL >> 10,))
MPI_PROGRAMS: Final = frozenset({"mpirun", "mpiexec", "horovodrun", "orterun", "mpiexec.hydra"})
"""Programs that start MPI ranks on other hosts."""


class Carrier(StrEnum):
    """What sets a variable."""

    MANIFEST = "env"
    SCRIPT = "script"
    MPI = "mpirun -x"
    OPERATOR = "operator"
    FILE = "nccl.conf"


@fact
class Variable:
    """A variable as the process sees it: its value or why it is unknown, and what set it last.

    ``origin`` is where the value stands, if that is elsewhere (in a ConfigMap).
    """

    name: str
    value: Known[str]
    at: Location
    carrier: Carrier = Carrier.MANIFEST
    origin: Location | None = None


class _Room:
    """What is left for values that are longer than they are written."""

    def __init__(self) -> None:
        self._left = MAX_ALL

    def taken(self, written: Known[str], value: Known[str]) -> Known[str]:
        """The value, where there is room for it."""
        if isinstance(value, Undetermined) or isinstance(written, Undetermined) or len(value) <= len(written):
            return value
        self._left -= len(value)
        return value if self._left >= 0 else Undetermined(_TOO_MUCH)


@remembered
def environment(container: Container) -> Mapping[str, Variable]:
    """The variables of the container's processes, by name.

    Of several entries the last one counts, as for the kubelet; what the container's scripts set (``export``,
    ``VAR=x command``, ``mpirun -x VAR=x``, MCA parameters as their OMPI_MCA_ variables) comes after the manifest, and
    NCCL's own files fill what is left unset (N 1.1). References to known variables are filled in.
    """
    found: dict[str, Variable] = {}
    room = _Room()
    for entry in container.env:
        found[entry.name] = Variable(
            entry.name,
            room.taken(entry.value, _manifest_value(entry.value, found)),
            entry.at or place(container),
            Carrier.OPERATOR if entry.injected else Carrier.MANIFEST,
            entry.origin,
        )
    for command in commands(container):
        for name, text, at in variables_of(command):
            found[name] = Variable(name, room.taken(text, _shell_value(text, found)), at, Carrier.SCRIPT)
        if command.program in MPI_PROGRAMS:
            for name, text, at in _passed_on(command):
                found[name] = Variable(name, room.taken(text, _shell_value(text, found)), at, Carrier.MPI)
    for variable in _of_files(container, found):
        found.setdefault(variable.name, variable)
    return found


def hidden_carriers(container: Container) -> tuple[str, ...]:
    """What may set variables that are not in Git: a name that is not found may be set all the same."""
    sourced = [
        f"the file {command.words[1].text}"
        for command in commands(container)
        if command.program in {"source", "."} and len(command.words) > 1
    ]
    return (*container.hidden_env, *sourced)


def expand(text: str, variables: Mapping[str, Variable]) -> str:
    """The text with every reference to a known variable filled in; all others stay as written, and so does a text that
    would be longer than MAX_VALUE.
    """
    made = _filled(_REFERENCE, text, variables)
    return text if made is None else made


def _filled(references: re.Pattern[str], text: str, variables: Mapping[str, Variable]) -> str | None:
    """The text with its references filled in; ``None`` where that makes it too long."""
    if "$" not in text:
        return text
    parts, at, left = [], 0, max(MAX_VALUE - len(text), 0)
    for match in references.finditer(text):
        name = next(filter(None, match.groups()))
        known = variables[name].value if name in variables else None
        if isinstance(known, str):
            parts += [text[at : match.start()], known]
            at = match.end()
            left -= len(known)
            if left < 0:
                return None
    return "".join([*parts, text[at:]])


def _manifest_value(value: Known[str], variables: Mapping[str, Variable]) -> Known[str]:
    """The kubelet fills in ``$(NAME)`` of earlier entries, and leaves names that it does not know as they are."""
    if isinstance(value, Undetermined) or "$(" not in value:
        return value
    text = _filled(_KUBERNETES_REFERENCE, value, variables)
    if text is None:
        return Undetermined(_TOO_LONG)
    unknown = [name for name in _KUBERNETES_REFERENCE.findall(text) if name in variables]
    return Undetermined(Because(VariableGround.REFERENCE, (unknown[0],))) if unknown else text


def _shell_value(text: str, variables: Mapping[str, Variable]) -> Known[str]:
    value = _filled(_REFERENCE, text, variables)
    if value is None:
        return Undetermined(_TOO_LONG)
    if "$" in value or "`" in value:
        return Undetermined(Because(VariableGround.COMPUTED, (text,)))
    return value


def _passed_on(command: Command) -> Iterator[tuple[str, str, Location]]:
    """What mpirun gives its ranks: ``-x NAME=VALUE``, ``-genv NAME VALUE``, ``--mca NAME VALUE``."""
    words = command.words
    for index, word in enumerate(words[:-1]):
        option, value = word.text.lstrip("-"), words[index + 1]
        if word.text == option:
            continue
        if option in {"x", "genv", "env"} and "=" in value.text:
            name, _, text = value.text.partition("=")
            yield name, text, value.at
        elif option in {"mca", "gmca", "genv", "env"} and index + 2 < len(words):
            prefix = "OMPI_MCA_" if option.endswith("mca") else ""
            yield prefix + value.text, words[index + 2].text, words[index + 2].at


def _of_files(container: Container, variables: Mapping[str, Variable]) -> Iterator[Variable]:
    """NAME=VALUE lines of NCCL's configuration: the file that NCCL_CONF_FILE names, and /etc/nccl.conf."""
    own = variables["NCCL_CONF_FILE"].value if "NCCL_CONF_FILE" in variables else ""
    for path in (own, "/etc/nccl.conf"):
        for file in container.files:
            if file.path == path:
                for line in file.text.splitlines():
                    name, equals, value = line.partition("=")
                    if equals and not line.startswith("#"):
                        yield Variable(name, value, file.at, Carrier.FILE)
