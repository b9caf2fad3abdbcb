"""A pod label that a policy reads as a zone names another zone than the nodes the pods can land on.

Policies cannot see nodes, so people write the zone onto the pods as a label and let policies match it. The label is
only text: it does not move with the pods. When a workload is moved and its label is not, the policy admits it in a zone
where it does not run, and cuts it off where it does.

Silent for labels whose value is no zone of the inventory, for labels that no policy reads, and where the pods can land
in the zone that the label names.

```yaml given
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - {name: gpu, count: 2, zone: a, labels: {gpu: "true"}, allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}}
  - {name: cpu, count: 2, zone: b, allocatable: {cpu: "16", memory: 64Gi}}
---
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: inside-a, namespace: ml}
spec:
  endpointSelector: {matchLabels: {net-zone: a}}
  ingress: [{fromEndpoints: [{matchLabels: {net-zone: a}}]}]
```

```yaml bad
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    metadata:
      labels:
        net-zone: b  # expect, repaired
    spec:
      restartPolicy: Never
      nodeSelector: {gpu: "true"}
      containers: [{name: train, image: "registry.example/train:1"}]
```

```yaml good
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    metadata: {labels: {net-zone: a}}
    spec:
      restartPolicy: Never
      nodeSelector: {gpu: "true"}
      containers: [{name: train, image: "registry.example/train:1"}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.checks.zone_labels import ZoneLabel
from trainlint.finding import Finding, Related, Severity
from trainlint.repairs.group_fixes import true_label
from trainlint.rule import Facts, rule


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per label of a pod set."""
    for label in facts.connections.contradicting_labels:
        yield _finding(facts, label)


def _finding(facts: Facts, label: ZoneLabel) -> Finding:
    lands = ", ".join(label.zones)
    return Finding(
        message=f"the label {label.key}: {label.value} names another zone than where {label.pod_set.name} runs "
        f"({lands}), and {label.entry.origin} believes the label",
        at=label.pod_set.template.child("metadata", "labels", label.key),
        remedy=f"set {label.key} to {label.zones[0]}, or move the pods to {label.value}",
        related=(
            Related(f"who reads the label ({label.entry.origin})", label.entry.at),
            Related(f"what decides where it runs ({lands})", label.pod_set.spec.at or label.pod_set.at),
        ),
        evidence={label.key: label.value, "runs in": lands},
        cause=label.key,
        fixes=lambda: true_label(facts, label),
    )
