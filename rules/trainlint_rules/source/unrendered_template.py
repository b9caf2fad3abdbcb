"""A chart, template or overlay that was not rendered, so that its objects are unknown.

Templates hold no objects until something renders them, and what a kustomization changes is not what its files say.
Nothing is claimed about such objects, neither good nor bad; what is found in files that a kustomization changes is a
note at most. trainlint renders kustomizations itself where kustomize or kubectl is there (or the extra
`trainlint[kustomize]`), and says what keeps it from that. To judge anything else, render it and lint the result.

```yaml bad
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Values.name }}  # expect
spec:
  parallelism: {{ .Values.workers }}
```

```yaml good
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: train, image: "registry.example/train:1"}]
```
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator

from trainlint.finding import Finding, Location, Severity
from trainlint.rule import Repository, rule
from trainlint.snapshot.repository import RENDER
from trainlint.source.template import Template

HOW = {
    "helm": "helm template {place} | trainlint check -",
}


@rule(Severity.NOTE, sees=Repository)
def check(repository: Repository) -> Iterator[Finding]:
    """One finding per chart, template file or kustomization."""
    places: dict[tuple[str, str], list[Template]] = defaultdict(list)
    for reading in repository.readings:
        for template in reading.templates:
            places[template.engine, _place(template)].append(template)
    for (engine, place), templates in places.items():
        kinds = ", ".join(sorted({kind for template in templates for kind in template.kinds})) or "unknown kinds"
        yield Finding(
            message=f"{place} was not rendered ({engine}): its objects ({kinds}) are unknown",
            at=templates[0].location,
            remedy=f"lint what it renders to: {HOW[engine].format(place=place)}"
            if engine in HOW
            else "lint what it renders to",
            evidence={"engine": engine, "templates": len(templates)},
            span=templates[0].span if engine != "helm" else None,
            cause=place,
        )
    failed = {posixpath.dirname(each.root) or ".": each for each in repository.rendered if each.failed}
    for directory, root in sorted(failed.items()):
        yield Finding(
            message=f"{directory} could not be rendered: {root.failure}",
            at=root.unknowns[0].at or Location(root.root, 0),
            remedy=root.unknowns[0].remedy,
            evidence={"root": root.root},
            cause=directory,
        )
    for directory in sorted(set(repository.transformed.values()) - set(failed)):
        yield Finding(
            message=f"the kustomization {directory} was not rendered: what it changes is unknown",
            at=Location(repository.kustomization_files[directory], 0),
            remedy=RENDER.format(directory),
            evidence={"engine": "kustomize"},
            cause=directory,
        )


def _place(template: Template) -> str:
    """The chart of a Helm template, else the file."""
    chart, inside, _ = template.location.file.rpartition("/templates/")
    return chart if template.engine == "helm" and inside else template.location.file
