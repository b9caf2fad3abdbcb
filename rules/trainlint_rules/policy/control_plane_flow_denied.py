"""A connection that the job's control plane needs is denied.

The ranks may all reach each other, and the job still never trains: the API server cannot call the webhook that guards
its kind and fails closed, KubeRay's operator cannot ask the head for the state of the job or probe Serve, the head
cannot reach the store that keeps its state, the autoscaler or a launcher by `kubectl exec` cannot ask the API server,
the submitter cannot reach the head, an agent cannot ask the engine that watches the GPUs. Policies that admit
the ranks to each other, or only the scraper to the metrics port, forget these callers.

The finding stands at the entry that nearly admits the connection, else at the list that does not admit it.

The same happens without any policy where the webhook's Service in Git has no such port, where no container declares the
port's name, where its pods are scaled to nothing, or where they miss its selector by one label.

A bucket or site that the pods name by URL while no policy admits anything outside the cluster is a note: a gateway or a
mirror may stand between.

Silent where one of both ends is not in Git, where a webhook may fail or is called on conditions, and where some place
that the API server may call from is admitted. It is taken to run on another node than the webhook.

```yaml given
apiVersion: ray.io/v1
kind: RayJob
metadata: {name: tune, namespace: ml}
spec:
  entrypoint: python tune.py
  rayClusterSpec:
    headGroupSpec:
      rayStartParams: {}
      template:
        metadata: {labels: {app: tune}}
        spec: {containers: [{name: head, image: "rayproject/ray:2.49.0"}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: kuberay-operator, namespace: ray-system}
spec:
  selector: {matchLabels: {app: kuberay-operator}}
  template:
    metadata: {labels: {app: kuberay-operator}}
    spec: {containers: [{name: operator, image: "quay.io/kuberay/operator:v1.4.2"}]}
```

```yaml bad
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: tune, namespace: ml}
spec:
  podSelector: {matchLabels: {app: tune}}
  policyTypes: [Ingress]
  ingress: [{from: [{podSelector: {}}]}]  # expect
```

```yaml good
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: tune, namespace: ml}
spec:
  podSelector: {matchLabels: {app: tune}}
  policyTypes: [Ingress]
  ingress:
    - from: [{podSelector: {}}]
    - from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ray-system}}}]
      ports: [{port: 8265}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from trainlint.control_plane.dead_webhooks import DeadWebhook
from trainlint.control_plane.denied_connections import Denial
from trainlint.control_plane.need import Need, Purpose
from trainlint.finding import Certainty, Finding, Related, Severity
from trainlint.model.root import Root
from trainlint.repairs.corrected_values import corrected
from trainlint.rule import Facts, rule
from trainlint.wording.because import because_text
from trainlint.wording.control_plane import (
    breaks_need,
    dead_end_remedy,
    dead_end_text,
    not_created,
    why_needed,
)
from trainlint.wording.misses import miss_text
from trainlint.wording.verdicts import decision_text


@rule(Severity.ERROR, tells=(Root.CONTROL_PLANE,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per caller, pods and port, and one per webhook that leads nowhere."""
    yield from map(_nowhere, facts.control_plane.dead_webhooks)
    seen = set()
    for denial in facts.control_plane.denials:
        need = denial.need
        caller = need.owners if need.purpose is Purpose.URL else need.source
        key = (caller, need.target and (need.target.owner, need.target.role), need.called, need.port)
        if key not in seen and not _is_unseen(facts, need):
            seen.add(key)
            yield _finding(facts, denial)


def _is_unseen(facts: Facts, need: Need) -> bool:
    """Whether a policy of the caller's namespace admits the address by a name that Cilium never sees: the cause is told
    by ``fqdn-peer-without-dns-rule``.
    """
    if need.purpose is not Purpose.URL or need.caller is None:
        return False
    host = need.called.partition("://")[2]
    return any(
        each.entry.namespace in ("", need.caller.namespace) and any(fnmatchcase(host, name) for name in each.names)
        for each in facts.mistakes.unseen_names
    )


def _finding(facts: Facts, denial: Denial) -> Finding:
    need, near = denial.need, denial.near
    target = need.target_name
    pods = [Related(f"the pods that are called ({target})", need.target.at)] if need.target is not None else []
    side = denial.decision.direction.value
    cause = f"{near.entry.policy} {miss_text(near.reason)}: " if near is not None else ""
    entry = (
        near.entry if near is not None else next(iter((*denial.decision.deciding, *denial.decision.isolating)), None)
    )
    policy = entry.policy if entry is not None else "the policies"
    return Finding(
        severity=Severity.NOTE if need.purpose is Purpose.URL else None,
        message=f"{cause}{need.source} cannot reach {target} on {need.port_text} ({side} is denied), so "
        f"{breaks_need(need)}",
        at=denial.at,
        remedy=f"admit {need.source} to {need.port_text if need.port else 'the port'} of {target} in {policy}",
        related=(
            Related(f"who needs it: {why_needed(need)}", need.at),
            *pods,
        ),
        evidence={f"{need.source} -> {target}, {need.port_text}": decision_text(denial.decision)},
        assumes=(because_text(need.assumes),) if need.assumes else (),
        certainty=Certainty.LIKELY if need.assumes else Certainty.PROVEN,
        cause=f"{need.source} {target} {need.port}",
        fixes=lambda: corrected(facts, near) if near is not None else (),
    )


def _nowhere(dead: DeadWebhook) -> Finding:
    webhook, service = dead.webhook, "/".join(dead.webhook.service)
    why = dead_end_text(dead)
    return Finding(
        message=f"{why}: the API server cannot call webhook {webhook.name}, which fails closed, so "
        f"{not_created(dead.owners)}",
        at=dead.at,
        remedy=dead_end_remedy(dead),
        related=(
            Related(f"calls Service {service} on port {webhook.port}", webhook.at),
            *([Related(f"the pods that should answer ({dead.pods.name})", dead.pods.at)] if dead.pods else []),
        ),
        evidence={"service": service, "port": webhook.port},
        certainty=Certainty.LIKELY if dead.assumes else Certainty.PROVEN,
        assumes=(because_text(dead.assumes),) if dead.assumes else (),
        cause=f"{webhook.name} {service}",
    )
