"""Pods that find their peers by name cannot reach the cluster's DNS.

As soon as a policy restricts the egress of a pod, DNS is denied like everything else that no policy admits. The pods
use names of Services or pods, so they fail to resolve them and wait, retry or crash before any other connection.
Both UDP and TCP on port 53 are needed: longer answers come over TCP.

A frequent cause is one label: the pods of CoreDNS have `k8s-app: kube-dns`, whatever their program is called, and a
namespaced Cilium policy looks for them in its own namespace unless the peer names kube-system. Where an entry misses
the DNS by one label, namespace or port, the finding stands there. A policy that shuts the DNS pods is reported as well.

A CiliumLocalRedirectPolicy in front of kube-dns sends the questions to pods on the same node: these must be admitted
then. Whether it is in force depends on an option of Cilium; a cache on the host network leaves open who is asked.

Silent where the pods use no names.

```yaml given
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Master:
      restartPolicy: Never
      replicas: 1
      template:
        spec:
          containers: [{name: pytorch, image: "registry.example/train:1", resources: {limits: {nvidia.com/gpu: "1"}}}]
    Worker:
      restartPolicy: Never
      replicas: 3
      template:
        spec:
          containers: [{name: pytorch, image: "registry.example/train:1", resources: {limits: {nvidia.com/gpu: "1"}}}]
```

```yaml bad
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  endpointSelector: {matchLabels: {training.kubeflow.org/job-name: train}}
  egress:  # expect, repaired
    - toEndpoints: [{matchLabels: {training.kubeflow.org/job-name: train}}]
```

```yaml good
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  endpointSelector: {matchLabels: {training.kubeflow.org/job-name: train}}
  egress:
    - toEndpoints: [{matchLabels: {training.kubeflow.org/job-name: train}}]
    - toEndpoints: [{matchLabels: {io.kubernetes.pod.namespace: kube-system, k8s-app: kube-dns}}]
      toPorts: [{ports: [{port: "53", protocol: UDP}, {port: "53", protocol: TCP}]}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice

from trainlint.finding import Finding, Fix, Location, Related, Severity, besides, certainty_of, one_after_the_other
from trainlint.model.policy import Direction, Permission, PolicyEntry
from trainlint.model.root import Root
from trainlint.proof.cause import FlowCause
from trainlint.proof.deciding_places import list_of
from trainlint.proof.group import GroupProof
from trainlint.proof.near_miss import NearEntry
from trainlint.repairs.corrected_values import corrected
from trainlint.repairs.policy_edits import admit_dns
from trainlint.rule import Facts, rule
from trainlint.wording.because import texts_of
from trainlint.wording.forcing import forcing
from trainlint.wording.nearest import UNADDED, near_text, nearest_places

POLICIES = 8
"""Policies of a group that have a finding each; if one of them admits the DNS, the others need not."""


@rule(Severity.ERROR, tells=(Root.DNS,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per isolating policy and group: where many isolate the same pods, for the first of them."""
    for proof, cause in facts.groups.flow_causes(Root.DNS):
        yield from _findings(facts, proof, cause)


def _findings(facts: Facts, proof: GroupProof, cause: FlowCause) -> Iterator[Finding]:
    blocking: dict[Location, PolicyEntry] = {}
    for _, verdict in cause.flows:
        for side in (each for each in (verdict.egress, verdict.ingress) if each.answer is Permission.DENY):
            for entry in side.deciding or side.isolating:
                blocking.setdefault(_direction_of(entry), entry)
    protocols = " and ".join(dict.fromkeys(flow.protocol for flow, _ in cause.flows))
    near = facts.groups.near(proof, cause)
    if near is not None:
        yield _missed(facts, proof, cause, near[1], protocols)
        return
    for at, entry in islice(blocking.items(), POLICIES):
        predicate = f"cannot resolve the names of its peers: {_keeps(entry)} ({protocols} port 53)"
        yield Finding(
            message=f"group {proof.group.name} {predicate}",
            predicate=predicate,
            groups=(proof.group.name,),
            at=at,
            remedy=f"admit egress to {facts.policies.dns.asked} on port 53, UDP and TCP"
            if entry.direction is Direction.EGRESS
            else "admit all pods to the DNS pods on port 53, UDP and TCP",
            related=one_after_the_other(
                (*_users(proof, cause), *_between(facts)),
                nearest_places(facts, proof, *cause.flows[0]),
                partial(forcing, facts, cause, list_of(entry), entry.at),
            ),
            evidence={"denied": f"{protocols} 53 to {facts.policies.dns.main.name}"},
            assumes=texts_of(cause.assumes),
            certainty=certainty_of(cause.assumes),
            cause=proof.group.name,
            fixes=partial(_admitted, facts, proof, cause, entry),
        )


def _keeps(entry: PolicyEntry) -> str:
    """What the policy does, at the pods that ask or at the DNS."""
    if entry.direction is Direction.EGRESS:
        return f"{entry.policy} keeps its pods from the cluster's DNS"
    return f"{entry.policy} does not admit its pods to the cluster's DNS"


def _admitted(facts: Facts, proof: GroupProof, cause: FlowCause, entry: PolicyEntry) -> Iterator[Fix]:
    """The DNS admitted to the pods that ask."""
    if entry.direction is Direction.EGRESS:
        asking = {flow.source: proof.group.members[flow.source] for flow, _ in cause.flows}
        yield from admit_dns(facts, proof.group, entry, list(asking.values()))


def _missed(facts: Facts, proof: GroupProof, cause: FlowCause, near: NearEntry, protocols: str) -> Finding:
    """One label, namespace or port keeps an entry from admitting the cluster's DNS: the finding stands there."""
    return Finding(
        message=f"{near.entry.policy} {near_text(near)}: group {proof.group.name} cannot resolve the names of "
        f"its peers ({protocols} port 53 of the cluster's DNS)",
        at=near.at,
        remedy=UNADDED if near.added else f"admit egress to {facts.policies.dns.asked} on port 53, UDP and TCP",
        related=besides((*_users(proof, cause), *_between(facts)), partial(forcing, facts, cause)),
        evidence={"denied": f"{protocols} 53 to {facts.policies.dns.main.name}"},
        assumes=texts_of(cause.assumes),
        certainty=certainty_of(cause.assumes),
        cause=proof.group.name,
        groups=(proof.group.name,),
        fixes=lambda: (*_corrected(facts, near), *_admitted(facts, proof, cause, near.entry)),
    )


def _corrected(facts: Facts, near: NearEntry) -> Iterator[Fix]:
    """The right label in place of the wrong one; kube-dns stays admitted where others answer for it on most nodes."""
    if facts.policies.dns.by is None:
        yield from corrected(facts, near)


def _between(facts: Facts) -> Iterator[Related]:
    """What answers for the cluster's DNS instead of its own pods."""
    dns = facts.policies.dns
    if dns.by is not None and dns.at is not None:
        yield Related(f"{dns.by} sends the questions to {dns.asked}", dns.at)


def _users(proof: GroupProof, cause: FlowCause) -> Iterator[Related]:
    users = (
        Related(f"who uses names ({proof.group.members[flow.source].name}: {flow.why})", flow.at)
        for flow, _ in cause.flows
    )
    yield from islice(dict.fromkeys(users), 3)


def _direction_of(entry: PolicyEntry) -> Location:
    """The list that the entry is an element of."""
    path = entry.at.path
    return Location(entry.at.file, entry.at.document, path[:-1] if path and isinstance(path[-1], int) else path)
