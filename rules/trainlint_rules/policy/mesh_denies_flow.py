"""A service mesh refuses a needed connection: mutual TLS is required, and the caller has no proxy.

Under `STRICT` mutual TLS the proxy of a pod accepts connections from other proxies only. The API server has none, so it
cannot call a webhook whose pods are in the mesh, and no object that the webhook guards is created; ranks that opted out
of the mesh cannot reach a store in it.

Silent under `PERMISSIVE`, for ports that are taken out of the proxy's reach (`excludeInboundPorts`, `portLevelMtls`),
and where Git does not say whether one of both ends has a proxy. Istio's root namespace is taken to be istio-system.

```yaml given
apiVersion: v1
kind: Namespace
metadata: {name: jobs, labels: {istio-injection: enabled}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: manager, namespace: jobs}
spec:
  selector: {matchLabels: {app: manager}}
  template:
    metadata: {labels: {app: manager}}
    spec: {containers: [{name: m, image: "registry.example/m:1", ports: [{containerPort: 9443, name: hook}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: hook, namespace: jobs}
spec: {selector: {app: manager}, ports: [{port: 443, targetPort: hook}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: h}
webhooks:
  - name: h.example.com
    clientConfig: {service: {name: hook, namespace: jobs}}
    rules: [{apiGroups: [jobset.x-k8s.io], apiVersions: [v1alpha2], operations: [CREATE], resources: [jobsets]}]
---
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train, namespace: ml}
spec:
  replicatedJobs:
    - name: node
      template:
        spec:
          template:
            spec: {restartPolicy: Never, containers: [{name: t, image: "registry.example/train:1"}]}
```

```yaml bad
apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: istio-system}
spec:
  mtls:
    mode: STRICT  # expect
```

```yaml good
apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: istio-system}
spec: {mtls: {mode: PERMISSIVE}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Certainty, Finding, Related, Severity
from trainlint.rule import Facts, rule
from trainlint.wording.control_plane import breaks_mesh, why_mesh


@rule(Severity.ERROR)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per caller, pods and port."""
    seen = set()
    for denial in facts.control_plane.mesh_denials:
        key = (denial.source, denial.target.owner, denial.target.role, denial.port)
        if key in seen:
            continue
        seen.add(key)
        target = f"{denial.target.namespace}/{denial.target.name}"
        by = f"PeerAuthentication {denial.by.namespace}/{denial.by.name}"
        yield Finding(
            message=f"{by} requires mutual TLS (STRICT) of {target}, and {denial.source} has no proxy: its connections "
            f"to TCP port {denial.port} are refused, so {breaks_mesh(denial)}",
            at=denial.by.at,
            remedy=f"take the port out of the proxy's reach: annotate the pods of {target} with "
            f'traffic.sidecar.istio.io/excludeInboundPorts: "{denial.port}"',
            related=(
                Related(f"who needs it: {why_mesh(denial)}", denial.needed.at),
                Related(f"gets the proxy ({target})", denial.target.at),
            ),
            evidence={"port": denial.port, "mode": "STRICT"},
            assumes=("Istio's root namespace is istio-system",),
            certainty=Certainty.LIKELY,
            cause=f"{denial.source} {target} {denial.port}",
        )
