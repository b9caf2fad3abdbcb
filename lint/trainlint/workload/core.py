"""Pods of the core API: one pod each."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from trainlint.model.workload import ObjectRef
from trainlint.source.document import Field
from trainlint.workload.expansion import Context, Expansion, is_template, pod_set
from trainlint.workload.kueue_pod_sets import queued_pod
from trainlint.workload.ranks import proved_ranks
from trainlint.workload.template_at import TemplateAt
from trainlint.workload.workload_kind import LONGEST_NAME, HostNames, PodNames, Restarts, WorkloadKind

__all__ = ["KINDS", "expand_pod"]


def expand_pod(pod: Field, owner: ObjectRef, context: Context) -> Expansion:
    """A Pod; its host name is its own name unless the spec says another."""
    del context
    if not is_template(pod):
        return Expansion()
    found = pod_set(owner, "", 1, pod, pod.at)
    if not found.hostname and pod.down("metadata", "name").scalar is not None:
        found = replace(found, hostname=owner.name)
    return Expansion((found,), ranks=frozenset({0}) if proved_ranks(found) else frozenset())


KINDS: Final = (
    WorkloadKind(
        group="",
        name="Pod",
        expand=expand_pod,
        training=False,
        spec=("spec",),
        roles=(),
        main_container="",
        name_limit=LONGEST_NAME,
        name_why="",
        label_checked_by=None,
        pod_names=PodNames.RANDOM,
        job_name="",
        host_names=HostNames.SERVICE,
        subdomain=(),
        launcher="",
        restarts=Restarts.NONE,
        restart_default="",
        suspend=(),
        by_pods=True,
        interchangeable=True,
        creates=(),
        waits=None,
        sets_dns_policy=False,
        mounts_shared_memory=False,
        ties=None,
        kai_minimum=None,
        queued=queued_pod,
        templates=(TemplateAt((), "Pod"),),
        operator=None,
    ),
)
