"""An empty list in a policy that matches no peer, or every peer.

`fromEndpoints: []` admits no peer, and the policy still isolates its pods; `toFQDNs: []` beside ports opens them to
every peer; `toPorts: []` means every port and `toPorts: [{ports: []}]` none; in a NetworkPolicy `from: []` means every
peer. Such lists mostly come out of templates whose input was empty, and go unnoticed until traffic is lost or admitted.

Silent for `ingress: [{}]` and `egress: [{}]`, the documented ways to isolate pods and admit no traffic.

```yaml bad
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  endpointSelector: {matchLabels: {app: train}}
  ingress:
    - fromEndpoints: []  # expect
```

```yaml good
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  endpointSelector: {matchLabels: {app: train}}
  ingress: [{}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import Finding, Fix, Remove, Severity
from trainlint.policy.checks.vacuous import Vacuous, vacuous
from trainlint.rule import Facts, rule


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per list."""
    for item in facts.mistakes.enforced:
        for found in vacuous(item.field):
            means = _means(found)
            yield Finding(
                message=f"{found.name} in {item.ref} lists nothing, which means {means}",
                at=found.field.at,
                remedy="write the peers or ports that are meant, or leave the field out",
                evidence={"field": found.name, "means": means},
                fixes=partial(_left_out, found),
            )


def _means(found: Vacuous) -> str:
    if found.unwritten:
        return f"{found.matches}: an empty list counts as not written"
    if found.isolating:
        return f"{found.matches}: the element matches no connection, and the policy still isolates its pods"
    return found.matches


def _left_out(found: Vacuous) -> Iterator[Fix]:
    """A list that counts as not written may as well not be written: the same, and plain to see."""
    if found.unwritten:
        yield Fix(f"leave out the empty {found.name}, which means {found.matches}", (Remove(found.field.at),))
