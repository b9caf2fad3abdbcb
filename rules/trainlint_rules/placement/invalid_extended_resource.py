"""A GPU or device request that the API server refuses.

Extended resources such as nvidia.com/gpu cannot be overcommitted: the limit must be there and equal the request, and
both are whole numbers. A request without a limit, a different one, or half a GPU makes the API server refuse the pod,
so the controller creates none and the group waits. A limit alone is enough: the request takes its value.

```yaml bad
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: train
          image: registry.example/train:1
          resources: {requests: {nvidia.com/gpu: "8"}}  # expect, repaired
```

```yaml good
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      volumes: [{name: shm, emptyDir: {medium: Memory}}]
      containers:
        - name: train
          image: registry.example/train:1
          resources: {limits: {nvidia.com/gpu: "8"}}
          volumeMounts: [{name: shm, mountPath: /dev/shm}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import Finding, Fix, Put, Safety, Severity
from trainlint.model.root import Root
from trainlint.rule import Facts, rule
from trainlint.scheduling.requests import InvalidResource, invalid_resources


@rule(Severity.ERROR, tells=(Root.EXTENDED_RESOURCE,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per container and resource."""
    for pod_set in facts.snapshot.workloads.pod_sets:
        for invalid in invalid_resources(pod_set.spec):
            yield Finding(
                message=f"no pod of {pod_set.name} is ever created: {invalid.problem}",
                at=(invalid.container.at or pod_set.template).child("resources"),
                remedy=f"set limits.{invalid.resource} to the whole number that is meant; the request follows it",
                evidence={"resource": invalid.resource, "container": invalid.container.name},
                cause=invalid.resource,
                fixes=partial(_limited, invalid),
            )


def _limited(invalid: InvalidResource) -> Iterator[Fix]:
    """The limit that the request needs. As it is now no pod is created, so this cannot change what already works."""
    container, request = invalid.container, invalid.container.requests.get(invalid.resource)
    if container.at is not None and isinstance(request, str) and invalid.resource not in container.limits:
        at = container.at.child("resources", "limits", invalid.resource)
        yield Fix(f"limit {invalid.resource} to what {container.name} requests", (Put(at, request),), Safety.SAFE)
