"""Some ranks of a communicator have the fabric device, others do not.

Ranks agree on a transport with each peer. If the workers ask for EFA or RDMA devices and the master, which holds GPUs
and runs rank 0, does not, then every ring goes through its TCP connection, or init hangs. Unequal numbers of one
resource are a warning.

Silent for roles without GPUs (a launcher, a head), and for roles that may reach devices without asking.

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
        spec:  # expect, repaired
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
              resources: {limits: {nvidia.com/gpu: "1", vpc.amazonaws.com/efa: "1"}}
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
              resources: {limits: {nvidia.com/gpu: "1", vpc.amazonaws.com/efa: "1"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "1", vpc.amazonaws.com/efa: "1"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.fabric.checks.some_roles import DeviceFault, MissingDevice, UnequalCounts
from trainlint.finding import Finding, Severity
from trainlint.model.root import Root
from trainlint.rule import Facts, rule
from trainlint.wording.network_faults import network_text


@rule(Severity.ERROR, tells=(Root.RDMA,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per communicator and kind of device."""
    for fault in facts.fabric.unequal_roles:
        yield _finding(fault)


def _finding(fault: DeviceFault) -> Finding:
    text = network_text(fault.what)
    match fault.what:
        case MissingDevice(having=having, lacking=lacking, resource=resource):
            return fault.finding(
                text,
                f"request {resource} in every role that holds GPUs",
                (f"asks for {resource} ({having[0]})", fault.other_at),
                evidence={"resource": resource, "with": ", ".join(having), "without": ", ".join(lacking)},
            )
        case UnequalCounts(resource=resource, other=other, many=many):
            return fault.finding(
                text,
                "request the same number in every role that holds GPUs",
                (f"asks for {many} ({other})", fault.other_at),
                evidence={"resource": resource},
            )
