"""Jobs that a manager cluster of MultiKueue hands on: they run in the worker cluster (S 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from trainlint.kube.kueue import KUEUE_GROUP, read_admission_check, read_cluster_queue, read_multikueue_config
from trainlint.kube.values import read_text
from trainlint.model.kueue import MULTIKUEUE
from trainlint.snapshot.cluster_builder import Cluster
from trainlint.snapshot.objects import ApiObject
from trainlint.workload.kinds import WORKLOAD_KINDS
from trainlint.workload.managing_controllers import QUEUE_LABEL

__all__ = ["handing_on"]

_CONFIG: Final = "MultiKueueConfig"


def handing_on(clusters: Sequence[Cluster]) -> tuple[Cluster, ...]:
    """The clusters, each with the jobs that another one hands on to it and to no other.

    Where the configuration names several workers, it is unknown which one takes a job; a job that the worker has by
    itself is not made there.
    """
    more: dict[str, list[ApiObject]] = {}
    for cluster in clusters:
        if any(each.meta.kind == _CONFIG for each in cluster.objects):
            for worker, jobs in _handed(cluster).items():
                more.setdefault(worker, []).extend(jobs)
    return tuple(_with(cluster, more.get(cluster.name, ())) for cluster in clusters)


def _with(cluster: Cluster, jobs: Sequence[ApiObject]) -> Cluster:
    own = {each.key for each in cluster.objects}
    new = [each for each in jobs if each.key not in own]
    return replace(cluster, objects=(*cluster.objects, *new)) if new else cluster


def _handed(manager: Cluster) -> dict[str, list[ApiObject]]:
    """The jobs whose queue hands them on to one worker cluster, by its name."""
    found: dict[str, dict[str, ApiObject]] = {}
    for each in manager.objects:
        if each.meta.api_group == KUEUE_GROUP:
            name = each.meta.name if each.meta.kind != "LocalQueue" else f"{each.ref.namespace}/{each.meta.name}"
            found.setdefault(each.meta.kind, {})[name] = each
    jobs: dict[str, list[ApiObject]] = {}
    for each in manager.objects:
        queue = each.meta.labels.get(QUEUE_LABEL)
        if queue and each.meta.kind in WORKLOAD_KINDS:
            local = found.get("LocalQueue", {}).get(f"{each.ref.namespace}/{queue}")
            workers = () if local is None else _workers(local, found)
            if len(workers) == 1:
                jobs.setdefault(workers[0], []).append(each)
    return jobs


def _workers(local: ApiObject, found: dict[str, dict[str, ApiObject]]) -> tuple[str, ...]:
    """The worker clusters behind a LocalQueue."""
    queue = found.get("ClusterQueue", {}).get(read_text(local.field.down("spec", "clusterQueue")))
    for name in read_cluster_queue(queue.field).checks if queue is not None else ():
        check = found.get("AdmissionCheck", {}).get(name)
        parameters = read_admission_check(check.field) if check is not None else None
        if parameters is not None and parameters.controller == MULTIKUEUE:
            config = found.get(_CONFIG, {}).get(parameters.parameters[1])
            return read_multikueue_config(config.field).clusters if config is not None else ()
    return ()
