"""HyperPodPyTorchJob (W 13): coarsely, since its operator is closed."""

from __future__ import annotations

from typing import Final

from trainlint.kube.values import read_int, read_text
from trainlint.model.workload import ObjectRef
from trainlint.source.document import Field
from trainlint.workload.expansion import Context, Expansion, is_template, pod_set
from trainlint.workload.template_at import EACH_ITEM, TemplateAt
from trainlint.workload.workload_kind import LONGEST_NAME, HostNames, PodNames, Restarts, WorkloadKind

__all__ = ["KINDS", "expand_hyperpod", "is_closed"]


def expand_hyperpod(job: Field, owner: ObjectRef, context: Context) -> Expansion:
    """One role for each replica spec; the only label known to be added is HPJob; every role runs ranks.

    An elastic job trains with the smallest number of pods too.
    """
    del context
    pod_sets = []
    least = read_int(job.down("spec", "elasticPolicy", "minReplicas"), 0)
    for number, entry in enumerate(job.down("spec", "replicaSpecs").elements()):
        if not is_template(entry["template"]):
            continue
        most, replicas = read_int(entry["maxReplicas"], 0), read_int(entry["replicas"], 0)
        if isinstance(least, int) and isinstance(replicas, int) and 0 < least < replicas:
            most, replicas = max(replicas, most if isinstance(most, int) else 0), least
        pod_sets.append(
            pod_set(
                owner,
                read_text(entry["name"]) or f"role{number}",
                replicas,
                entry["template"],
                entry.at,
                labels={"HPJob": owner.name},
                max_replicas=most if isinstance(most, int) and most > 0 else None,
            )
        )
    return Expansion(tuple(pod_sets), ranks=frozenset(range(len(pod_sets))), training=True)


def is_closed(kind: str) -> bool:
    """Whether the source of the operator of a kind is closed, so that what it makes of an object is not known."""
    return kind in _NAMES


_NAMES: Final = ("HyperPodPyTorchJob", "HyperPodPytorchJob")
"""Both spellings: its documents have the one and its definition the other."""
KINDS: Final = tuple(
    WorkloadKind(
        group="sagemaker.amazonaws.com",
        name=name,
        expand=expand_hyperpod,
        training=True,
        spec=("spec",),
        roles=(),
        main_container="",
        name_limit=LONGEST_NAME,
        name_why="",
        label_checked_by=None,
        pod_names=PodNames.RANDOM,
        job_name="",
        host_names=HostNames.OTHER,
        subdomain=(),
        launcher="",
        restarts=Restarts.NONE,
        restart_default="",
        suspend=(),
        by_pods=False,
        interchangeable=False,
        creates=(),
        waits=None,
        sets_dns_policy=False,
        mounts_shared_memory=False,
        ties=None,
        kai_minimum=None,
        queued=None,
        templates=(TemplateAt(("spec", "replicaSpecs", EACH_ITEM, "template"), lent=None),),
        operator=None,
    )
    for name in _NAMES
)
