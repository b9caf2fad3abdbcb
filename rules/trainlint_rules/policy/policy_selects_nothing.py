"""A policy that selects no pod of the repository.

A policy whose selector matches no pod isolates nobody, and nothing says so: one letter off in a label, a label that the
operator does not set, a workload that was renamed. The pods that it should protect are open.

Said only where all workloads of the namespace seem to be in Git: nothing that could add pods (HelmReleases, Argo CD
Applications, templates and kustomizations that were not rendered), and no other state of the repository in which the
policy selects a pod.

```yaml given
apiVersion: apps/v1
kind: Deployment
metadata: {name: train, namespace: ml}
spec:
  selector: {matchLabels: {app: train}}
  template:
    metadata: {labels: {app: train}}
    spec: {containers: [{name: train, image: "registry.example/train:1"}]}
```

```yaml bad
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  endpointSelector: {matchLabels: {app: trian}}  # expect
  ingress: [{fromEndpoints: [{}]}]
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

import difflib
from collections.abc import Iterator

from trainlint.finding import Certainty, Finding, Fix, Put, Severity
from trainlint.policy.mistakes.pods import Unselected
from trainlint.proof.spelling import only_meant
from trainlint.rule import Facts, rule


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per policy."""
    for unselected in facts.unselected:
        yield _finding(unselected)


def _finding(unselected: Unselected) -> Finding:
    labels = ", ".join(unselected.near)
    close = difflib.get_close_matches(unselected.wanted.replace(" In ", "="), unselected.near, n=1, cutoff=0.5)
    remedy = f"did you mean {close[0]}?" if close else f"pods here have {labels}" if labels else ""
    return Finding(
        message=f"{unselected.origin} selects no pod: none has {unselected.wanted}",
        at=unselected.at,
        remedy=remedy or "correct the selector, or remove the policy",
        evidence={"selects": unselected.wanted, "pods have": labels or "none of these labels"},
        assumes=("all workloads of the namespace are in Git",),
        certainty=Certainty.LIKELY,
        fixes=lambda: _corrected(unselected),
    )


def _corrected(unselected: Unselected) -> Iterator[Fix]:
    """The label value that differs by a slip of the pen from the only one that pods have."""
    for part in unselected.wanted.split("; "):
        key, operator, value = part.partition(" In ")
        meant = only_meant(value, [each.removeprefix(f"{key}=") for each in unselected.near if f"{key}=" in each])
        if operator and meant:
            at = unselected.at.child("matchLabels", key)
            yield Fix(f"select pods with {key}: {meant} in {unselected.origin}", (Put(at, meant),))
