"""Open MPI's interface lists (N 1.7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from trainlint.fabric.fault import NetworkFault
from trainlint.fabric.pod_interfaces import PodInterfaces
from trainlint.fabric.process import Rank, settings_of
from trainlint.launch.environment import Variable
from trainlint.model.workload import PodSet
from trainlint_rules.fabric.invalid_nccl_value.values import value_fault

__all__ = ["inexact_interfaces", "interface_lists"]

_INCLUDES: Final = ("OMPI_MCA_btl_tcp_if_include", "OMPI_MCA_oob_tcp_if_include", "PRTE_MCA_oob_tcp_if_include")


def interface_lists(pod_set: PodSet) -> Iterator[NetworkFault]:
    """Lists of one container that contradict each other, or forget loopback."""
    for container in pod_set.spec.containers:
        yield from _of_settings(pod_set, settings_of(container))


def _of_settings(pod_set: PodSet, settings: Mapping[str, Variable]) -> Iterator[NetworkFault]:
    include, exclude = settings.get("OMPI_MCA_btl_tcp_if_include"), settings.get("OMPI_MCA_btl_tcp_if_exclude")
    if include is not None and exclude is not None and include.value and exclude.value:
        text = "and the matching _include exclude each other, and mpirun refuses them"
        yield value_fault(pod_set, exclude, str(exclude.value), text, "keep one of the two")
    elif exclude is not None and isinstance(exclude.value, str) and exclude.value:
        names = [name.strip() for name in exclude.value.split(",")]
        if not any(name == "lo" or name.startswith("127.") for name in names):
            text = "replaces Open MPI's own list, which holds lo: ranks may take loopback and hang"
            yield value_fault(pod_set, exclude, exclude.value, text, f"write lo,{exclude.value}")


def inexact_interfaces(rank: Rank, interfaces: PodInterfaces) -> Iterator[NetworkFault]:
    """Items of Open MPI's include lists that are only the beginning of an interface's name, or of none."""
    for name in _INCLUDES:
        variable, value = rank.settings.get(name), rank.value(name)
        if variable is None or value is None or interfaces.unknown:
            continue
        items = [item.strip() for item in value.split(",") if item.strip()]
        wrong = [item for item in items if "/" not in item and item not in {*interfaces.names, *interfaces.possible}]
        if wrong:
            text = f"names {wrong[0]}, and its pods have {', '.join(interfaces.names)}: Open MPI takes exact names only"
            yield value_fault(rank.pod_set, variable, value, text, "write the exact name, as eth0")
