"""Writes the skeleton of a rule that works from the start (``make new-rule NAME=category/rule-name``)."""

from __future__ import annotations

import sys
from pathlib import Path
from string import Template

from trainlint.lazy_pattern import lazy_pattern
from trainlint.rule import all_rules

PACKAGE = "trainlint_rules"
RULES = Path(__file__).parent
NAME = lazy_pattern(r"(?P<category>[a-z]+)/(?P<rule>[a-z][a-z0-9]*(?:-[a-z0-9]+)*)")

SKELETON = Template('''"""A container sets ${variable}.

Say here why this breaks training: the mechanism first, then what the user sees. The line above stands in the table of
rules. End with where the rule is silent, and why.

Silent where the variable is empty.

```yaml bad
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: train
          image: registry.example/train:1
          env:
            - {name: ${variable}, value: "yes"}  # expect
```

```yaml good
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: train
          image: registry.example/train:1
          env:
            - {name: ${variable}, value: ""}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.rule import Facts, rule

NAME = "${variable}"


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding for each variable."""
    for pod_set in facts.snapshot.workloads.pod_sets:
        for container in pod_set.spec.containers:
            for variable in container.env:
                if variable.name == NAME and variable.value and variable.at is not None:
                    yield Finding(
                        message=f"container {container.name} sets {NAME}",
                        at=variable.at,
                        remedy="empty it",
                        evidence={NAME: str(variable.value)},
                        cause=container.name,
                    )
''')


class UnsuitableNameError(ValueError):
    """The name is none for a new rule; the message says why."""


def path_of(name: str, root: Path = RULES) -> Path:
    """The file of a new rule ``category/rule-name`` below ``root``.

    Raises:
        UnsuitableNameError: it has another form, another category than those that are there, or is taken.
    """
    match = NAME.fullmatch(name)
    categories = sorted(path.parent.name for path in (root / PACKAGE).glob("*/__init__.py"))
    if match is None:
        raise UnsuitableNameError(f"{name!r} is no category/rule-name: small letters, digits and hyphens")
    if match["category"] not in categories:
        raise UnsuitableNameError(f"{match['category']} is no category: one of {', '.join(categories)}")
    taken = {rule.name: rule.category for rule in all_rules()}
    path = root / PACKAGE / match["category"] / f"{match['rule'].replace('-', '_')}.py"
    if match["rule"] in taken or path.exists():
        raise UnsuitableNameError(f"there is a rule {match['rule']} in {taken.get(match['rule'], match['category'])}")
    return path


def skeleton(name: str) -> str:
    """The text of the module of a new rule: it reports a variable that bears its name."""
    return SKELETON.substitute(variable=name.partition("/")[2].replace("-", "_").upper())


def main(arguments: list[str]) -> int:
    """Write the module; the exit code is 2 where the name is none."""
    try:
        (name,) = arguments
        path = path_of(name)
    except ValueError as error:
        unsuitable = isinstance(error, UnsuitableNameError)
        sys.stderr.write(f"{error if unsuitable else 'NAME=category/rule-name is needed'}\n")
        return 2
    path.write_text(skeleton(name), encoding="utf-8", newline="\n")
    sys.stdout.write(f"{path.relative_to(RULES.parent)}: a rule that works; change it example by example\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
