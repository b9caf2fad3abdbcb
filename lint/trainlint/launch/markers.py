"""What in a container proves that ranks of a collective job run in it, and over how many nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final

from trainlint.fact import fact, remembered
from trainlint.finding import Location
from trainlint.launch.command import Command, commands
from trainlint.launch.environment import MPI_PROGRAMS, Variable, environment
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import Container

__all__ = ["Marker", "Scope", "markers", "spans_nodes"]

_TORCH_LAUNCHERS: Final = frozenset({"torchrun", "torchrun-hpu", "hyperpodrun", "torchx"})
_TORCH_MODULES: Final = frozenset({"torch.distributed.run", "torch.distributed.launch", "torch.distributed.elastic"})
_LOCAL: Final = lazy_pattern(r"^(localhost|127\.|0\.0\.0\.0|\[?::1)")
_COUNTS: Final = {
    "world-size", "nnodes", "num-nodes", "n-nodes", "num-machines", "num-hosts", "pet-nnodes", "num-processes",
    "jax-num-processes", "paddle-nnodes", "dmlc-num-worker", "nodes",
}  # fmt: skip
_PLACES: Final = {
    "master-addr", "master-address", "rdzv-endpoint", "pet-rdzv-endpoint", "pet-master-addr", "dist-init-addr",
    "coordinator-address", "jax-coordinator-address", "coordinator-addr", "main-process-ip", "dist-url", "init-method",
    "data-parallel-address", "paddle-master", "dmlc-tracker-uri",
}  # fmt: skip
_RANKS: Final = {
    "node-rank", "machine-rank", "pet-node-rank", "rank", "process-id", "jax-process-id", "host-id", "global-rank",
}  # fmt: skip
_VARIABLE_COUNTS: Final = {name.upper().replace("-", "_") for name in _COUNTS - {"nodes"}} | {"NUM_NODES", "NNODES"}
_VARIABLE_PLACES: Final = {name.upper().replace("-", "_") for name in _PLACES - {"init-method"}}
_VARIABLE_RANKS: Final = {"RANK", "NODE_RANK", "PET_NODE_RANK", "PROCESS_ID", "JAX_PROCESS_ID", "GROUP_RANK"}
_LIBRARY: Final = lazy_pattern(r"^(NCCL|GLOO|RCCL|HCCL|FI_EFA|UCX)_")
_CODE: Final = lazy_pattern(r"init_process_group\(|jax\.distributed\.initialize\(|hvd\.init\(|dist\.initialize\(")


class Scope(StrEnum):
    """How far the communicator reaches that a marker proves."""

    NODES = "several nodes"
    NODE = "one node"
    OPEN = "not said"


@fact
class Marker:
    """Something only ranks of a collective job have: in words, how far it reaches, and where it is written.

    ``rank`` says that it tells the process which rank it is, or how many there are.
    """

    text: str
    scope: Scope
    at: Location
    rank: bool = False


@remembered
def markers(container: Container) -> tuple[Marker, ...]:
    """Every marker of the container; launchers first, then options, then variables."""
    lines = commands(container)
    variables = environment(container)
    return (
        *(marker for line in lines if (marker := _launcher(line, variables))),
        *(marker for line in lines for marker in _options(line)),
        *_variables(variables),
    )


def spans_nodes(container: Container) -> Marker | None:
    """The marker that proves ranks of one communicator on several nodes; ``None`` where there is none, or one says the
    contrary.
    """
    found = markers(container)
    if any(marker.scope is Scope.NODE for marker in found):
        return None
    return next((marker for marker in found if marker.scope is Scope.NODES), None)


def _launcher(command: Command, variables: Mapping[str, Variable]) -> Marker | None:
    program, module, first = command.program, command.module, 1
    if program == "env" or not command.words:
        return None
    torch = program in _TORCH_LAUNCHERS or module in _TORCH_MODULES
    at = command.words[0].at
    if torch:
        if command.option("standalone"):
            return Marker("torchrun --standalone", Scope.NODE, at)
        scope = _count(command, "nnodes")
        if (
            scope is Scope.OPEN
            and "PET_NNODES" not in variables
            and not any("$" in word.text for word in command.words)
        ):
            scope = Scope.NODE  # torchrun's default is --nnodes=1:1 (torch/distributed/run.py)
        return Marker(module or program, scope, at)
    if program == "accelerate" and len(command.words) > first and command.words[first].text == "launch":
        return Marker("accelerate launch", _count(command, "num-machines"), at)
    if program == "deepspeed":
        scope = Scope.NODES if command.option("hostfile", "h") else _count(command, "num-nodes")
        return Marker("deepspeed", scope, at)
    if program in MPI_PROGRAMS:
        scope = Scope.NODES if command.option("hostfile", "machinefile", "h", "host", "hosts", "f") else Scope.OPEN
        return Marker(program, scope, at)
    if program == "ray" and any(word.text == "start" for word in command.words[1:3]):
        return Marker("ray start", Scope.NODES if command.option("address") else Scope.OPEN, at)
    return None


def _count(command: Command, name: str) -> Scope:
    option = command.option(name)
    return _scope_of_count(option.value) if option and option.value else Scope.OPEN


def _scope_of_count(value: Known[str]) -> Scope:
    if isinstance(value, Undetermined):
        return Scope.NODES
    return Scope.NODE if value.strip() in {"0", "1", "1:1"} else Scope.NODES


def _options(command: Command) -> Iterator[Marker]:
    for option in command.options():
        value = option.value
        if value is None:
            continue
        text = f"--{option.name} {value}"
        if option.name in _COUNTS and option.name not in {"num-processes", "nodes"}:
            yield Marker(text, _scope_of_count(value), option.at, rank=True)
        elif option.name in _PLACES and not _LOCAL.match(value.rpartition("//")[2]):
            yield Marker(text, Scope.NODES, option.at)
        elif option.name in _RANKS:
            yield Marker(text, Scope.OPEN, option.at, rank=True)
    for word in command.words:
        if match := _CODE.search(word.text):
            yield Marker(match[0].rstrip("("), Scope.OPEN, word.at)


def _variables(variables: Mapping[str, Variable]) -> Iterator[Marker]:
    for name, variable in variables.items():
        value = variable.value
        if name in _VARIABLE_COUNTS:
            yield Marker(name, _scope_of_count(value), variable.at, rank=True)
        elif name in _VARIABLE_PLACES:
            if isinstance(value, Undetermined) or not _LOCAL.match(value):
                yield Marker(name, Scope.NODES, variable.at)
        elif name in _VARIABLE_RANKS:
            yield Marker(name, Scope.OPEN, variable.at, rank=True)
        elif _LIBRARY.match(name):
            yield Marker(name, Scope.OPEN, variable.at)
