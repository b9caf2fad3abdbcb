"""Numbers, words and names (N 1.2 to 1.7, 2.3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.fabric.image import versions_of
from trainlint.fabric.number import read_number
from trainlint.fabric.variables import is_numeric, is_read, known_names
from trainlint.kube.names import distance
from trainlint_rules.fabric.invalid_nccl_value.values import complaint
from trainlint_rules.fabric.unknown_nccl_variable import nearest_name


def test_the_numeric_names_of_2_30_7_are_all_there() -> None:
    assert sum(map(is_numeric, known_names())) == 198


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NCCL_IB_DISABLE", "true"),
        ("NCCL_CUMEM_ENABLE", '"1"'),
        ("NCCL_BUFFSIZE", "4M"),
        ("NCCL_IB_GID_INDEX", "010"),
        ("NCCL_IB_TIMEOUT", "100"),
        ("NCCL_CROSS_NIC", "3"),
        ("NCCL_P2P_DISABLE", "2"),
        ("NCCL_SHM_DISABLE", "2"),
        ("NCCL_P2P_LEVEL", "nvl"),
        ("NCCL_NET_GDR_LEVEL", "DIS"),
        ("NCCL_DEBUG", "DEBUG"),
        ("NCCL_DEBUG", "1"),
        ("NCCL_DEBUG_SUBSYS", "INIT,FOO"),
        ("NCCL_SOCKET_FAMILY", "IPv4"),
        ("NCCL_ALGO", "Collnet"),
        ("NCCL_COMM_ID", ""),
        ("NCCL_SOCKET_IFNAME", "^lo,^docker"),
        ("NCCL_IB_HCA", "mlx5_0, mlx5_1"),
        ("TORCH_DISTRIBUTED_DEBUG", "VERBOSE"),
        ("UCX_NET_DEVICES", "mlx5_0"),
        ("UCX_NET_DEVICES", "mlx5_0:1,mlx6_1:1"),
        ("NCCL_IB_HCA", "mlx3_1:1"),
        ("NCCL_IB_HCA", "=mlx5"),
        ("NCCL_IB_HCA", "mlx5-0"),
    ],
)
def test_values_that_are_read_as_something_else(name: str, value: str) -> None:
    assert complaint(name, value) is not None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NCCL_IB_DISABLE", "1"),
        ("NCCL_IB_DISABLE", ""),
        ("NCCL_IB_TC", "0x29"),
        ("NCCL_IB_TIMEOUT", "22"),
        ("NCCL_MIN_NCHANNELS", "32 "),
        ("NCCL_P2P_DISABLE", "1"),
        ("NCCL_P2P_LEVEL", "NVL"),
        ("NCCL_P2P_LEVEL", "2"),
        ("NCCL_DEBUG", "info"),
        ("NCCL_DEBUG_SUBSYS", "^NET"),
        ("NCCL_ALGO", "Ring"),
        ("NCCL_ALGO", "allreduce:tree,nvls;broadcast:ring"),
        ("NCCL_PROTO", "^LL128"),
        ("NCCL_COMM_ID", "head-0.head:29400"),
        ("NCCL_SOCKET_IFNAME", "^docker,lo"),
        ("NCCL_SOCKET_IFNAME", "eth,ens,ib"),
        ("NCCL_IB_HCA", "=mlx5_0:1,mlx5_1:1"),
        ("NCCL_NET", "AWS Libfabric"),
        ("TORCH_DISTRIBUTED_DEBUG", "detail"),
        ("UCX_NET_DEVICES", "mlx5_0:1"),
        ("UCX_NET_DEVICES", "mlx4_0:1,mlx5_bond_0:1"),
        ("UCX_NET_DEVICES", "^mlx3_1:1"),
        ("NCCL_IB_HCA", "mlx5"),
        ("NCCL_IB_HCA", "mlx"),
        ("NCCL_IB_HCA", "=mlx5_ib0,mlx5_bond_0:1"),
        ("NCCL_IB_HCA", "^mlx3_0"),
        ("NCCL_IB_HCA", "bnxt_re0,rocep1s0"),
        ("UCX_NET_DEVICES", "eth0"),
    ],
)
def test_values_that_are_right(name: str, value: str) -> None:
    assert complaint(name, value) is None


def test_what_is_no_number_is_zero_before_2_32_and_the_default_after() -> None:
    assert read_number("true", (2, 31, 2)).value == 0
    assert read_number("true", (2, 32, 3)).value is None


@given(st.integers(-(2**63), 2**63 - 1))
def test_numbers_are_read_as_they_are_written(number: int) -> None:
    assert read_number(str(number)).value == number
    assert read_number(f"{'-' if number < 0 else ''}{hex(abs(number))}").value == number


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("NCCL_DISABLE_IB", "NCCL_IB_DISABLE"),
        ("NCCL_SOCKET_IFNAMES", "NCCL_SOCKET_IFNAME"),
        ("NCCL_DEBUG_SUBSYSTEM", ""),
        ("NCCL_IB_TIMOEUT", "NCCL_IB_TIMEOUT"),
    ],
)
def test_the_nearest_name(wrong: str, right: str) -> None:
    assert nearest_name(wrong) == right


@pytest.mark.parametrize(
    "name",
    ["NCCL_VERSION", "NCCL_TESTS_HOME", "NCCL_ASYNC_ERROR_HANDLING", "NCCL_IBEXT_DISABLE", "NCCL_FASTRAK_CTRL_DEV",
     "NCCL_GPUDIRECTTCPX_SOCKET_IFNAME", "NCCL_SHIMNET_GUEST_CONFIG_CHECKER_CONFIG_FILE"],
)  # fmt: skip
def test_names_of_images_torch_and_plugins_are_right(name: str) -> None:
    assert is_read(name)


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_distance_is_symmetric_and_zero_only_for_equals(one: str, other: str) -> None:
    assert distance(one, other) == distance(other, one)
    assert (distance(one, other) == 0) == (one == other)


@pytest.mark.parametrize(
    ("image", "nccl", "torch"),
    [
        ("nvcr.io/nvidia/pytorch:24.05-py3", (2, 21, 5), None),
        ("nvcr.io/nvidia/pytorch:24.06-py3", None, None),
        ("nvcr.io/nvidia/pytorch@sha256:0", None, None),
        ("pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime", (2, 21, 5), (2, 5, 1)),
        ("pytorch/pytorch:2.5.1-cuda11.8-cudnn9-runtime", None, (2, 5, 1)),
        ("registry.example:5000/bench:12.2.2-devel-ubuntu22.04-nccl2.19.3-1-868dc3d", (2, 19, 3), None),
        ("registry.example/own:7", None, None),
    ],
)
def test_releases_from_tags(image: str, nccl: tuple[int, ...] | None, torch: tuple[int, ...] | None) -> None:
    found = versions_of(image)
    assert (found.nccl, found.torch) == (nccl, torch)
