"""A scheduler configuration that does not count GPUs.

NodeResourcesFit is the only filter that counts GPUs. A profile that switches it off at the filter point, or tells it to
ignore the GPU resource or its whole group, binds pods to nodes whose GPUs are all taken; the kubelet turns them away,
the controller makes new ones, and a group never stands together. Packing pods by score needs none of this.

```yaml bad
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - schedulerName: default-scheduler
    pluginConfig:
      - name: NodeResourcesFit
        args:
          ignoredResourceGroups: [nvidia.com]  # expect
```

```yaml good
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - schedulerName: default-scheduler
    pluginConfig:
      - name: NodeResourcesFit
        args:
          ignoredResources: [example.com/license]
          scoringStrategy: {type: MostAllocated, resources: [{name: nvidia.com/gpu, weight: 10}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.checks.gpu_nodes import accelerators
from trainlint.checks.scheduler_configuration import configurations, uncounted
from trainlint.finding import Finding, Severity
from trainlint.inventory.instance_types import ACCELERATORS
from trainlint.rule import Facts, rule
from trainlint.workload.accelerators import accelerators_of


@rule(Severity.ERROR)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per profile and place."""
    asked = {accelerators_of(pod_set.spec) for pod_set in facts.snapshot.workloads.pod_sets}
    offered = {name for each in facts.snapshot.every_inventory for pool in each.pools for name in accelerators(pool)}
    resources = sorted({*ACCELERATORS, *asked, *offered} - {""})
    for configuration in configurations(facts.snapshot.objects):
        for each in uncounted(configuration, resources):
            yield Finding(
                message=f"the scheduler profile {each.profile} does not count GPUs: {each.what}",
                at=each.at,
                remedy="let NodeResourcesFit filter, and weigh GPUs in its scoringStrategy instead",
                evidence={"profile": each.profile},
                cause=f"{each.profile} {each.what}",
            )
