"""A connection that the group needs is denied, wherever its pods land.

A connection opens only if the policies of both ends let it: egress at the pod that opens it, ingress at the other. As
soon as one policy is about a direction of a pod, everything that no policy admits is dropped, without any event: the
client hangs or retries without end, and the GPUs with it. A deny beats every allow, of whatever kind and namespace.

The finding stands at the workload that opens the connection; the entries that decide are its related places. Narrower
rules speak instead where ranks may talk on a few ports only, and where only DNS is missing.

```yaml given
apiVersion: apps/v1
kind: Deployment
metadata: {name: store, namespace: ml}
spec:
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec:
      containers: [{name: store, image: "registry.example/store:1", ports: [{containerPort: 2379}]}]
---
apiVersion: v1
kind: Service
metadata: {name: store, namespace: ml}
spec:
  selector: {app: store}
  ports: [{port: 2379}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 2
  template:
    metadata: {labels: {app: train}}
    spec:
      restartPolicy: Never
      containers:
        - name: train
          image: registry.example/train:1
          command: [torchrun, --nnodes=2, --rdzv-backend=etcd-v2,
            "--rdzv-endpoint=store.ml.svc:2379", x.py]  # expect, repaired
          resources: {limits: {nvidia.com/gpu: "1"}}
```

```yaml bad
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: store, namespace: ml}
spec:
  podSelector: {matchLabels: {app: store}}
  ingress: [{from: [{podSelector: {matchLabels: {app: trainer}}}]}]
```

```yaml good
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: store, namespace: ml}
spec:
  podSelector: {matchLabels: {app: store}}
  ingress: [{from: [{podSelector: {matchLabels: {app: train}}}]}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import (
    Finding,
    Location,
    Related,
    RelatedPlaces,
    Severity,
    certainty_of,
    one_after_the_other,
    or_else,
)
from trainlint.model.root import Root
from trainlint.model.workload import DNS_PEER, Flow, Group
from trainlint.proof.cause import FlowCause
from trainlint.proof.group import GroupProof
from trainlint.proof.notation import flow_text
from trainlint.repairs.corrected_values import corrected
from trainlint.repairs.group_fixes import denied_fixes
from trainlint.rule import Facts, rule
from trainlint.wording.because import texts_of
from trainlint.wording.denials import denied_sentence, directions, places_of
from trainlint.wording.forcing import forcing
from trainlint.wording.nearest import UNADDED, near_text, nearest_places


@rule(Severity.ERROR, tells=(Root.CONNECTION,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per group, listing the flows and directions."""
    for proof, cause in facts.groups.flow_causes(Root.CONNECTION):
        yield _finding(facts, proof, cause, partial(forcing, facts, cause))


def _finding(facts: Facts, proof: GroupProof, cause: FlowCause, forced: RelatedPlaces) -> Finding:
    group, near = proof.group, facts.groups.near(proof, cause)
    flow, verdict = near[0] if near else cause.flows[0]
    miss = near[1] if near else None
    remedy = f"admit the pods on {' and '.join(directions(verdict))} in the policies named above, or give the pods the "
    remedy += "labels that are admitted"
    if miss is not None:
        remedy = UNADDED if miss.added else f"correct {miss.entry.policy}"
    places: dict[Location, str] = {at: role for _, each in cause.flows for role, at in places_of(each)}
    more = f" (and {len(cause.flows) - 1} more)" if len(cause.flows) > 1 else ""
    denied = " and ".join(directions(verdict))
    predicate = f"starts and hangs: {flow_text(group, flow)}{more} is denied on {denied}, wherever the pods land"
    return Finding(
        message=f"{f'{miss.entry.policy} {near_text(miss)}: ' if miss else ''}group {group.name} {predicate}",
        predicate="" if miss else predicate,
        groups=(group.name,),
        at=miss.at if miss is not None and miss.added else flow.at,
        remedy=f"{remedy}; the smallest change: {_question(group, flow)}",
        related=one_after_the_other(
            () if miss is None or miss.added else (Related(f"the nearest entry {near_text(miss)}", miss.at),),
            (Related(f"who needs it: {flow.why}", flow.at),),
            () if miss is not None else nearest_places(facts, proof, flow, verdict),
            or_else(forced, [Related(role, at) for at, role in places.items()]),
        ),
        evidence={flow_text(group, each): denied_sentence(said) for each, said in cause.flows},
        assumes=texts_of(cause.assumes),
        certainty=certainty_of(cause.assumes),
        cause=group.name,
        fixes=lambda: (*(corrected(facts, miss) if miss else ()), *denied_fixes(facts, group, cause.flows)),
    )


def _question(group: Group, flow: Flow) -> str:
    """The command that explains the flow."""
    source = group.members[flow.source]
    target = None if flow.target is None else group.members[flow.target]
    ends = f"{source.namespace}/{source.name} {f'{target.namespace}/{target.name}' if target else DNS_PEER}"
    protocol = "" if flow.protocol == "TCP" else f" --protocol {flow.protocol}"
    return f"trainlint why {ends} --port {flow.ports}{protocol}"
