"""A DaemonSet that GPU nodes need does not tolerate their taint.

Device plugins offer the GPUs to the kubelet, network plugins and their device plugins the interfaces, exporters the
metrics. A DaemonSet only gets onto a tainted node if it tolerates the taint; the tolerations that Kubernetes adds to
every DaemonSet are for the node's conditions, not for taints that people set. Without the device plugin the node offers
no GPU at all, and every pod that asks for one stays Pending.

Which DaemonSets GPU nodes need is told from names and images (device plugins, network plugins, exporters), so this is
likely and not proved. Silent where nodeSelector or affinity keep the DaemonSet off these nodes anyway, and for plugins
of another maker's accelerators.

```yaml given
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - name: gpu
    count: 2
    zone: a
    taints: [{key: dedicated, value: gpu, effect: NoSchedule}]
    allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}
  - {name: cpu, count: 2, zone: a, allocatable: {cpu: "16", memory: 64Gi}}
```

```yaml bad
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: device-plugin, namespace: kube-system}
spec:
  selector: {matchLabels: {name: device-plugin}}
  template:
    metadata: {labels: {name: device-plugin}}
    spec:  # expect, repaired
      containers:
        - {name: plugin, image: "registry.example/k8s-device-plugin:1"}
```

```yaml good
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: device-plugin, namespace: kube-system}
spec:
  selector: {matchLabels: {name: device-plugin}}
  template:
    metadata: {labels: {name: device-plugin}}
    spec:
      tolerations: [{key: dedicated, operator: Exists, effect: NoSchedule}]
      containers: [{name: plugin, image: "registry.example/k8s-device-plugin:1"}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.checks.gpu_nodes import Absentee, absentees, device_name, taint_key
from trainlint.finding import Certainty, Finding, Fix, Related, Severity
from trainlint.rule import Facts, rule
from trainlint.scheduling.fixes import tolerate
from trainlint.scheduling.taint_toleration import describe


@rule(Severity.ERROR)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per DaemonSet."""
    for each in absentees(facts.cluster.daemons, facts.verdicts.of):
        pod_set = each.pod_set
        taints = ", ".join(dict.fromkeys(map(describe, each.taints)))
        pools = ", ".join(dict.fromkeys(pool.name for pool in each.pools))
        first = each.taints[0]
        devices = " and ".join(dict.fromkeys(device_name(taint_key(pool)) for pool in each.pools))
        yield Finding(
            message=f"{pod_set.owner} does not tolerate the taint {taints}: none of its pods runs on the {devices} "
            f"nodes ({pools})",
            at=pod_set.spec.at or pod_set.template,
            remedy=f"add to tolerations: {{key: {first.key}, operator: Exists, effect: {first.effect}}}",
            related=tuple(Related("keeps it away", taint.at) for taint in each.taints if taint.at is not None),
            evidence={"taints": taints, "pools": pools},
            certainty=Certainty.LIKELY,
            cause=taints,
            fixes=partial(_tolerant, each),
        )


def _tolerant(absentee: Absentee) -> Iterator[Fix]:
    fix = tolerate([absentee.pod_set], absentee.taints)
    if fix is not None:
        yield fix
