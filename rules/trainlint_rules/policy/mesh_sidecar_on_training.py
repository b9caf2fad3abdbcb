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
    istio-injection: enabled  # expect, repaired
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

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Certainty, Finding, Fix, Location, Put, Related, Severity
from trainlint.model.known import Undetermined
from trainlint.model.workload import Flow, FlowKind, Group, PodSet
from trainlint.rule import Facts, rule
from trainlint.snapshot.build import Snapshot
from trainlint.snapshot.objects import ApiObject

_ISTIO: Final = "sidecar.istio.io/inject"
_REVISION: Final = "istio.io/rev"
_LINKERD: Final = "linkerd.io/inject"
_KUMA: Final = "kuma.io/sidecar-injection"
_CONSUL: Final = "consul.hashicorp.com/connect-inject"
_TRUE: Final = frozenset({"true", "enabled", "y", "yes", "on", "1"})
_EXCLUDED: Final = "traffic.sidecar.istio.io/exclude"


@fact
class Injection:
    """A mesh injects its proxy into pods of a group, because of what stands ``at`` a Namespace or pod template."""

    mesh: str
    group: Group
    pod_sets: tuple[PodSet, ...]
    because: str
    at: Location


_OPT_OUT = {
    "Istio": ("labels", "sidecar.istio.io/inject", "false"),
    "Linkerd": ("annotations", "linkerd.io/inject", "disabled"),
    "Kuma": ("labels", "kuma.io/sidecar-injection", "disabled"),
    "Consul": ("annotations", "consul.hashicorp.com/connect-inject", "false"),
}


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


def injections(snapshot: Snapshot) -> Iterator[Injection]:
    """One for each group of several pods and each place that injects."""
    namespaces = {each.meta.name: each for each in snapshot.objects if each.meta.kind == "Namespace"}
    for group in snapshot.workloads.groups:
        own = [each for index, each in enumerate(group.members) if index not in group.dependencies]
        pods = [each.replicas for each in own]
        if not group.flows or sum(count if isinstance(count, int) else 2 for count in pods) < 2:
            continue
        found: dict[tuple[str, str, Location], list[PodSet]] = {}
        for pod_set in own:
            injected = _injected(pod_set, namespaces.get(pod_set.namespace))
            if (
                injected is not None
                and pod_set.replicas != 0
                and (group.collective or not _meant(pod_set, injected[2]))
            ):
                found.setdefault(injected, []).append(pod_set)
        ranks = {
            id(group.members[end]) for flow in group.flows if flow.kind is FlowKind.COLLECTIVE for end in _ends(flow)
        }
        for (mesh, because, at), pod_sets in found.items():
            # A store in a permissive mesh takes plain connections of ranks outside; a strict one is mesh-denies-flow's.
            if not ranks or any(id(each) in ranks for each in pod_sets):
                yield Injection(mesh, group, tuple(pod_sets), because, at)


def _ends(flow: Flow) -> tuple[int, ...]:
    return (flow.source,) if flow.target is None else (flow.source, flow.target)


def _injected(pod_set: PodSet, namespace: ApiObject | None) -> tuple[str, str, Location] | None:
    """The mesh that injects, why, and where that stands. What the pod says wins over what its namespace says."""
    if pod_set.spec.host_network or any(key.startswith(_EXCLUDED) for key in pod_set.annotations):
        return None
    labels = {key: value for key, value in pod_set.labels.items() if not isinstance(value, Undetermined)}
    metadata = pod_set.template.child("metadata")
    said = [
        ("Istio", _ISTIO, labels, metadata.child("labels", _ISTIO)),
        ("Istio", _ISTIO, pod_set.annotations, metadata.child("annotations", _ISTIO)),
        ("Linkerd", _LINKERD, pod_set.annotations, metadata.child("annotations", _LINKERD)),
        ("Kuma", _KUMA, labels, metadata.child("labels", _KUMA)),
        ("Kuma", _KUMA, pod_set.annotations, metadata.child("annotations", _KUMA)),
        ("Consul", _CONSUL, pod_set.annotations, metadata.child("annotations", _CONSUL)),
    ]
    decided = set()
    for mesh, key, holder, at in said:
        if key in holder and mesh not in decided:
            if holder[key].lower() in _TRUE:
                return mesh, f"{key}: {holder[key]}", at
            decided.add(mesh)
    for mesh, because, at in _of_namespace(namespace):
        if mesh not in decided:
            return mesh, because, at
    return None


def _meant(pod_set: PodSet, at: Location) -> bool:
    """Whether the pod template itself asks for the proxy: calls between pods can be arranged to pass through it."""
    return at.path[: len(pod_set.template.path)] == pod_set.template.path and at.file == pod_set.template.file


def _of_namespace(namespace: ApiObject | None) -> Iterator[tuple[str, str, Location]]:
    """``istio-injection`` wins over a revision; the label of Istio's ambient mode injects nothing."""
    if namespace is None:
        return
    labels, annotations = namespace.meta.labels, namespace.meta.annotations
    place = namespace.field.at.child("metadata")
    istio = labels.get("istio-injection", "")
    if istio == "enabled" or (not istio and labels.get(_REVISION)):
        key = "istio-injection" if istio else _REVISION
        yield "Istio", f"{key}: {labels[key]}", place.child("labels", key)
    holders: tuple[tuple[str, Mapping[str, str], str, str], ...] = (
        ("Linkerd", annotations, "annotations", _LINKERD),
        ("Kuma", labels, "labels", _KUMA),
        ("Kuma", annotations, "annotations", _KUMA),
    )
    for mesh, holder, where, key in holders:
        if holder.get(key, "").lower() in _TRUE:
            yield mesh, f"{key}: {holder[key]}", place.child(where, key)


def _opted_out(same: list[Injection]) -> Iterator[Fix]:
    """No proxy for the pods of the groups; whatever else runs in the namespace keeps its own."""
    where, key, value = _OPT_OUT[same[0].mesh]
    places = dict.fromkeys(pods.template.child("metadata", where, key) for each in same for pods in each.pod_sets)
    names = ", ".join(dict.fromkeys(pods.name for each in same for pods in each.pod_sets))
    yield Fix(f"keep the proxy of {same[0].mesh} out of {names}", tuple(Put(at, value, ("spec",)) for at in places))
