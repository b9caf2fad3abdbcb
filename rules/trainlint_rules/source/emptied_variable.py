"""A deployer replaces a variable of the container's shell, so that the pods get nothing or a constant in its place.

Flux replaces `${NAME}` in everything that a Kustomization with `spec.postBuild` applies, long before a container
starts. A variable that its sources do not hold becomes nothing, and `${NAME:-0}` becomes 0, also where the operator or
the container sets NAME in every pod: all ranks start as rank 0, or without the address of their leader. `$${NAME}`
comes out as `${NAME}`, and `$NAME` without braces is left alone.

Silent where the deployer's own variables hold the name, where the container runs no shell, and for objects that carry
the label or annotation `kustomize.toolkit.fluxcd.io/substitute: disabled`.

```yaml given
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: jobs, namespace: flux-system}
spec:
  path: ./jobs
  sourceRef: {kind: GitRepository, name: flux-system}
  postBuild:
    substitute: {REGION: eu-1}
```

```yaml bad
# file: jobs/job.yaml
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: train
          image: registry.example/train:1
          command: ["sh", "-c", "train --rank=${JOB_COMPLETION_INDEX}"]  # expect
```

```yaml good
# file: jobs/job.yaml
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: train
          image: registry.example/train:1
          command: ["sh", "-c", "train --rank=$${JOB_COMPLETION_INDEX}"]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Certainty, Finding, Fix, Put, Related, Severity
from trainlint.model.root import Root
from trainlint.rule import Repository, rule
from trainlint.snapshot.substituted_variables import EmptiedVariables


@rule(Severity.ERROR, sees=Repository, tells=(Root.EMPTIED_VARIABLE,))
def check(repository: Repository) -> Iterator[Finding]:
    """One finding per object."""
    for each in repository.emptied:
        yield _finding(each)


def _finding(each: EmptiedVariables) -> Finding:
    first = each.uses[0]
    said = dict.fromkeys(f"{use.written} by {use.becomes or 'nothing'}" for use in each.uses)
    names = dict.fromkeys(use.name for use in each.uses)
    sources = dict.fromkeys(use.source for use in each.uses)
    return Finding(
        message=f"{each.by} replaces {', '.join(said)} in {each.owner} before its pods start, so that the shell never "
        f"reads what {' and '.join(sources)} sets",
        at=first.at,
        remedy=f"write {', '.join(f'$${{{name}}}' for name in names)}, which comes out as "
        f"{', '.join(f'${{{name}}}' for name in names)}, or ${first.name} without braces",
        related=(
            *(Related("replaced as well", at) for at in dict.fromkeys(use.at for use in each.uses) if at != first.at),
            *((Related("who replaces it", each.at),) if each.at is not None else ()),
        ),
        evidence={use.name: use.becomes or "nothing" for use in each.uses},
        assumes=tuple(f"{source} does not hold {', '.join(names)}" for source in each.missing),
        certainty=Certainty.LIKELY if each.missing else Certainty.PROVEN,
        cause=str(each.owner),
        fixes=lambda: _escaped(each),
    )


def _escaped(each: EmptiedVariables) -> Iterator[Fix]:
    texts = {use.at: use.text for use in each.uses}
    for use in each.uses:
        texts[use.at] = texts[use.at].replace(use.written, f"${use.written}")
    yield Fix("let the variables reach the shell", tuple(Put(at, text) for at, text in texts.items()))
