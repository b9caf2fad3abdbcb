"""A CIDR peer over the cluster's own addresses: under Cilium it matches neither pods nor nodes.

Cilium decides by identity, not by address. A CIDR (or ipBlock) peer matches only addresses outside the cluster; pods
and nodes are never among them, whatever address they have, unless the option policy-cidr-match-mode says so. A rule
that admits the pod subnet therefore admits no pod.

Silent with other network plugins, with the match mode switched on, and where no manifest says which ranges the cluster
uses.

```yaml given
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
networking: {podSubnet: 10.244.0.0/16}
```

```yaml bad
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  endpointSelector: {matchLabels: {app: train}}
  ingress:
    - fromCIDR:
        - 10.244.0.0/16  # expect
```

```yaml good
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  endpointSelector: {matchLabels: {app: train}}
  ingress: [{fromEndpoints: [{}]}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Related, Severity
from trainlint.rule import Facts, rule


@rule(Severity.ERROR)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per policy and range."""
    seen = set()
    for found in facts.mistakes.useless_cidrs:
        if (found.entry.origin, found.written) in seen or found.peer.at is None:
            continue
        seen.add((found.entry.origin, found.written))
        yield Finding(
            message=f"{found.written} lies in {found.subnet.what} ({found.subnet.network}), and Cilium matches a CIDR "
            f"peer against addresses outside the cluster only: it admits no pod ({found.entry.origin})",
            at=found.peer.at,
            remedy="name the pods by their labels (endpoints) or the nodes by entity (host, remote-node)",
            related=(Related(f"{found.subnet.what} is {found.subnet.network}", found.subnet.at),),
            evidence={"peer": found.written, "cluster range": str(found.subnet.network)},
            cause=found.written,
        )
