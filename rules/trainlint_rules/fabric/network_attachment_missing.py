"""The pod asks for a network that no object defines, or for one whose device it does not request.

Multus looks a bare name up in the pod's own namespace, GKE among its Network objects. Where it is not there, or where
the attachment takes a device that the pod did not ask for, the pod stays in ContainerCreating.

Silent in namespaces for which Git defines no network of that kind, where something may add objects, and for networks
that an operator makes (SriovNetwork, MacvlanNetwork, user-defined networks of OVN).

```yaml given
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: ranks, namespace: ml}
spec:
  config: |
    {"cniVersion": "1.0.0", "type": "macvlan", "master": "bond1",
     "ipam": {"type": "whereabouts", "range": "192.168.70.0/24"}}
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
        metadata:
          annotations:
            k8s.v1.cni.cncf.io/networks: rank  # expect
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
        metadata:
          annotations: {k8s.v1.cni.cncf.io/networks: rank}
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
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
        metadata:
          annotations: {k8s.v1.cni.cncf.io/networks: ranks}
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
        metadata:
          annotations: {k8s.v1.cni.cncf.io/networks: ranks}
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

from trainlint.fabric.checks.attachments import AttachmentFault, MissingDevices, MissingGkeNetwork, MissingNetwork
from trainlint.finding import Finding, Severity
from trainlint.model.root import Root
from trainlint.rule import Facts, rule
from trainlint.wording.network_faults import network_text


@rule(Severity.ERROR, tells=(Root.ATTACHMENT,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and network."""
    for fault in facts.fabric.missing_attachments:
        yield _finding(fault)


def _finding(fault: AttachmentFault) -> Finding:
    text, at = network_text(fault.what), fault.defined_at
    match fault.what:
        case MissingNetwork(network=network, namespace=namespace, elsewhere=elsewhere):
            remedy = f"define the NetworkAttachmentDefinition {namespace}/{network}"
            if elsewhere:
                remedy = f"write {elsewhere}/{network}, or define it in {namespace}"
            places = ((f"is defined in {elsewhere}", at),) if at is not None else ()
            return fault.finding(text, remedy, *places, evidence={"network": network, "namespace": namespace})
        case MissingGkeNetwork(network=network, interface=interface, known=known):
            remedy = f"define the Network {network}, or name one of {', '.join(known)}"
            return fault.finding(text, remedy, evidence={"network": network, "interface": interface})
        case MissingDevices(resource=resource, attachments=count, requested=requested):
            return fault.finding(
                text,
                f'add {resource}: "{count}" to the limits of a container',
                *(((f"needs a {resource}", at),) if at is not None else ()),
                evidence={"resource": resource, "attachments": count, "requested": requested},
            )
