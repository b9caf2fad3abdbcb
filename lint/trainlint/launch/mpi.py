"""How many ranks mpirun is told to start, in all and on each node (W 3, mpi-operator)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.launch.command import Command, Word
from trainlint.launch.environment import Variable, environment, expand
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.pod import Container

__all__ = ["MpiLaunch", "mpi_launch"]

_RANKS: Final = frozenset({"np", "n", "c"})
_PER_NODE: Final = frozenset({"N", "npernode", "ppn", "perhost"})
_PER_SOCKET: Final = frozenset({"npersocket"})
_OTHERWISE: Final = frozenset({"map-by", "app", "rankfile", "rf", "cpu-list"})
_HOSTS: Final = frozenset({"hostfile", "machinefile", "host", "H", "hosts", "f", "default-hostfile", "configfile"})
_PAIRS: Final = frozenset({"mca", "gmca", "prtemca", "pmixmca", "omca", "genv", "env"})
_FLAGS: Final = frozenset(
    {"allow-run-as-root", "bycore", "bynode", "byslot", "display-allocation", "display-map", "get-stack-traces"}
    | {"nolocal", "nooversubscribe", "novm", "oversubscribe", "pernode", "q", "quiet", "report-bindings", "s", "tv"}
    | {"tag-output", "timestamp-output", "use-hwthread-cpus", "v", "verbose", "bind-to-core", "bind-to-socket"}
    | {"bind-to-none", "display", "merge-stderr-to-stdout", "genvall", "genvnone", "prepend-rank", "print-rank-map"}
    | {"do-not-launch", "display-devel-map", "index-argv-by-rank", "xml", "enable-recovery", "no-local", "l"}
)
"""Options of Open MPI's and MPICH's mpirun that stand alone; of any other the next word is the value."""
_LAUNCHERS: Final = ("torch.distributed.", "torchx", "accelerate", "deepspeed", "colossalai", "horovod.runner", "ray.")
"""Modules that start processes of their own."""
_PPR: Final = lazy_pattern(r"^ppr:(?P<count>\d{1,6}):(?P<of>[a-z0-9]+)", re.IGNORECASE)


@fact
class MpiLaunch:
    """The options of one mpirun that say where and how many ranks it starts.

    ``ranks`` are all, ``each`` those on each node, or on each socket (``per_socket``); ``None`` where none is written.
    ``known`` is false where a number cannot be read, or something else says how ranks are spread; ``own_hosts`` says
    that the command brings a list of hosts of its own. ``program`` is what it starts that often.
    """

    command: Command
    ranks: int | None = None
    ranks_at: Location | None = None
    each: int | None = None
    each_at: Location | None = None
    per_socket: bool = False
    known: bool = True
    own_hosts: bool = False
    program: Command = Command(())

    @property
    def starts_ranks(self) -> bool:
        """Whether each process that it starts is surely one rank: Python code, and no module that starts more.

        A script may start a launcher on each node, and native programs may use several devices.
        """
        return self.program.is_python and not self.program.module.startswith(_LAUNCHERS)


def mpi_launch(container: Container, command: Command) -> MpiLaunch:
    """What the command tells mpirun; words of the program that it starts are not its options."""
    variables = environment(container)
    ranks = each = None
    ranks_at = each_at = None
    per_socket, known, own_hosts = False, True, False
    options, program = _options(command)
    for name, word in options:
        if name in _RANKS:
            ranks, ranks_at = _number(word, variables), word.at
            known = known and ranks is not None
        elif name in _PER_NODE or name in _PER_SOCKET or name == "pernode":
            each, each_at = 1 if name == "pernode" else _number(word, variables), word.at
            per_socket = name in _PER_SOCKET
            known = known and each is not None
        elif name == "map-by" and (found := _PPR.match(expand(word.text, variables))):
            each, each_at = int(found["count"]), word.at
            per_socket = found["of"].lower() != "node"
        elif name in _OTHERWISE and not word.text.lower().startswith(("slot", "node", "core", ":")):
            known = False
        elif name in _HOSTS:
            own_hosts = True
    return MpiLaunch(command, ranks, ranks_at, each, each_at, per_socket, known, own_hosts, Command(program))


def _options(command: Command) -> tuple[list[tuple[str, Word]], tuple[Word, ...]]:
    """mpirun's own options, each with its value, or with itself where it has none, and the words of the program."""
    found: list[tuple[str, Word]] = []
    words = command.words
    index = 1
    while index < len(words):
        text = words[index].text
        if not text.startswith("-") or text == "-":
            break
        name, equals, value = text.lstrip("-").partition("=")
        if equals:
            found.append((name, Word(value, words[index].at)))
            index += 1
        elif name in _FLAGS:
            found.append((name, words[index]))
            index += 1
        else:
            if index + 1 < len(words):
                found.append((name, words[index + 1]))
            index += 3 if name in _PAIRS and "=" not in words[min(index + 1, len(words) - 1)].text else 2
    return found, words[index:]


def _number(word: Word, variables: Mapping[str, Variable]) -> int | None:
    text = expand(word.text, variables)
    return int(text) if text.isdecimal() and len(text) < 7 else None
