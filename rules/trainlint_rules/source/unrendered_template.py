"""A chart, template or overlay that was not rendered, so that its objects are unknown.

Templates hold no objects until something renders them, and what a kustomization changes is not what its files say.
Nothing is claimed about such objects, neither good nor bad; what is found in files that a kustomization changes is a
note at most. To judge them, render them and lint the result.

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

from collections import defaultdict
from collections.abc import Iterator

from trainlint.finding import Finding, Location, Severity
from trainlint.rule import Repository, rule
from trainlint.source.template import Template

HOW = {
    "helm": "helm template {place} | trainlint check -",
    "kustomize": "kubectl kustomize {place} | trainlint check -",
}


@rule(Severity.NOTE, sees=Repository)
def check(repository: Repository) -> Iterator[Finding]:
    """One finding per chart, template file or kustomization."""
    places: dict[tuple[str, str], list[Template]] = defaultdict(list)
    for reading in repository.readings:
        for template in reading.templates if reading.file not in repository.rendered_files else ():
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
    for directory in sorted(set(repository.transformed.values())):
        yield Finding(
            message=f"the kustomization {directory} was not rendered: what it changes is unknown",
            at=Location(repository.kustomization_files[directory], 0),
            remedy=f"lint what it renders to: {HOW['kustomize'].format(place=directory)}",
            evidence={"engine": "kustomize"},
            cause=directory,
        )


def _place(template: Template) -> str:
    """The chart of a Helm template, else the file."""
    chart, inside, _ = template.location.file.rpartition("/templates/")
    return chart if template.engine == "helm" and inside else template.location.file
