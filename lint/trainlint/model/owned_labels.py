"""The labels that operators, controllers and nodes give to pods: people read them and never write them."""

from __future__ import annotations

from typing import Final

__all__ = ["is_owned", "is_volatile"]

_DOMAINS: Final = (
    "apps.kubernetes.io",
    "batch.kubernetes.io",
    "cilium.io",
    "eks.amazonaws.com",
    "jobset.sigs.k8s.io",
    "k8s.io",
    "kai.scheduler",
    "karpenter.sh",
    "kubernetes.io",
    "kueue.x-k8s.io",
    "leaderworkerset.sigs.k8s.io",
    "ray.io",
    "run.ai",
    "serving.kserve.io",
    "trainer.kubeflow.org",
    "training.kubeflow.org",
    "volcano.sh",
    "x-k8s.io",
)
"""Domains, with those below them, whose labels on pods come from controllers: Job, JobSet, LeaderWorkerSet, Kubeflow,
KubeRay, Volcano, Kueue, KAI, schedulers, clouds and Kubernetes itself.
"""

_KEYS: Final = frozenset(
    {
        "controller-revision-hash",
        "controller-uid",
        "job-name",
        "pod-template-generation",
        "pod-template-hash",
        "statefulset.kubernetes.io/pod-name",
    }
)

_OF_PEOPLE: Final = frozenset(
    {
        "kai.scheduler/queue",
        "kueue.x-k8s.io/pod-group-name",
        "kueue.x-k8s.io/priority-class",
        "kueue.x-k8s.io/queue-name",
    }
)
"""Labels of those domains by which people ask for something."""

_COMMON: Final = "app.kubernetes.io"

_VOLATILE: Final = ("-hash", "-uid", "-key", "-index", "-id", "/component-index", "/pod-name", "operator-name")
"""Ends of owned labels that change with a template, number pods, or say nothing of the workload."""


def is_owned(key: str) -> bool:
    """Whether a controller sets the label, so that nothing else may."""
    if key in _KEYS:
        return True
    domain, _, name = key.rpartition("/")
    if not domain or key in _OF_PEOPLE or domain == _COMMON:
        return False
    return bool(name) and any(domain == each or domain.endswith(f".{each}") for each in _DOMAINS)


def is_volatile(key: str) -> bool:
    """Whether an owned label tells pods of one workload apart, or changes when its template does."""
    return is_owned(key) and key.endswith(_VOLATILE)
