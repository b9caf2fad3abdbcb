"""A node peer that was written to reach the pods on those nodes.

fromNodes, toNodes and the nodes peers of ClusterNetworkPolicy match the identity of nodes: the kubelet, host processes
and pods on the host network of other nodes. The pods that run there have identities of their own and are not among
them, so ranks that are admitted "by the GPU nodes" are cut off from each other.

Said only where a needed connection between pods is denied by the policy with the node peer.

```yaml settings
clusters: [{name: example, cni: {name: cilium, version: "1.20", options: {enable-node-selector-labels: "true"}}}]
```

```yaml given
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Worker:
      restartPolicy: Never
      replicas: 2
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
  ingress:
    - fromNodes:
        - matchLabels: {gpu: "true"}  # expect, repaired
```

```yaml good
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  endpointSelector: {matchLabels: {training.kubeflow.org/job-name: train}}
  ingress:
    - fromEndpoints: [{matchLabels: {training.kubeflow.org/job-name: train}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Related, Severity
from trainlint.rule import Facts, rule


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per peer."""
    seen = set()
    for peer in facts.groups.node_peers_of_denials:
        if peer.at in seen:
            continue
        seen.add(peer.at)
        yield Finding(
            message=f"this peer matches nodes, not the pods on them: {peer.entry.origin} does not admit the pods of "
            f"{peer.source}",
            at=peer.at,
            remedy="admit the pods by their labels (endpoints); keep the node peer for host processes only",
            related=(Related(f"who needs it: {peer.flow.why}", peer.flow.at),),
            evidence={"does not admit": peer.source},
            cause=peer.source,
        )
