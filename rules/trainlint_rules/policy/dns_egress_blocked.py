"""Pods that find their peers by name cannot reach the cluster's DNS.

As soon as a policy isolates the egress of a pod, DNS is denied like everything else that no policy admits. The pods use
names of Services or pods, so they fail to resolve them and wait, retry or crash before any other connection is tried.
Both UDP and TCP on port 53 are needed: longer answers come over TCP.

Silent where the pods use no names.

```yaml given
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Master:
      restartPolicy: Never
      replicas: 1
      template:
        spec:
          containers: [{name: pytorch, image: "registry.example/train:1", resources: {limits: {nvidia.com/gpu: "1"}}}]
    Worker:
      restartPolicy: Never
      replicas: 3
      template:
        spec:
          containers: [{name: pytorch, image: "registry.example/train:1", resources: {limits: {nvidia.com/gpu: "1"}}}]
```

```yaml bad
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  endpointSelector: {matchLabels: {training.kubeflow.org/job-name: train}}
  egress:  # expect
    - toEndpoints: [{matchLabels: {training.kubeflow.org/job-name: train}}]
```

```yaml good
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  endpointSelector: {matchLabels: {training.kubeflow.org/job-name: train}}
  egress:
    - toEndpoints: [{matchLabels: {training.kubeflow.org/job-name: train}}]
    - toEndpoints: [{matchLabels: {io.kubernetes.pod.namespace: kube-system, k8s-app: kube-dns}}]
      toPorts: [{ports: [{port: "53", protocol: UDP}, {port: "53", protocol: TCP}]}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import Finding, Location, Related, Severity
from trainlint.model.policy import PolicyEntry
from trainlint.proof.admitting import admit_dns
from trainlint.proof.cause import FlowCause
from trainlint.proof.group import GroupProof
from trainlint.proof.words import list_of
from trainlint.rule import Facts, rule


@rule(Severity.ERROR)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per isolating policy and group."""
    for proof, cause in facts.flow_causes("dns-egress-blocked"):
        yield from _findings(facts, proof, cause)


def _findings(facts: Facts, proof: GroupProof, cause: FlowCause) -> Iterator[Finding]:
    blocking: dict[Location, PolicyEntry] = {}
    for _, verdict in cause.flows:
        for entry in verdict.egress.deciding or verdict.egress.isolating:
            blocking.setdefault(_direction_of(entry), entry)
    protocols = " and ".join(dict.fromkeys(flow.protocol for flow, _ in cause.flows))
    for at, entry in blocking.items():
        yield Finding(
            message=f"group {proof.group.name} cannot resolve the names of its peers: {entry.origin} keeps its pods "
            f"from the cluster's DNS ({protocols} port 53)",
            at=at,
            remedy="admit egress to k8s-app=kube-dns in namespace kube-system on port 53, UDP and TCP",
            related=(
                *(
                    Related(f"who uses names ({proof.group.members[flow.source].name}: {flow.why})", flow.at)
                    for flow, _ in cause.flows[:3]
                ),
                *facts.forcing(cause, list_of(entry), entry.at),
            ),
            evidence={"denied": f"{protocols} 53 to kube-dns"},
            cause=proof.group.name,
            fixes=partial(admit_dns, entry, at),
        )


def _direction_of(entry: PolicyEntry) -> Location:
    """The list that the entry is an element of."""
    path = entry.at.path
    return Location(entry.at.file, entry.at.document, path[:-1] if path and isinstance(path[-1], int) else path)
