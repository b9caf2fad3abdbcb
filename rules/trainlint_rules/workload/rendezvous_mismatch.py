"""Ranks look for each other at different places.

All ranks of a job must agree where they meet. A port that differs between the command lines of two roles, a Service
that does not lead to the port that rank 0 listens on, or torchrun for several nodes that is told no address: each rank
waits for the others until it times out, and every pod is Running.

`localhost` in the pod that the others name is the same place.

```yaml bad
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train, namespace: ml}
spec:
  replicatedJobs:
    - name: driver
      template:
        spec:
          backoffLimit: 0
          template:
            spec:
              restartPolicy: Never
              containers:
                - name: train
                  image: registry.example/train:1
                  command: [torchrun, --nnodes=3, --node-rank=0, --master-addr=localhost, --master-port=29500, train.py]
    - name: workers
      template:
        spec:
          parallelism: 2
          completions: 2
          backoffLimit: 0
          template:
            spec:
              restartPolicy: Never
              containers:
                - name: train
                  image: registry.example/train:1
                  command:
                    - torchrun
                    - --nnodes=3
                    - --node-rank=$(RANK)
                    - --master-addr=train-driver-0-0.train
                    - --master-port=29501  # expect
                    - train.py
```

```yaml good
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train, namespace: ml}
spec:
  replicatedJobs:
    - name: driver
      template:
        spec:
          backoffLimit: 0
          template:
            spec:
              restartPolicy: Never
              containers:
                - name: train
                  image: registry.example/train:1
                  command: [torchrun, --nnodes=3, --node-rank=0, --master-addr=localhost, --master-port=29500, train.py]
    - name: workers
      template:
        spec:
          parallelism: 2
          completions: 2
          backoffLimit: 0
          template:
            spec:
              restartPolicy: Never
              containers:
                - name: train
                  image: registry.example/train:1
                  command:
                    - torchrun
                    - --nnodes=3
                    - --node-rank=$(RANK)
                    - --master-addr=train-driver-0-0.train
                    - --master-port=29500
                    - train.py
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.model.root import Root
from trainlint.rule import Facts, rule


@rule(Severity.ERROR, tells=(Root.RENDEZVOUS,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per communicator and per absent pod; none for other names that DNS does not know."""
    for each in facts.objects.contract.meetings:
        yield each.fault.finding()
