"""The queue of a CronJob's Jobs stands in their template (kubernetes-sigs/kueue: site/static/examples/jobs)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import lint

WORLD = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: any}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: all}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [cpu]
      flavors: [{name: any, resources: [{name: cpu, nominalQuota: "8"}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: team, namespace: ml}
spec: {clusterQueue: all}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, namespace: ml OWN}
spec:
  schedule: "0 2 * * *"
  jobTemplate:
    TEMPLATE
    spec:
      backoffLimit: 0
      template:
        spec:
          restartPolicy: Never
          containers: [{name: c, image: "registry.example/train:1", resources: {requests: {cpu: "CPUS"}}}]
"""
LABEL = "labels: {kueue.x-k8s.io/queue-name: team}"
RULES = frozenset({"queue-missed", "kueue-never-admits"})


@pytest.mark.parametrize(
    ("own", "template", "cpus", "found"),
    [
        ("", f"metadata: {{{LABEL}}}", "8", []),
        ("", f"metadata: {{{LABEL}}}", "9", [("kueue-never-admits", 25)]),
        (f", {LABEL}", "", "9", [("queue-missed", 21)]),
        (f", {LABEL}", f"metadata: {{{LABEL}}}", "8", []),
        ("", "", "9", []),
    ],
)
def test_the_label_of_the_template_counts(
    own: str, template: str, cpus: str, found: list[tuple[str, int]], tmp_path: Path
) -> None:
    text = WORLD.replace(" OWN", own).replace("TEMPLATE", template).replace("CPUS", cpus).strip("\n")
    result = lint(tmp_path, {"all.yaml": text}, select=RULES, ignore=frozenset())
    assert [(each.finding.rule, each.span.line) for each in result.findings] == found
