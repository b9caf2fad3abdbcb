"""A selector on a label that Cilium drops from identities: it matches no pod, or every pod.

Cilium gives each set of labels an identity, and leaves out labels that differ from pod to pod: completion and pod
index, pod-template-hash, controller-uid, pod names, zones and the rest of kubernetes.io. A selector on one of them does
not fail: `In` and `Exists` never hold, `NotIn` and `DoesNotExist` always do. As a peer it admits no pod (or every pod),
as a subject it selects nothing and the pods stay open.

Which labels count depends on Cilium's version and on its options `labels` and `label-prefix-file`.

```yaml bad
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: rank-zero, namespace: ml}
spec:
  endpointSelector:
    matchLabels:
      batch.kubernetes.io/job-completion-index: "0"  # expect
  ingress: [{fromEndpoints: [{matchLabels: {app: train}}]}]
```

```yaml good
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: ranks, namespace: ml}
spec:
  endpointSelector: {matchLabels: {batch.kubernetes.io/job-name: train}}
  ingress: [{fromEndpoints: [{matchLabels: {app: train}}]}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Certainty, Finding, Severity
from trainlint.model.settings import Cni
from trainlint.policy.checks.dropped_labels import DroppedLabel
from trainlint.rule import Facts, rule


@rule(Severity.ERROR)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per policy and label."""
    seen = set()
    for dropped in facts.mistakes.dropped_labels:
        if (dropped.entry.origin, dropped.key) not in seen:
            seen.add((dropped.entry.origin, dropped.key))
            yield _finding(dropped, facts.snapshot.settings.cni)


def _finding(dropped: DroppedLabel, cni: Cni) -> Finding:
    assumes = () if cni.version_stated else (f"Cilium {cni.version}: nothing in Git states its version",)
    if dropped.negative:
        effect = "so this always holds, for pods that it should leave out too"
    elif dropped.subject:
        effect = "so the policy selects no pod, and the pods stay open"
    else:
        effect = "so this peer matches no pod"
    return Finding(
        message=f"Cilium leaves the label {dropped.key} out of identities, {effect} ({dropped.entry.origin})",
        at=dropped.at,
        remedy="select by a label that is part of the identity: app, job-name, or one of your own on the template",
        evidence={"label": dropped.key, "operator": dropped.requirement.operator},
        assumes=assumes,
        certainty=Certainty.LIKELY if assumes else Certainty.PROVEN,
        cause=dropped.key,
    )
