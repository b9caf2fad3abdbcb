"""Identities: what policies see of a pod, a node or an address (P 2.1)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import field
from ipaddress import IPv4Address, IPv6Address

from trainlint.fact import fact
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import ContainerPort
from trainlint.policy.ground import PolicyGround
from trainlint.policy.labels import LabelFilter, OpenLabels
from trainlint.policy.options import CiliumOptions

__all__ = [
    "CLUSTER_KEY",
    "METADATA_NAME",
    "NAMESPACE_KEY",
    "NAMESPACE_LABELS",
    "Address",
    "Endpoint",
    "expand",
    "named_ports",
    "node_endpoint",
    "pod_endpoint",
    "reserved_endpoint",
]

Address = IPv4Address | IPv6Address
Labels = Mapping[str, Known[str]]
Label = tuple[str, str, Known[str]]

NAMESPACE_KEY = "io.kubernetes.pod.namespace"
NAMESPACE_LABELS = "io.cilium.k8s.namespace.labels."
METADATA_NAME = "kubernetes.io/metadata.name"
CLUSTER_KEY = "io.cilium.k8s.policy.cluster"
SERVICE_ACCOUNT_KEY = "io.cilium.k8s.policy.serviceaccount"
NAMED_PORTS_KEY = "io.cilium.k8s.named-ports"
CILIUM_PREFIX = "io.cilium.k8s"
UNNAMED = Undetermined(Because(PolicyGround.CLUSTER_NAME))
OPEN_NAMESPACE = OpenLabels((f"k8s:{NAMESPACE_LABELS}", f"any:{NAMESPACE_LABELS}"))


@fact(eq=False)
class Endpoint:
    """One end of a connection as policies see it; equal endpoints get equal verdicts.

    ``labels`` are those by which others select it, under ``source:key`` and ``any:key``. ``subject`` are those by
    which policies select it to police it: ``None`` where no policy of this cluster can (addresses, nodes without the
    host firewall, pods of another cluster). ``names`` maps (port name, protocol) to a port number. ``unknown`` are
    labels that it may have or not, ``unknown_subject`` the same among those by which it is policed.
    """

    name: str
    labels: Labels
    subject: Labels | None
    namespace: str = ""
    address: Address | None = None
    names: Mapping[tuple[str, str], int] = field(default_factory=dict)
    unknown: OpenLabels | None = None
    unknown_subject: OpenLabels | None = None
    own_labels: Labels = field(default_factory=dict)
    dns: bool = False
    key: Hashable = field(init=False)
    _hash: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        key = (
            frozenset(self.labels.items()),
            None if self.subject is None or self.subject is self.labels else frozenset(self.subject.items()),
            self.subject is None,
            self.namespace,
            self.address,
            frozenset(self.names.items()),
            self.unknown,
            self.unknown_subject,
            self.dns,
        )
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "_hash", hash(key))

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Endpoint) and self._hash == other._hash and self.key == other.key)

    def __hash__(self) -> int:
        return self._hash

    def has(self, reserved: str) -> bool:
        """Whether it carries the reserved label (``host``, ``remote-node``, ``world``, ``init``, ...)."""
        return f"reserved:{reserved}" in self.labels


def expand(labels: Iterable[Label]) -> dict[str, Known[str]]:
    """Labels as (source, key, value) under the two names that requirements look for: ``source:key``, ``any:key``."""
    expanded: dict[str, Known[str]] = {}
    for source, key, value in labels:
        expanded[f"{source}:{key}"] = value
        expanded[f"any:{key}"] = value
    return expanded


def named_ports(ports: Iterable[ContainerPort]) -> dict[tuple[str, str], int]:
    """Named ports of a pod's main containers; of two equal names the last one counts, whatever its protocol."""
    last = {port.name.lower(): port for port in ports if port.name}
    return {(name, port.protocol.upper()): port.number for name, port in last.items()}


def pod_endpoint(
    name: str,
    namespace: str,
    labels: Labels,
    *,
    namespace_labels: Mapping[str, str] | None,
    service_account: str,
    options: CiliumOptions,
    label_filter: LabelFilter,
    cluster: str = "",
    names: Mapping[tuple[str, str], int] | None = None,
) -> Endpoint:
    """The identity of a pod (C:pkg/k8s/utils/utils.go SanitizePodLabels, then the label filter).

    ``namespace_labels`` is ``None`` where the Namespace is not known; ``cluster`` is another cluster of the mesh, whose
    pods no policy here can police.
    """
    sanitized: dict[str, Known[str]] = {
        key: value for key, value in labels.items() if not key.startswith(CILIUM_PREFIX)
    }
    for key, value in {**(namespace_labels or {}), METADATA_NAME: namespace}.items():
        sanitized[NAMESPACE_LABELS + key] = _filled_in(value)
    sanitized[NAMESPACE_KEY] = namespace
    if service_account:
        sanitized[SERVICE_ACCOUNT_KEY] = service_account
    sanitized[CLUSTER_KEY] = cluster or _own_cluster(options)
    kept = [("k8s", key, value) for key, value in sanitized.items() if label_filter.keeps("k8s", key)]
    if names and options.version >= (1, 20, 0):
        kept.append(("gen", NAMED_PORTS_KEY, Undetermined(Because(PolicyGround.NAMED_PORTS))))
    identity = expand(kept)
    return Endpoint(
        name=name,
        labels=identity,
        subject=None if cluster and cluster != options.cluster else identity,
        namespace=namespace,
        names=names or {},
        unknown=OPEN_NAMESPACE if namespace_labels is None else None,
        unknown_subject=OPEN_NAMESPACE if namespace_labels is None else None,
        own_labels=labels,
    )


def _own_cluster(options: CiliumOptions) -> Known[str]:
    return options.cluster if options.cluster_named else UNNAMED


def _filled_in(value: str) -> Known[str]:
    return Undetermined(Because(PolicyGround.PLACEHOLDER, (repr(value),))) if is_placeholder(value) else value


def reserved_endpoint(name: str, *reserved: str, address: Address | None = None, policed: bool = False) -> Endpoint:
    """An identity that consists of reserved labels: world, init, health, ingress, unmanaged, kube-apiserver."""
    labels = expand(("reserved", label, "") for label in reserved)
    return Endpoint(name=name, labels=labels, subject=labels if policed else None, address=address)


def node_endpoint(
    name: str,
    labels: Labels,
    *,
    local: bool,
    options: CiliumOptions,
    label_filter: LabelFilter,
    node_filter: LabelFilter,
    api_server: bool = False,
    address: Address | None = None,
) -> Endpoint:
    """A node, which is also every pod on its host network: ``host`` to pods on it (``local``), else ``remote-node``.

    Policies police it only under the host firewall; they select it by its labels through the filter for pods (P 2.1).
    """
    extra = ("kube-apiserver",) if api_server else ()
    own: list[Label] = [("k8s", key, value) for key, value in labels.items() if label_filter.keeps("k8s", key)]
    host: list[Label] = [("reserved", label, "") for label in ("host", *extra)]
    remote: list[Label] = [("reserved", label, "") for label in ("remote-node", *extra)]
    if options.node_selector_labels:
        shown: list[Label] = [("node", key, value) for key, value in labels.items() if node_filter.keeps("node", key)]
        host += shown
        remote += [*shown, ("k8s", CLUSTER_KEY, _own_cluster(options))]
    seen = expand([*host, *own] if local else remote)
    return Endpoint(
        name=name,
        labels=seen,
        subject=expand([*host, *own]) if options.host_firewall else None,
        address=address,
        own_labels=labels,
    )
