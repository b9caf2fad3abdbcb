"""A suppression past its date.

`until 2027-01-31` at the end of a suppression says how long the finding is accepted. After that day the
comment (or annotation, or entry of trainlint.yaml) suppresses nothing any more, and is reported beside the finding that
is back.

```yaml bad
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  # trainlint: ignore[untolerated-taint] until the pool is moved, until 2020-01-31  # expect
  tolerations: [{key: gpu, operator: Exists}]
  containers: [{name: train, image: "registry.example/train:1"}]
```

```yaml good
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  tolerations: [{key: gpu, operator: Exists}]
  containers: [{name: train, image: "registry.example/train:1"}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.rule import rule
from trainlint.suppression import Suppressions


@rule(Severity.WARNING, sees=Suppressions)
def check(suppressions: Suppressions) -> Iterator[Finding]:
    """One finding per suppression."""
    for comment in suppressions.all:
        if comment.expired(suppressions.today):
            yield Finding(
                message=f"this suppression ended on {comment.until} and suppresses nothing any more",
                at=comment.at,
                remedy="fix what it suppressed, or give it a new date",
                evidence={"rules": ", ".join(comment.names), "until": str(comment.until)},
                span=comment.span,
                cause=f"{','.join(comment.names)} {comment.reason}",
            )
