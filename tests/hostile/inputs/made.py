"""How a repository of the measurement is described, and the manifests that most of them share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

__all__ = ["Files", "Made", "isolating", "job", "joined", "node", "policy"]

Files = dict[str, str | bytes]


@dataclass(frozen=True)
class Made:
    """``files`` makes the repository, ``options`` are those of ``trainlint check``, ``pipe`` makes its cache a pipe."""

    files: Callable[[], Files]
    options: tuple[str, ...] = ()
    pipe: bool = False


def joined(documents: Iterable[str]) -> str:
    """Documents as one file."""
    return "---\n".join(documents)


def node(name: str, zone: str, gpus: int = 8) -> str:
    """A node of a zone."""
    return (
        f"apiVersion: v1\nkind: Node\nmetadata:\n  name: {name}\n"
        f"  labels: {{kubernetes.io/hostname: {name}, topology.kubernetes.io/zone: {zone}}}\n"
        f"status:\n  allocatable: {{cpu: '64', memory: 512Gi, pods: '110', nvidia.com/gpu: '{gpus}'}}\n"
    )


def job(name: str, workers: int = 3, namespace: str = "train", pod: str = "", labels: str = "app: train") -> str:
    """A PyTorchJob; ``pod`` is more of its pod spec, in flow style."""
    spec = f"containers: [{{name: pytorch, image: x, resources: {{limits: {{nvidia.com/gpu: 1}}}}}}]{pod and ', '}{pod}"
    template = f"{{metadata: {{labels: {{{labels}}}}}, spec: {{{spec}}}}}"
    return (
        f"apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {{name: {name}, namespace: {namespace}}}\nspec:\n"
        f"  pytorchReplicaSpecs:\n    Master:\n      replicas: 1\n      template: {template}\n"
        f"    Worker:\n      replicas: {workers}\n      template: {template}\n"
    )


def policy(name: str, spec: str, namespace: str = "train") -> str:
    """A NetworkPolicy; ``spec`` is in flow style."""
    return (
        f"apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {{name: {name}, namespace: {namespace}}}\n"
        f"spec: {{{spec}}}\n"
    )


def isolating(name: str, selector: str = "", namespace: str = "train") -> str:
    """A NetworkPolicy that admits nothing."""
    return policy(name, f"podSelector: {{{selector}}}, policyTypes: [Ingress, Egress]", namespace)
