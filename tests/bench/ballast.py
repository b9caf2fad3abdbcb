"""What else stands in a GitOps repository, and what is not read: CRDs, Helm values, dashboards, other kinds."""

from __future__ import annotations

import json
from collections.abc import Iterator

__all__ = ["MEGABYTES", "ballast"]

MEGABYTES = 20
MEGABYTE = 1_000_000

SHARES = {"crds": 0.4, "values": 0.15, "dashboards": 0.25, "apps": 0.2}
"""How the bytes are shared out among the families."""

DEFINED = {1: ("kubeflow.org", "PyTorchJob"), 2: ("cilium.io", "CiliumNetworkPolicy"), 3: ("batch.volcano.sh", "Job")}
"""CustomResourceDefinitions of kinds that are read."""


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
    """A CustomResourceDefinition of about 200 kB; some define kinds that trainlint reads, as an operator's do, and take
    what other fields these have.
    """
    fields = "".join(
        f"""\
                  field{field:04}:
                    description: |-
                      Selects what the controller does with the object in step {field}, of whatever kind it is; more
                      is said in the documentation of the operator. Defaults to the value of the cluster.
                    properties:
                      kind:
                        description: Kind of the referent, a string in CamelCase.
                        type: string
                      name:
                        maxLength: 63
                        type: string
                    required:
                    - kind
                    - name
                    type: object
"""
        for field in range(360)
    )
    group, kind = DEFINED.get(number, ("example.org", f"Thing{number}"))
    text = f"""\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    controller-gen.kubebuilder.io/version: v0.18.0
  name: {kind.lower()}s.{group}
spec:
  group: {group}
  names:
    kind: {kind}
    listKind: {kind}List
    plural: {kind.lower()}s
    singular: {kind.lower()}
  scope: Namespaced
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          apiVersion:
            type: string
          kind:
            type: string
          metadata:
            type: object
          spec:
            properties:
{fields}            type: object
            x-kubernetes-preserve-unknown-fields: true
        type: object
    served: true
    storage: true
"""
    return f"operators/{group}/crds/{kind.lower()}.yaml", text


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
    """A dashboard of about 100 kB: every second one inside a ConfigMap, the others as the JSON file itself."""
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
    body = json.dumps({"title": f"Board {number}", "panels": panels}, indent=2)
    if number % 2:
        return f"monitoring/boards/board-{number:03}.json", body + "\n"
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    head = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: board-{number}\n  namespace: monitoring\n"
    return f"monitoring/boards/board-{number:03}.yaml", f"{head}data:\n  board.json: |\n{lines}\n"


def app(number: int) -> tuple[str, str]:
    """Small objects of one application in one file, of kinds that say nothing about training."""
    name = f"app-{number:04}"
    data = "".join(f"  setting.{line}: value {line} of the application\n" for line in range(12))
    settings = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: web}}\ndata:\n{data}---\n"
    text = f"""\
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
    return f"apps/{name}/objects.yaml", settings * (number % 2) + text


FAMILIES = {"crds": crd, "values": values, "dashboards": dashboard, "apps": app}
