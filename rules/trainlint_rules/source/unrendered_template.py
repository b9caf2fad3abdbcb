"""A chart, template or overlay that was not rendered, so that its objects are unknown.

Templates hold no objects until something renders them, and what a kustomization changes is not what its files say.
Nothing is claimed about such objects, neither good nor bad; what is found in files that a kustomization changes is a
note at most. trainlint renders kustomizations itself where kustomize or kubectl is there (or the extra
`trainlint[kustomize]`), and Helm charts where helm is (or `trainlint[helm]`), each with its own values and with the
values files beside it; it says what keeps it from that. To judge anything else, render it and lint the result.

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
from trainlint.source.files import bringers
from trainlint.source.reading import is_kustomization
from trainlint.source.rendered_root import RenderedRoot
from trainlint.source.rendering_hint import rendering_hint
from trainlint.source.template import Template


@rule(Severity.NOTE, sees=Repository)
def check(repository: Repository) -> Iterator[Finding]:
    """One finding per chart, template file or kustomization."""
    places: dict[tuple[str, str], list[Template]] = defaultdict(list)
    for reading in repository.readings:
        for template in reading.templates if reading.file not in repository.rendered_files else ():
            places[template.engine, _place(template)].append(template)
    failed = sorted((each for each in repository.rendered if each.failed), key=lambda each: each.root)
    charts = {each.chart for each in failed if each.chart}
    told = set(map(_directory, failed)) | {directory or "." for directory, _ in repository.faults}
    failed = [each for each in failed if (posixpath.dirname(each.root), each.overlay) not in repository.faults]
    for (engine, place), templates in places.items():
        if engine == "helm" and not charts.isdisjoint(bringers(place)):
            continue
        kinds = ", ".join(sorted({kind for template in templates for kind in template.kinds})) or "unknown kinds"
        known = f" ({engine})" if engine != "template" else ""
        yield Finding(
            message=f"{place} was not rendered{known}: its objects ({kinds}) are unknown",
            at=templates[0].location,
            remedy=rendering_hint(engine, place, missing=repository.missing(engine)),
            evidence={"engine": engine, "templates": len(templates)},
            span=templates[0].span if engine != "helm" else None,
            cause=place,
        )
    for root in failed:
        name = _directory(root) if is_kustomization(root.root) else root.unknowns[0].subject
        yield Finding(
            message=f"{name} could not be rendered: {root.failure}",
            at=root.unknowns[0].at or Location(root.root, 0),
            remedy=root.unknowns[0].remedy,
            evidence={"root": root.root},
            span=root.unknowns[0].span,
            cause=name,
        )
    for each in dict.fromkeys(each for root in repository.rendered for each in root.lost):
        yield Finding(
            message=f"{each.subject}, was left out of what is rendered: {each.missing}",
            at=each.at or Location("", 0),
            remedy=each.remedy,
            cause=each.subject,
        )
    for directory in sorted(set(repository.transformed.values()) - told):
        yield Finding(
            message=f"the kustomization {directory} was not rendered: what it changes is unknown",
            at=Location(repository.kustomization_files[directory], 0),
            remedy=rendering_hint("kustomize", directory, missing=repository.missing("kustomize")),
            evidence={"engine": "kustomize"},
            cause=directory,
        )


def _directory(root: RenderedRoot) -> str:
    return posixpath.dirname(root.root) or "."


def _place(template: Template) -> str:
    """The chart of a Helm template, else the file."""
    chart, inside, _ = f"/{template.location.file}".rpartition("/templates/")
    return chart.removeprefix("/") or "." if template.engine == "helm" and inside else template.location.file
