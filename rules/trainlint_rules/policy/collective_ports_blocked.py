"""The ranks may reach each other on listed ports only, and NCCL and Gloo use others.

Only the rendezvous has a fixed port. NCCL and Gloo then listen on ports that the kernel hands out (32768-60999 unless
the nodes say otherwise) and every rank connects to every other one. A policy that lists the master's port lets the
rendezvous succeed; then the first collective hangs, without an error, on all ranks. RDMA does not help: its connections
are set up over TCP first.

Silent for jobs of one pod, and where the policy admits the range that the pods pin: by the sysctl
`net.ipv4.ip_local_port_range`, or by `rayStartParams` that fix all ports of Ray.

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
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  podSelector: {matchLabels: {training.kubeflow.org/job-name: train}}
  policyTypes: [Ingress]
  ingress:
    - from: [{podSelector: {matchLabels: {training.kubeflow.org/job-name: train}}}]  # expect, repaired
      ports: [{port: 23456}]
```

```yaml good
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  podSelector: {matchLabels: {training.kubeflow.org/job-name: train}}
  policyTypes: [Ingress]
  ingress:
    - from: [{podSelector: {matchLabels: {training.kubeflow.org/job-name: train}}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import Finding, Location, Related, Severity, certainty_of, one_after_the_other
from trainlint.model.policy import PolicyEntry
from trainlint.model.root import Root
from trainlint.proof.cause import FlowCause
from trainlint.proof.deciding_places import list_of
from trainlint.proof.group import GroupProof
from trainlint.proof.notation import flow_text
from trainlint.repairs.policy_edits import admit_collectives
from trainlint.rule import Facts, rule
from trainlint.wording.because import texts_of
from trainlint.wording.forcing import forcing


@rule(Severity.ERROR, tells=(Root.PORTS,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per policy entry."""
    for proof, cause in facts.groups.flow_causes(Root.PORTS):
        yield from _findings(facts, proof, cause)


def _findings(facts: Facts, proof: GroupProof, cause: FlowCause) -> Iterator[Finding]:
    for entry, (flow, open_ports) in cause.admitting.items():
        ports = ", ".join(str(each) for each in open_ports)
        predicate = (
            f"hangs at its first collective, which uses ephemeral ports "
            f"({flow.ports}): {entry.policy} admits its ranks to each other on {ports} only"
        )
        yield Finding(
            message=f"group {proof.group.name} {predicate}",
            predicate=predicate,
            groups=(proof.group.name,),
            at=entry.at,
            remedy=f"list TCP {flow.ports} too, or let the ranks reach each other on every port: a rule without ports, "
            "for their labels",
            related=one_after_the_other(
                (Related(f"who needs it ({flow_text(proof.group, flow)}, because {flow.why})", flow.at),),
                [Related(f"lists {ports} and not TCP {flow.ports}", at) for at in _port_list(entry)],
                partial(forcing, facts, cause, list_of(entry)),
            ),
            evidence={"open": ports, "needed": f"TCP {flow.ports}"},
            assumes=texts_of(cause.assumes),
            certainty=certainty_of(cause.assumes),
            cause=f"{proof.group.name} {entry.direction.value}",
            fixes=partial(admit_collectives, facts, proof.group, entry, cause.flows),
        )


def _port_list(entry: PolicyEntry) -> tuple[Location, ...]:
    """Where the first port of the entry stands."""
    return tuple(each.at for each in entry.ports or () if each.at is not None)[:1]
