"""The API server or Cilium refuses the policy, so it protects nothing.

A policy with one invalid field is not imported at all, and one bad element of `specs` takes the whole object with it.
The pods that it should isolate stay open to all, or, if an older accepted version of it is still in force, that
one stays. kubectl may accept what Cilium refuses: the only trace is a line in the agent's log and the object's status.

Entries that Cilium takes one by one and cannot merge (two parsers on one port, two modes of authentication for one
peer) are told too: it computes no policy for the pods that both select.

Silent for a label value that only lacks quotes: unquoted-string names that one.

```yaml bad
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  endpointSelector: {matchLabels: {app: train}}
  ingress:
    - fromEndpoints: [{matchLabels: {app: train}}]
      fromEntities: [host]  # expect
```

```yaml good
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  endpointSelector: {matchLabels: {app: train}}
  ingress:
    - fromEndpoints: [{matchLabels: {app: train}}]
    - fromEntities: [host]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Related, Severity
from trainlint.rule import Facts, rule
from trainlint.wording.because import because_text


@rule(Severity.ERROR)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per field that is refused, and per pair of entries that cannot be merged."""
    for rejection in facts.mistakes.rejected:
        who = "the API server" if rejection.server else "Cilium"
        reason = because_text(rejection.reason)
        yield Finding(
            message=f"{who} refuses {rejection.origin}, so it protects nothing: {reason}",
            at=rejection.at,
            remedy="fix this field; until then the pods that the policy should isolate are open",
            evidence={"refused by": who, "because": reason},
            cause=reason,
        )
    for pod_set, conflict in facts.mistakes.conflicts:
        yield Finding(
            message=f"Cilium cannot compute a policy for the pods of {pod_set.name}: {because_text(conflict.why)}",
            at=conflict.entry.at,
            remedy="make the two agree, or let them select different pods, peers or ports",
            related=(Related("the other one", conflict.other.at), Related("the pods that both select", pod_set.at)),
            evidence={"because": because_text(conflict.why)},
            cause=because_text(conflict.why),
        )
