"""A rank's pod asks for several slices of what may be one GPU.

With time slicing or MPS the device plugin offers each GPU several times under its usual name. A pod that asks for two
may get two slices of one GPU; its two ranks then find each other on the same device, and NCCL refuses ("Duplicate GPU
detected").

Silent where the pods can only land on nodes that share nothing, for pods that ask for one, and where slices have a
name of their own unless that name is asked for.

```yaml given
apiVersion: v1
kind: ConfigMap
metadata: {name: nvidia-device-plugin, namespace: kube-system}
data:
  config.yaml: |
    version: v1
    sharing:
      timeSlicing:
        resources: [{name: nvidia.com/gpu, replicas: 4}]
```

```yaml bad
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
              resources: {limits: {nvidia.com/gpu: "2"}}  # expect
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
              resources: {limits: {nvidia.com/gpu: "2"}}
```

```yaml good
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "1"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "1"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.rule import Facts, rule


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and resource."""
    for fault in facts.fabric.shared_gpus():
        yield fault.finding()
