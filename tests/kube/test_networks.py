"""Networks of Multus, of the operators that make them, and of OVN (N 3.2, 3.3).

The fields are those of the CNI plugins' configurations (www.cni.dev: bridge, macvlan, host-device, vlan, host-local;
k8snetworkplumbingwg: whereabouts, sriov-cni) and of the CRDs.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from trainlint.kube.meta import read_meta
from trainlint.kube.network import (
    Attachable,
    PortMtu,
    read_additional_networks,
    read_attachable,
    read_device_mtus,
    read_primary_namespaces,
)
from trainlint.source.document import Document, Field


def root(data: dict[str, Any]) -> Field:
    return Document("net.yaml", 0, 1, "", data).root


def item(kind: str, spec: dict[str, Any], group: str = "example.com/v1", **metadata: Any) -> Field:
    return root({"apiVersion": group, "kind": kind, "metadata": {"name": "fast", **metadata}, "spec": spec})


def definition(config: object, **metadata: Any) -> Attachable:
    text = config if isinstance(config, str) else json.dumps(config)
    found = read_attachable(item("NetworkAttachmentDefinition", {"config": text}, **metadata))
    assert found is not None
    assert found.at is not None
    assert found.at.path == ("spec", "config")
    return found


HOST_LOCAL = {"type": "host-local", "subnet": "10.0.0.0/16"}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"type": "macvlan", "master": "eth1"}, {"plugin": "macvlan", "master": "eth1"}),
        ({"type": "vlan", "master": "eth1", "vlanId": 7}, {"plugin": "vlan", "master": "eth1.7"}),
        ({"type": "bridge", "bridge": "br0", "vlan": 8}, {"plugin": "bridge", "master": "br0.8"}),
        ({"type": "host-device", "device": "eth2"}, {"plugin": "host-device", "master": "eth2"}),
        ({"type": "sriov", "vlan": 9, "vlanId": 7}, {"plugin": "sriov", "master": ".9"}),
        (
            {"plugins": [{"type": "ipvlan", "master": "eth3"}, {"type": "tuning"}]},
            {"plugin": "ipvlan", "master": "eth3"},
        ),
        ({"type": "macvlan", "plugins": []}, {"plugin": "macvlan"}),
        ({"type": "macvlan", "plugins": ["text"]}, {"plugin": "macvlan"}),
        ({"type": "macvlan", "plugins": {"type": "x"}}, {"plugin": "macvlan"}),
        ({"type": "macvlan", "mtu": 9000}, {"plugin": "macvlan", "mtu": 9000}),
        ({"type": "macvlan", "mtu": "9000"}, {"plugin": "macvlan", "mtu": 9000}),
        ({"type": "macvlan", "mtu": "99999"}, {"plugin": "macvlan", "mtu": 99999}),
        ({"type": "macvlan", "mtu": "999999"}, {"plugin": "macvlan", "mtu": 0}),
        ({"type": "macvlan", "mtu": True}, {"plugin": "macvlan", "mtu": 0}),
        ({"type": "macvlan", "ipam": "dhcp"}, {"plugin": "macvlan"}),
        ({"type": "macvlan", "master": "${INTERFACE}"}, {}),
        ({"plugins": [{"type": "macvlan", "ipam": {"subnet": "REPLACE_ME"}}]}, {}),
        ({"type": "macvlan", "${KEY}": 1}, {}),
        ({}, {}),
        ("{{ .Values.config }}", {}),
        ("[1]", {}),
        ("{", {}),
    ],
)
def test_a_definition_says_plugin_interface_and_mtu(config: object, expected: dict[str, Any]) -> None:
    assert definition(config) == Attachable("default", "fast", **expected)


def test_a_definition_stands_in_its_namespace_and_names_a_resource() -> None:
    found = definition(
        {"type": "sriov"}, namespace="ml", annotations={"k8s.v1.cni.cncf.io/resourceName": "nvidia.com/rdma"}
    )
    assert found == Attachable("ml", "fast", resource="nvidia.com/rdma", plugin="sriov")
    unread = definition("$(CONFIG)", annotations={"k8s.v1.cni.cncf.io/resourceName": "nvidia.com/rdma"})
    assert unread == Attachable("default", "fast", resource="nvidia.com/rdma")


@pytest.mark.parametrize(
    ("ipam", "subnets"),
    [
        (HOST_LOCAL, ("10.0.0.0/16",)),
        ({"type": "whereabouts", "range": "10.1.0.0/16"}, ("10.1.0.0/16",)),
        ({"type": "whereabouts", "ipRanges": [{"range": "10.2.0.0/16"}, {"range": "fd00::/64"}]},
         ("10.2.0.0/16", "fd00::/64")),
        ({"type": "host-local", "ranges": [[{"subnet": "10.3.0.0/16"}], [{"subnet": "10.4.0.0/16"}]]},
         ("10.3.0.0/16", "10.4.0.0/16")),
        ({"type": "host-local", "ranges": "all", "range": 7}, ()),
        ({"type": "host-local", "ranges": ["all"]}, ()),
    ],
)  # fmt: skip
def test_addresses_come_from_all_ranges_of_the_plugin(ipam: dict[str, Any], subnets: tuple[str, ...]) -> None:
    assert definition({"type": "macvlan", "ipam": ipam}).subnets == subnets


@pytest.mark.parametrize(
    ("config", "routed"),
    [
        ({"ipam": HOST_LOCAL}, False),
        ({"ipam": {"type": "whereabouts", "range": "10.0.0.0/16"}}, False),
        ({"ipam": {"type": "dhcp"}}, True),
        ({"ipam": {}}, True),
        ({"ipam": HOST_LOCAL, "isGateway": True}, True),
        ({"ipam": HOST_LOCAL, "isDefaultGateway": True}, True),
        ({"ipam": HOST_LOCAL, "ipMasq": True}, True),
        ({"ipam": HOST_LOCAL, "mode": "l3"}, True),
        ({"ipam": HOST_LOCAL, "mode": "l2"}, False),
        ({"ipam": {**HOST_LOCAL, "gateway": "10.0.0.1"}}, True),
        ({"ipam": {**HOST_LOCAL, "routes": [{"dst": "0.0.0.0/0"}]}}, True),
    ],
)
def test_packets_leave_by_a_gateway_or_a_route_only(config: dict[str, Any], routed: bool) -> None:
    assert definition({"type": "bridge", **config}).routed is routed


@pytest.mark.parametrize(
    ("kind", "home"),
    [
        ("HostDeviceNetwork", "default"),
        ("IPoIBNetwork", "default"),
        ("MacvlanNetwork", "default"),
        ("OVSNetwork", "operators"),
        ("SriovIBNetwork", "operators"),
        ("SriovNetwork", "operators"),
    ],
)
def test_an_operator_makes_a_network_in_the_namespace_that_is_named_else_in_its_own(kind: str, home: str) -> None:
    # sriov-network-operator: "networkNamespace ... if not specified, it's the namespace of the object";
    # network-operator (mellanox.com): cluster-scoped, "default" where none is named
    full = item(kind, {"networkNamespace": "ml", "resourceName": "rdma", "mtu": 9000}, namespace="operators")
    made = {"generated": True, "plugin": kind}
    assert read_attachable(full) == Attachable("ml", "fast", resource="rdma", mtu=9000, **made)
    assert read_attachable(item(kind, {}, namespace="operators")) == Attachable(home, "fast", **made)


def test_networks_of_ovn_are_generated() -> None:
    own = item("UserDefinedNetwork", {}, namespace="ml")
    assert read_attachable(own) == Attachable("ml", "fast", generated=True, plugin="UserDefinedNetwork")
    wide = item("ClusterUserDefinedNetwork", {})
    assert read_attachable(wide) == Attachable("", "fast", generated=True, plugin="ClusterUserDefinedNetwork")
    assert read_attachable(item("Network", {})) is None


def test_the_network_operator_of_openshift_makes_additional_networks() -> None:
    spec = {"additionalNetworks": [{"name": "fast", "namespace": "ml"}, {"name": "slow"}]}
    found = list(read_additional_networks(item("Network", spec, "operator.openshift.io/v1")))
    assert found == [Attachable("ml", "fast", generated=True), Attachable("default", "slow", generated=True)]
    assert list(read_additional_networks(item("Network", spec, "config.openshift.io/v1"))) == []


NAMESPACES = {"ml": {"team": "ml"}, "web": {"team": "web"}, "unread": None}


def primary(kind: str, spec: dict[str, Any], **metadata: Any) -> tuple[str, ...]:
    found = item(kind, spec, **metadata)
    assert read_meta(found).kind == kind
    return read_primary_namespaces(found, NAMESPACES)  # type: ignore[arg-type]


@pytest.mark.parametrize("layer", ["layer2", "layer3", "localnet"])
def test_a_primary_network_of_ovn_is_that_of_its_namespaces(layer: str) -> None:
    spec = {layer: {"role": "Primary"}}
    assert primary("UserDefinedNetwork", spec, namespace="ml") == ("ml",)
    assert primary("UserDefinedNetwork", spec) == ("default",)
    assert primary("UserDefinedNetwork", {layer: {"role": "Secondary"}}, namespace="ml") == ()
    selected = {"network": spec, "namespaceSelector": {"matchLabels": {"team": "ml"}}}
    assert primary("ClusterUserDefinedNetwork", selected) == ("ml",)
    assert primary("ClusterUserDefinedNetwork", {**selected, "network": {}}) == ()


def test_a_selector_that_is_not_read_selects_no_namespace() -> None:
    network = {"layer3": {"role": "Primary"}}
    expression = {"matchLabels": {"team": "ml"}, "matchExpressions": [{"key": "team", "operator": "Exists"}]}
    assert primary("ClusterUserDefinedNetwork", {"network": network, "namespaceSelector": expression}) == ()
    assert primary("ClusterUserDefinedNetwork", {"network": network, "namespaceSelector": {}}) == ()
    named = {"matchLabels": {"kubernetes.io/metadata.name": "unread"}}
    assert primary("ClusterUserDefinedNetwork", {"network": network, "namespaceSelector": named}) == ("unread",)


def test_node_configuration_sets_mtus_of_ports() -> None:
    selector = {"pool": "gpu"}
    sriov = {"mtu": 9000, "resourceName": "rdma", "nodeSelector": selector, "nicSelector": {"vendor": "15b3"}}
    ((name, found),) = read_device_mtus(item("SriovNetworkNodePolicy", sriov))
    assert (name, found.mtu, found.policy, found.at.path) == ("rdma", 9000, "fast", ("spec", "mtu"))
    ((_, other),) = read_device_mtus(item("SriovNetworkNodePolicy", {**sriov, "nodeSelector": {"pool": "cpu"}}))
    ((_, third),) = read_device_mtus(item("SriovNetworkNodePolicy", {**sriov, "nicSelector": {"vendor": "8086"}}))
    assert len({found.ports, other.ports, third.ports}) == 3
    assert list(read_device_mtus(item("SriovNetworkNodePolicy", {**sriov, "mtu": 0}))) == []
    assert list(read_device_mtus(item("SriovNetworkNodePolicy", {**sriov, "mtu": "${MTU}"}))) == []


def test_nmstate_sets_mtus_of_interfaces_by_name() -> None:
    interfaces = [{"name": "eth1", "mtu": 9000}, {"name": "eth2"}, {"name": "eth3", "mtu": "${MTU}"}]
    spec = {"desiredState": {"interfaces": interfaces}, "nodeSelector": {"pool": "gpu"}}
    found = list(read_device_mtus(item("NodeNetworkConfigurationPolicy", spec)))
    at = found[0][1].at
    assert found == [("eth1", PortMtu(9000, "fast", repr({"pool": "gpu"}), at))]
    assert at.path == ("spec", "desiredState", "interfaces", 0, "mtu")
    assert list(read_device_mtus(item("Network", spec))) == []
