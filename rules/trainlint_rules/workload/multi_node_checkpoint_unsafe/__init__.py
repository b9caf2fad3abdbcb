"""Checkpoints of a job on several nodes are written to a volume that is not shared, or not for long.

Each node writes its shards, and after a restart every rank needs all of them, perhaps on another node. An emptyDir is
gone with its pod; a hostPath stays behind on its node; each pod of a StatefulSet has a claim of its own. NFS version 3
loses its locks with a client that dies.

What counts as a checkpoint directory is what options, variables and mounts are called. A claim that one node alone may
write to is the business of single-writer-volume-shared; host directories whose names say that they are shared are
believed.

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
          command:
            - torchrun
            - --nnodes=2
            - --node-rank=$(JOB_COMPLETION_INDEX)
            - --master-addr=train-0.train
            - train.py
            - --checkpoint-dir=/state/run
          volumeMounts: [{name: state, mountPath: /state}]
      volumes:
        - {name: state, emptyDir: {}}  # expect
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
          command:
            - torchrun
            - --nnodes=2
            - --node-rank=$(JOB_COMPLETION_INDEX)
            - --master-addr=train-0.train
            - train.py
            - --checkpoint-dir=/state/run
          volumeMounts: [{name: state, mountPath: /state}, {name: scratch, mountPath: /scratch}]
      volumes:
        - {name: state, persistentVolumeClaim: {claimName: state}}
        - {name: scratch, emptyDir: {}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.rule import Facts, rule
from trainlint.workload.communicators import communicators, ranks_of
from trainlint_rules.workload.multi_node_checkpoint_unsafe.storage import storage_of, unsafe_checkpoints


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and volume."""
    storage = storage_of((each.meta, each.field) for each in facts.snapshot.objects)
    found = list(communicators(facts.snapshot.workloads.groups))
    for workload in facts.snapshot.workloads.objects:
        said = set()
        for pods in ranks_of(workload, found):
            for fault in unsafe_checkpoints(workload, pods, storage):
                if fault.cause not in said:
                    said.add(fault.cause)
                    yield fault.finding()
