"""Elastic ranges that contradict themselves, the replicas, or the rendezvous (W 2, 7, 13)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Certainty, Location, Severity
from trainlint.kube.values import is_placeholder, read_int, read_text
from trainlint.launch.command import commands
from trainlint.launch.nodes import torch_launch
from trainlint.model.known import Undetermined
from trainlint.model.workload import PodSet, Workload
from trainlint.source.document import Field
from trainlint.workload.checks.contract_fault import ContractFault
from trainlint.workload.pod_manifest import field_at
from trainlint.workload.v1_table import V1_KINDS

__all__ = [
    "BACKENDS",
    "MIN_PARALLELISM",
    "ElasticFault",
    "EmptyRange",
    "EtcdWithoutHost",
    "MasterBesideRange",
    "MinimumAboveMaximum",
    "MinimumAboveParallelism",
    "NoWorkerRole",
    "TooFewWorkers",
    "TooManyWorkers",
    "TwoProcessCounts",
    "UnknownBackend",
    "UnusedEmptyRange",
    "elastic_faults",
]

BACKENDS: Final = ("c10d", "etcd", "etcd-v2")
"""The rendezvous backends that the operator knows."""
MIN_PARALLELISM: Final = "kueue.x-k8s.io/job-min-parallelism"


@fact
class EmptyRange(ContractFault):
    """The minimum (``at``) of a range is above its maximum; ``holder`` is the object or the pod set of the range."""

    holder: str
    minimum: int
    maximum: int
    maximum_at: Location
    refused = True


@fact
class UnusedEmptyRange(EmptyRange):
    """The same of a job whose operator takes it: it compares the two only when it makes an autoscaler of metrics."""

    refused = False


@fact
class NoWorkerRole(ContractFault):
    """A job has an elasticPolicy, which is about workers, and no Worker."""

    name: str


@fact
class TooFewWorkers(ContractFault):
    """Fewer workers than the minimum (``at``), and nothing adds others."""

    name: str
    minimum: int
    workers: int
    workers_at: Location


@fact
class TooManyWorkers(ContractFault):
    """More workers than the maximum (``at``): the others never join."""

    name: str
    maximum: int
    workers: int
    workers_at: Location
    trains = True


@fact
class MasterBesideRange(ContractFault):
    """A Master joins the rendezvous beside the workers that the elasticPolicy (``at``) counts."""

    name: str
    pods: int
    maximum: int
    master_at: Location
    workers_at: Location
    trains = True

    @property
    def too_many(self) -> int:
        """The number of pods that are not let in."""
        return max(self.pods - self.maximum, 0)


@fact
class TwoProcessCounts(ContractFault):
    """The processes of a pod are written in the elasticPolicy (``at``) and in the spec."""

    name: str
    other_at: Location
    refused = True


@fact
class EtcdWithoutHost(ContractFault):
    """A rendezvous backend of etcd, and no host of it."""

    name: str
    backend: str


@fact
class UnknownBackend(ContractFault):
    """A rendezvous backend that the operator does not know."""

    name: str
    backend: str


@fact
class MinimumAboveParallelism(ContractFault):
    """Kueue's minimum of pods (``at``) is above the parallelism of the Job."""

    minimum: int
    parallelism: int
    parallelism_at: Location


@fact
class MinimumAboveMaximum(ContractFault):
    """torchrun is started with a minimum of nodes above the maximum."""

    pod_set: PodSet
    minimum: int
    maximum: int


ElasticFault = (
    EmptyRange
    | NoWorkerRole
    | TooFewWorkers
    | TooManyWorkers
    | MasterBesideRange
    | TwoProcessCounts
    | EtcdWithoutHost
    | UnknownBackend
    | MinimumAboveParallelism
    | MinimumAboveMaximum
)


def elastic_faults(workload: Workload) -> Iterator[ElasticFault]:
    """What contradicts itself in the elastic range of an object; placeholders contradict nothing."""
    elastic = workload.field.down("spec", "elasticPolicy")
    if elastic.mapping is not None:
        scaled = workload.owner.kind not in V1_KINDS or elastic["metrics"].present
        yield from _order(elastic, workload.owner.name, EmptyRange if scaled else UnusedEmptyRange)
        if workload.owner.kind in V1_KINDS:
            yield from _replicas(workload, elastic)
            yield from _torch(workload, elastic)
    if workload.owner.kind.startswith("Ray"):
        for pods in workload.pod_sets:
            yield from _order(field_at(workload, pods.at), pods.name)
    if workload.owner.kind == "Job":
        yield from _partial_admission(workload.field)
    yield from _nodes(workload)


def _order(range_: Field, holder: str, fault: type[EmptyRange] = EmptyRange) -> Iterator[ElasticFault]:
    minimum, maximum = range_["minReplicas"], range_["maxReplicas"]
    least, most = read_int(minimum), read_int(maximum)
    if minimum.present and maximum.present and isinstance(least, int) and isinstance(most, int) and least > most:
        yield fault(minimum.at, holder, least, most, maximum.at)


def _replicas(workload: Workload, elastic: Field) -> Iterator[ElasticFault]:
    """Without metrics nothing scales the workers into the range (W 2: the autoscaler is made only with metrics)."""
    kind = V1_KINDS[workload.owner.kind]
    roles = {key.lower(): entry for key, entry in workload.field.down("spec", kind.roles_at).items()}
    worker = roles.get("worker")
    if worker is None:
        if roles:
            yield NoWorkerRole(elastic.at, workload.owner.name)
        return
    master = roles.get("master")
    if workload.owner.kind == "PyTorchJob" and master is not None and _reads_range(workload):
        yield from _beside_master(workload, elastic, master, worker)
    if elastic["metrics"].present or not _reads_range(workload):
        return
    count = read_int(worker["replicas"], 1)
    least, most = read_int(elastic["minReplicas"], -1), read_int(elastic["maxReplicas"], -1)
    if not isinstance(count, int) or not isinstance(least, int) or not isinstance(most, int) or 0 < most < least:
        return
    at = worker["replicas"].at if worker["replicas"].present else worker.at
    if count < least:
        yield TooFewWorkers(elastic["minReplicas"].at, workload.owner.name, least, count, at)
    elif 0 < most < count:
        yield TooManyWorkers(elastic["maxReplicas"].at, workload.owner.name, most, count, at)


def _beside_master(workload: Workload, elastic: Field, master: Field, worker: Field) -> Iterator[ElasticFault]:
    """The range counts workers, and a Master joins the same rendezvous as one node more (kf1-0533, kf1-0536)."""
    masters, workers = read_int(master["replicas"], 1), read_int(worker["replicas"], 1)
    if isinstance(masters, Undetermined) or isinstance(workers, Undetermined) or masters == 0:
        return
    most = read_int(elastic["maxReplicas"], workers)
    if isinstance(most, Undetermined) or workers > most > 0:
        return  # too many without the Master
    joining = masters + workers
    over = joining > most
    yield MasterBesideRange(
        elastic.at,
        workload.owner.name,
        joining,
        most,
        master.at,
        worker.at,
        severity=None if over else Severity.WARNING,
        certainty=Certainty.PROVEN if over else Certainty.LIKELY,
    )


def _reads_range(workload: Workload) -> bool:
    """Whether the ranks may take their number of nodes from the operator: a command that names it does not."""
    return not any(
        (launch := torch_launch(container, command)) and launch.nodes_at is not None and not launch.injected
        for pods in workload.pod_sets
        for container in pods.spec.containers
        for command in commands(container)
    )


def _torch(workload: Workload, elastic: Field) -> Iterator[ElasticFault]:
    if workload.owner.kind != "PyTorchJob":
        return
    both = (elastic["nProcPerNode"], workload.field.down("spec", "nprocPerNode"))
    if all(each.present for each in both):
        yield TwoProcessCounts(both[0].at, workload.owner.name, both[1].at)
    written = elastic["rdzvBackend"]
    backend = read_text(written)
    if backend.startswith("etcd") and not elastic["rdzvHost"].present:
        yield EtcdWithoutHost(written.at, workload.owner.name, backend)
    elif backend and backend not in BACKENDS and not is_placeholder(backend):
        yield UnknownBackend(written.at, workload.owner.name, backend)


def _partial_admission(job: Field) -> Iterator[ElasticFault]:
    written = job.down("metadata", "annotations", MIN_PARALLELISM)
    least, most = read_text(written), read_int(job.down("spec", "parallelism"), 1)
    if least.isdecimal() and isinstance(most, int) and int(least) > most:
        yield MinimumAboveParallelism(written.at, int(least), most, job.down("spec", "parallelism").at)


def _nodes(workload: Workload) -> Iterator[ElasticFault]:
    """``--nnodes=4:2``: torchrun refuses it."""
    for pods in workload.pod_sets:
        for container in pods.spec.containers:
            for command in commands(container):
                launch = torch_launch(container, command)
                if launch is None or launch.injected or launch.nodes is None or launch.nodes_at is None:
                    continue
                least, most = launch.nodes
                if least > most:
                    yield MinimumAboveMaximum(launch.nodes_at, pods, least, most)
                    return
