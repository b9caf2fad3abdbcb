"""The pods do not fit the shape of the machine, TPU slice, MIG slice or compute domain that they select.

A selector often says which machine a pod runs on, and what that machine has is public: no p5.48xlarge has nine GPUs,
no H100 sits in a p4d. A TPU topology says how many hosts a slice has; each of them needs a pod, and on a slice of
several hosts each pod takes all chips of its host, or the runtime waits for the missing ones. A CUDA process uses one
MIG slice, however many its container asks for; nodes with the MIG strategy `single` (and GKE's partitions) offer slices
as nvidia.com/gpu, those with `mixed` under names of their own. Each interface that a pod of GKE lists needs a network
card of its node. A compute domain is ready when as many nodes have joined as it says; each pod with its channel brings
one, since a node has one channel to give. NVIDIA's driver before 25.8 holds all pods back until then, newer ones only
if their feature gate IMEXDaemonsWithDNSNames is switched off.

No inventory is needed for any of this. Machines and topologies that the tables do not hold are unknown, and silent; so
are GPUs that a node offers several times (time slicing, MPS, partitions).

```yaml bad
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      nodeSelector: {node.kubernetes.io/instance-type: p5.48xlarge}
      containers:
        - name: train
          image: registry.example/train:1
          resources:  # expect
            limits: {nvidia.com/gpu: "9"}
          volumeMounts: [{name: shm, mountPath: /dev/shm}]
      volumes: [{name: shm, emptyDir: {medium: Memory}}]
```

```yaml bad
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: jax, namespace: ml}
spec:
  replicatedJobs:
    - name: slice  # expect
      replicas: 2
      template:
        spec:
          parallelism: 3
          completions: 3
          backoffLimit: 0
          template:
            spec:
              restartPolicy: Never
              nodeSelector:
                cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
                cloud.google.com/gke-tpu-topology: 4x4
              containers: [{name: jax, image: "registry.example/jax:1", resources: {limits: {google.com/tpu: "4"}}}]
```

```yaml good
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: jax, namespace: ml}
spec:
  replicatedJobs:
    - name: slice
      replicas: 2
      template:
        spec:
          parallelism: 4
          completions: 4
          backoffLimit: 0
          template:
            spec:
              restartPolicy: Never
              nodeSelector:
                cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
                cloud.google.com/gke-tpu-topology: 4x4
              containers: [{name: jax, image: "registry.example/jax:1", resources: {limits: {google.com/tpu: "4"}}}]
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from trainlint.checks.shapes import Shape, ShapeMismatch
from trainlint.finding import Finding, Related, Severity, certainty_of
from trainlint.rule import Facts, rule

MANY = 3
ASSUMED: Final[dict[Shape, tuple[str, ...]]] = {
    Shape.DOMAIN: ("NVIDIA's driver waits for numNodes: before 25.8, or without IMEXDaemonsWithDNSNames",),
}


@rule(Severity.ERROR)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and shape."""
    for cause in facts.placement.shape_mismatches:
        message, remedy = WORDS[cause.shape](cause)
        yield Finding(
            message=message,
            at=cause.at,
            remedy=remedy,
            related=(
                *(Related("names the shape", at) for at in cause.places if at != cause.at),
                *(Related(f"has it too ({pods.name})", pods.at) for pods in cause.pod_sets[1:]),
            ),
            assumes=ASSUMED.get(cause.shape, ()),
            certainty=certainty_of(ASSUMED.get(cause.shape, ())),
            evidence={"shape": cause.name, "asked for": cause.wanted, "there": cause.there},
            cause=f"{cause.shape} {cause.name} {cause.resource}",
        )


def _machine(cause: ShapeMismatch) -> tuple[str, str]:
    few = 0 < len(cause.machines) <= MANY
    machine = " or ".join(cause.machines) if few else f"machine with {cause.name}"
    message = (
        f"no {machine} has {cause.wanted} {cause.resource}: it has {cause.there}, so the pods of "
        f"{cause.pod_sets[0].name} never start"
    )
    if not cause.there:
        return message, f"select a machine that has {cause.resource}"
    return message, f"ask for at most {cause.there} and run more pods, or select a larger machine"


def _contradiction(cause: ShapeMismatch) -> tuple[str, str]:
    message = f"no machine has {cause.name} together: the pods of {cause.pod_sets[0].name} never start"
    return message, "keep the selector that is meant, and drop or correct the other"


def _hosts(cause: ShapeMismatch) -> tuple[str, str]:
    message = (
        f"topology {cause.name} has {cause.there} hosts, and {cause.pod_sets[0].name} runs {cause.wanted} "
        f"pods on it: the TPU runtime waits for the hosts that have none"
    )
    return message, f"run {cause.there} pods for each slice, or select a topology with {cause.wanted} hosts"


def _chips(cause: ShapeMismatch) -> tuple[str, str]:
    message = (
        f"a host of topology {cause.name} has {cause.there} chips, and a pod of {cause.pod_sets[0].name} asks for "
        f"{cause.wanted} {cause.resource}: no node of the slice takes it"
    )
    return message, f"ask for {cause.there} {cause.resource} in each pod"


def _mig(cause: ShapeMismatch) -> tuple[str, str]:
    message = (
        f"container {cause.name} of {cause.pod_sets[0].name} asks for {' and '.join(cause.resources)}: its process "
        "uses one MIG slice, and the others stay idle"
    )
    return message, "ask for one slice of the size that it needs, or run one container for each slice"


def _profile(cause: ShapeMismatch) -> tuple[str, str]:
    offered = cause.resources[0]
    message = (
        f"the nodes that {cause.pod_sets[0].name} selects ({cause.name}) offer {offered} and no {cause.resource}: its "
        "pods never start"
    )
    return message, f"ask for {offered}, or select nodes that offer {cause.resource}"


def _domain(cause: ShapeMismatch) -> tuple[str, str]:
    message = (
        f"compute domain {cause.name} waits for {cause.there} nodes, and {cause.wanted} pods claim its channel: "
        "it is never ready, and its pods may be held back until it is"
    )
    return message, f"set numNodes to {cause.wanted}, or run {cause.there} pods"


def _interfaces(cause: ShapeMismatch) -> tuple[str, str]:
    few = 0 < len(cause.machines) <= MANY
    machine = " or ".join(cause.machines) if few else f"machine with {cause.name}"
    message = (
        f"no {machine} gives a pod {cause.wanted} interfaces: it has {cause.there}, so the pods of "
        f"{cause.pod_sets[0].name} never start"
    )
    return message, f"list at most {cause.there} interfaces, eth0 among them, or select a machine with more"


WORDS: Final[dict[Shape, Callable[[ShapeMismatch], tuple[str, str]]]] = {
    Shape.MACHINE: _machine,
    Shape.CONTRADICTION: _contradiction,
    Shape.HOSTS: _hosts,
    Shape.CHIPS: _chips,
    Shape.MIG: _mig,
    Shape.PROFILE: _profile,
    Shape.DOMAIN: _domain,
    Shape.INTERFACES: _interfaces,
}
