"""Images of one communicator carry different releases of NCCL or torch.

Since 2.23 NCCL compares releases in init and refuses unequal ones ("Mismatched NCCL version detected"); before, the
job mostly hangs. Releases are read from the tags of NGC and PyTorch images and from tags that name them.

Silent for images whose tag does not tell: months of NGC that are in no table, digests, own images.

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
          containers:
            - name: pytorch
              image: nvcr.io/nvidia/pytorch:24.05-py3  # expect
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "1"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: nvcr.io/nvidia/pytorch:23.11-py3
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "1"}}
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
              image: nvcr.io/nvidia/pytorch:24.05-py3
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "1"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: nvcr.io/nvidia/pytorch:24.05-py3
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "1"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.fabric.checks.versions import VersionFault
from trainlint.finding import Finding, Severity
from trainlint.model.root import Root
from trainlint.rule import Facts, rule
from trainlint.wording.network_faults import network_text


@rule(Severity.ERROR, tells=(Root.VERSIONS,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per communicator."""
    for fault in facts.fabric.mixed_versions:
        yield _finding(fault)


def _finding(fault: VersionFault) -> Finding:
    first, second = fault.what.first, fault.what.second
    return fault.finding(
        network_text(fault.what),
        "use one image in all roles",
        (f"has {fault.what.library} {second.release} ({second.pods})", fault.second_at),
        evidence={first.pods: first.image, second.pods: second.image},
    )
