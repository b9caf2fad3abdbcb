"""A suppression that suppresses nothing, or names no rule.

A comment (or annotation, or entry of trainlint.yaml) that no longer suppresses anything hides the next real finding at
that place, and one with a misspelt name never worked. Where reasons are required, one without a reason suppresses
nothing either. Suppressions of rules that did not run are not counted as unused.

```yaml bad
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  # trainlint: ignore[untolerated-taint] the pool was tainted by hand  # expect
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

import difflib
from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.rule import rule
from trainlint.suppression import Suppression, Suppressions


@rule(Severity.WARNING, sees=Suppressions)
def check(suppressions: Suppressions) -> Iterator[Finding]:
    """One finding per name in a suppression."""
    for comment in suppressions.all:
        if comment.malformed:
            text = f"this {comment.form} suppresses nothing: {comment.malformed}"
            yield _finding(comment, "", text, comment.remedy)
        elif not comment.expired(suppressions.today):
            for name in comment.names:
                if name not in suppressions.known:
                    near = difflib.get_close_matches(name, sorted(suppressions.known), n=1)
                    hint = f"did you mean {near[0]}?" if near else "trainlint rule lists the names"
                    yield _finding(comment, name, f"there is no rule or category {name}", hint)
                elif name in suppressions.active and name not in comment.used and comment.judged:
                    remedy = f"remove the name from the {comment.form}"
                    yield _finding(comment, name, f"{name} finds nothing here", remedy)


def _finding(comment: Suppression, name: str, message: str, remedy: str) -> Finding:
    return Finding(
        message=f"unused suppression: {message}" if name else message,
        at=comment.at,
        remedy=remedy,
        evidence={"suppresses": name} if name else {},
        span=comment.span,
        cause=f"{name} {comment.reason}",
    )
