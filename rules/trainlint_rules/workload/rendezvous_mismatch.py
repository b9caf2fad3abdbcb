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
from trainlint.wording.rendezvous import rendezvous_text
from trainlint.workload.checks.rendezvous import (
    MissingServicePort,
    OtherJob,
    OtherPort,
    OtherTargetPort,
    UnknownHost,
    WaitingAlone,
)
from trainlint.workload.checks.subdomain_names import AbsentPod
from trainlint.workload.checks.trainer_names import UnmetNodes
from trainlint.workload.contract import RendezvousFault


@rule(Severity.ERROR, tells=(Root.RENDEZVOUS,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per communicator and per absent pod; none for other names that DNS does not know."""
    for each in facts.objects.contract.meetings:
        yield finding_of(each.fault)


def finding_of(fault: RendezvousFault) -> Finding:
    """The finding that reports ranks that do not meet."""
    text = rendezvous_text(fault)
    match fault:
        case OtherPort() | OtherJob():
            return _different(fault, text)
        case MissingServicePort() | OtherTargetPort():
            return _by_service(fault, text)
        case AbsentPod(host=host, nearest=nearest):
            return fault.finding(
                text,
                f"write {nearest}.{fault.subdomain}, or the pod that is meant",
                *((f"the pods {role}", at) for role, at in fault.places),
                evidence={"host": host, "nearest": nearest},
                cause=fault.pod,
            )
        case UnknownHost(host=host):
            return fault.finding(
                text,
                "leave the address to the operator: use $(MASTER_ADDR), or no --master-addr",
                evidence={"told": host, "offered": ", ".join(fault.offered)},
                cause="stranger",
            )
        case WaitingAlone(nodes=nodes):
            return fault.finding(
                text,
                "name the first pod: --master-addr, or --rdzv-backend=c10d with --rdzv-endpoint",
                ("how many nodes it waits for", fault.nodes_at),
                evidence={"nodes": nodes},
                cause="alone",
            )
        case UnmetNodes(host=host, name=name):
            return fault.finding(
                text,
                "call the trainer's job of the runtime node, and leave out its network.subdomain",
                ("the pods", fault.pods_at),
                evidence={"told": host, "called": name},
                cause="trainer",
            )


def _different(fault: OtherPort | OtherJob, text: str) -> Finding:
    if isinstance(fault, OtherPort):
        return fault.finding(
            text,
            "use one port in all roles",
            (f"uses port {fault.first_port}", fault.first_at),
            evidence={"first": fault.first_port, "second": fault.second_port},
            cause="port",
        )
    return fault.finding(
        text,
        "give all roles the same --rdzv-id",
        ("looks for another job", fault.first_at),
        evidence={"first": fault.first_job, "second": fault.second_job},
        cause="job",
    )


def _by_service(fault: MissingServicePort | OtherTargetPort, text: str) -> Finding:
    places = (("the Service", fault.service_at),) if fault.service_at else ()
    if isinstance(fault, MissingServicePort):
        return fault.finding(
            text,
            "add the port to the Service, or make it headless (clusterIP: None)",
            *places,
            evidence={"port": fault.port, "service": fault.service},
            cause="service",
        )
    return fault.finding(
        text,
        f"set targetPort to {fault.listens}",
        *places,
        evidence={"port": fault.port, "targetPort": fault.leads_to},
        cause="service",
    )
