"""One object is defined twice where only one can be.

A file with two definitions of one object leaves the last one in the cluster; the first is lost (two equal ones are a
note). A kustomization that brings the same object in twice does not build at all. Two deployers (Kustomizations of
Flux, Applications of Argo CD) that apply one object to one cluster in two ways undo each other's work without end: a
policy opens and closes, a job changes under way. (The same object in two directories is no fault: these are
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
from trainlint.snapshot.duplicates import Duplicate


@rule(Severity.ERROR, sees=Repository)
def check(repository: Repository) -> Iterator[Finding]:
    """One finding per second definition."""
    for duplicate in repository.duplicates:
        if duplicate.deployers:
            yield _fight(duplicate)
            continue
        equal = duplicate.first.field.value == duplicate.second.field.value
        what = "the two are equal" if equal else "only one of the two will exist"
        yield Finding(
            message=f"{duplicate.second.ref} is defined twice in {duplicate.where}: {what}",
            at=duplicate.second.field.at,
            remedy="remove one of the two" if equal else "remove one of the two, or give it another name",
            related=(Related("the other definition", duplicate.first.field.at),),
            severity=Severity.NOTE if equal and duplicate.applied else None,
            cause=duplicate.where,
        )


def _fight(duplicate: Duplicate) -> Finding:
    """Two deployers of one cluster: at the later definition, or in it the place that differs."""
    (one, _), (other, _) = duplicate.deployers
    path = ".".join(map(str, duplicate.path))
    return Finding(
        message=f"{duplicate.second.ref} is deployed twice to the cluster {duplicate.where}, by {one} and by {other}, "
        f"with another {path}: each undoes what the other did, again and again",
        at=duplicate.second.field.down(*duplicate.path).at,
        remedy="let one of the two deploy it, or give it another name in one of them",
        related=(
            Related("the other definition", duplicate.first.field.down(*duplicate.path).at),
            *(Related(f"who deploys it: {by}", at) for by, at in duplicate.deployers if at is not None),
        ),
        cause=duplicate.where,
    )
