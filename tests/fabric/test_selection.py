"""What NCCL and Gloo choose: the results that were run on the real libraries (N 1.7, 2.1, 2.2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.fabric.gloo import GlooFailure, select_gloo
from trainlint.fabric.interface import placed
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
