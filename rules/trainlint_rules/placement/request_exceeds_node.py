"""One pod asks for more than any node that it may use has.

The scheduler compares a pod's requests with what one node can give to pods (status.allocatable: the machine's size less
what kubelet and system keep), on each node by itself; the sum over nodes does not matter (NodeResourcesFit). Init
containers run before the others and count by their maximum, sidecars count for as long as they run, a missing request
takes the limit's value. A pod that asks for all CPUs printed on the price list never fits.

Where the selectors name a machine (an instance type, a family, the accelerator of GKE), its size counts also where no
node is known: no node of it has more than the machine.

Silent for pools whose allocatable resources are not known.

```yaml given
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - {name: gpu, count: 2, zone: a, allocatable: {cpu: 191450m, memory: 1900Gi, nvidia.com/gpu: "8"}}
```

```yaml bad
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: train
          image: registry.example/train:1
          resources: {limits: {cpu: "192", nvidia.com/gpu: "8"}}  # expect
```

```yaml good
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      volumes: [{name: shm, emptyDir: {medium: Memory}}]
      containers:
        - name: train
          image: registry.example/train:1
          resources: {limits: {cpu: "190", nvidia.com/gpu: "8"}}
          volumeMounts: [{name: shm, mountPath: /dev/shm}]
```
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from trainlint.finding import Finding, Related, RelatedPlaces, Severity, besides, certainty_of
from trainlint.inventory.machine_selection import Machines, selected_machines
from trainlint.kube.spelling import only_meant
from trainlint.model.pool import Pool
from trainlint.model.root import Root
from trainlint.proof.cause import PlacementCause
from trainlint.proof.ideal.machine_types import margins
from trainlint.rule import Facts, rule
from trainlint.scheduling.node import node_of
from trainlint.scheduling.node_affinity import describe
from trainlint.scheduling.node_resources_fit import Shortage, shortages
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.quantity import readable
from trainlint.scheduling.requests import Requests, is_extended_resource
from trainlint.wording.because import texts_of
from trainlint.wording.forcing import forcing

NAMED: Final = 3
"""So many machines are named one by one."""
_COMMON: Final = ("cpu", "memory", "ephemeral-storage", "pods")


@rule(Severity.ERROR, tells=(Root.NODE_SIZE,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object, at the container that settles the amount."""
    for cause in facts.placement.causes(Root.NODE_SIZE):
        yield _finding(cause, partial(forcing, facts, cause))


def _finding(cause: PlacementCause, forced: RelatedPlaces) -> Finding:
    pod_set = cause.pod_set
    requests = cause.pod.requests
    short = [(each, miss.pool) for miss in cause.misses for each in _short(requests, miss.pool)]
    worst, pool = _deciding(short, len(cause.misses))
    asked, largest = readable(worst.resource, worst.requested), readable(worst.resource, worst.allocatable)
    container = requests.decided_by.get(worst.resource)
    some = worst.allocatable > 0
    meant = only_meant(worst.resource, _offered(cause)) if worst.allocatable == 0 else ""
    offered = f"the largest node that it may use has {largest}" if some else "no node that it may use has any"
    offered += f": {meant} is probably meant" if meant else ""
    overhead = requests.overhead.get(worst.resource, 0)
    more = readable(worst.resource, overhead)
    machines = selected_machines(cause.pod.spec) if cause.anywhere else None
    if machines is not None:
        offered = f"no {_called(machines)} has more than {largest}"
    added = f" ({more} of it added by RuntimeClass {requests.added_by})" if overhead else ""
    return Finding(
        message=f"the pods of {pod_set.name} stay Pending: one asks for {asked} {worst.resource}{added}, and {offered}",
        at=container.child("resources") if container else pod_set.spec.at or pod_set.template,
        remedy=_remedy(worst, meant) if machines is None else _smaller(worst, cause.pod),
        related=besides(
            forced,
            tuple(Related("names the machine", each.at) for each in (machines.by if machines else ()) if each.at)
            + tuple(
                Related(f"the {'largest' if some else 'closest'} node (pool {pool.name})", pool.at)
                for _ in range(1)
                if pool.at is not None
            )
            + tuple(Related(f"the same fault ({other.name})", other.spec.at or other.at) for other in cause.also),
        ),
        evidence={
            "resource": worst.resource,
            "requested": asked,
            "nodes": ", ".join(
                dict.fromkeys(
                    f"{each.name if machines is None else _called(machines)}: "
                    f"{readable(one.resource, one.allocatable)} {one.resource}"
                    for one, each in short
                )
            ),
        },
        assumes=texts_of(cause.assumes),
        certainty=certainty_of(cause.assumes),
        cause=worst.resource,
    )


def _deciding(short: Sequence[tuple[Shortage, Pool]], pools: int) -> tuple[Shortage, Pool]:
    """The shortage that decides, on the pool with the most: of a resource of which every node has too little, a device
    before what all nodes have; else what is missing on the node where the least is.
    """
    lacking: dict[str, list[tuple[Shortage, Pool]]] = defaultdict(list)
    for each in short:
        lacking[each[0].resource].append(each)
    everywhere = [found for found in lacking.values() if len(found) == pools]
    if everywhere:
        found = min(everywhere, key=lambda found: (found[0][0].resource in _COMMON, _share(found)))
        return max(found, key=lambda each: each[0].allocatable)
    fewest = min((found for _, pool in short if (found := [e for e in short if e[1] is pool])), key=len)
    return min(fewest, key=lambda each: (each[0].resource in _COMMON, _share([each])))


def _share(found: Sequence[tuple[Shortage, Pool]]) -> float:
    """The most that a node has of what is asked for."""
    return max(each.allocatable / max(each.requested, 1) for each, _ in found)


def _called(machines: Machines) -> str:
    """The machines by their names, or by the selectors that leave them where they are many."""
    if len(machines.types) <= NAMED:
        return " or ".join(each.name for each in machines.types)
    return f"machine with {' and '.join(map(describe, machines.by))}"


def _smaller(worst: Shortage, pod: Pod) -> str:
    """What to ask for on the machines that the pod selects."""
    surely = next((each.surely for each in margins(pod) if each.resource == worst.resource), "")
    most = surely or readable(worst.resource, worst.allocatable)
    return f"ask for at most {most} {worst.resource} (less what DaemonSets use), or select a larger machine"


def _offered(cause: PlacementCause) -> Iterator[str]:
    """The devices that the nodes have."""
    for miss in cause.misses:
        for name, amount in (miss.pool.allocatable or {}).items():
            if is_extended_resource(name) and amount != "0":
                yield name


def _remedy(worst: Shortage, meant: str) -> str:
    resource = worst.resource
    if meant:
        return f"ask for {meant} instead of {resource}"
    if worst.allocatable > 0:
        most = readable(resource, worst.allocatable)
        return f"ask for at most {most} {resource} (less what DaemonSets use), or add larger nodes"
    if resource.startswith("hugepages-"):
        return f"set {resource} aside on the nodes when they start, or drop the request"
    if resource == "pods":
        return "add nodes that take a pod"
    return f"drop the request, or add nodes that offer {resource}"


def _short(requests: Requests, pool: Pool) -> Iterator[Shortage]:
    node = node_of(pool)
    for each in shortages(requests, node, {}):
        if isinstance(each, Shortage):
            yield each
    room = 1 if node.allocatable is None else node.allocatable.get("pods", 0)
    if isinstance(room, int) and room < 1:
        yield Shortage("pods", 1, 0, room)
