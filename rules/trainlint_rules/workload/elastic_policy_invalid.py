"""The elastic range of a job contradicts itself, its replicas or its rendezvous.

torchrun starts when at least the minimum of nodes has joined and lets in no more than the maximum. With fewer workers
than the minimum, and no metrics for an autoscaler, the agents wait until they time out; workers above the maximum
never join. A minimum above the maximum is refused, and so is an etcd backend that no server is named for.

```yaml bad
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  elasticPolicy:
    rdzvBackend: c10d
    minReplicas: 4  # expect
    maxReplicas: 8
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          containers: [{name: pytorch, image: "registry.example/train:1", command: [torchrun, train.py]}]
```

```yaml good
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  elasticPolicy:
    rdzvBackend: c10d
    minReplicas: 2
    maxReplicas: 8
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      template:
        spec:
          containers: [{name: pytorch, image: "registry.example/train:1", command: [torchrun, train.py]}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.model.root import Root
from trainlint.rule import Facts, rule
from trainlint.workload.checks.elastic import (
    BACKENDS,
    MIN_PARALLELISM,
    ElasticFault,
    EmptyRange,
    EtcdWithoutHost,
    MasterBesideRange,
    MinimumAboveMaximum,
    MinimumAboveParallelism,
    NoWorkerRole,
    TooFewWorkers,
    TooManyWorkers,
    TwoProcessCounts,
    UnknownBackend,
)


@rule(Severity.ERROR, tells=(Root.ELASTIC_POLICY,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and contradiction."""
    for each in facts.objects.contract.elastic:
        yield finding_of(each.fault)


def finding_of(fault: ElasticFault) -> Finding:
    """The finding that reports a contradiction."""
    match fault:
        case EmptyRange() | MinimumAboveParallelism() | MinimumAboveMaximum():
            return _order(fault)
        case NoWorkerRole() | TooFewWorkers() | TooManyWorkers():
            return _workers(fault)
        case MasterBesideRange():
            return _beside_master(fault)
        case TwoProcessCounts(name=name):
            return fault.finding(
                f"{name} sets elasticPolicy.nProcPerNode and spec.nprocPerNode, and the operator refuses both",
                "keep spec.nprocPerNode alone",
                ("the other one", fault.other_at),
                cause="processes",
            )
        case EtcdWithoutHost() | UnknownBackend():
            return _backend(fault)


def _order(fault: EmptyRange | MinimumAboveParallelism | MinimumAboveMaximum) -> Finding:
    match fault:
        case EmptyRange(minimum=minimum, maximum=maximum):
            return fault.finding(
                f"minReplicas of {fault.holder} is {minimum}, maxReplicas is {maximum}: no number of pods is in this "
                f"range{', and the operator refuses the object' if fault.refused else ''}",
                f"set minReplicas to at most {maximum}, or maxReplicas to at least {minimum}",
                ("maxReplicas", fault.maximum_at),
                evidence={"minReplicas": minimum, "maxReplicas": maximum},
                cause="order",
            )
        case MinimumAboveParallelism(minimum=minimum, parallelism=most):
            return fault.finding(
                f"{MIN_PARALLELISM} is {minimum}, and the Job never has more than {most} pods at once: Kueue refuses "
                "it",
                f"set it below parallelism, which is {most}",
                ("how many pods there are", fault.parallelism_at),
                evidence={"minimum": minimum, "parallelism": most},
            )
        case MinimumAboveMaximum(pod_set=pods, minimum=minimum, maximum=maximum):
            return fault.finding(
                f"{pods.name} starts torchrun with {minimum} to {maximum} nodes: the minimum is above the maximum",
                f"write --nnodes={maximum}:{minimum}",
                evidence={"minimum": minimum, "maximum": maximum},
                cause=pods.role,
            )


def _workers(fault: NoWorkerRole | TooFewWorkers | TooManyWorkers) -> Finding:
    match fault:
        case NoWorkerRole(name=name):
            return fault.finding(
                f"{name} has an elasticPolicy and no Worker, which is the role that it is about",
                "remove elasticPolicy, or add a Worker role",
                cause="no worker",
            )
        case TooFewWorkers(name=name, minimum=minimum, workers=count):
            return fault.finding(
                f"the ranks of {name} wait until at least {minimum} nodes have joined (minReplicas), and there are "
                f"{count} workers; without metrics there is no autoscaler that adds the others",
                f"set Worker.replicas to at least {minimum}, or minReplicas to at most {count}",
                ("how many workers there are", fault.workers_at),
                evidence={"minReplicas": minimum, "replicas": count},
                cause="too few",
            )
        case TooManyWorkers(name=name, maximum=maximum, workers=count):
            return fault.finding(
                f"at most {maximum} nodes join the rendezvous of {name} (maxReplicas), and there are {count} workers: "
                f"the rest ({count - maximum}) never joins, and holds its GPUs",
                f"set Worker.replicas to at most {maximum}, or maxReplicas to at least {count}",
                ("how many workers there are", fault.workers_at),
                evidence={"maxReplicas": maximum, "replicas": count},
                cause="too many",
            )


def _beside_master(fault: MasterBesideRange) -> Finding:
    effect = (
        f"{fault.pods} pods ask to join, at most {fault.maximum} may: the rest ({fault.too_many}) waits and holds its "
        "GPUs"
        if fault.too_many
        else f"with {fault.maximum} workers there is one pod more than are let in, and the job ends with the Master, "
        "which may leave the others training"
    )
    return fault.finding(
        f"{fault.name} has a Master beside an elasticPolicy, whose range counts workers alone: {effect}",
        "remove the Master: elastic jobs meet at worker 0",
        ("the Master", fault.master_at),
        ("the workers", fault.workers_at),
        evidence={"maxReplicas": fault.maximum, "pods": fault.pods},
        cause="master",
    )


def _backend(fault: EtcdWithoutHost | UnknownBackend) -> Finding:
    name, backend = fault.name, fault.backend
    if isinstance(fault, EtcdWithoutHost):
        return fault.finding(
            f"the rendezvous backend of {name} is {backend}, and without rdzvHost the ranks look for it in "
            f"{name}-worker-0, where no etcd runs",
            "name the etcd server in rdzvHost, or use the backend c10d",
            cause="backend",
        )
    return fault.finding(
        f"the rendezvous backend of {name} is {backend!r}, which is none of {', '.join(BACKENDS)}",
        "use c10d, which needs no other server",
        cause="backend",
    )
