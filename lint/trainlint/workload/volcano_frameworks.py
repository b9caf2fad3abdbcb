"""Where the ranks of Volcano's jobs meet, by the plugin of their framework (W 8)."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Final

from trainlint.launch.command import commands
from trainlint.launch.environment import MPI_PROGRAMS
from trainlint.model.workload import EPHEMERAL, Flow, FlowKind, PodSet, PortRange
from trainlint.workload.expansion import named
from trainlint.workload.flows import all_to_all, dns, maybe_many, rendezvous, tensorflow_flows
from trainlint.workload.mpijob import mpi_flows
from trainlint.workload.ranks import indexed_ranks
from trainlint.workload.volcano_plugins import Plugins

__all__ = ["framework_flows"]

_TENSORFLOW_TASKS: Final = {"ps": "ps", "worker": "worker", "chief": "chief"}


def framework_flows(plugins: Plugins, pod_sets: Sequence[PodSet]) -> tuple[frozenset[int], tuple[Flow, ...]]:
    """The ranks and flows that a framework plugin makes; without one, the ranks are what the containers prove."""
    index = {found.role: number for number, found in enumerate(pod_sets)}
    if "pytorch" in plugins:
        master = index.get(plugins.option("pytorch", "master", "master"))
        worker = index.get(plugins.option("pytorch", "worker", "worker"))
        ranks = frozenset(number for number in (master, worker) if number is not None)
        if master is None:
            return ranks, ()
        return ranks, tuple(_meet(pod_sets, ranks, master, plugins.port("pytorch", 23456)))
    if "mpi" in plugins:
        master = index.get(plugins.option("mpi", "master", "master"))
        worker = index.get(plugins.option("mpi", "worker", "worker"))
        if master is not None and worker is not None:
            port = plugins.port("mpi", 22)
            return frozenset({worker}), tuple(mpi_flows(master, worker, pod_sets[master], pod_sets[worker], port))
    if "tensorflow" in plugins:
        names = {plugins.option("tensorflow", role, default) for role, default in _TENSORFLOW_TASKS.items()}
        port = plugins.port("tensorflow", 2222)
        members = [index[name] for name in names if name in index]
        why = "the processes of TF_CONFIG call each other by gRPC"
        servers = {index.get(plugins.option("tensorflow", "ps", "ps"), -1)}
        flows = tensorflow_flows(pod_sets, members, servers, PortRange(port, port), why)
        return frozenset(), (*flows, *(flow for number in members for flow in dns(number, why, pod_sets[number].at)))
    if "ray" in plugins and "head" in index:
        return _ray_flows(pod_sets, index["head"], [number for role, number in index.items() if role != "head"])
    if "ssh" in plugins and (by_ssh := _by_ssh(plugins, pod_sets)) is not None:
        return by_ssh
    from trainlint.workload.parameter_servers import parameter_flows  # noqa: PLC0415 (seldom needed)

    if parameters := parameter_flows(pod_sets):
        return frozenset(), parameters
    return frozenset(number for number, found in enumerate(pod_sets) if indexed_ranks(found)), ()


def _by_ssh(plugins: Plugins, pod_sets: Sequence[PodSet]) -> tuple[frozenset[int], tuple[Flow, ...]] | None:
    """One task runs mpirun, others sshd: the way before there was a plugin for MPI."""
    launchers = [number for number, found in enumerate(pod_sets) if _runs(found, MPI_PROGRAMS)]
    workers = [number for number, found in enumerate(pod_sets) if _runs(found, {"sshd"}) and number not in launchers]
    if len(launchers) != 1 or not workers:
        return None
    launcher = launchers[0]
    written = plugins.option("ssh", "ssh-port", "22")
    port = int(written) if written.isdecimal() else 22
    flows: list[Flow] = []
    for number in workers:
        flows.extend(mpi_flows(launcher, number, pod_sets[launcher], pod_sets[number], port))
    return frozenset(workers), tuple(flows)


def _runs(found: PodSet, programs: Container[str]) -> bool:
    return any(command.program in programs for container in found.spec.containers for command in commands(container))


def _meet(pod_sets: Sequence[PodSet], ranks: frozenset[int], master: int, port: int) -> Iterator[Flow]:
    address = f"{named(pod_sets[master].hostname)}.{pod_sets[master].spec.subdomain}"
    for number in sorted(ranks):
        at = pod_sets[number].at
        if number != master or maybe_many(pod_sets[number]):
            yield rendezvous(number, master, port, f"ranks meet at {address}:{port} (MASTER_ADDR)", at)
        yield from dns(number, f"MASTER_ADDR is the name {address}", at)


def _ray_flows(
    pod_sets: Sequence[PodSet], head: int, workers: Sequence[int]
) -> tuple[frozenset[int], tuple[Flow, ...]]:
    flows: list[Flow] = []
    for number in workers:
        flows.append(rendezvous(number, head, 6379, "every Ray node joins the head (port 6379)", pod_sets[number].at))
        flows.extend(dns(number, "Ray workers look up the head's name", pod_sets[number].at))
    why = "Ray's node and object managers listen on ports that the system picks"
    flows.extend(all_to_all(pod_sets, [head, *workers], EPHEMERAL, FlowKind.CALL, why))
    return frozenset(number for number in (head, *workers) if indexed_ranks(pod_sets[number])), tuple(flows)
