"""Pods on the host network that use cluster names and ask their node's resolver.

With hostNetwork the default dnsPolicy, ClusterFirst, acts as Default: the pod gets the node's /etc/resolv.conf, which
knows no Service and no pod. The address where the ranks meet does not resolve, and they wait for each other.

Silent for operators that set ClusterFirstWithHostNet themselves (MPIJob, Volcano), and where no cluster name is used.

```yaml bad
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        spec:  # expect, repaired
          hostNetwork: true
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "1"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          hostNetwork: true
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "1"}}
```

```yaml good
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          hostNetwork: true
          dnsPolicy: ClusterFirstWithHostNet
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "1"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          hostNetwork: true
          dnsPolicy: ClusterFirstWithHostNet
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "1"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.fabric.checks.names_on_hosts import CLUSTER_FIRST, UnresolvedNames
from trainlint.finding import Finding, Severity
from trainlint.model.root import Root
from trainlint.rule import Facts, rule


@rule(Severity.ERROR, tells=(Root.HOST_NETWORK_DNS,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object."""
    for fault in facts.fabric.unresolved_names:
        yield _finding(fault)


def _finding(fault: UnresolvedNames) -> Finding:
    policy = fault.pod_set.spec.dns_policy
    written = f"dnsPolicy {policy}" if policy == "Default" else "ClusterFirst, which acts as Default"
    return fault.finding(
        f"the pods of {fault.pod_set.name} are on the host network with {written}: they ask the node's resolver, which "
        f"knows no cluster names, and they need them ({fault.need.why})",
        f"set dnsPolicy: {CLUSTER_FIRST}",
        ("needs cluster names", fault.need.at),
        evidence={"needed": CLUSTER_FIRST},
    )
