"""What the settings of ranks ask of network devices: that there are some, or that none is used (N 3.3, 4)."""

from __future__ import annotations

from typing import Final

from trainlint.fabric.device import Devices
from trainlint.fabric.number import read_number
from trainlint.fabric.process import Rank
from trainlint.launch.environment import Variable
from trainlint.lazy_pattern import lazy_pattern

__all__ = ["SLOW_PROVIDERS", "fabric_off", "fabric_refused", "needs_device"]

SLOW_PROVIDERS: Final = frozenset({"tcp", "sockets", "udp", "tcp;ofi_rxm"})
"""Providers of libfabric that send over TCP or UDP, whatever devices there are."""
_ETHERNET: Final = lazy_pattern(r"^=?(?:eth|en[opsx]\d|bond|lo\b)")
"""Names of network interfaces: as names of adapters they select none, which some write to have none."""
_FABRIC_NETS: Final = frozenset({"ib", "libfabric", "aws libfabric", "ofi"})
_NEEDING: Final = ("FI_PROVIDER", "NCCL_IB_HCA", "UCX_NET_DEVICES", "NCCL_NET")


def needs_device(rank: Rank, devices: Devices) -> Variable | None:
    """The first setting of a rank that has an effect only with a device, where its pods have none; ``None`` if there is
    no such setting, or another one switches the devices off.
    """
    if devices.asked or devices.open or fabric_off(rank):
        return None
    for name in _NEEDING:
        variable, value = rank.settings.get(name), rank.value(name)
        if variable is not None and value is not None and _needs(name, value):
            return variable
    return None


def fabric_refused(rank: Rank) -> bool:
    """Whether a setting says that the ranks shall use no fabric, or may say so."""
    net, provider = rank.value("NCCL_NET"), rank.value("FI_PROVIDER")
    if {"NCCL_NET", "FI_PROVIDER"} & set(rank.settings) and net is None and provider is None:
        return True
    tcp = (net or "").lower() == "socket" or (provider or "").strip().lower() in SLOW_PROVIDERS
    return tcp or fabric_off(rank)


def fabric_off(rank: Rank) -> bool:
    """Whether NCCL_IB_DISABLE keeps NCCL from verbs devices, or may: its value may stand outside of Git."""
    off = rank.value("NCCL_IB_DISABLE")
    if off is None:
        return "NCCL_IB_DISABLE" in rank.settings
    return read_number(off).value not in {None, 0}


def _needs(name: str, value: str) -> bool:
    if name == "FI_PROVIDER":
        return value.strip() == "efa"
    if name == "NCCL_NET":
        return value.lower() in _FABRIC_NETS
    if name == "UCX_NET_DEVICES":
        return value.startswith(("mlx", "rocep"))
    return len(value) > 1 and not value.startswith("^") and _ETHERNET.match(value) is None
