"""A label, taint or env value that YAML reads as a boolean or a number.

These values must be strings. Kubernetes reads YAML 1.1, where `yes`, `no`, `on`, `off`, `y`, `n`, `true` and `false`
are booleans and `8`, `1e3` and `0777` are numbers, so the API server refuses the whole object ("cannot unmarshal bool
into Go struct field of type string").

```yaml bad
apiVersion: v1
kind: Pod
metadata:
  name: train
  labels:
    preemptible: no  # expect, repaired
spec:
  containers:
    - name: train
      image: registry.example/train:1
      env:
        - name: WORLD_SIZE
          value: 8  # expect, repaired
```

```yaml good
apiVersion: v1
kind: Pod
metadata:
  name: train
  labels: {preemptible: "no"}
spec:
  containers:
    - name: train
      image: registry.example/train:1
      env: [{name: WORLD_SIZE, value: "8"}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import Finding, Fix, Quote, Safety, Severity
from trainlint.kube.strings import unquoted
from trainlint.model.root import Root
from trainlint.rule import Repository, rule
from trainlint.source.document import Field
from trainlint.source.examples import example_of

NO_API = frozenset({"kind.x-k8s.io", "kubeadm.k8s.io", "trainlint.io"})
"""Configuration that no API server reads; its own readers take numbers for strings."""


@rule(Severity.ERROR, sees=Repository, tells=(Root.UNQUOTED,))
def check(repository: Repository) -> Iterator[Finding]:
    """One finding per value."""
    for item in repository.objects:
        if item.meta.api_group in NO_API or _is_recorded(item.file):
            continue
        for what, value in unquoted(item.field):
            kind = "a boolean" if isinstance(value.value, bool) else "a number"
            yield Finding(
                message=f"{what} must be a string, and YAML reads this one as {kind}: the API server refuses "
                f"{item.ref}",
                at=value.at,
                remedy="put quotes around the value",
                evidence={"read as": value.scalar or ""},
                fixes=partial(_quoted, value),
            )


def _is_recorded(file: str) -> bool:
    """Whether a file is what a program wrote for a test: an answer that was recorded, which is applied by none."""
    return file.endswith(".json") and bool(example_of(file))


def _quoted(value: Field) -> Iterator[Fix]:
    """As it is now the object is refused, so quotes cannot change what already works."""
    yield Fix(f"put quotes around {value.path[-1]}", (Quote(value.at),), Safety.SAFE)
