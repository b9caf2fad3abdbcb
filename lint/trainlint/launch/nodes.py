"""How many nodes and processes torchrun is told to use, and where its ranks meet (W 15.F1, 15.F2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.launch.command import Command, commands
from trainlint.launch.environment import Carrier, Variable, environment, expand
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.known import Undetermined
from trainlint.model.pod import Container, PodSpec

__all__ = ["Setting", "TorchLaunch", "is_torch_launch", "least_nodes", "torch_launch", "torch_setting"]

_PROGRAMS: Final = frozenset({"torchrun", "torchrun-hpu", "hyperpodrun"})
_MODULES: Final = frozenset({"torch.distributed.run", "torch.distributed.launch"})
_RANGE: Final = lazy_pattern(r"^(\d{1,6})(?::(\d{1,6}))?$")


@fact
class Setting:
    """The value of one of torchrun's parameters: its text, or ``None`` where only the running pod knows it; its place.

    ``injected`` says that the operator sets it.
    """

    name: str
    text: str | None
    at: Location
    injected: bool = False


@fact
class TorchLaunch:
    """What one torchrun is told. ``None`` for numbers that are not written or not known, with their place if written.

    ``nodes`` are minimum and maximum; ``standalone`` says that the node works alone.
    """

    command: Command
    nodes: tuple[int, int] | None
    nodes_at: Location | None
    processes: int | None
    processes_at: Location | None
    standalone: bool = False
    injected: bool = False


def is_torch_launch(command: Command) -> bool:
    """Whether the command is torchrun, by whichever name."""
    return command.program in _PROGRAMS or command.module in _MODULES


def torch_launch(container: Container, command: Command) -> TorchLaunch | None:
    """What the command tells torchrun by options, and by PET_ variables where there is no option; ``None`` where the
    command does not start torchrun.
    """
    if not is_torch_launch(command):
        return None
    variables = environment(container)
    nodes = torch_setting(command, variables, "nnodes")
    processes = torch_setting(command, variables, "nproc-per-node")
    found = _RANGE.match(nodes.text) if nodes and nodes.text else None
    least, most = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    return TorchLaunch(
        command,
        (least, most) if found else None,
        nodes.at if nodes else None,
        int(processes.text) if processes and processes.text and processes.text.isdecimal() else None,
        processes.at if processes else None,
        standalone=command.option("standalone") is not None,
        injected=bool(nodes and nodes.injected),
    )


def least_nodes(spec: PodSpec) -> int:
    """The number of nodes without which no torchrun of the pods starts; 0 where none is told one."""
    launches = (torch_launch(each, command) for each in spec.containers for command in commands(each))
    return max((launch.nodes[0] for launch in launches if launch is not None and launch.nodes), default=0)


def torch_setting(command: Command, variables: Mapping[str, Variable], name: str) -> Setting | None:
    """One of torchrun's parameters: its option, else its PET_ variable; ``None`` where neither is there."""
    option = command.option(name)
    if option is not None and option.value is not None:
        text = expand(option.value, variables).strip()
        return Setting(f"--{name}", None if "$" in text or "`" in text else text, option.at)
    variable = variables.get(f"PET_{name.upper().replace('-', '_')}")
    if variable is None:
        return None
    value = None if isinstance(variable.value, Undetermined) or "$" in variable.value else variable.value.strip()
    return Setting(variable.name, value, variable.at, variable.carrier is Carrier.OPERATOR)
