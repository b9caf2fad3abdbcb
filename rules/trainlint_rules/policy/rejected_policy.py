"""The API server or Cilium refuses the policy, so it protects nothing.

A policy with one invalid field is not imported at all, and one bad element of `specs` takes the whole object with it.
The pods that it should isolate stay open to everybody, or, if an older accepted version of it is still in force, that
one stays. kubectl may accept what Cilium refuses: the only trace is a line in the agent's log and the object's status.

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

from trainlint.finding import Finding, Severity
from trainlint.rule import Facts, rule


@rule(Severity.ERROR)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per field that is refused."""
    for rejection in facts.mistakes.rejected:
        who = "the API server" if rejection.server else "Cilium"
        yield Finding(
            message=f"{who} refuses {rejection.origin}, so it protects nothing: {rejection.reason}",
            at=rejection.at,
            remedy="mend this field; until then the pods that the policy should isolate are open",
            evidence={"refused by": who, "because": rejection.reason},
            cause=rejection.reason,
        )
