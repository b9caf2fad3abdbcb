"""The launcher cannot log in to its workers by ssh, as both are written.

mpirun starts the ranks by ssh. The MPI operator makes the keys, and it starts sshd in a worker only if the first
container has neither command nor args; a worker that runs `sleep` instead has no server. sshd and ssh must also be told
the same port, and the keys must be in the home of the user that both run as.

```yaml bad
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template:
        spec:
          containers: [{name: launcher, image: "registry.example/train:1", command: [mpirun, -np, "2", ./train]}]
    Worker:
      replicas: 2
      template:
        spec:
          containers:
            - name: worker
              image: registry.example/train:1
              command: [sleep, infinity]  # expect
```

```yaml good
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template:
        spec:
          containers: [{name: launcher, image: "registry.example/train:1", command: [mpirun, -np, "2", ./train]}]
    Worker:
      replicas: 2
      template:
        spec:
          containers: [{name: worker, image: "registry.example/train:1"}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.rule import Facts, rule
from trainlint.workload.checks.ssh import ssh_faults


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and fault."""
    for workload in facts.snapshot.workloads.objects:
        for fault in ssh_faults(workload):
            yield fault.finding()
