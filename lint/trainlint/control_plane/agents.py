"""Agents that watch the accelerators, and the engine that they ask."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.control_plane.need import Names, Need, Purpose
from trainlint.launch.addresses import addresses
from trainlint.model.workload import PodSet

__all__ = ["agent_needs"]

_ENGINES: Final = ("dcgm", "nv-hostengine", "rdcd", "device-metrics-exporter", "neuron-monitor")
"""Parts of the names of images, containers and Services of engines that read the state of accelerators."""


def agent_needs(names: Names) -> Iterator[Need]:
    """The connections to an engine in Git by an address that the agent names in its command or environment."""
    grouped = {id(each) for group in names.snapshot.workloads.groups for each in group.members}
    for agent in names.pod_sets:
        if agent.replicas == 0 or id(agent) in grouped:
            continue
        for container in (*agent.spec.containers, *agent.spec.init_containers):
            for address in addresses(container):
                for engine, port in names.at_address(address, agent.namespace):
                    if engine is not agent and _is_engine(engine, address.host):
                        yield Need(
                            source=f"{agent.namespace}/{agent.name}",
                            sources=(names.end(agent),),
                            target=engine,
                            port=port,
                            purpose=Purpose.ENGINE,
                            named=address.carrier,
                            value=address.text,
                            at=address.at,
                            owners=(agent.owner,),
                            caller=agent,
                        )


def _is_engine(pods: PodSet, host: str) -> bool:
    named = (host, *(part for each in pods.spec.containers for part in (each.name, each.image.rpartition("/")[2])))
    return any(part in name for name in named for part in _ENGINES)
