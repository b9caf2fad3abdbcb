"""What a module of a workload API declares of its kinds: every fact that other modules would else know by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import TypeAlias

from trainlint.fact import fact
from trainlint.finding import Path
from trainlint.kube.meta import Meta
from trainlint.model.known import Known
from trainlint.model.operator import Operator
from trainlint.model.refuser import Refuser
from trainlint.model.workload import PodSet, Wait
from trainlint.source.document import Field
from trainlint.workload.domain_annotations import DomainTies
from trainlint.workload.expansion import Expander
from trainlint.workload.kueue_pod_sets import Queued
from trainlint.workload.template_at import TemplateAt

__all__ = ["LONGEST_NAME", "HostNames", "PodNames", "Restarts", "Waits", "WorkloadKind"]

LONGEST_NAME = 253
"""Characters of an object's name that the API server takes where a kind says nothing else."""

Waits: TypeAlias = Callable[[Field, Sequence[PodSet]], Mapping[int, Wait]]
"""The pod sets of the object at the cursor that are made only when others of it are Ready or have ended, by index."""

Ties: TypeAlias = Callable[[PodSet, Sequence[PodSet], Field, Meta], DomainTies]
"""What keeps a pod set in one domain: from the set, all sets of its object, the object and its metadata."""

KaiMinimum: TypeAlias = Callable[[Field, Sequence[PodSet]], Known[int] | None]
"""How many of the pods of a spec are placed together; ``None`` where they are placed one by one."""


class PodNames(Enum):
    """How the names of the pods are made, and what looks at them before the pods are made."""

    RANDOM = "they end in random characters, or are those of the object"
    INDEXED = "they end in an index, which the host name has too"
    CHILD_JOBS = "those of indexed Jobs that the webhook of the object names, with random characters behind"
    TASKS = "the webhook checks the names of tasks and pods"
    CHECKED = "the operator or the API server checks them, or the label or Service named like them"
    WORKERS = "the operator checks those of the workers"
    UNCHECKED = "nothing checks them"


class HostNames(Enum):
    """What gives the pods names in DNS."""

    OPERATOR = "the operator makes host names, subdomain and Service, so nothing else adds to the subdomain"
    SERVICE = "a headless Service of the user alone"
    OTHER = "Services for each pod, lists of hosts, or nothing"


class Restarts(Enum):
    """Which field decides what happens to the other pods when one fails."""

    JOB = "backoffLimit of the Job"
    CHILD_JOBS = "backoffLimit of each child Job"
    GROUP = "restartPolicy of the template, for the whole group"
    POLICIES = "policies of the job and of its tasks"
    LAUNCHER = "the launcher ends the ranks, or leaves them"
    ROLES = "restartPolicy of each role"
    NONE = "pods are made again one by one"


@fact
class WorkloadKind:
    """The facts of one kind that makes pods; ``version`` is empty where all versions are alike.

    ``training``: the kind exists for jobs of communicating pods. ``spec`` is where the spec of one run stands,
    ``roles`` the map of roles or the spec of the Ray cluster (empty: there is none). ``main_container`` is the name by
    which the operator finds the container that trains (empty: it takes the first, or does not look). ``name_limit``
    counts characters; ``name_why`` is the reason where it is not that longer names are made from it. ``job_name`` is
    the name of a Job of the batch API that is made, or that the object is, with ``{}`` for the name of the object.
    ``subdomain`` is the field that names the subdomain of the pods (empty: that of the pod template). ``launcher`` is
    the role that starts the ranks in the pods of others. ``restart_default`` is the restart policy of a role where none
    is written (empty: a role cannot strand the others by it). ``suspend`` is the field by which Kueue suspends the
    object; ``by_pods`` says that it admits the pods one by one, or through objects that are made of it.
    ``interchangeable``: no pod is told from the others. ``creates`` are the objects with pod templates, and pod groups,
    that the operator makes: API group and kind. ``waits`` says which pod sets are made after others (``None``: all at
    once). ``sets_dns_policy``: host-network pods get ClusterFirstWithHostNet where no policy is written.
    ``mounts_shared_memory``: the operator mounts a memory-backed /dev/shm. ``ties`` finds what keeps pods in one domain
    by annotations and fields of the kind's own (``None``: it has none). ``kai_minimum`` is how many pods KAI starts
    together (``None``: it places them one by one), ``queued`` what Kueue's integration makes of an object (``None``:
    there is no integration). ``templates`` are where pod templates stand in an object. ``operator`` is whose webhooks
    guard the kind (``None``: no operator's).
    """

    group: str
    name: str
    expand: Expander
    training: bool
    spec: Path
    roles: Path
    main_container: str
    name_limit: int
    name_why: str
    label_checked_by: Refuser | None
    pod_names: PodNames
    job_name: str
    host_names: HostNames
    subdomain: Path
    launcher: str
    restarts: Restarts
    restart_default: str
    suspend: Path
    by_pods: bool
    interchangeable: bool
    creates: tuple[tuple[str, str], ...]
    waits: Waits | None
    sets_dns_policy: bool
    mounts_shared_memory: bool
    ties: Ties | None
    kai_minimum: KaiMinimum | None
    queued: Queued | None
    templates: tuple[TemplateAt, ...]
    operator: Operator | None
    version: str = ""

    @property
    def shown(self) -> str:
        """The kind in the identity of objects: with its group where another kind has the same name."""
        return f"{self.name}.{self.group}" if self.group == "batch.volcano.sh" else self.name
