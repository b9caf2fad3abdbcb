"""Slots of DeepSpeed's hostfile, against the accelerators of the hosts (W 15.F12)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Certainty, Location, Severity
from trainlint.launch.addresses import Address
from trainlint.launch.command import Command, commands
from trainlint.launch.environment import environment, expand
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.pod import Container
from trainlint.model.workload import PodSet, Workload
from trainlint.workload.accelerators import accelerator_count
from trainlint.workload.checks.contract_fault import ContractFault
from trainlint.workload.flows import total
from trainlint.workload.services import Directory

__all__ = ["HostfileSlots", "hostfile_slots"]

_DEFAULT: Final = "/job/hostfile"
_LINE: Final = lazy_pattern(
    r"(?:^|[\s\"'])(?P<host>[A-Za-z0-9$][\w.${}()-]*)[ \t]+slots=(?P<slots>\d{1,4})\b", re.MULTILINE
)
_LIMITS: Final = ("num-gpus", "include", "exclude", "i", "e")
"""Options that take fewer slots than the file lists."""


@fact
class HostfileSlots(ContractFault):
    """A hostfile gives a host another number of slots than its pod has accelerators."""

    user: str
    host: str
    slots: int
    pods: str
    accelerators: int
    accelerators_at: Location


@fact
class _Host:
    """A line of a hostfile, and where the file is written."""

    name: str
    slots: int
    at: Location


def hostfile_slots(workload: Workload, directory: Directory) -> Iterator[HostfileSlots]:
    """More slots than a host has accelerators: two ranks get one; or fewer: some stay idle. One fault for an object."""
    for pods in workload.pod_sets:
        for container in pods.spec.containers if pods.replicas != 0 else ():
            for command in commands(container):
                if command.program != "deepspeed" or command.option(*_LIMITS) is not None:
                    continue
                for host in _hosts(container, command):
                    found = _target(host, workload, pods, directory)
                    devices = None if found is None else total(map(accelerator_count, found.spec.containers))
                    if found is not None and isinstance(devices, int) and devices not in {0, host.slots}:
                        yield _fault(pods, found, host, devices)
                        return


def _hosts(container: Container, command: Command) -> Iterator[_Host]:
    """The hosts of the file that DeepSpeed reads: one that is mounted, or one that the command writes itself."""
    option = command.option("hostfile", "H")
    path = expand(option.value or "", environment(container)) if option is not None else _DEFAULT
    mounted = next((file for file in container.files if file.path == path), None)
    if mounted is not None:
        yield from (_Host(each["host"], int(each["slots"]), mounted.at) for each in _LINE.finditer(mounted.text))
        return
    for key, words in (("command", container.command), ("args", container.args)):
        for number, word in enumerate(words):
            if isinstance(word, str) and path in word and container.at is not None:
                at = container.at.child(key, number)
                yield from (_Host(each["host"], int(each["slots"]), at) for each in _LINE.finditer(word))


def _target(host: _Host, workload: Workload, user: PodSet, directory: Directory) -> PodSet | None:
    """The pods behind a host: by its name, or the only ones of the object with accelerators beside the user."""
    resolution = None
    if "$" not in host.name:
        resolution = directory.resolve(Address(host.name.lower(), None, host.at, host.name), user.namespace)
    if resolution is not None and len(resolution.targets) == 1:
        return directory.pod_sets[resolution.targets[0]]
    holding = [
        pods
        for pods in workload.pod_sets
        if pods.replicas != 0 and total(map(accelerator_count, pods.spec.containers)) != 0
    ]
    counts = {str(total(map(accelerator_count, pods.spec.containers))) for pods in holding}
    return holding[-1] if len(counts) == 1 else None


def _fault(user: PodSet, target: PodSet, host: _Host, devices: int) -> HostfileSlots:
    return HostfileSlots(
        host.at,
        user.name,
        host.name,
        host.slots,
        target.name,
        devices,
        target.spec.containers[0].resources_at or target.template,
        certainty=Certainty.LIKELY,
        severity=None if host.slots > devices else Severity.WARNING,
    )
