"""Pods that share a ResourceClaim of devices that one node has: all of them come to that node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trainlint.kube.node import HOSTNAME
from trainlint.model.because import Because
from trainlint.model.devices import NodeDevices
from trainlint.model.pod import PodResourceClaim
from trainlint.model.workload import PodSet
from trainlint.scheduling import dynamic_resources, node_resources_fit
from trainlint.scheduling.inter_pod_affinity import term_matches
from trainlint.scheduling.node import Node
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.refusal import Code, Doubt, Ground, Refusal

__all__ = ["beside_each_other"]

Verdict = tuple[Refusal | Doubt, ...]


def beside_each_other(
    pod_set: PodSet, pod: Pod, verdicts: Mapping[int, Verdict], nodes: Sequence[Node]
) -> dict[int, Verdict]:
    """The verdicts, where a node that takes one pod of the set cannot take all that share a claim of its devices.

    The first pod that is placed allocates the claim; devices that are local to a node bind the others to that node.
    """
    shared = next((each for each in pod_set.spec.resource_claims if _is_shared(each)), None)
    count = pod_set.replicas
    if shared is None or not isinstance(count, int) or count < 2:
        return dict(verdicts)
    return {index: verdict or _alone(shared, count, pod, nodes[index]) for index, verdict in verdicts.items()}


def _is_shared(claim: PodResourceClaim) -> bool:
    """Whether pods name one claim, which gets at least one device and has none yet."""
    found = claim.devices
    return bool(claim.claim) and found is not None and found.allocation is None and bool(found.requests)


def _alone(claim: PodResourceClaim, count: int, pod: Pod, node: Node) -> Verdict:
    devices = node.pool.devices
    if devices is None or not _are_local(devices) or not (_repels_itself(pod) or _is_too_small(count, pod, node)):
        return ()
    why = Because(Ground.SHARED_CLAIM, (claim.claim, node.pool.name, count))
    return (Refusal(dynamic_resources.PLUGIN, Code.UNRESOLVABLE, why, claim.at, node.pool.at),)


def _are_local(devices: NodeDevices) -> bool:
    return not devices.elsewhere and all(each.reach.node for each in devices.slices)


def _is_too_small(count: int, pod: Pod, node: Node) -> bool:
    """Whether the empty node has no room for the last of so many pods."""
    amounts = {name: each for name, each in pod.requests.compared if isinstance(each, int)}
    used = {name: amount * (count - 1) for name, amount in amounts.items()}
    return isinstance(node_resources_fit.check(pod, node, used, count - 1), Refusal)


def _repels_itself(pod: Pod) -> bool:
    """Whether two of the pods cannot be on one node."""
    if any(one.conflicts(two) for one in pod.host_ports for two in pod.host_ports):
        return True
    return any(
        term.topology_key == HOSTNAME and term_matches(term, pod.namespace, {}, pod.labels, pod.namespace) is True
        for term in pod.spec.pod_anti_affinity
    )
