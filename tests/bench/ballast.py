"""What else stands in a GitOps repository, and what nobody reads: CRDs, Helm values, dashboards, other kinds."""

from __future__ import annotations

import json
from collections.abc import Iterator

__all__ = ["MEGABYTES", "ballast"]

MEGABYTES = 20
MEGABYTE = 1_000_000

# Share of the bytes for each family, about as in public GitOps repositories.
SHARES = {"crds": 0.4, "values": 0.15, "dashboards": 0.25, "apps": 0.2}


def ballast(scale: float) -> Iterator[tuple[str, str]]:
    """Names and texts of files, 20 MB of them at scale 1."""
    for family, share in SHARES.items():
        left, number = share * scale * MEGABYTES * MEGABYTE, 0
        while left > 0:
            name, text = FAMILIES[family](number)
            yield name, text
            left -= len(text)
            number += 1


def crd(number: int) -> tuple[str, str]:
    """A CustomResourceDefinition of about 200 kB, whose schema talks about pods, containers and kinds."""
    fields = "".join(
        f"""\
              field{field:04}:
                description: |-
                  Selects what the kind: Deployment of this resource does in step {field}; more info is in the
                  documentation of the operator. Defaults to the value of the cluster.
                properties:
                  kind:
                    description: Kind of the referent, as in `kind: Secret`.
                    type: string
                  name:
                    maxLength: 63
                    type: string
                required: [kind, name]
                type: object
"""
        for field in range(450)
    )
    text = f"""\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations: {{controller-gen.kubebuilder.io/version: v0.18.0}}
  name: things{number}.example.org
spec:
  group: example.org
  names: {{kind: Thing{number}, listKind: Thing{number}List, plural: things{number}, singular: thing{number}}}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          properties:
            spec:
              properties:
{fields}
              type: object
          type: object
"""
    return f"operators/thing-{number:03}/crds/things.yaml", text


def values(number: int) -> tuple[str, str]:
    """Helm values of about 10 kB: no kind at all."""
    lines = [f"nameOverride: app-{number}", "image: {repository: registry.example.org/app, tag: v1.2.3}"]
    for part in range(90):
        lines += [
            f"component{part}:",
            "  # -- How many replicas this component has.",
            "  replicaCount: 2",
            "  resources: {requests: {cpu: 100m, memory: 128Mi}, limits: {memory: 256Mi}}",
        ]
    return f"apps/app-{number:04}/values.yaml", "\n".join(lines) + "\n"


def dashboard(number: int) -> tuple[str, str]:
    """A ConfigMap of about 100 kB that holds a dashboard as JSON."""
    panels = [
        {
            "id": panel,
            "title": f"Throughput of step {panel}",
            "type": "timeseries",
            "targets": [{"expr": f'sum by (kind) (rate(steps_total{{kind="Deployment",step="{panel}"}}[5m]))'}],
            "gridPos": {"h": 8, "w": 12, "x": 0, "y": panel * 8},
        }
        for panel in range(280)
    ]
    body = "\n".join("    " + line for line in json.dumps({"title": f"Board {number}", "panels": panels}, indent=1).splitlines())
    text = f"""\
apiVersion: v1
kind: ConfigMap
metadata:
  name: board-{number}
  namespace: monitoring
  labels: {{grafana_dashboard: "1"}}
data:
  board.json: |
{body}
"""
    return f"monitoring/boards/board-{number:03}.yaml", text


def app(number: int) -> tuple[str, str]:
    """Several small objects of kinds that say nothing about training, in one file."""
    name = f"app-{number:04}"
    data = "\n".join(f"  setting.{line}: value {line} of the application" for line in range(25))
    text = f"""\
apiVersion: v1
kind: ConfigMap
metadata: {{name: {name}, namespace: web}}
data:
{data}
---
apiVersion: v1
kind: ServiceAccount
metadata: {{name: {name}, namespace: web}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {{name: {name}, namespace: web}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}}
subjects:
  - {{kind: ServiceAccount, name: {name}, namespace: web}}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {{name: {name}, namespace: web}}
spec:
  rules:
    - host: {name}.example.org
      http:
        paths:
          - path: /
            pathType: Prefix
            backend: {{service: {{name: {name}, port: {{number: 80}}}}}}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {{name: {name}, namespace: web}}
spec:
  selector: {{matchLabels: {{app: {name}}}}}
  endpoints: [{{port: http, interval: 30s}}]
"""
    return f"apps/{name}/objects.yaml", text


FAMILIES = {"crds": crd, "values": values, "dashboards": dashboard, "apps": app}
