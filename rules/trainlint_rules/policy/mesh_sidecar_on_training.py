"""A service mesh puts its proxy into the pods of a training group.

The proxy takes over the pod's TCP connections. NCCL and Gloo speak raw TCP on ports that no Service names, ssh and the
rendezvous do the same: the proxy refuses, delays or encrypts them one by one, and training hangs at its start or runs
at a fraction of its speed. And a Job never finishes while the proxy still runs. Injection is decided by the pod, then
by its Namespace; labels and annotations of the job object itself do not reach its pods.

Silent where the pod template opts out (the label or annotation `sidecar.istio.io/inject: "false"`, `linkerd.io/inject:
disabled`), takes ports out of the proxy's reach, or runs on the host network; and for groups of one pod.

```yaml given
apiVersion: v1
kind: Namespace
metadata:
  name: ml
  labels:
    istio-injection: enabled  # expect
```

```yaml bad
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec: {containers: [{name: pytorch, image: "registry.example/train:1"}]}
```

```yaml good
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        metadata: {labels: {sidecar.istio.io/inject: "false"}}
        spec: {containers: [{name: pytorch, image: "registry.example/train:1"}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.checks.mesh import Injection, injections
from trainlint.finding import Certainty, Finding, Fix, Location, Put, Related, Severity
from trainlint.rule import Facts, rule


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per place that injects."""
    found: dict[Location, list[Injection]] = {}
    for each in injections(facts.snapshot):
        found.setdefault(each.at, []).append(each)
    for at, same in found.items():
        first = same[0]
        names = ", ".join(dict.fromkeys(each.group.name for each in same))
        off = {"Istio": 'sidecar.istio.io/inject: "false"', "Linkerd": "linkerd.io/inject: disabled"}
        yield Finding(
            message=f"{first.mesh} puts its proxy into the pods of {names}, where it breaks rendezvous and collectives "
            f"({first.because})",
            at=at,
            remedy=f"opt out on the pod templates: {off.get(first.mesh, 'switch injection off there')}",
            related=tuple(
                Related(f"gets the proxy ({pod_set.name})", pod_set.at) for each in same for pod_set in each.pod_sets
            ),
            evidence={"groups": names},
            certainty=Certainty.LIKELY,
            cause=first.because,
            fixes=partial(_opted_out, same),
        )


_OPT_OUT = {
    "Istio": ("labels", "sidecar.istio.io/inject", "false"),
    "Linkerd": ("annotations", "linkerd.io/inject", "disabled"),
    "Kuma": ("labels", "kuma.io/sidecar-injection", "disabled"),
    "Consul": ("annotations", "consul.hashicorp.com/connect-inject", "false"),
}


def _opted_out(same: list[Injection]) -> Iterator[Fix]:
    """No proxy for the pods of the groups; whatever else runs in the namespace keeps its own."""
    where, key, value = _OPT_OUT[same[0].mesh]
    places = dict.fromkeys(pods.template.child("metadata", where, key) for each in same for pods in each.pod_sets)
    names = ", ".join(dict.fromkeys(pods.name for each in same for pods in each.pod_sets))
    yield Fix(f"keep the proxy of {same[0].mesh} out of {names}", tuple(Put(at, value, ("spec",)) for at in places))
