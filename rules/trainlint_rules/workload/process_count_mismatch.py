"""Numbers of processes, nodes, slots and accelerators contradict each other.

torchrun with `--nnodes=4` waits for four nodes, however many pods there are; eight processes in a pod of four GPUs put
two ranks on one device, which NCCL refuses; mpirun refuses to start more ranks than the workers have slots, in all or
on each (`-N`, `--npernode`, `--map-by ppr`). PET_ variables are torchrun's defaults, so a command without flags may be
right.

MEGASCALE_NUM_SLICES says how many TPU slices train together: a JobSet makes one of each child Job.

Silent where a number is a placeholder or computed by a script, and for elastic ranges, where elastic-policy-invalid
speaks.

```yaml bad
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: train, namespace: ml}
spec:
  slotsPerWorker: 8
  runPolicy: {cleanPodPolicy: Running}
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template:
        spec:
          containers:
            - name: launcher
              image: registry.example/train:1
              command: [mpirun, -np, "32", python3, train.py]  # expect
    Worker:
      replicas: 2
      template:
        spec:
          containers: [{name: worker, image: "registry.example/train:1", resources: {limits: {nvidia.com/gpu: "8"}}}]
```

```yaml good
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: train, namespace: ml}
spec:
  slotsPerWorker: 8
  runPolicy: {cleanPodPolicy: Running}
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template:
        spec:
          containers:
            - name: launcher
              image: registry.example/train:1
              command: [mpirun, -np, "16", python3, train.py]
    Worker:
      replicas: 2
      template:
        spec:
          containers:
            - name: worker
              image: registry.example/train:1
              resources: {limits: {nvidia.com/gpu: "8"}}
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.model.root import Root
from trainlint.rule import Facts, rule
from trainlint.wording.process_counts import count_text, node_range, unit_of
from trainlint.workload.checks.counts import NodeCount, ProcessCount, SizeCount, SizeSource
from trainlint.workload.checks.hostfile import HostfileSlots
from trainlint.workload.checks.plugins import WorldSize
from trainlint.workload.checks.slots import RanksInAll, RanksOnEach, SlotProblem
from trainlint.workload.contract import CountFault


@rule(Severity.ERROR, tells=(Root.PROCESS_COUNT,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and number."""
    for each in facts.objects.contract.counts:
        yield finding_of(each.fault)


def finding_of(fault: CountFault) -> Finding:
    """The finding that reports numbers that contradict each other."""
    match fault:
        case ProcessCount() | HostfileSlots() | WorldSize():
            return _of_pods(fault)
        case NodeCount(running=running):
            return fault.finding(
                count_text(fault),
                f"write --nnodes={running}, or change the number of pods",
                *(("how many pods there are", at) for at in fault.places),
                evidence={"nodes": node_range(fault), "pods": running},
                cause="nodes",
            )
        case SizeCount(source=SizeSource.MEGASCALE, count=slices):
            return fault.finding(
                count_text(fault),
                f"make it {slices}, or change the number of child Jobs",
                ("how many slices there are", fault.count_at),
                evidence={"told": fault.size, "slices": slices},
                cause="slices",
            )
        case SizeCount(ranks=ranks):
            return fault.finding(
                count_text(fault),
                f"make it {ranks}, or change the number of pods",
                ("how many pods there are", fault.count_at),
                evidence={"told": fault.size, "pods": fault.count, "accelerators": ranks},
                cause="size",
            )
        case RanksOnEach():
            return fault.finding(
                count_text(fault),
                _remedy(fault),
                ("how many each worker takes", fault.slots_at),
                evidence={"ranks on each": fault.ranks, "slots": fault.slots},
                cause="slots",
            )
        case RanksInAll(ranks=ranks, room=room):
            return fault.finding(
                count_text(fault),
                f"start {room} ranks, or change slotsPerWorker or the number of workers",
                ("how many each worker takes", fault.slots_at),
                evidence={"ranks": ranks, "slots": room},
                cause="slots",
            )


def _of_pods(fault: ProcessCount | HostfileSlots | WorldSize) -> Finding:
    match fault:
        case ProcessCount(processes=processes, accelerators=accelerators):
            return fault.finding(
                count_text(fault),
                f"start {accelerators} processes, or ask for {processes} accelerators",
                ("what the pod asks for", fault.accelerators_at),
                evidence={"processes": processes, "accelerators": accelerators},
                cause="processes",
            )
        case HostfileSlots(slots=slots, accelerators=accelerators):
            return fault.finding(
                count_text(fault),
                f"write slots={accelerators}",
                ("how many accelerators a pod has", fault.accelerators_at),
                evidence={"slots": slots, "accelerators": accelerators},
                cause="hostfile",
            )
        case WorldSize(size=size, ranks=ranks):
            return fault.finding(
                count_text(fault),
                f"run {fault.roles[0]} in a job of its own, or use a Volcano later than 1.11.2",
                ("what sets WORLD_SIZE", fault.plugin_at),
                *((f"are ranks ({role})", at) for role, at in fault.rank_roles),
                evidence={"WORLD_SIZE": size, "ranks": ranks},
                cause="WORLD_SIZE",
            )


def _remedy(fault: RanksOnEach) -> str:
    unit = unit_of(fault)
    match fault.problem:
        case SlotProblem.MORE_THAN_SLOTS:
            return f"set slotsPerWorker: {fault.ranks}, or start {fault.slots} on each {unit}"
        case SlotProblem.MORE_THAN_PLACES:
            return f"start {fault.ranks * fault.workers} ranks, or more on each {unit}"
        case SlotProblem.MORE_THAN_ACCELERATORS | SlotProblem.IDLE_ACCELERATORS:
            return f"start {fault.accelerators} on each {unit}"
