"""Subdomain, Service and selector do not give the pods the names that the job looks for.

DNS knows `POD.SERVICE` only if a Service of that name selects the pod and the pod's `subdomain` (a StatefulSet's
`serviceName`) is the name of the Service; it gives no name to pods that are not ready, unless the Service says
`publishNotReadyAddresses`. One letter off, and every rank waits for a host that does not exist.

Services with a cluster IP give these names too. Where the Service is not in the repository, and others are not either,
the rule is silent.

```yaml bad
apiVersion: v1
kind: Service
metadata: {name: train-headless, namespace: ml}
spec: {clusterIP: None, publishNotReadyAddresses: true, selector: {app: train}}
---
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
      subdomain: train  # expect, repaired
      restartPolicy: Never
      containers:
        - name: train
          image: registry.example/train:1
          command: [torchrun, --nnodes=2, --node-rank=$(JOB_COMPLETION_INDEX), --master-addr=train-0.train, train.py]
```

```yaml good
apiVersion: v1
kind: Service
metadata: {name: train, namespace: ml}
spec: {clusterIP: None, publishNotReadyAddresses: true, selector: {app: train}}
---
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
from trainlint.model.root import Root
from trainlint.rule import Facts, rule


@rule(Severity.ERROR, tells=(Root.HOST_NAMES,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and Service name."""
    for each in facts.objects.contract.hosts:
        yield each.fault.finding()
