"""Decision 7: a name counts only as host of host:port or URL, with its namespace, or behind an address-like name."""

from __future__ import annotations

import pytest
from tests.launch.containers import container

from trainlint.launch.addresses import addresses


def found(text: str) -> list[tuple[str, int | None]]:
    return [(address.host, address.port) for address in addresses(container(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("{args: ['--x=store:2379']}", [("store", 2379)], id="host and port"),
        pytest.param("{args: [--x, 'tcp://store:29400/y']}", [("store", 29400)], id="URL"),
        pytest.param("{args: [--x, 'http://u:p@web/path']}", [("web", 80)], id="URL with the scheme's port"),
        pytest.param(
            "{args: [go, hub.lab.svc.cluster.local]}", [("hub.lab.svc.cluster.local", None)], id="name with namespace"
        ),
        pytest.param("{args: [--coordinator, hub]}", [("hub", None)], id="address-like flag"),
        pytest.param("{args: [--rdzv_endpoint=hub]}", [("hub", None)], id="address-like flag with underscores"),
        pytest.param("{env: [{name: REDIS_HOST, value: cache}]}", [("cache", None)], id="address-like variable"),
        pytest.param("{env: [{name: RENDEZVOUS, value: hub}]}", [("hub", None)], id="rendezvous variable"),
        pytest.param("{args: ['--peers=a-0.a:1,a-1.a:1']}", [("a-0.a", 1), ("a-1.a", 1)], id="lists"),
        pytest.param("{command: [sh, -c, 'run trainer.master=hub:7 x']}", [("hub", 7)], id="key=value words"),
        pytest.param("{command: [sh, -c, 'export MASTER_ADDR=hub']}", [("hub", None)], id="variable of a script"),
        pytest.param("{args: [train, hub]}", [], id="bare word elsewhere"),
        pytest.param("{args: [--rdzv-id, hub, --backend=hub]}", [], id="names that are no addresses"),
        pytest.param("{env: [{name: MODEL, value: hub}]}", [], id="variable that is no address"),
        pytest.param("{args: ['--x=s3://store/y', --y, 'file://hub/z', 'env://']}", [], id="URLs of no network"),
        pytest.param(
            "{args: ['--listen=0.0.0.0:9', '--advertise-client-urls=http://me:2379']}", [], id="what it offers"
        ),
        pytest.param("{args: ['--master-addr=10.0.0.1', '--x=localhost:9', --y, '127.0.0.1:3']}", [], id="no names"),
        pytest.param("{args: [-p, '8080:80', '--ratio=1:2']}", [], id="numbers with a colon"),
    ],
)
def test_only_addresses_are_found(text: str, expected: list[tuple[str, int | None]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("{args: [t, --master-addr=h, --master-port=7]}", ("h", 7), id="flag beside it"),
        pytest.param("{args: [t, --master_addr, h, --master_port, '7']}", ("h", 7), id="flag with underscores"),
        pytest.param(
            "{env: [{name: MASTER_ADDR, value: h}, {name: MASTER_PORT, value: '7'}]}", ("h", 7), id="variable"
        ),
        pytest.param(
            "{command: [torchrun, --nnodes=2, --master-addr=h, x]}", ("h", 29500), id="torchrun's default, F1"
        ),
        pytest.param("{command: [torchrun, --nnodes=2, --rdzv-endpoint=h, x]}", ("h", 29400), id="c10d's default, F2"),
        pytest.param(
            "{command: [python, -m, torch.distributed.run, --rdzv-endpoint=h, x]}", ("h", 29400), id="as module"
        ),
        pytest.param("{command: [vllm, serve, m, --master-addr, h]}", ("h", 29501), id="vLLM's default, F13"),
        pytest.param("{command: [accelerate, launch, --main_process_ip, h, x]}", ("h", 29500), id="accelerate, F12b"),
        pytest.param("{command: [sh, -c, 'P=5; t --x=h:$P']}", ("h", 5), id="a known variable"),
        pytest.param("{args: ['--x=h:$P']}", ("h", None), id="an unknown variable"),
    ],
)
def test_ports_come_from_beside_the_address_or_from_the_launcher(text: str, expected: tuple[str, int | None]) -> None:
    assert found(text) == [expected]


def test_what_follows_a_host_of_mpirun_counts_processes() -> None:
    assert found("{command: [mpirun, -H, 'w-0.w:8,w-1.w:8', x]}") == [("w-0.w", None), ("w-1.w", None)]


@pytest.mark.parametrize(
    ("name", "meets"),
    [
        ("MASTER_ADDR", True),
        ("PET_RDZV_ENDPOINT", True),
        ("JAX_COORDINATOR_ADDRESS", True),
        ("DMLC_TRACKER_URI", True),
        ("REDIS_MASTER_HOST", False),
        ("MLFLOW_TRACKING_URI", False),
        ("SCHEDULER_URL", False),
    ],
)
def test_ranks_meet_only_where_the_name_says_so(name: str, meets: bool) -> None:
    (address,) = addresses(container(f"{{env: [{{name: {name}, value: 'http://h:1'}}]}}"))
    assert address.rendezvous is meets
