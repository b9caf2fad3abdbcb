"""After one rank has failed, the others hang.

A collective needs all its ranks. Where the pod of one rank is made again alone (backoffLimit of a Job, restartPolicy
OnFailure of a PyTorchJob), the new process cannot join the round that the others hang in; where the job is marked as
failed and its other pods are left alone (cleanPodPolicy None, which is the default), they keep their GPUs and wait.
Everything shows Running. The group must fail and start again as one.

Silent for elastic jobs, whose ranks meet again, and for kinds whose pods always restart.

```yaml given
apiVersion: v1
kind: Service
metadata: {name: train, namespace: ml}
spec: {clusterIP: None, publishNotReadyAddresses: true, selector: {app: train}}
```

```yaml bad
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:  # expect, repaired
  completions: 2
  parallelism: 2
  completionMode: Indexed
  template:
    metadata: {labels: {app: train}}
    spec:
      subdomain: train
      restartPolicy: Never
      containers:
        - name: train
          image: registry.example/train:1
          command: [torchrun, --nnodes=2, --node-rank=$(JOB_COMPLETION_INDEX), --master-addr=train-0.train, train.py]
```

```yaml good
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  completions: 2
  parallelism: 2
  completionMode: Indexed
  backoffLimit: 0
  template:
    metadata: {labels: {app: train}}
    spec:
      subdomain: train
      restartPolicy: Never
      containers:
        - name: train
          image: registry.example/train:1
          command: [torchrun, --nnodes=2, --node-rank=$(JOB_COMPLETION_INDEX), --master-addr=train-0.train, train.py]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.rule import Facts, rule
from trainlint.workload.communicators import communicators, ranks_of
from trainlint_rules.workload.restart_policy_hangs.restarts import hanging_restarts


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object."""
    found = list(communicators(facts.snapshot.workloads.groups))
    for workload in facts.snapshot.workloads.objects:
        for fault in hanging_restarts(workload, ranks_of(workload, found)):
            yield fault.finding()
