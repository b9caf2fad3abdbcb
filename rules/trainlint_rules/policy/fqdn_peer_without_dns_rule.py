"""A peer by DNS name for pods whose DNS answers Cilium does not see: it never matches anything.

Cilium knows what a name in `toFQDNs` stands for only from the answers that its DNS proxy passes on, and the proxy sees
the questions of a pod only where a policy of that pod admits port 53 with `rules.dns`. An entry that admits DNS without
these rules lets the pods resolve the name and then drops the connection to its address.

Silent where any policy of the pods has DNS rules, where the pods are not in Git, and where something that is not in Git
may add policies to their namespace.

```yaml given
apiVersion: batch/v1
kind: Job
metadata: {name: fetch, namespace: ml}
spec:
  template:
    metadata: {labels: {app: fetch}}
    spec: {restartPolicy: Never, containers: [{name: fetch, image: "registry.example/fetch:1"}]}
```

```yaml bad
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: fetch, namespace: ml}
spec:
  endpointSelector: {matchLabels: {app: fetch}}
  egress:
    - toEndpoints: [{matchLabels: {k8s:io.kubernetes.pod.namespace: kube-system, k8s-app: kube-dns}}]
      toPorts: [{ports: [{port: "53", protocol: ANY}]}]
    - toFQDNs:  # expect, repaired
        - matchName: models.example
      toPorts: [{ports: [{port: "443", protocol: TCP}]}]
```

```yaml good
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: fetch, namespace: ml}
spec:
  endpointSelector: {matchLabels: {app: fetch}}
  egress:
    - toEndpoints: [{matchLabels: {k8s:io.kubernetes.pod.namespace: kube-system, k8s-app: kube-dns}}]
      toPorts:
        - ports: [{port: "53", protocol: ANY}]
          rules: {dns: [{matchPattern: "*"}]}
    - toFQDNs:
        - matchName: models.example
      toPorts: [{ports: [{port: "443", protocol: TCP}]}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.finding import Finding, Fix, Location, Put, Related, Severity
from trainlint.policy.checks.dns_names import UnseenNames
from trainlint.rule import Facts, rule


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per list of names."""
    seen = set()
    for found in facts.mistakes.unseen_names:
        if found.at in seen:
            continue
        seen.add(found.at)
        names = ", ".join(found.names)
        dns = [Related("admits DNS without rules.dns", found.dns)] if found.dns is not None else []
        yield Finding(
            message=f"{found.entry.origin} admits {names} by name, but no policy of the pods of {found.pods.name} has "
            "rules.dns on port 53: Cilium does not see the answers, so the names stand for no address and the "
            "connections are dropped",
            at=found.at,
            remedy='add rules: {dns: [{matchPattern: "*"}]} to the toPorts element that admits port 53 of kube-dns',
            related=(*dns, Related(f"the pods ({found.pods.name})", found.pods.at)),
            evidence={"names": names},
            cause=names,
            fixes=partial(_seen, found),
        )


def _seen(found: UnseenNames) -> Iterator[Fix]:
    """The DNS rules beside the ports that admit DNS already: every name may still be asked for."""
    path = found.dns.path if found.dns is not None else ()
    if found.dns is not None and "toPorts" in path:
        place = path[: path.index("toPorts") + 2]
        rules = Location(found.dns.file, found.dns.document, (*place, "rules"))
        yield Fix(
            f"let Cilium see the DNS answers in {found.entry.origin}", (Put(rules, {"dns": [{"matchPattern": "*"}]}),)
        )
