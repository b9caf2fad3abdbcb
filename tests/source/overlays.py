"""A base and two overlays that use everything by which a kustomization changes objects."""

from __future__ import annotations

__all__ = ["OVERLAYS"]

OVERLAYS: dict[str, str | bytes] = {
    "base/kustomization.yaml": """\
resources:
  - web.yaml
  - worker.yaml
configMapGenerator:
  - name: settings
    literals: [mode=fast]
    files: [data/run.sh]
secretGenerator:
  - name: settings-pull
    literals: [a=b]
labels:
  - pairs: {team: ml}
    includeSelectors: true
""",
    "base/data/run.sh": "torchrun train.py\n",
    "base/web.yaml": """\
# the first document holds no object
---
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  selector: {app: web}
  ports:
    - port: 80
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 1
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
        - name: sidecar
          image: registry.example/sidecar:1
        - name: web
          image: registry.example/web:1
          env:
            - {name: QUIET, value: yes}
            - {name: HOST, value: placeholder}
            - name: MODE
              valueFrom: {configMapKeyRef: {name: settings, key: mode}}
          args: [a, b, c]
          envFrom:
            - configMapRef: {name: settings}
            - secretRef: {name: token, optional: true}
      imagePullSecrets:
        - name: settings-pull
""",
    "base/worker.yaml": """\
apiVersion: v1
kind: List
items:
  - apiVersion: batch/v1
    kind: Job
    metadata: {name: other}
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: main, image: "registry.example/other:1"}]
  - apiVersion: batch/v1
    kind: Job
    metadata: {name: worker}
    spec:
      completions: 2
      template:
        spec:
          restartPolicy: Never
          tolerations:
            - {key: gpu, operator: Exists}
          containers:
            - name: main
              image: registry.example/worker:1
              resources: {limits: {nvidia.com/gpu: "8"}}
""",
    "component/kustomization.yaml": """\
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches:
  - path: pool.yaml
""",
    "component/pool.yaml": """\
apiVersion: batch/v1
kind: Job
metadata: {name: worker}
spec:
  template:
    spec:
      nodeSelector: {pool: gpu}
""",
    "overlays/prod/kustomization.yaml": """\
resources: [../../base]
components: [../../component]
namespace: prod
namePrefix: prod-
commonAnnotations: {owner: prod}
images:
  - name: registry.example/web
    newTag: "2"
replicas:
  - name: web
    count: 3
patches:
  - path: merge.yaml
  - target: {kind: Job, name: worker}
    path: operations.json
  - target: {kind: Deployment, name: web}
    patch: |-
      # in place
      - op: add
        path: /spec/template/spec/priorityClassName
        value: high
  - patch: |-
      apiVersion: v1
      kind: Service
      metadata:
        name: web
      spec:
        clusterIP: None
replacements:
  - source: {kind: Service, name: web, fieldPath: metadata.name}
    targets:
      - select: {kind: Deployment, name: web}
        fieldPaths: ["spec.template.spec.containers.[name=web].env.[name=HOST].value"]
""",
    "overlays/prod/merge.yaml": """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      hostNetwork: true
      containers:
        - name: web
          resources: {limits: {cpu: "4"}}
          env:
            - name: EXTRA
              value: on
""",
    "overlays/prod/operations.json": """\
[
  {"op": "replace", "path": "/spec/completions", "value": 4},
  {"op": "add", "path": "/spec/template/spec/tolerations/0",
   "value": {"key": "spot", "operator": "Exists"}}
]
""",
    "overlays/dev/kustomization.yaml": """\
resources: [../../base]
namespace: dev
patchesStrategicMerge:
  - |-
    apiVersion: batch/v1
    kind: Job
    metadata: {name: other}
    $patch: delete
""",
}
