"""MTUs differ along one path: between attachments of one network, or above the node's port.

Two attachments in one layer-2 network with MTU 9000 and 1500, or an attachment above the MTU of the port that carries
it: small frames pass, so that the rendezvous works, and large ones are lost, so that the first collective hangs.

Silent where one of the two does not say its MTU.

```yaml given
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: ranks, namespace: ml}
spec:
  config: |
    {"cniVersion": "1.0.0", "type": "macvlan", "master": "bond1", "mtu": 1500,
     "ipam": {"type": "whereabouts", "range": "192.168.70.0/24"}}
---
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: jumbo, namespace: ml}
spec:
  config: |  # expect
    {"cniVersion": "1.0.0", "type": "macvlan", "master": "bond1", "mtu": 9000,
     "ipam": {"type": "whereabouts", "range": "192.168.70.0/24"}}
```

```yaml bad
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        metadata:
          annotations: {k8s.v1.cni.cncf.io/networks: jumbo}
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "1"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        metadata:
          annotations: {k8s.v1.cni.cncf.io/networks: ranks}
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "1"}}
```

```yaml good
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        metadata:
          annotations: {k8s.v1.cni.cncf.io/networks: ranks}
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "1"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        metadata:
          annotations: {k8s.v1.cni.cncf.io/networks: ranks}
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "1"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from trainlint.fabric.device import requested
from trainlint.fabric.fault import NetworkFault
from trainlint.fabric.networks import Networks
from trainlint.fabric.pod_interfaces import PodInterfaces
from trainlint.fabric.process import Communicator
from trainlint.finding import Finding, Location, Severity
from trainlint.model.workload import PodSet
from trainlint.rule import Facts, rule

Interfaces = Mapping[int, PodInterfaces]
"""By the identity of the pod set."""


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per communicator."""
    fabric = facts.fabric
    for communicator in fabric.communicators:
        for fault in mtu_faults(communicator, fabric.interfaces_of(communicator), fabric.networks):
            yield fault.finding()


def mtu_faults(communicator: Communicator, interfaces: Interfaces, networks: Networks) -> Iterator[NetworkFault]:
    """Attachments in one network, or an attachment and the port below it, whose MTUs differ."""
    attached = [
        (rank.pod_set, each.network)
        for rank in communicator.ranks
        for each in interfaces[id(rank.pod_set)].known
        if each.network.definition is not None and each.network.definition.mtu
    ]
    for (one, left), (other, right) in combinations(attached, 2):
        first, second = left.definition, right.definition
        if first is None or second is None or first.mtu == second.mtu or left.surely_other(right):
            continue
        same = left.name == right.name or (bool(left.subnets and right.subnets) and first.master == second.master)
        if same:
            yield _mtu_fault(
                communicator, (one, first.mtu, first.at), (other, second.mtu, second.at), left.name, right.name
            )
            return
    for pod_set, network in attached:
        definition = network.definition
        if definition is None:
            continue
        for name in (definition.resource.rpartition("/")[2], definition.master):
            below = min(networks.mtus.get(name, ()), key=lambda each: each.mtu, default=None)
            if below is not None and below.mtu < definition.mtu:
                yield _mtu_fault(
                    communicator,
                    (pod_set, definition.mtu, definition.at),
                    (None, below.mtu, below.at),
                    network.name,
                    f"the port {name}",
                )
                return
    yield from _unequal_ports(communicator, interfaces, networks)


def _unequal_ports(communicator: Communicator, interfaces: Interfaces, networks: Networks) -> Iterator[NetworkFault]:
    """Ports of one device resource that two node policies give different MTUs: the ranks get either."""
    for rank in communicator.ranks if communicator.spans else ():
        for name in _ports_of(rank.pod_set, interfaces[id(rank.pod_set)]):
            of_ports = networks.mtus.get(name, ())
            for one, other in combinations(of_ports, 2):
                if one.mtu == other.mtu or one.ports == other.ports:
                    continue
                less, more = sorted((one, other), key=lambda each: each.mtu)
                yield NetworkFault(
                    rank.pod_set,
                    f"MTUs differ along one path of {communicator.group.name}: ports of {name} have {less.mtu} by "
                    f"{less.policy} and {more.mtu} by {more.policy}, and its ranks get either: large frames are lost "
                    "on the way, small ones pass",
                    less.at,
                    f"give both policies one MTU, {more.mtu} if the switches carry it",
                    f"mtu of {name}",
                    ((f"has MTU {more.mtu}", more.at), (f"uses it ({rank.pod_set.name})", rank.pod_set.template)),
                    {less.policy: less.mtu, more.policy: more.mtu},
                )
                return


def _ports_of(pod_set: PodSet, interfaces: PodInterfaces) -> Iterator[str]:
    """The device resources (by the last part of their names) and interfaces of nodes that the pods' traffic uses."""
    for each in interfaces.known:
        definition = each.network.definition
        if definition is not None:
            yield from (name for name in (definition.resource.rpartition("/")[2], definition.master) if name)
    for container in pod_set.spec.containers:
        for resource, count, _ in requested(container):
            if count != 0 and "/" in resource:
                yield resource.rpartition("/")[2]


def _mtu_fault(
    communicator: Communicator,
    one: tuple[PodSet, int, Location | None],
    other: tuple[PodSet | None, int, Location | None],
    left: str,
    right: str,
) -> NetworkFault:
    pod_set, mtu, at = one
    to, less, there = other
    roles = f"{pod_set.name} attaches" if to is None or to is pod_set else f"{pod_set.name} and {to.name} attach"
    return NetworkFault(
        pod_set,
        f"MTUs differ along one path of {communicator.group.name}: {roles} with {mtu} ({left}) and {less} ({right}): "
        "large frames are lost on the way, small ones pass",
        at or pod_set.template,
        "give all of them one MTU, that of the nodes' ports",
        "mtu",
        (*([(f"has MTU {less}", there)] if there else []), (f"uses it ({pod_set.name})", pod_set.template)),
        {left: mtu, right: less},
    )
