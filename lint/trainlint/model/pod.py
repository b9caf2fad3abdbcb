"""What a pod spec says, as far as scheduling, policies and launching read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.known import Known
from trainlint.model.selector import LabelSelector, NodeSelectorTerm, Requirement

if TYPE_CHECKING:
    from trainlint.model.devices import DeviceClaim, DeviceClass

__all__ = [
    "AffinityTerm",
    "ClaimedDevice",
    "Container",
    "ContainerPort",
    "EnvVar",
    "Mount",
    "MountedFile",
    "PodResourceClaim",
    "PodSpec",
    "SpreadConstraint",
    "Toleration",
    "Volume",
]


@fact
class Toleration:
    """A toleration as written; empty strings where a part is not given."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class AffinityTerm:
    """A required pod affinity or anti-affinity term."""

    topology_key: str
    selector: LabelSelector | None
    namespaces: tuple[str, ...] = ()
    namespace_selector: LabelSelector | None = None
    match_label_keys: tuple[str, ...] = ()
    mismatch_label_keys: tuple[str, ...] = ()
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class SpreadConstraint:
    """A topology spread constraint; ``hard`` is whenUnsatisfiable: DoNotSchedule."""

    topology_key: str
    max_skew: int = 1
    hard: bool = True
    selector: LabelSelector | None = None
    min_domains: int | None = None
    node_affinity_policy: str = "Honor"
    node_taints_policy: str = "Ignore"
    match_label_keys: tuple[str, ...] = ()
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class ContainerPort:
    """A declared container port; ``host_port`` 0 means none; ``made`` says that the workload's operator declares it."""

    number: int
    name: str = ""
    protocol: str = "TCP"
    host_port: int = 0
    host_ip: str = ""
    made: bool = field(default=False, compare=False, repr=False)


@fact
class EnvVar:
    """One entry of ``env``: its value, or why the file does not say it (valueFrom).

    ``injected`` entries are set by the workload's operator, not in the file. ``origin`` is where the value stands, if
    that is elsewhere (in a ConfigMap).
    """

    name: str
    value: Known[str]
    injected: bool = False
    at: Location | None = field(default=None, compare=False, repr=False)
    origin: Location | None = field(default=None, compare=False, repr=False)


@fact
class Mount:
    """An entry of ``volumeMounts``: the volume's name and the path in the container."""

    volume: str
    path: str
    sub_path: str = ""
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class MountedFile:
    """A file of a ConfigMap that a container mounts: its path in the container, its text, where it is written."""

    path: str
    text: str
    at: Location


@fact
class ClaimedDevice:
    """Devices of one class that a resource claim gives a container, and how many.

    ``accelerator`` says whether ranks compute on them; ``None`` where no document states it. The class is empty where
    the claim itself is not known.
    """

    device_class: str
    count: Known[int]
    accelerator: bool | None = None


@fact
class Container:
    """A container, an init container or (``restart_policy`` Always among the init containers) a sidecar.

    ``requests`` and ``limits`` hold quantities as text, or the reason why they are not known. ``hidden_env`` names what
    ``envFrom`` takes variables from and that are not in Git. ``capabilities`` are those that are added; ``user`` is
    runAsUser, and -1 stands for any that is not root (runAsNonRoot).
    ``resource_claims`` are the pod's names of the claims that it uses, with ``/request`` where it uses only one request
    of a claim; ``claimed`` are the devices that they give it. ``resources_at`` is
    where its resources stand, or would stand. ``made`` says that the workload's operator adds the container to the
    pod, unknown to what reads only the object (Kueue).
    """

    name: str = ""
    image: str = ""
    command: tuple[Known[str], ...] = ()
    args: tuple[Known[str], ...] = ()
    env: tuple[EnvVar, ...] = ()
    ports: tuple[ContainerPort, ...] = ()
    requests: Mapping[str, Known[str]] = field(default_factory=dict)
    limits: Mapping[str, Known[str]] = field(default_factory=dict)
    restart_policy: str = ""
    resource_claims: tuple[str, ...] = ()
    claimed: tuple[ClaimedDevice, ...] = ()
    files: tuple[MountedFile, ...] = ()
    hidden_env: tuple[str, ...] = ()
    mounts: tuple[Mount, ...] = ()
    privileged: bool = False
    capabilities: frozenset[str] = frozenset()
    user: int | None = None
    made: bool = False
    resources_at: Location | None = field(default=None, compare=False, repr=False)
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class Volume:
    """A volume of a pod. ``kind`` is the key of its source ("persistentVolumeClaim", "hostPath", ...; "" if none).

    ``claim`` is the PersistentVolumeClaim's name; ``disk`` tells inline disks apart (its first word is the disk's own
    identity, for rbd pool, image and the monitors); ``storage_class`` and ``access_modes`` are those of an ephemeral
    volume's claim template. ``medium`` and ``size_limit`` are those of an emptyDir ("Memory": a tmpfs; "": no limit).
    """

    name: str
    kind: str = ""
    claim: str = ""
    read_only: bool = False
    disk: tuple[str, ...] = ()
    storage_class: str | None = None
    access_modes: tuple[str, ...] = ()
    medium: str = ""
    size_limit: Known[str] = ""
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class PodResourceClaim:
    """An entry of ``resourceClaims``: the pod's name for it, and the claim or the claim template behind it.

    ``devices`` is what that asks for, ``None`` where Git does not hold it; ``classes`` are those of its classes that
    are known.
    """

    name: str
    claim: str = ""
    template: str = ""
    devices: DeviceClaim | None = None
    classes: tuple[DeviceClass, ...] = ()
    at: Location | None = field(default=None, compare=False, repr=False)


CONTAINERS: Final = 1_000
"""Containers of a pod that are read; public ones have some dozens."""
UNREAD_CONTAINERS: Final = f"containers beyond the first {CONTAINERS:,}"
"""The part of a spec that is not known where there are more."""


@fact
class PodSpec:
    """The parts of a pod spec that are read. ``node_selector`` entries are requirements with operator In.

    ``node_affinity`` is ``None`` without required node affinity, else its terms (an empty tuple matches nothing).
    ``undetermined`` names parts of the spec that hold placeholders and so cannot be judged ("tolerations",
    "affinity.podAffinity"); placeholders among the values of selectors are kept as text and judged one by one.
    ``deadline`` says that activeDeadlineSeconds is set. ``dns_policy`` is empty where none is written.
    ``perhaps_tolerated`` are tolerations that admission adds, or does not: no manifest shows which. ``listening``
    are the first and last of the ports that the system hands out in the pod, where the manifest pins them.
    ``account_made`` says that the workload's operator makes the service account.
    """

    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    node_name: str = ""
    node_selector: tuple[Requirement, ...] = ()
    node_affinity: tuple[NodeSelectorTerm, ...] | None = None
    pod_affinity: tuple[AffinityTerm, ...] = ()
    pod_anti_affinity: tuple[AffinityTerm, ...] = ()
    preferred_pod_affinity: tuple[AffinityTerm, ...] = ()
    preferred_node_affinity: tuple[NodeSelectorTerm, ...] = ()
    spread: tuple[SpreadConstraint, ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    perhaps_tolerated: tuple[Toleration, ...] = ()
    overhead: Mapping[str, Known[str]] = field(default_factory=dict)
    pod_requests: Mapping[str, Known[str]] = field(default_factory=dict)
    pod_limits: Mapping[str, Known[str]] = field(default_factory=dict)
    host_network: bool = False
    hostname: str = ""
    subdomain: str = ""
    service_account: str = ""
    account_made: bool = False
    scheduler_name: str = ""
    scheduling_gates: tuple[str, ...] = ()
    priority_class: str = ""
    runtime_class: str = ""
    volumes: tuple[Volume, ...] = ()
    resource_claims: tuple[PodResourceClaim, ...] = ()
    undetermined: tuple[str, ...] = ()
    deadline: bool = False
    dns_policy: str = ""
    host_ipc: bool = False
    listening: tuple[int, int] | None = None
    at: Location | None = field(default=None, compare=False, repr=False)
