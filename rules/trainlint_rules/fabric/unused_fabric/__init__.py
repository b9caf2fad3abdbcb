"""Ranks that take whole nodes and do not ask for the EFA or RDMA devices that all of these nodes offer.

A container has a network device only if it asks for its resource. Ranks that hold every GPU of their nodes share them
with no other job, so devices that they do not ask for stay idle, and NCCL exchanges gradients over TCP. A claim on an
NVLink channel (ComputeDomain) helps within one NVLink domain and brings no device for the traffic between domains.

Without an inventory the machine that the pods select says what there is: the EFA devices of an EC2 type, which the EFA
device plugin offers (Karpenter launches nodes with them only for pods that ask), or the network cards of a GPU machine
of GKE, which a pod joins by the annotation networking.gke.io/interfaces or by a claim (DRANET).

Silent where a setting switches the fabric off, where the pods may reach devices without asking (privileged, the host
network, claims, a network of Multus with a device of its own), where ranks take a part of a node, and where some node
that they may use offers no device or is not described.

```yaml given
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: cluster}
pools:
  - name: h100
    count: 2
    zone: us-east-2a
    allocatable: {cpu: "180", memory: 1900Gi, nvidia.com/gpu: "8", vpc.amazonaws.com/efa: "32"}
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
        spec:
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, --nproc-per-node=8, train.py]
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
              resources: {limits: {nvidia.com/gpu: "8"}}  # expect, repaired
    Worker:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, --nproc-per-node=8, train.py]
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
              resources: {limits: {nvidia.com/gpu: "8"}}
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
        spec:
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, --nproc-per-node=8, train.py]
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
              resources: {limits: {nvidia.com/gpu: "8", vpc.amazonaws.com/efa: "32"}}
    Worker:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, --nproc-per-node=8, train.py]
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
              resources: {limits: {nvidia.com/gpu: "8", vpc.amazonaws.com/efa: "32"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.fabric.attachment import GKE_ANNOTATION
from trainlint.fabric.demand import fabric_refused, needs_device
from trainlint.fabric.device import Device, accelerator_count, amount
from trainlint.fabric.facts import Fabric
from trainlint.fabric.fault import NetworkFault, merged
from trainlint.fabric.fixes import request
from trainlint.fabric.process import Communicator, Rank
from trainlint.finding import Certainty, Finding, Severity
from trainlint.model.pool import Pool
from trainlint.model.workload import PodSet
from trainlint.rule import Facts, rule
from trainlint.workload.accelerators import is_accelerator
from trainlint_rules.fabric.unused_fabric.machine_fabric import MachineFabric, fabric_of_pools, fabric_of_selection


@rule(Severity.NOTE)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object."""
    found = (fault for each in facts.fabric.communicators for fault in unused_devices(each, facts.fabric))
    for fault in merged(found):
        yield fault.finding()


def unused_devices(communicator: Communicator, fabric: Fabric) -> Iterator[NetworkFault]:
    """One fault for each rank of a communicator of several pods that takes whole nodes and none of their devices.

    None where another rank has a device (rdma-on-some-roles), or a setting names one (rdma-resource-missing).
    """
    devices = {id(rank.pod_set): fabric.devices(rank.pod_set) for rank in communicator.ranks}
    if not communicator.spans or any(each.asked or each.open or each.mounted for each in devices.values()):
        return
    for rank in communicator.ranks:
        unused = rank.computes and not fabric_refused(rank)
        if unused and needs_device(rank, devices[id(rank.pod_set)]) is None:
            yield from _of_rank(communicator, rank, fabric)


def _of_rank(communicator: Communicator, rank: Rank, fabric: Fabric) -> Iterator[NetworkFault]:
    pools = fabric.pools_of(rank.pod_set)
    if pools is None:
        machine = fabric_of_selection(rank.pod_set)
    elif pools and _whole_nodes(rank.pod_set, pools):
        if found := fabric.offered(rank.pod_set):
            yield _fault(communicator, rank, found, pools)
            return
        machine = fabric_of_pools(pools)
    else:
        return
    if machine is not None and not (rank.pod_set.annotations.get(GKE_ANNOTATION) and not machine.resource):
        yield _machine_fault(communicator, rank, machine)


def _whole_nodes(pod_set: PodSet, pools: Sequence[Pool]) -> bool:
    """Whether a pod takes all accelerators of each node that it may be on."""
    asked = accelerator_count(pod_set)
    if not isinstance(asked, int) or asked < 1:
        return False
    for pool in pools:
        counts = [amount(quantity) for name, quantity in (pool.allocatable or {}).items() if is_accelerator(name)]
        if not counts or any(not isinstance(count, int) for count in counts):
            return False
        if sum(count for count in counts if isinstance(count, int)) != asked:
            return False
    return True


def _fault(communicator: Communicator, rank: Rank, found: Sequence[Device], pools: Sequence[Pool]) -> NetworkFault:
    device = found[0]
    where = ", ".join(sorted({pool.name for pool in pools}))
    named = " and ".join(f"{each.count} {each.resource}" for each in found)
    return NetworkFault(
        rank.pod_set,
        f"{rank.pod_set.name} takes whole nodes and asks for no fabric device: every node that it may use ({where}) "
        f"offers {named}, and without it the ranks of {communicator.group.name} exchange their data over TCP",
        rank.container.resources_at or rank.pod_set.template,
        f"request {device.count} {device.resource} in the limits of {rank.container.name}",
        "unused fabric",
        tuple((f"offers it ({pool.name})", pool.at) for pool in pools[:4] if pool.at is not None),
        {"resource": device.resource, "offered": str(device.count)},
        certainty=Certainty.LIKELY,
        fixes=request(rank.pod_set, rank.container, device.resource, device.count)
        if len(found) == 1 and isinstance(device.count, int)
        else (),
    )


def _machine_fault(communicator: Communicator, rank: Rank, fabric: MachineFabric) -> NetworkFault:
    few = fabric.machines[:3]
    machine = " or ".join(few) if len(few) == len(fabric.machines) else "machine that they select"
    count = f"{fabric.count} " if fabric.count else ""
    if fabric.resource:
        has, remedy = f"{count}{fabric.resource}", f"request {count}{fabric.resource} in the limits of "
        remedy += rank.container.name
    else:
        has = f"{fabric.count} networks beside the first"
        remedy = f"attach the pods to them: the annotation {GKE_ANNOTATION}, or a claim (DRANET)"
    return NetworkFault(
        rank.pod_set,
        f"{rank.pod_set.name} takes whole nodes and asks for no fabric device: each {machine} has {has}, and without "
        f"them the ranks of {communicator.group.name} exchange their data over the first network",
        rank.container.resources_at or rank.pod_set.template,
        remedy,
        "unused fabric",
        (),
        {"machine": ", ".join(few), "offered": has},
        certainty=Certainty.LIKELY,
    )
