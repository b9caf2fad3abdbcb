"""One object is defined twice where only one can be.

Whoever applies a file with two definitions of one object ends with the last one; the first is lost. A kustomization
that brings the same object in twice does not build at all. (The same object in two directories is no fault: these are
alternatives of each other, each judged by itself.)

```yaml bad
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: train, namespace: ml}
spec: {podSelector: {}, policyTypes: [Ingress]}
---
apiVersion: networking.k8s.io/v1  # expect
kind: NetworkPolicy
metadata: {name: train, namespace: ml}
spec: {podSelector: {matchLabels: {app: train}}, policyTypes: [Ingress]}
```

```yaml good
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: train, namespace: ml}
spec: {podSelector: {matchLabels: {app: train}}, policyTypes: [Ingress]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Related, Severity
from trainlint.rule import Repository, rule


@rule(Severity.ERROR, sees=Repository)
def check(repository: Repository) -> Iterator[Finding]:
    """One finding per second definition."""
    for duplicate in repository.duplicates:
        yield Finding(
            message=f"{duplicate.second.ref} is defined twice in {duplicate.where}: only one of the two will exist",
            at=duplicate.second.field.at,
            remedy="remove one of the two, or give it another name",
            related=(Related("the other definition", duplicate.first.field.at),),
            cause=duplicate.where,
        )
