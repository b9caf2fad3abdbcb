"""YAML or JSON that does not parse.

kubectl, Helm and GitOps controllers stop at a document that does not parse, so none of what it should define is
applied. The documents around it are still read.

```yaml bad
apiVersion: v1
kind: Service
metadata: {name: store}
spec:
  selector: matchLabels: {app: store}  # expect
```

```yaml good
apiVersion: v1
kind: Service
metadata: {name: store}
spec:
  selector: {app: store}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Location, Severity
from trainlint.rule import Repository, rule


@rule(Severity.ERROR, sees=Repository)
def check(repository: Repository) -> Iterator[Finding]:
    """One finding per document."""
    for reading in repository.readings:
        for broken in reading.broken:
            yield Finding(
                message=f"the document does not parse, so nothing in it is applied: {broken.message}",
                at=Location(broken.file, broken.index),
                remedy="fix the syntax at this place",
                span=broken.span,
                cause=str(broken.index),
            )
