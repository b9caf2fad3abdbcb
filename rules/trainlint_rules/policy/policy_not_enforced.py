"""Nothing in this cluster enforces the policy.

Which policies count is decided by the network plugin: Cilium's own kinds mean nothing to Calico, Calico's own kinds and
AdminNetworkPolicy mean nothing to Cilium, ClusterNetworkPolicy is off unless it is switched on, and policies that
select nodes need the host firewall. The API server accepts them all, so the object is there and looks as if it
protected something.

Silent where the network plugin and its options are not stated in trainlint.yaml.

```yaml settings
clusters: [{name: example, cni: {name: calico}}]
```

```yaml bad
apiVersion: cilium.io/v2  # expect
kind: CiliumNetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  endpointSelector: {}
  ingress: [{fromEndpoints: [{}]}]
```

```yaml good
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  podSelector: {}
  ingress: [{from: [{podSelector: {}}]}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.rule import Facts, rule
from trainlint.wording.because import because_text


@rule(Severity.ERROR)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object (or per rule of it that selects nodes)."""
    if not facts.snapshot.settings.cni.stated:
        return
    for policy in facts.policies.unenforced:
        why = because_text(policy.why)
        yield Finding(
            message=f"{policy.origin} has no effect in this cluster: {why}",
            at=policy.at,
            remedy="write it in a kind that is enforced here, or switch on what enforces it",
            evidence={"kind": policy.origin.kind, "because": why},
            cause=why,
        )
