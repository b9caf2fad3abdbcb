"""No alert in Git can tell a group that is Running from one that makes progress.

The failure that costs most shows in no phase and no restart count: every pod is Running, and the GPUs wait. Alerts on
Pending pods, failed jobs and restarts stay silent. A metric that only work changes tells it: the utilisation or
power of the GPUs that a pod holds (DCGM_FI_PROF_GR_ENGINE_ACTIVE, DCGM_FI_DEV_GPU_UTIL), or the steps that it reports.

Silent where there are no Prometheus rules in Git, where something brings in others that are not read here, and where no
workload asks for accelerators.

```yaml given
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: train, image: "registry.example/train:1", resources: {limits: {nvidia.com/gpu: "1"}}}]
```

```yaml bad
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: training, namespace: monitoring}
spec:
  groups:  # expect
    - name: training
      rules: [{alert: Failed, expr: "kube_job_status_failed > 0"}]
```

```yaml good
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: training, namespace: monitoring}
spec:
  groups:
    - name: training
      rules: [{alert: Idle, for: 15m, expr: "max by (exported_pod) (DCGM_FI_PROF_GR_ENGINE_ACTIVE) < 0.02"}]
```
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from trainlint.finding import Certainty, Finding, Related, Severity
from trainlint.kube.values import read_text
from trainlint.lazy_pattern import lazy_pattern
from trainlint.rule import Facts, rule
from trainlint.source.document import Field
from trainlint.workload.accelerators import accelerators_of

_PROGRESS: Final = lazy_pattern(
    r"""DCGM_FI_(?:DEV_(?:GPU_UTIL|MEM_COPY_UTIL|POWER_USAGE|SM_CLOCK)|PROF_) | nvlink | gr_engine_active | sm_active
      | tensor_active | (?:gpu|accelerator|neuroncore|tensorcore|hpu|npu)[a-z_]*(?:util|duty|power|activ|busy|idle)
      | (?:duty_cycle|util\w*)_?(?:gpu|accelerator) | train\w*(?:step|epoch|iter|loss|sample|token|progress)
      | steps?_(?:total|per_) | tokens_per | samples_per | throughput | progress | heartbeat | straggler | stalled""",
    re.VERBOSE | re.IGNORECASE,
)


@rule(Severity.NOTE)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per snapshot."""
    rules = [each for each in facts.snapshot.objects if each.meta.kind in {"PrometheusRule", "VMRule"}]
    if not rules or facts.snapshot.opened:
        return
    if not any(accelerators_of(pod_set.spec) for pod_set in facts.snapshot.workloads.pod_sets):
        return
    if tells_progress(text for each in rules for text in expressions(each.field)):
        return
    first, *others = rules
    yield Finding(
        message="no alert here tells a group that is Running from one that makes progress: idle GPUs trip none of them",
        at=first.field["spec"]["groups"].at,
        remedy="alert on GPUs that pods hold and do not use: DCGM_FI_PROF_GR_ENGINE_ACTIVE near zero for a quarter of "
        "an hour",
        related=tuple(Related("looks at something else", each.field.at) for each in others),
        certainty=Certainty.LIKELY,
    )


def expressions(rules: Field) -> Iterator[str]:
    """The expressions of all rules of a PrometheusRule, alerts and records."""
    for group in rules.down("spec", "groups").elements():
        for each in group["rules"].elements():
            if text := read_text(each["expr"]):
                yield text


def tells_progress(texts: Iterable[str]) -> bool:
    """Whether an expression looks at what only work changes: utilisation, power, traffic of GPUs, or steps."""
    return any(_PROGRESS.search(text) for text in texts)
