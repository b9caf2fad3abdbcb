"""DisaggregatedSet (W 6): a LeaderWorkerSet for each role and slice, under a name that only the cluster knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from trainlint.kube.meta import Meta, read_labels
from trainlint.kube.values import is_placeholder, read_int, read_text
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import Container
from trainlint.model.workload import PER_POD, Colocation, ObjectRef, PodSet
from trainlint.source.document import Field
from trainlint.workload.domain_annotations import leader_worker_set_ties
from trainlint.workload.expansion import Context, Expansion
from trainlint.workload.flows import product
from trainlint.workload.ground import PodGround
from trainlint.workload.leaderworkerset import LWS, expand_leader_worker_set
from trainlint.workload.workload_kind import LONGEST_NAME, HostNames, PodNames, Restarts, WorkloadKind

__all__ = ["KINDS", "expand_disaggregated_role", "roles_of"]

_PREFIX: Final = "disaggregatedset.x-k8s.io/"
_LWS_PREFIX: Final = "leaderworkerset.sigs.k8s.io/"
_SET: Final = "disaggregatedSet"
_REVISION: Final = Undetermined(Because(PodGround.REVISION_NAME))
_SCALED: Final = Undetermined(Because(PodGround.AUTOSCALED))
_SHARED: Final = frozenset({"name", "group-key", "subgroup-key"})


def roles_of(item: Field, meta: Meta) -> Iterator[tuple[Field, Meta]]:
    """The roles of the set, each as an object of its own that knows its set."""
    spec = item["spec"]
    for role in spec["roles"].elements():
        if role.mapping is None:
            continue
        about = {"name": meta.name, "slices": spec["slices"].value, "placementPolicy": spec["placementPolicy"].value}
        held = Field(role.document, role.path, {**role.mapping, _SET: about})
        metadata = role["metadata"]
        yield (
            held,
            replace(
                meta,
                name=f"{meta.name}-{read_text(role['name'])}",
                labels=read_labels(metadata["labels"]),
                annotations={**meta.annotations, **read_labels(metadata["annotations"])},
            ),
        )


def expand_disaggregated_role(role: Field, owner: ObjectRef, context: Context) -> Expansion:
    """The LeaderWorkerSets of one role; each replica in each slice is a group of its own."""
    made = expand_leader_worker_set(role, owner, context)
    slices = read_int(role.down(_SET, "slices"), 1)
    scaled = read_text(role.down("scaling", "mode")) == "External"
    instances = product(slices, _SCALED if scaled else made.instances)
    pod_sets = tuple(_of_role(found, role, slices, instances) for found in made.pod_sets)
    return replace(made, pod_sets=pod_sets, services=(), instances=instances)


def _of_role(found: PodSet, role: Field, slices: Known[int], instances: Known[int]) -> PodSet:
    name, about = read_text(role["name"]), role[_SET]
    number: Known[str] = "0" if slices == 1 else PER_POD
    labels: dict[str, Known[str]] = {
        f"{_PREFIX}name": read_text(about["name"]),
        f"{_PREFIX}role": name,
        f"{_PREFIX}slice": number,
        f"{_PREFIX}revision": _REVISION,
        "app": f"{read_text(about['name'])}-0-{name}" if slices == 1 else PER_POD,
    }
    labels |= {f"{_LWS_PREFIX}{key}": _REVISION for key in _SHARED if f"{_LWS_PREFIX}{key}" in found.labels}
    return replace(
        found,
        labels={**found.labels, **labels},
        hostname="",
        instances=instances,
        spec=replace(found.spec, subdomain="", containers=tuple(_nameless(each) for each in found.spec.containers)),
        together=_placement(about["placementPolicy"], role),
    )


def _nameless(container: Container) -> Container:
    """The container without the leader's address, which holds the name of the LeaderWorkerSet."""
    env = tuple(
        replace(entry, value=_REVISION) if entry.injected and entry.name == "LWS_LEADER_ADDRESS" else entry
        for entry in container.env
    )
    return replace(container, env=env)


def _placement(policy: Field, role: Field) -> Colocation | None:
    """All pods of a slice are required to be near each other; its other pods are not in the group (W 6)."""
    key = read_text(policy["topology"])
    if read_text(policy["type"]) not in {"ExclusiveSlice", "ExclusiveTopology"} or not key or is_placeholder(key):
        return None
    return Colocation(key, "slice", "placementPolicy", role.at, leader_first=True)


KINDS: Final = (
    WorkloadKind(
        group="disaggregatedset.x-k8s.io",
        name="DisaggregatedSet",
        expand=expand_disaggregated_role,
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
        creates=(("leaderworkerset.x-k8s.io", "LeaderWorkerSet"), ("apps", "StatefulSet")),
        waits=None,
        sets_dns_policy=False,
        mounts_shared_memory=False,
        ties=leader_worker_set_ties,
        kai_minimum=None,
        queued=None,
        templates=(),
        operator=LWS,
    ),
)
