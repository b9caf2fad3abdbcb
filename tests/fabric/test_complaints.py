"""What is said of values of NCCL and its neighbours, and what is offered (N 1.2, 1.7, 2.3), at every limit."""

from __future__ import annotations

import pytest

from trainlint.fabric.release import NEWEST, Release
from trainlint_rules.fabric.invalid_nccl_value.values import complaint

OLD: Release = (2, 20, 5)


@pytest.mark.parametrize(
    ("name", "value", "release", "said", "remedy"),
    [
        ("NCCL_IB_DISABLE", "true", NEWEST, "is no number: NCCL reads 0, and from 2.32 keeps", 'write "1"'),
        ("NCCL_IB_DISABLE", "off", NEWEST, "is no number", 'write "0"'),
        ("NCCL_IB_DISABLE", '"1"', NEWEST, "is no number", 'write "1"'),
        ("NCCL_IB_DISABLE", "maybe", NEWEST, "is no number", "write a number"),
        ("NCCL_IB_DISABLE", "true", OLD, "is no number: NCCL reads 0", 'write "1"'),
        ("NCCL_IB_DISABLE", "true", (2, 32, 4), "is no number: NCCL keeps", 'write "1"'),
        ("NCCL_BUFFSIZE", "4M", NEWEST, "is read as 4", "write 4, or the number that is meant"),
        ("NCCL_IB_GID_INDEX", "010", NEWEST, "is read as 8 (a leading 0 means octal)", "write 8"),
        ("NCCL_IB_GID_INDEX", "-010", NEWEST, "is read as -8 (a leading 0 means octal)", "write -8"),
        ("NCCL_BUFFSIZE", "9" * 25, NEWEST, "does not fit into 64 bits", "write a smaller number"),
        ("NCCL_IB_TIMEOUT", "32", NEWEST, "means no timeout at all", "from 1 to 31"),
        ("NCCL_IB_TIMEOUT", "0", NEWEST, "means no timeout at all", "from 1 to 31"),
        ("NCCL_IB_RETRY_CNT", "8", NEWEST, "is outside of what NCCL knows", "from 0 to 7"),
        ("NCCL_CROSS_NIC", "3", NEWEST, "is outside", "from 0 to 2"),
        ("NCCL_CROSS_NIC", "-1", NEWEST, "is outside", "from 0 to 2"),
        ("NCCL_NVLS_ENABLE", "-1", NEWEST, "is outside", "from 0 to 2"),
        ("NCCL_NTHREADS", "96", NEWEST, "is no number of threads", "write 64, 128, 256 or 512"),
        ("NCCL_SHM_DISABLE", "2", NEWEST, "has no effect", "write 1"),
        ("NCCL_SHM_DISABLE", "-1", NEWEST, "has no effect", "write 1"),
        ("NCCL_P2P_LEVEL", "nvl", NEWEST, "is no level", "in capitals"),
        ("NCCL_P2P_DISABLE", "2", NEWEST, "only 1 disables P2P", "write 1"),
        ("NCCL_SOCKET_FAMILY", "IPv4", NEWEST, "is ignored", "write AF_INET or AF_INET6"),
        ("NCCL_LAUNCH_MODE", "parallel", NEWEST, "is ignored", "write GROUP or PARALLEL"),
        ("NCCL_CHECK_MODE", "DEBUG", NEWEST, "is ignored", "DEBUG_GLOBAL or DEBUG_LOCAL or DEFAULT"),
        ("NCCL_NET_MERGE_POLICY", "NONE", NEWEST, "is ignored", "write ALL or RAIL"),
        ("NCCL_SET_THREAD_NAME", "perhaps", NEWEST, "is no boolean", "write 1 or 0"),
        ("NCCL_CTA_POLICY", "FAST", NEWEST, "is no policy", "write DEFAULT, EFFICIENCY or ZERO"),
        ("NCCL_CTA_POLICY", "ZERO|FAST", NEWEST, "is no policy", "write DEFAULT, EFFICIENCY or ZERO"),
        ("NCCL_DEBUG", "DEBUG", NEWEST, "nothing is logged", "write WARN or INFO"),
        ("NCCL_DEBUG_SUBSYS", "INIT,FOO", NEWEST, "holds FOO, which is no subsystem: NCCL drops", "take FOO out"),
        ("NCCL_DEBUG_SUBSYS", "^foo", (2, 30), "NCCL drops the whole list", "take FOO out"),
        ("NCCL_DEBUG_SUBSYS", "INIT,FOO", (2, 29, 9), "NCCL passes over it", "take FOO out"),
        ("NCCL_ALGO", "Rings", (2, 24), "holds 'Rings', which NCCL does not know: init fails", "ring, tree"),
        ("NCCL_ALGO", "Rings", (2, 23, 4), "it is ignored", "choose among"),
        ("NCCL_ALGO", "collnet", (2, 24), "init fails", "choose among"),
        ("NCCL_ALGO", "allreduce:ring;broadcast:trees", NEWEST, "holds 'trees'", "choose among"),
        ("NCCL_PROTO", "LL,LL64", NEWEST, "holds 'LL64'", "choose among ll, ll128, simple"),
        ("NCCL_COMM_ID", "head", NEWEST, "NCCL fails in init", "write address:port"),
        ("NCCL_COMM_ID", "head:295000", NEWEST, "NCCL fails in init", "write address:port"),
        ("NCCL_SOCKET_IFNAME", "^lo,^docker", NEWEST, "holds the item '^docker'", "write docker"),
        ("NCCL_SOCKET_IFNAME", "eth0, eth1", NEWEST, "blanks and quotes are part of a name", "write eth1"),
        ("NCCL_SOCKET_IFNAME", "eth0,=eth1", NEWEST, "^ and = count only once", "write eth1"),
        ("NCCL_OOB_NET_IFNAME", "'eth0'", NEWEST, "blanks and quotes", "write eth0"),
        ("NCCL_SOCKET_IFNAME", "a" * 15 + ',eth0,"', NEWEST, "blanks and quotes", "remove it"),
        ("NCCL_IB_HCA", "mlx5_0, mlx5_1", NEWEST, "blanks and quotes", "write mlx5_1"),
        ("NCCL_IB_HCA", "mlx3_1:1", NEWEST, "names mlx3_1, and no driver makes", "such as mlx5_1"),
        ("NCCL_IB_HCA", "=mlx5", NEWEST, "names mlx5", "such as mlx5_0"),
        ("NCCL_IB_HCA", "mlx5_0,mlx5-7", NEWEST, "names mlx5-7", "such as mlx5_0"),
        ("UCX_NET_DEVICES", "mlx5_0", NEWEST, "names mlx5_0 without a port", "write mlx5_0:1"),
        ("UCX_NET_DEVICES", "mlx5_0:1,mlx6_12:1", NEWEST, "names mlx6_12", "such as mlx5_12"),
        ("UCX_NET_DEVICES", "^mlx5_3", NEWEST, "names mlx5_3 without a port", "write mlx5_3:1"),
        ("TORCH_DISTRIBUTED_DEBUG", "VERBOSE", NEWEST, "raises ValueError", "write OFF, INFO or DETAIL"),
    ],
)
def test_what_is_wrong_and_what_to_write(name: str, value: str, release: Release, said: str, remedy: str) -> None:
    found = complaint(name, value, release)
    assert found is not None
    assert said in found[0]
    assert remedy in found[1]


@pytest.mark.parametrize(
    ("name", "value", "release"),
    [
        *(("NCCL_IB_TIMEOUT", each, NEWEST) for each in ("1", "31")),
        *(("NCCL_IB_RETRY_CNT", each, NEWEST) for each in ("0", "7")),
        *(("NCCL_CROSS_NIC", each, NEWEST) for each in ("0", "2")),
        *(("NCCL_NVLS_ENABLE", each, NEWEST) for each in ("-2", "0", "2")),
        *(("NCCL_MNNVL_ENABLE", each, NEWEST) for each in ("-2", "0", "2")),
        *(("NCCL_NTHREADS", each, NEWEST) for each in ("-2", "64", "128", "256", "512")),
        *(("NCCL_SHM_DISABLE", each, NEWEST) for each in ("0", "1")),
        *(("NCCL_P2P_DISABLE", each, NEWEST) for each in ("0", "1", "")),
        *(("NCCL_SOCKET_FAMILY", each, NEWEST) for each in ("AF_INET", "AF_INET6", "")),
        *(("NCCL_CTA_POLICY", each, NEWEST) for each in ("", "2", "zero", "EFFICIENCY|ZERO")),
        *(("NCCL_SET_THREAD_NAME", each, NEWEST) for each in ("0", "1", "")),
        *(("NCCL_DEBUG", each, NEWEST) for each in ("", "NONE", "TRACE", "warn")),
        *(("NCCL_DEBUG_SUBSYS", each, NEWEST) for each in ("", "ALL", "init , net,", "^ALL")),
        ("NCCL_ALGO", "collnet", (2, 23, 4)),
        ("NCCL_ALGO", "", NEWEST),
        ("NCCL_ALGO", "^ring, tree", NEWEST),
        ("NCCL_PROTO", "simple", NEWEST),
        ("NCCL_COMM_ID", "10.0.0.1:29500", NEWEST),
        ("NCCL_COMM_ID", "head.ml:1", NEWEST),
        ("NCCL_SOCKET_IFNAME", "=eth0", NEWEST),
        ("NCCL_SOCKET_IFNAME", "^", NEWEST),
        ("NCCL_IB_HCA", "mlx5_[01]", NEWEST),
        ("NCCL_BUFFSIZE", "0x400000", NEWEST),
        ("NCCL_BUFFSIZE", " +4194304 ", NEWEST),
        ("UCX_NET_DEVICES", "all", NEWEST),
        ("TORCH_DISTRIBUTED_DEBUG", "", NEWEST),
        ("OTHER", "anything", NEWEST),
        ("NCCL", "anything", NEWEST),
    ],
)
def test_what_nothing_is_said_of(name: str, value: str, release: Release) -> None:
    assert complaint(name, value, release) is None
