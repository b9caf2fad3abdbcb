"""What a pod spec says, as far as scheduling, policies and launching read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trainlint.finding import Location
from trainlint.model.known import Known
from trainlint.model.selector import LabelSelector, NodeSelectorTerm, Requirement

__all__ = ["AffinityTerm", "Container", "ContainerPort", "EnvVar", "PodSpec", "SpreadConstraint", "Toleration"]


@dataclass(frozen=True, slots=True)
class Toleration:
    """A toleration as written; empty strings where a part is not given."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    at: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class AffinityTerm:
    """A required pod affinity or anti-affinity term."""

    topology_key: str
    selector: LabelSelector | None
    namespaces: tuple[str, ...] = ()
    namespace_selector: LabelSelector | None = None
    match_label_keys: tuple[str, ...] = ()
    mismatch_label_keys: tuple[str, ...] = ()
    at: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class ContainerPort:
    """A declared container port; ``host_port`` 0 means none."""

    number: int
    name: str = ""
    protocol: str = "TCP"
    host_port: int = 0
    host_ip: str = ""


@dataclass(frozen=True, slots=True)
class EnvVar:
    """One entry of ``env``: its value, or why the file does not say it (valueFrom)."""

    name: str
    value: Known[str]
    at: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Container:
    """A container, an init container or (``restart_policy`` Always among the init containers) a sidecar.

    ``requests`` and ``limits`` hold quantities as text, or the reason why they are not known.
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
    at: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class PodSpec:
    """The parts of a pod spec that are read. ``node_selector`` entries are requirements with operator In.

    ``node_affinity`` is ``None`` without required node affinity, else its terms (an empty tuple matches nothing).
    ``undetermined`` names parts that hold placeholders and so cannot be judged.
    """

    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    node_name: str = ""
    node_selector: tuple[Requirement, ...] = ()
    node_affinity: tuple[NodeSelectorTerm, ...] | None = None
    pod_affinity: tuple[AffinityTerm, ...] = ()
    pod_anti_affinity: tuple[AffinityTerm, ...] = ()
    preferred_pod_affinity: tuple[AffinityTerm, ...] = ()
    spread: tuple[SpreadConstraint, ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    overhead: Mapping[str, Known[str]] = field(default_factory=dict)
    pod_requests: Mapping[str, Known[str]] = field(default_factory=dict)
    pod_limits: Mapping[str, Known[str]] = field(default_factory=dict)
    host_network: bool = False
    hostname: str = ""
    subdomain: str = ""
    service_account: str = ""
    scheduler_name: str = ""
    scheduling_gates: tuple[str, ...] = ()
    undetermined: tuple[str, ...] = ()
    at: Location | None = field(default=None, compare=False, repr=False)
