"""Numbers of processes, nodes, slots and accelerators contradict each other.

torchrun with `--nnodes=4` waits for four nodes, however many pods there are; eight processes in a pod of four GPUs put
two ranks on one device, which NCCL refuses; mpirun refuses to start more ranks than the workers have slots, in all or
on each (`-N`, `--npernode`, `--map-by ppr`). PET_ variables are torchrun's defaults, so a command without flags may be
right.

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


@rule(Severity.ERROR, tells=(Root.PROCESS_COUNT,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and number."""
    for each in facts.objects.contract.counts:
        yield each.fault.finding()
