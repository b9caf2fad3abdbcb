"""The ends of connections: pods where they are placed, entities, addresses, the cluster's DNS."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from trainlint.fact import fact
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.namespace import Namespaces
from trainlint.model.settings import ZONE, Cni, Settings
from trainlint.model.workload import PodSet
from trainlint.policy.addresses import parse_address
from trainlint.policy.ground import PolicyGround
from trainlint.policy.identity import Endpoint, named_ports, node_endpoint, pod_endpoint, reserved_endpoint
from trainlint.policy.labels import LabelFilter, OpenLabels, node_label_filter, pod_label_filter
from trainlint.policy.options import CiliumOptions, cilium_options, parse_version

__all__ = ["address", "dns_endpoint", "endpoint", "entity", "port_table", "zone_dependent"]


REGION = "topology.kubernetes.io/region"
POD_LABELS = ("k8s:", "any:")
NODE_LABELS = ("node:", "any:")
SAMPLE_ZONES = ("zone-1", "zone-2")
DNS_NAMES: Mapping[tuple[str, str], int] = {("dns", "UDP"): 53, ("dns-tcp", "TCP"): 53}


@fact
class _Rules:
    """What settings say about identities."""

    options: CiliumOptions
    pods: LabelFilter
    nodes: LabelFilter

    @property
    def any_label(self) -> OpenLabels:
        """Every label that is part of identities."""
        return OpenLabels(POD_LABELS, self.pods)


@lru_cache(maxsize=64)
def _rules_of(name: str, version: str, options: tuple[tuple[str, str], ...]) -> _Rules:
    parsed = cilium_options(Cni(name, version, dict(options)))
    if name != "cilium":  # Plain NetworkPolicy sees every label.
        everything = LabelFilter.everything()
        return _Rules(parsed, everything, everything)
    return _Rules(parsed, pod_label_filter(parsed), node_label_filter(parsed))


def _rules(settings: Settings) -> _Rules:
    cni = settings.cni
    return _rules_of(cni.name, cni.version, tuple(sorted(cni.options.items())))


def _unknown_node(rules: _Rules) -> OpenLabels | None:
    """The unknown labels of a node by which peers may be chosen."""
    return OpenLabels(NODE_LABELS) if rules.options.node_selector_labels else None


def _copies_topology(settings: Settings) -> bool:
    """Kubernetes copies zone and region of the node onto its pods from 1.35, before where it is switched on (P 5)."""
    version = parse_version(settings.kubernetes)
    return version >= (1, 35, 0) or ("PodTopologyLabels" in settings.admission and version >= (1, 33, 0))


def _placed(labels: Mapping[str, Known[str]], place: Mapping[str, Known[str] | None]) -> dict[str, Known[str]]:
    """The pod's labels once it is bound; versions differ in whether a label that the pod brings along is kept."""
    placed = dict(labels)
    for key, value in place.items():
        if value is None:
            continue
        brought = labels.get(key)
        if brought is None or brought == value:
            placed[key] = value
        elif isinstance(value, Undetermined):
            placed[key] = Undetermined(Because(PolicyGround.NODE_MAY_DIFFER, (key,)))
        else:
            placed[key] = Undetermined(Because(PolicyGround.NODE_DIFFERS, (key,)))
    return placed


def endpoint(
    pod_set: PodSet,
    settings: Settings,
    namespaces: Namespaces,
    *,
    zone: Known[str] | None = None,
    region: Known[str] | None = None,
    node: Literal["same", "other"] = "other",
) -> Endpoint:
    """What policies see of a pod of the set that runs in ``zone`` (``None``: on a node without one).

    ``node``: whether the pod at the other end runs on the same node, which matters for pods on the host network: they
    are the node. ``namespaces`` maps the known Namespaces to their labels.
    """
    rules = _rules(settings)
    place = {ZONE: zone, REGION: region}
    name = f"{pod_set.namespace}/{pod_set.name}"
    if pod_set.spec.host_network:
        labels = {key: value for key, value in place.items() if value is not None}
        found = node_endpoint(
            name,
            labels,
            local=node == "same",
            options=rules.options,
            label_filter=rules.pods,
            node_filter=rules.nodes,
        )
        # The other labels of its node are not known. The NetworkPolicy API says nothing of pods on the host network.
        # Calico sees them as the addresses of their node, which have labels where a HostEndpoint is made of it.
        stated = settings.cni.name in ("cilium", "calico")
        unknown = _unknown_node(rules) if stated else OpenLabels(POD_LABELS)
        return replace(found, unknown=unknown, unknown_subject=rules.any_label, own_labels=pod_set.labels)
    return pod_endpoint(
        name,
        pod_set.namespace,
        _placed(pod_set.labels, place) if _copies_topology(settings) else pod_set.labels,
        namespace_labels=namespaces.get(pod_set.namespace),
        service_account=pod_set.spec.service_account or "default",
        options=rules.options,
        label_filter=rules.pods,
        names=_names(pod_set),
    )


def _names(pod_set: PodSet) -> Mapping[tuple[str, str], int]:
    return named_ports(port for container in pod_set.spec.containers for port in container.ports)


def port_table(pod_sets: Iterable[PodSet]) -> Mapping[tuple[str, str], frozenset[int]]:
    """What each port name stands for among all pods, those of the cluster's DNS included (P 1.4).

    Cilium up to 1.19 resolves the names of egress rules with this table, not with the ports of the destination.
    """
    table: dict[tuple[str, str], set[int]] = {name: {number} for name, number in DNS_NAMES.items()}
    for pod_set in pod_sets:
        if pod_set.replicas != 0 and not pod_set.spec.host_network:
            for name, number in _names(pod_set).items():
                table.setdefault(name, set()).add(number)
    return {name: frozenset(numbers) for name, numbers in table.items()}


def zone_dependent(pod_set: PodSet, settings: Settings, namespaces: Namespaces) -> bool:
    """Whether what policies see of the set's pods depends on the zone they run in."""
    one, two = (endpoint(pod_set, settings, namespaces, zone=zone) for zone in SAMPLE_ZONES)
    return one != two


def entity(name: str, settings: Settings) -> Endpoint:
    """``world``, ``host``, ``remote-node``, ``kube-apiserver``, ``health``, ``ingress``, ``init`` or ``unmanaged``.

    ``host`` is the node of the other end, ``kube-apiserver`` is taken to run on another node.
    """
    rules = _rules(settings)
    if name in ("host", "remote-node", "kube-apiserver"):
        return replace(
            node_endpoint(
                name,
                {},
                local=name == "host",
                options=rules.options,
                label_filter=rules.pods,
                node_filter=rules.nodes,
                api_server=name == "kube-apiserver",
            ),
            unknown=_unknown_node(rules),
            unknown_subject=rules.any_label,
        )
    return reserved_endpoint(name, name, policed=name in ("health", "ingress", "init"))


def address(text: str) -> Endpoint:
    """An address outside the cluster. Raises ValueError where the text is no address."""
    parsed = parse_address(text)
    if parsed is None:
        raise ValueError(f"not an IP address: {text}")
    return reserved_endpoint(text, "world", address=parsed)


def dns_endpoint(settings: Settings, namespaces: Namespaces) -> Endpoint:
    """The cluster's DNS pods: k8s-app=kube-dns in kube-system, which may carry more labels than that."""
    rules = _rules(settings)
    found = pod_endpoint(
        "the cluster's DNS",
        "kube-system",
        {"k8s-app": "kube-dns"},
        namespace_labels=namespaces.get("kube-system"),
        service_account="",
        options=rules.options,
        label_filter=rules.pods,
        names=DNS_NAMES,
    )
    return replace(found, unknown=rules.any_label)
