"""A key stands twice in one mapping: one of the two values is lost.

The YAML reader of Kubernetes keeps the last value and drops the first without a word (with strict validation the API
server refuses the object), so limits, tolerations or selectors from the manifest are not there. kustomize reads its
own file in the same way: where nothing is lost there, because the first value is empty or both are equal, this is a
warning.

```yaml bad
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  nodeSelector: {zone: a}
  containers: [{name: train, image: "registry.example/train:1"}]
  nodeSelector: {zone: b}  # expect
```

A missing `---` between two objects makes every key of the second one a duplicate: that is one finding.

```yaml bad
apiVersion: v1
kind: Namespace
metadata: {name: speech}
apiVersion: v1  # expect
kind: Namespace
metadata: {name: vision}
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

from trainlint.finding import Finding, Location, Path, Severity
from trainlint.rule import Repository, rule
from trainlint.source.document import Document
from trainlint.source.loader import lost_keys
from trainlint.source.reading import is_kustomization

OBJECT = frozenset({("apiVersion",), ("kind",)})
"""The keys with which every object begins: both twice are two objects."""


@rule(Severity.ERROR, sees=Repository)
def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each key, and one for all keys of two objects in one document."""
    for reading in repository.readings:
        for document in reading.documents:
            if document.duplicates:
                yield from _findings(document)


def _findings(document: Document) -> Iterator[Finding]:
    twice = tuple(dict.fromkeys(document.duplicates))
    harmless = frozenset[Path]()
    if is_kustomization(document.file):
        harmless = frozenset(twice) - frozenset(lost_keys(document.text))
    elif OBJECT.issubset(twice):
        yield _two_objects(document, [path for path in twice if len(path) == 1])
        twice = tuple(path for path in twice if len(path) > 1)
    for path in twice:
        said = "kustomize reads the last one, and nothing is lost by it"
        if path not in harmless:
            said = "the last one counts, the others are lost"
        yield Finding(
            message=f"the key {path[-1]} stands twice in one mapping: {said}",
            at=Location(document.file, document.index, path),
            remedy="keep one of them" if path in harmless else "keep one of them, or merge the two values",
            evidence={"key": str(path[-1])},
            severity=Severity.WARNING if path in harmless else None,
        )


def _two_objects(document: Document, paths: list[Path]) -> Finding:
    keys = ", ".join(str(path[-1]) for path in paths)
    return Finding(
        message="a line `---` is missing: two objects stand in one document, and only the second one is read",
        at=Location(document.file, document.index, ("apiVersion",)),
        remedy="add a line `---` before the second object",
        evidence={"keys that stand twice": keys},
        cause="two objects",
    )
