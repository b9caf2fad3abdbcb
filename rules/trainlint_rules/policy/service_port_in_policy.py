"""A policy lists the port of a Service, where its pods listen on another one.

Policies are decided after Service translation: what arrives at a pod has the pod's own port (targetPort), never the
Service's. A rule for the Service's port admits nothing that ever comes.

Silent where the pods listen on that port too, or the rule lists both.

```yaml given
apiVersion: v1
kind: Service
metadata: {name: store, namespace: ml}
spec:
  selector: {app: store}
  ports: [{port: 80, targetPort: 2379}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: store, namespace: ml}
spec:
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec: {containers: [{name: store, image: "registry.example/store:1", ports: [{containerPort: 2379}]}]}
```

```yaml bad
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: store, namespace: ml}
spec:
  podSelector: {matchLabels: {app: store}}
  ingress:
    - from: [{podSelector: {}}]
      ports:
        - port: 80  # expect, repaired
```

```yaml good
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: store, namespace: ml}
spec:
  podSelector: {matchLabels: {app: store}}
  ingress:
    - from: [{podSelector: {}}]
      ports: [{port: 2379}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import Finding, Fix, Put, Related, Safety, Severity
from trainlint.policy.checks.pods import ServicePortMiss
from trainlint.rule import Facts, rule


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per policy, Service and port."""
    seen = set()
    for miss in facts.mistakes.service_ports:
        key = (miss.entry.origin, miss.service.ref, miss.port, miss.at)
        if key in seen:
            continue
        seen.add(key)
        yield Finding(
            message=f"port {miss.port} is that of {miss.service.ref}, whose pods listen on {miss.target}: policies see "
            f"{miss.target}, so {miss.entry.origin} admits nothing on it",
            at=miss.at,
            remedy=f"list {miss.target}",
            related=tuple(Related("the Service", miss.service.at) for _ in range(1) if miss.service.at is not None),
            evidence={"listed": miss.port, "pods listen on": miss.target},
            cause=f"{miss.service.ref.name} {miss.port}",
            fixes=partial(_listened, miss),
        )


def _is_calico(miss: ServicePortMiss) -> bool:
    return miss.entry.origin.kind.startswith("Calico ")


def _listened(miss: ServicePortMiss) -> Iterator[Fix]:
    """The port on which the pods listen: it is not open yet, so a person must decide on it."""
    listed = len(miss.at.path) > 1 and miss.at.path[-2] == "ports"  # Calico's ports are plain values
    at = miss.at if miss.at.path[-1:] == ("port",) or _is_calico(miss) else miss.at.child("port")
    port: int | str = miss.target if miss.entry.origin.kind == "NetworkPolicy" or _is_calico(miss) else str(miss.target)
    if _is_calico(miss) and not listed:
        return
    opens = f"port {miss.target} to the peers that {miss.entry.origin} admits"
    yield Fix(f"list port {miss.target}", (Put(at, port),), Safety.OPENING, opens)
