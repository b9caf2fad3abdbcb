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

from collections.abc import Iterator, Mapping

from trainlint.finding import Finding, Location, Severity
from trainlint.model.root import Root
from trainlint.rule import Facts, rule
from trainlint.wording.host_names import host_name_text
from trainlint.workload.checks.host_name_fault import (
    BareName,
    HostNameFault,
    LateNames,
    MissingService,
    NamelessPods,
    NumberlessPods,
    OtherSubdomain,
    UnselectedPods,
    WrongSubdomain,
)


@rule(Severity.ERROR, tells=(Root.HOST_NAMES,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and Service name."""
    for each in facts.objects.contract.hosts:
        yield finding_of(each.fault)


def finding_of(fault: HostNameFault) -> Finding:
    """The finding that reports a name that DNS does not know."""
    return fault.finding(
        host_name_text(fault),
        _remedy(fault),
        *_places(fault),
        evidence=_evidence(fault),
        cause=fault.service or fault.pod,
    )


def _remedy(fault: HostNameFault) -> str:
    match fault:
        case MissingService():
            return f"make subdomain, host and Service agree: {fault.other or fault.service}"
        case UnselectedPods():
            return "select labels that the pods carry"
        case NumberlessPods():
            return "set completionMode: Indexed (and completions)"
        case WrongSubdomain():
            return f"set subdomain: {fault.service} in the pod template"
        case BareName():
            service = "" if fault.operated else ", with a headless Service that selects the pods"
            return f"write {fault.full}{service}"
        case NamelessPods():
            name = "" if fault.service else f", and {fault.full} as the name"
            return f"write {'svc: []' if fault.by_volcano else 'true'} here{name}"
        case OtherSubdomain():
            return f"write {fault.pod}.{fault.subdomain}"
    return "set publishNotReadyAddresses: true"


def _places(fault: HostNameFault) -> Iterator[tuple[str, Location]]:
    if not isinstance(fault, BareName | OtherSubdomain):
        yield "who uses the name", fault.used_at
    match fault:
        case LateNames(probe_at=at):
            yield "what makes the pod ready", at
        case MissingService(other_at=at) if at is not None:
            yield "the Service elsewhere" if fault.elsewhere else "the Service under another name", at
        case UnselectedPods(pods_at=at) | OtherSubdomain(pods_at=at):
            yield "the pods", at
        case NumberlessPods(service_at=at) | WrongSubdomain(service_at=at) if at is not None:
            yield "the Service", at


def _evidence(fault: HostNameFault) -> Mapping[str, str]:
    match fault:
        case BareName(pod=pod):
            return {"host": pod}
        case UnselectedPods(host=host, selector=selector):
            return {"host": host, "selector": selector}
        case MissingService() | WrongSubdomain() | OtherSubdomain():
            return {"host": fault.host, "subdomain": fault.subdomain}
    return {"host": fault.host}
