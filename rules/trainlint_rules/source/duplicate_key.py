"""A key stands twice in one mapping: one of the two values is lost.

The YAML reader of Kubernetes keeps the last value and drops the first without a word (with strict validation the API
server refuses the object), so limits, tolerations or selectors that somebody wrote are not there.

```yaml bad
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  nodeSelector: {zone: a}
  containers: [{name: train, image: "registry.example/train:1"}]
  nodeSelector: {zone: b}  # expect
```

```yaml good
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  nodeSelector: {zone: b}
  containers: [{name: train, image: "registry.example/train:1"}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Location, Severity
from trainlint.rule import Repository, rule


@rule(Severity.ERROR, sees=Repository)
def check(repository: Repository) -> Iterator[Finding]:
    """One finding per key."""
    for reading in repository.readings:
        for document in reading.documents:
            for path in dict.fromkeys(document.duplicates):
                yield Finding(
                    message=f"the key {path[-1]} stands twice in one mapping: the last one counts, the others are lost",
                    at=Location(document.file, document.index, path),
                    remedy="keep one of them, or merge the two values",
                    evidence={"key": str(path[-1])},
                )
