"""The kinds that make pods, each declared with its facts by the module that expands it, and others by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from trainlint.model.api_kind import ApiKind, DeclarationError, declared, names
from trainlint.model.workload import ObjectRef, Workload
from trainlint.workload import (
    apps,
    batch,
    claims,
    core,
    disaggregatedset,
    hyperpod,
    jobset,
    kubeflow_v1,
    leaderworkerset,
    mpijob,
    podgroups,
    ray,
    ray_job,
    trainer,
    volcano,
    wrappers,
)
from trainlint.workload.expansion import Expander
from trainlint.workload.workload_kind import WorkloadKind

__all__ = [
    "CLUSTER_KINDS",
    "KINDS",
    "OPERATORS",
    "REFERENCED_KINDS",
    "WORKLOADS",
    "WORKLOAD_KINDS",
    "by_identity",
    "expander_for",
    "is_training",
    "kind_of",
    "shown_kind",
    "workload_kind",
]

WORKLOADS: Final[tuple[WorkloadKind, ...]] = (
    *core.KINDS,
    *apps.KINDS,
    *batch.KINDS,
    *kubeflow_v1.KINDS,
    *mpijob.KINDS,
    *trainer.KINDS,
    *jobset.KINDS,
    *leaderworkerset.KINDS,
    *disaggregatedset.KINDS,
    *ray.KINDS,
    *ray_job.KINDS,
    *volcano.KINDS,
    *hyperpod.KINDS,
)
"""Every kind that is expanded, by the module that does it: a new kind is one module, and one line here."""
OPERATORS: Final = tuple(dict.fromkeys(each.operator for each in WORKLOADS if each.operator is not None))
"""The operators of those kinds that have webhooks, each once."""

_UNEXPANDED: Final = (
    *declared("batch.volcano.sh", namespaced="JobFlow JobTemplate"),
    *declared("elastic.iml.github.io", namespaced="ElasticJob"),
    *declared("grove.io", namespaced="PodCliqueSet PodGangSet"),
    *declared("kubeflow.org", namespaced="MXJob"),
    *declared("kubernetes.dask.org", namespaced="DaskCluster DaskJob"),
    *declared("mcad.ibm.com", namespaced="AppWrapper"),
    *declared("nvidia.com", namespaced="DynamoGraphDeployment"),
    *declared("slinky.slurm.net", namespaced="NodeSet"),
    *declared("training.kubedl.io", namespaced="ElasticDLJob MPIJob PyTorchJob TFJob XGBoostJob"),
    *declared("workload.codeflare.dev", namespaced="AppWrapper"),
)
"""Other training kinds, whatever the version: what is not expanded is unknown, never ignored."""

_REFERENCED: Final = (
    *claims.KINDS,
    *podgroups.KINDS,
    *declared("", namespaced="ConfigMap Service"),
    *declared("trainer.kubeflow.org", namespaced="TrainingRuntime", cluster="ClusterTrainingRuntime"),
)
REFERENCED_KINDS: Final = names(_REFERENCED)


def by_identity(kinds: Iterable[WorkloadKind]) -> Mapping[tuple[str, str], WorkloadKind]:
    """The kinds by API group, or by group and version where versions differ, and name.

    Raises:
        DeclarationError: a kind is declared twice.
    """
    found: dict[tuple[str, str], WorkloadKind] = {}
    for kind in kinds:
        key = (f"{kind.group}/{kind.version}" if kind.version else kind.group, kind.name)
        if found.setdefault(key, kind) is not kind:
            raise DeclarationError(f"{kind.name} of {key[0] or 'core'} is declared twice")
    return found


_BY_IDENTITY: Final = by_identity(WORKLOADS)
_BY_SHOWN: Final = {kind.shown: kind for kind in reversed(WORKLOADS)}
_TRAINING: Final = frozenset((each.group, each.name) for each in _UNEXPANDED) | frozenset(
    (each.group, each.name) for each in WORKLOADS if each.training
)

KINDS: Final = (
    *_REFERENCED,
    *wrappers.KINDS,
    *(each for each in _UNEXPANDED if each not in wrappers.KINDS),
    *(ApiKind(*each, namespaced=True) for each in dict.fromkeys((kind.group, kind.name) for kind in WORKLOADS)),
)
"""Every kind of object that ``read_workloads`` looks at."""
WORKLOAD_KINDS: Final = names(KINDS)
CLUSTER_KINDS: Final = names(each for each in KINDS if not each.namespaced)


def workload_kind(api_version: str, name: str) -> WorkloadKind | None:
    """The facts of a kind in an API version; ``None`` for one that is not expanded."""
    return _BY_IDENTITY.get((api_version, name)) or _BY_IDENTITY.get((api_version.rpartition("/")[0], name))


def kind_of(workload: Workload) -> WorkloadKind | None:
    """The facts of an object's kind; ``None`` for one that the configuration describes."""
    return workload_kind(workload.api_version, workload.owner.kind.partition(".")[0])


def shown_kind(owner: ObjectRef) -> WorkloadKind | None:
    """The facts of the kind in an identity, which tells no version: only what all versions have in common counts;
    ``None`` for a kind that is not known.
    """
    return _BY_SHOWN.get(owner.kind)


def expander_for(api_version: str, kind: str) -> Expander | None:
    """The expander of a kind in an API version; ``None`` for a kind that is not known."""
    found = workload_kind(api_version, kind)
    return None if found is None else found.expand


def is_training(api_version: str, kind: str) -> bool:
    """Whether the kind is a known training kind, in whatever version."""
    return (api_version.rpartition("/")[0], kind) in _TRAINING
