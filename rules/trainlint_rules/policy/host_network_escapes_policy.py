"""A policy aimed at pods that run on the host network.

A pod with hostNetwork has no identity of its own: for policies it is its node (host on the same node, remote-node from
any other). Its labels, its namespace and the policies that select them do not exist for it. So a peer that names a
launcher or head by its labels does not admit it, and a policy that should isolate such pods protects nothing.

Where the selector names pods on the pod network too, it is told for the pods of training groups.

Silent for policies that an operator makes.

```yaml given
apiVersion: apps/v1
kind: Deployment
metadata: {name: head, namespace: ml}
spec:
  selector: {matchLabels: {app: head}}
  template:
    metadata: {labels: {app: head}}
    spec: {hostNetwork: true, containers: [{name: head, image: "registry.example/head:1"}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: worker, namespace: ml}
spec:
  selector: {matchLabels: {app: worker}}
  template:
    metadata: {labels: {app: worker}}
    spec: {containers: [{name: worker, image: "registry.example/worker:1"}]}
```

```yaml bad
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: worker, namespace: ml}
spec:
  endpointSelector: {matchLabels: {app: worker}}
  ingress:
    - fromEndpoints:
        - matchLabels: {app: head}  # expect
```

```yaml good
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: worker, namespace: ml}
spec:
  endpointSelector: {matchLabels: {app: worker}}
  ingress: [{fromEntities: [host, remote-node]}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Related, Severity
from trainlint.policy.checks.pods import HostNetworkSelector
from trainlint.rule import Facts, rule


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per selector."""
    for aimed in facts.mistakes.aimed_at_hosts:
        yield _finding(aimed)


def _finding(aimed: HostNetworkSelector) -> Finding:
    name = aimed.pod_set.name
    effect = "isolates no pod" if aimed.only else "does not isolate them"
    effect = effect if aimed.subject else "does not match them"
    return Finding(
        message=f"the pods of {name} run on the host network, where policies see only the node: this selector of "
        f"{aimed.entry.origin} {effect}",
        at=aimed.at,
        remedy="name them by the entities host and remote-node, or take hostNetwork off the pods",
        related=(Related(f"runs on the host network ({name})", aimed.pod_set.spec.at or aimed.pod_set.at),),
        evidence={"pods": name},
        cause=name,
    )
