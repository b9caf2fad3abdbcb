"""A service mesh refuses a needed connection: by mutual TLS that the caller cannot offer, or by an authorization.

Under `STRICT` mutual TLS the proxy of a pod accepts connections from other proxies only. The API server has none, so it
cannot call a webhook whose pods are in the mesh, and no object that the webhook guards is created; ranks that opted out
of the mesh cannot reach a store in it. The proxy of the node (ambient mode) refuses the same.

Istio's AuthorizationPolicies are tried as the proxy tries them: a DENY rule that matches refuses; otherwise, as soon as
an ALLOW policy selects the pods, some rule of these must match, and one without rules refuses everything. A caller
without a proxy has no principal and no namespace. A Server of Linkerd refuses all that no authorization is for.

Silent under `PERMISSIVE`, for ports that are taken out of the proxy's reach (`excludeInboundPorts`, `portLevelMtls`,
`skip-inbound-ports`), where the rules ask for paths, methods, tokens or addresses, where a CUSTOM provider decides, for
AUDIT and dry runs, and where Git does not say whether one of both ends has a proxy. Istio's root namespace is taken to
be istio-system.

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

from trainlint.control_plane.mesh_denials import MeshReason
from trainlint.finding import Certainty, Finding, Related, Severity
from trainlint.rule import Facts, rule
from trainlint.wording.control_plane import breaks_mesh, mesh_remedy, refused_by_mesh, why_mesh


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
        strict = {"mode": "STRICT"} if denial.reason is MeshReason.STRICT else {}
        yield Finding(
            message=f"{refused_by_mesh(denial)}, so {breaks_mesh(denial)}",
            at=denial.at,
            remedy=mesh_remedy(denial),
            related=(
                Related(f"who needs it: {why_mesh(denial)}", denial.needed.at),
                Related(f"gets the proxy ({target})", denial.target.at),
            ),
            evidence={"port": denial.port, **strict},
            assumes=("Istio's root namespace is istio-system",) if denial.rooted else (),
            certainty=Certainty.LIKELY if denial.rooted else Certainty.PROVEN,
            cause=f"{denial.source} {target} {denial.port}",
        )
