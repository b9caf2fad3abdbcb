"""What NCCL and Gloo choose: the results that were run on the real libraries (N 1.7, 2.1, 2.2)."""

from __future__ import annotations

from ipaddress import ip_interface

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.fabric.gloo import GlooFailure, select_gloo
from trainlint.fabric.interface import Interface, InterfaceAddress, listing, placed
from trainlint.fabric.name_list import MOST_ITEMS, NameList
from trainlint.fabric.selection import SelectionFailure, select

HOST = placed(["lo", "docker0", "eth0"])
POD = placed(["eth0"])

TABLE = {
    "e": "eth0",
    "": "eth0",
    "eth": "eth0",
    "eth0": "eth0",
    "=eth0": "eth0",
    "=eth": None,
    "ens5": None,
    "ens5,eth0": "eth0",
    "^=lo,docker0": "eth0",
    "=^lo": None,
    "^docker0": "lo",
    "^docker,lo": "eth0",
    "^lo": "docker0",
    "^lo, docker": "docker0",
    "^lo,^docker": "docker0",
    "^docker,lo,veth,eth": None,
    " eth0": None,
    "eth0 ": None,
    "ETH0": None,
    '"eth0"': None,
    "eth*": None,
    "eth0;eth1": None,
    "!lo": None,
}


@pytest.mark.parametrize(("value", "chosen"), TABLE.items())
def test_the_bootstrap_interface_is_the_one_of_the_real_library(value: str, chosen: str | None) -> None:
    selection = select(HOST, {"NCCL_SOCKET_IFNAME": value})
    assert (selection.bootstrap or None) == chosen
    assert (selection.failure is SelectionFailure.NO_INTERFACE) == (chosen is None)


def test_an_infiniband_interface_is_preferred_where_nothing_is_set() -> None:
    assert select(placed(["eth0", "ibp0"]), {}).interfaces == ("ibp0",)


def test_the_order_of_the_list_does_not_matter() -> None:
    entries = placed(["eth1", "eth0"])
    assert select(entries, {"NCCL_SOCKET_IFNAME": "eth0,eth1"}).bootstrap == "eth1"


def test_virbr_is_left_out_since_2_28() -> None:
    entries = placed(["virbr0", "eth0"])
    assert select(entries, {}, (2, 27, 5)).bootstrap == "virbr0"
    assert select(entries, {}, (2, 28, 9)).bootstrap == "eth0"


@pytest.mark.parametrize("value", ["eth", "=eth0", "^lo", "eth0, lo", "eth0,ens5"])
def test_gloo_knows_exact_names_only(value: str) -> None:
    assert select_gloo(POD, value).failure is GlooFailure.NO_SUCH_INTERFACE


def test_gloo_takes_every_item_and_forgives_a_comma_at_the_end() -> None:
    assert select_gloo(POD, "eth0,lo,").interfaces == ("eth0", "lo")
    assert select_gloo(POD, ",eth0").failure is GlooFailure.EMPTY_ITEM


NAMES = st.text(alphabet="aeht0lodkr^=,: ", max_size=12)


@given(NAMES, st.sampled_from(["lo", "eth0", "docker0", "eth10"]))
def test_an_exclusion_takes_what_the_inclusion_leaves(text: str, name: str) -> None:
    if not text.startswith("^"):
        assert NameList.parse(text).takes(name) is not NameList.parse(f"^{text}").takes(name)


@given(NAMES)
def test_every_text_is_a_list_of_at_most_sixteen_items(text: str) -> None:
    assert len(NameList.parse(text * 9).items) <= MOST_ITEMS


@given(NAMES)
def test_a_choice_is_always_among_the_interfaces_and_its_first_is_the_bootstrap(text: str) -> None:
    selection = select(HOST, {"NCCL_SOCKET_IFNAME": text})
    assert set(selection.interfaces) <= {"lo", "docker0", "eth0"}
    assert selection.bootstrap == (selection.interfaces[0] if selection.interfaces else "")


# --- NCCL_COMM_ID (N 2.3, and surprise 6): rank 0 listens in its subnet ---


def wired(**addresses: str) -> tuple[InterfaceAddress, ...]:
    """The interfaces of a pod, each with one address."""
    return listing([Interface(name, (ip_interface(text),)) for name, text in addresses.items()])


TWO = wired(lo="127.0.0.1/8", eth0="10.0.0.5/24", net1="192.168.7.5/16")


@pytest.mark.parametrize(
    ("comm_id", "bootstrap"),
    [
        ("10.0.0.9:29500", "eth0"),
        ("10.0.0.255:29500", "eth0"),
        ("10.0.1.9:29500", None),  # beside the /24
        ("192.168.255.9:1", "net1"),
        ("192.169.0.1:1", None),  # beside the /16
        ("127.9.9.9:29500", "lo"),
    ],
)
def test_the_bootstrap_listens_in_the_subnet_of_the_address_and_fails_outside_of_all(
    comm_id: str, bootstrap: str | None
) -> None:
    selection = select(TWO, {"NCCL_COMM_ID": comm_id})
    assert (selection.bootstrap or None) == bootstrap
    assert selection.failure is (None if bootstrap else SelectionFailure.COMM_ID_SUBNET)


def test_with_an_address_the_bootstrap_ignores_names_and_the_transport_does_not() -> None:
    chosen = select(TWO, {"NCCL_COMM_ID": "10.0.0.9:29500", "NCCL_SOCKET_IFNAME": "net"})
    assert (chosen.bootstrap, chosen.interfaces) == ("eth0", ("net1",))
    lost = select(TWO, {"NCCL_COMM_ID": "10.0.0.9:29500", "NCCL_SOCKET_IFNAME": "ens"})
    assert (lost.bootstrap, lost.failure) == ("eth0", SelectionFailure.NO_INTERFACE_TRANSPORT)


def test_the_transport_prefers_infiniband_and_then_the_subnet_of_the_address() -> None:
    assert select(TWO, {"NCCL_COMM_ID": "192.168.0.1:1"}).interfaces == ("net1",)
    assert select(TWO, {}).interfaces == ("eth0", "net1")
    with_ib = wired(lo="127.0.0.1/8", eth0="10.0.0.5/24", ib0="172.16.0.5/24")
    assert select(with_ib, {"NCCL_COMM_ID": "10.0.0.9:1"}).interfaces == ("ib0",)


@pytest.mark.parametrize("comm_id", ["", "x", "[fe80::1%eth0:29500", "head-0.head:29500", ":29500"])
def test_what_names_no_address_is_invalid_to_nccl(comm_id: str) -> None:
    assert select(TWO, {"NCCL_COMM_ID": comm_id}).failure is SelectionFailure.INVALID_COMM_ID


def test_a_link_local_address_is_near_only_on_the_interface_that_it_names() -> None:
    entries = wired(lo="::1/128", eth0="fe80::5/64", net1="fe80::6/64")
    assert select(entries, {"NCCL_COMM_ID": "[fe80::9%net1]:1"}).bootstrap == "net1"
    assert select(entries, {"NCCL_COMM_ID": "[fe80::9%eth0]:1"}).bootstrap == "eth0"
    assert select(entries, {"NCCL_COMM_ID": "[fe80::9]:1"}).failure is SelectionFailure.COMM_ID_SUBNET
    assert select(wired(eth0="2001:db8::5/64"), {"NCCL_COMM_ID": "[2001:db8::9]:1"}).bootstrap == "eth0"
    assert (
        select(wired(eth0="2001:db8::5/64"), {"NCCL_COMM_ID": "[2001:db8:1::9]:1"}).failure
        is SelectionFailure.COMM_ID_SUBNET
    )
    assert select(entries, {"NCCL_COMM_ID": "10.0.0.9:1"}).failure is SelectionFailure.COMM_ID_SUBNET
