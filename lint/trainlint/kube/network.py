"""Networks that pods can be attached to: Multus definitions, the operators that make them, GKE and OVN (N 3.2, 3.3)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.meta import Meta, read_meta
from trainlint.kube.values import is_placeholder, read_int, read_text
from trainlint.model.api_kind import declared, names
from trainlint.model.namespace import METADATA_NAME, Namespaces
from trainlint.source.document import Field

__all__ = [
    "KINDS",
    "NETWORK_KINDS",
    "Attachable",
    "PortMtu",
    "read_additional_networks",
    "read_attachable",
    "read_device_mtus",
    "read_primary_namespaces",
]

KINDS: Final = (
    *declared("k8s.cni.cncf.io", namespaced="NetworkAttachmentDefinition"),
    *declared("k8s.ovn.org", namespaced="UserDefinedNetwork", cluster="ClusterUserDefinedNetwork"),
    *declared("mellanox.com", cluster="HostDeviceNetwork IPoIBNetwork MacvlanNetwork"),
    *declared("networking.gke.io", cluster="GKENetworkParamSet Network"),
    *declared("nmstate.io", cluster="NodeNetworkConfigurationPolicy"),
    *declared("sriovnetwork.openshift.io", namespaced="OVSNetwork SriovIBNetwork SriovNetwork SriovNetworkNodePolicy"),
)
"""Networks that pods can have beside that of the cluster, and what says how they are made."""
NETWORK_KINDS: Final = names(KINDS)
RESOURCE_ANNOTATION: Final = "k8s.v1.cni.cncf.io/resourceName"
_IN_NETWORK_NAMESPACE: Final = {
    "HostDeviceNetwork", "IPoIBNetwork", "MacvlanNetwork", "OVSNetwork", "SriovIBNetwork", "SriovNetwork",
}  # fmt: skip


@fact
class Attachable:
    """A network that an annotation can name.

    ``generated`` ones are made by an operator. ``resource`` is the device resource of each attachment: with its prefix
    where that is known, else only the last part. ``plugin`` is the CNI plugin's type, ``master`` the node's interface
    with its VLAN; ``subnets`` are the ranges that addresses come from; ``routed`` says that a gateway or routes are
    configured, or may be; ``mtu`` 0 is not said.
    """

    namespace: str
    name: str
    generated: bool = False
    resource: str = ""
    plugin: str = ""
    master: str = ""
    subnets: tuple[str, ...] = ()
    routed: bool = True
    mtu: int = 0
    at: Location | None = field(default=None, compare=False)


@fact
class PortMtu:
    """An MTU that node configuration sets: by which object, and (in its own words) on which ports of which nodes."""

    mtu: int
    policy: str
    ports: str
    at: Location = field(compare=False)


def read_attachable(item: Field) -> Attachable | None:
    """The network of a NetworkAttachmentDefinition or of an object that makes one; ``None`` for other kinds."""
    meta = read_meta(item)
    namespace = meta.namespace or "default"
    if meta.kind == "NetworkAttachmentDefinition":
        return _of_definition(item, meta, namespace)
    spec = item["spec"]
    if meta.kind in _IN_NETWORK_NAMESPACE:
        own = namespace if meta.kind.startswith(("Sriov", "OVS")) else "default"
        return Attachable(
            read_text(spec["networkNamespace"]) or own,
            meta.name,
            generated=True,
            resource=read_text(spec["resourceName"]),
            plugin=meta.kind,
            mtu=_mtu(spec["mtu"].value),
            at=item.at,
        )
    if meta.kind == "UserDefinedNetwork":
        return Attachable(namespace, meta.name, generated=True, plugin=meta.kind, at=item.at)
    if meta.kind == "ClusterUserDefinedNetwork":
        return Attachable("", meta.name, generated=True, plugin=meta.kind, at=item.at)
    return None


def read_additional_networks(item: Field) -> Iterator[Attachable]:
    """The networks that OpenShift's network operator makes of ``additionalNetworks``."""
    if read_text(item["apiVersion"]).startswith("operator.openshift.io/"):
        for each in item.down("spec", "additionalNetworks").elements():
            yield Attachable(
                read_text(each["namespace"]) or "default", read_text(each["name"]), generated=True, at=each.at
            )


def read_primary_namespaces(item: Field, namespaces: Namespaces) -> tuple[str, ...]:
    """The namespaces whose pods have an OVN user-defined network as their primary one, by this object."""
    meta = read_meta(item)
    spec = item["spec"]
    network = spec["network"] if meta.kind == "ClusterUserDefinedNetwork" else spec
    roles = {read_text(network.down(layer, "role")) for layer in ("layer2", "layer3", "localnet")}
    if "Primary" not in roles:
        return ()
    if meta.kind == "UserDefinedNetwork":
        return (meta.namespace or "default",)
    wanted = {key: read_text(value) for key, value in spec.down("namespaceSelector", "matchLabels").items()}
    if spec.down("namespaceSelector", "matchExpressions").present or not wanted:
        return ()
    return tuple(
        name
        for name, labels in namespaces.items()
        if wanted.items() <= ({METADATA_NAME: name} if labels is None else labels).items()
    )


def _of_definition(item: Field, meta: Meta, namespace: str) -> Attachable:
    resource = meta.annotations.get(RESOURCE_ANNOTATION, "")
    config = _json(read_text(item.down("spec", "config")))
    if config is None or any(map(is_placeholder, _texts(config))):
        return Attachable(namespace, meta.name, resource=resource, at=item.down("spec", "config").at)
    plugins = config.get("plugins")
    first = plugins[0] if isinstance(plugins, list) and plugins and isinstance(plugins[0], dict) else config
    ipam = first.get("ipam")
    ipam = ipam if isinstance(ipam, dict) else {}
    plugin = str(first.get("type", ""))
    vlan = first.get("vlan") or first.get("vlanId") or ""
    master = first.get("master") or first.get("bridge") or first.get("device") or ""
    return Attachable(
        namespace,
        meta.name,
        resource=resource,
        plugin=plugin,
        master=f"{master}.{vlan}" if vlan else str(master),
        subnets=tuple(_subnets(ipam)),
        routed=_routed(first, ipam),
        mtu=_mtu(first.get("mtu")),
        at=item.down("spec", "config").at,
    )


def _json(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _texts(config: Mapping[str, Any]) -> Iterator[str]:
    """Every key and text of a configuration: its own brackets are JSON's, no signs of a template."""
    left: list[Any] = [config]
    while left:
        value = left.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            left += (*value, *value.values())
        elif isinstance(value, list):
            left += value


def _mtu(value: object) -> int:
    number = int(value) if isinstance(value, str) and value.isdecimal() and len(value) < 6 else value
    return number if isinstance(number, int) and not isinstance(number, bool) else 0


def _subnets(ipam: Mapping[str, Any]) -> Iterator[str]:
    """The ranges of whereabouts and host-local, in all their forms."""
    sources: list[Any] = [ipam]
    for key in ("ipRanges", "ranges"):
        listed = ipam.get(key)
        for entry in listed if isinstance(listed, list) else []:
            sources += entry if isinstance(entry, list) else [entry]
    for source in sources:
        if isinstance(source, dict):
            for key in ("range", "subnet"):
                if isinstance(source.get(key), str):
                    yield source[key]


def _routed(config: Mapping[str, Any], ipam: Mapping[str, Any]) -> bool:
    """Whether packets may leave the network: a gateway or routes, or addresses that come from elsewhere."""
    if config.get("isGateway") or config.get("isDefaultGateway") or config.get("ipMasq") or config.get("mode") == "l3":
        return True
    if str(ipam.get("type", "")) not in {"whereabouts", "host-local"}:
        return True
    text = json.dumps(ipam)
    return '"gateway"' in text or '"routes"' in text


def read_device_mtus(item: Field) -> Iterator[tuple[str, PortMtu]]:
    """The MTUs that node configuration sets: of a device resource's ports, or of interfaces by name."""
    kind = read_text(item["kind"])
    name = read_text(item.down("metadata", "name"))
    if kind == "SriovNetworkNodePolicy":
        spec = item["spec"]
        mtu = read_int(spec["mtu"])
        if isinstance(mtu, int) and mtu:
            ports = repr((spec["nodeSelector"].value, spec["nicSelector"].value))
            yield read_text(spec["resourceName"]), PortMtu(mtu, name, ports, spec["mtu"].at)
    elif kind == "NodeNetworkConfigurationPolicy":
        for each in item.down("spec", "desiredState", "interfaces").elements():
            mtu = read_int(each["mtu"])
            if isinstance(mtu, int) and mtu:
                nodes = repr(item.down("spec", "nodeSelector").value)
                yield read_text(each["name"]), PortMtu(mtu, name, nodes, each["mtu"].at)
