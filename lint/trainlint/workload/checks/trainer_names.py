"""Where Trainer tells the ranks of a TrainJob to meet, against the names that its pods have (W 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Certainty, Location
from trainlint.model.workload import PodSet, Workload
from trainlint.workload.checks.contract_fault import ContractFault
from trainlint.workload.expansion import named
from trainlint.workload.flows import maybe_many
from trainlint.workload.rendezvous import rendezvous_of

__all__ = ["UnmetNodes", "unmet_nodes"]

_ADDRESSES: Final = frozenset({"PET_MASTER_ADDR", "JAX_COORDINATOR_ADDRESS", "DMLC_TRACKER_URI"})


@fact
class UnmetNodes(ContractFault):
    """Trainer tells the ranks of a TrainJob to meet at ``host``, and the first of them has another name."""

    job: str
    host: str
    name: str
    pods_at: Location


def unmet_nodes(workload: Workload) -> Iterator[UnmetNodes]:
    """Trainer's address is TRAINJOB-node-0-0.TRAINJOB, whatever the runtime calls its job and subdomain.

    So the operator was recorded (tj-0162, tj-0229). Silent where the command names another place.
    """
    if workload.owner.kind != "TrainJob":
        return
    for pods in workload.pod_sets:
        host = _told(pods)
        if not host or not maybe_many(pods) or any(_first(each) == host for each in workload.pod_sets):
            continue
        meeting = rendezvous_of(pods)
        if meeting is not None and meeting.host != host:
            continue
        yield UnmetNodes(
            workload.field.down("spec", "runtimeRef").at,
            workload.owner.name,
            host,
            _first(pods),
            pods.spec.at or pods.at,
            certainty=Certainty.LIKELY,
        )
        return


def _told(pods: PodSet) -> str:
    values = (
        entry.value
        for container in pods.spec.containers
        for entry in container.env
        if entry.injected and entry.name in _ADDRESSES
    )
    return next((value.partition(":")[0] for value in values if isinstance(value, str)), "")


def _first(pods: PodSet) -> str:
    return f"{named(pods.hostname)}.{pods.spec.subdomain}"
