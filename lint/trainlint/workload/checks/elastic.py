"""Elastic ranges that contradict themselves, the replicas, or the rendezvous (W 2, 7, 13)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.finding import Certainty, Severity
from trainlint.kube.values import is_placeholder, read_int, read_text
from trainlint.launch.command import commands
from trainlint.launch.nodes import torch_launch
from trainlint.model.known import Undetermined
from trainlint.model.workload import Workload
from trainlint.source.document import Field
from trainlint.workload.checks.fault import Fault
from trainlint.workload.v1_table import V1_KINDS
from trainlint.workload.written import field_at

__all__ = ["elastic_faults"]

_BACKENDS: Final = ("c10d", "etcd", "etcd-v2")
_MIN_PARALLELISM: Final = "kueue.x-k8s.io/job-min-parallelism"


def elastic_faults(workload: Workload) -> Iterator[Fault]:
    """What contradicts itself in the elastic range of an object; placeholders contradict nothing."""
    elastic = workload.field.down("spec", "elasticPolicy")
    if elastic.mapping is not None:
        yield from _order(elastic, "minReplicas", "maxReplicas", workload.owner.name)
        if workload.owner.kind in V1_KINDS:
            yield from _replicas(workload, elastic)
            yield from _torch(workload, elastic)
    if workload.owner.kind.startswith("Ray"):
        for pods in workload.pod_sets:
            yield from _order(field_at(workload, pods.at), "minReplicas", "maxReplicas", pods.name)
    if workload.owner.kind == "Job":
        yield from _partial_admission(workload.field)
    yield from _nodes(workload)


def _order(holder: Field, low: str, high: str, name: str) -> Iterator[Fault]:
    least, most = holder[low], holder[high]
    one, other = read_int(least), read_int(most)
    if least.present and most.present and isinstance(one, int) and isinstance(other, int) and one > other:
        yield Fault(
            f"{low} of {name} is {one}, {high} is {other}: no number of pods is in this range, and the operator "
            "refuses the object",
            least.at,
            f"set {low} to at most {other}, or {high} to at least {one}",
            ((high, most.at),),
            {low: one, high: other},
            "order",
            refused=True,
        )


def _replicas(workload: Workload, elastic: Field) -> Iterator[Fault]:
    """Without metrics nothing scales the workers into the range (W 2: the autoscaler is made only with metrics)."""
    kind = V1_KINDS[workload.owner.kind]
    roles = {key.lower(): entry for key, entry in workload.field.down("spec", kind.roles_at).items()}
    worker = roles.get("worker")
    if worker is None:
        if roles:
            yield Fault(
                f"{workload.owner.name} has an elasticPolicy and no Worker, which is the role that it is about",
                elastic.at,
                "remove elasticPolicy, or add a Worker role",
                cause="no worker",
            )
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
        yield Fault(
            f"the ranks of {workload.owner.name} wait until at least {least} nodes have joined (minReplicas), and "
            f"there are {count} workers; without metrics there is no autoscaler that adds the others",
            elastic["minReplicas"].at,
            f"set Worker.replicas to at least {least}, or minReplicas to at most {count}",
            (("how many workers there are", at),),
            {"minReplicas": least, "replicas": count},
            "too few",
        )
    elif 0 < most < count:
        yield Fault(
            f"at most {most} nodes join the rendezvous of {workload.owner.name} (maxReplicas), and there are {count} "
            f"workers: the rest ({count - most}) never joins, and holds its GPUs",
            elastic["maxReplicas"].at,
            f"set Worker.replicas to at most {most}, or maxReplicas to at least {count}",
            (("how many workers there are", at),),
            {"maxReplicas": most, "replicas": count},
            "too many",
            trains=True,
        )


def _beside_master(workload: Workload, elastic: Field, master: Field, worker: Field) -> Iterator[Fault]:
    """The range counts workers, and a Master joins the same rendezvous as one node more (kf1-0533, kf1-0536)."""
    masters, workers = read_int(master["replicas"], 1), read_int(worker["replicas"], 1)
    if isinstance(masters, Undetermined) or isinstance(workers, Undetermined) or masters == 0:
        return
    most = read_int(elastic["maxReplicas"], workers)
    if isinstance(most, Undetermined) or workers > most > 0:
        return  # too many without the Master
    name, joining = workload.owner.name, masters + workers
    if workers > most > 0:
        return  # too many without the Master
    over = joining > most
    effect = (
        f"{joining} pods ask to join, at most {most} may: the rest ({joining - most}) waits and holds its GPUs"
        if over
        else f"with {most} workers there is one pod more than are let in, and the job ends with the Master, which may "
        "leave the others training"
    )
    yield Fault(
        f"{name} has a Master beside an elasticPolicy, whose range counts workers alone: {effect}",
        elastic.at,
        "remove the Master: elastic jobs meet at worker 0",
        (("the Master", master.at), ("the workers", worker.at)),
        {"maxReplicas": most, "pods": joining},
        "master",
        severity=None if over else Severity.WARNING,
        certainty=Certainty.PROVEN if over else Certainty.LIKELY,
        trains=True,
    )


def _reads_range(workload: Workload) -> bool:
    """Whether the ranks may take their number of nodes from the operator: a command that names it does not."""
    return not any(
        (launch := torch_launch(container, command)) and launch.nodes_at is not None and not launch.injected
        for pods in workload.pod_sets
        for container in pods.spec.containers
        for command in commands(container)
    )


def _torch(workload: Workload, elastic: Field) -> Iterator[Fault]:
    if workload.owner.kind != "PyTorchJob":
        return
    both = (elastic["nProcPerNode"], workload.field.down("spec", "nprocPerNode"))
    if all(each.present for each in both):
        yield Fault(
            f"{workload.owner.name} sets elasticPolicy.nProcPerNode and spec.nprocPerNode, and the operator refuses "
            "both",
            both[0].at,
            "keep spec.nprocPerNode alone",
            (("the other one", both[1].at),),
            cause="processes",
            refused=True,
        )
    written = elastic["rdzvBackend"]
    backend = read_text(written)
    if backend.startswith("etcd") and not elastic["rdzvHost"].present:
        yield Fault(
            f"the rendezvous backend of {workload.owner.name} is {backend}, and without rdzvHost the ranks look for it "
            f"in {workload.owner.name}-worker-0, where no etcd runs",
            written.at,
            "name the etcd server in rdzvHost, or use the backend c10d",
            cause="backend",
        )
    elif backend and backend not in _BACKENDS and not is_placeholder(backend):
        yield Fault(
            f"the rendezvous backend of {workload.owner.name} is {backend!r}, which is none of {', '.join(_BACKENDS)}",
            written.at,
            "use c10d, which needs no other server",
            cause="backend",
        )


def _partial_admission(job: Field) -> Iterator[Fault]:
    written = job.down("metadata", "annotations", _MIN_PARALLELISM)
    least, most = read_text(written), read_int(job.down("spec", "parallelism"), 1)
    if least.isdecimal() and isinstance(most, int) and int(least) > most:
        yield Fault(
            f"{_MIN_PARALLELISM} is {least}, and the Job never has more than {most} pods at once: Kueue refuses it",
            written.at,
            f"set it below parallelism, which is {most}",
            (("how many pods there are", job.down("spec", "parallelism").at),),
            {"minimum": int(least), "parallelism": most},
        )


def _nodes(workload: Workload) -> Iterator[Fault]:
    """``--nnodes=4:2``: torchrun refuses it."""
    for pods in workload.pod_sets:
        for container in pods.spec.containers:
            for command in commands(container):
                launch = torch_launch(container, command)
                if launch is None or launch.injected or launch.nodes is None or launch.nodes_at is None:
                    continue
                least, most = launch.nodes
                if least > most:
                    yield Fault(
                        f"{pods.name} starts torchrun with {least} to {most} nodes: the minimum is above the maximum",
                        launch.nodes_at,
                        f"write --nnodes={most}:{least}",
                        evidence={"minimum": least, "maximum": most},
                        cause=pods.role,
                    )
                    return
