"""What proves that ranks of one job run in several pods (W 9, W 15)."""

from __future__ import annotations

import pytest
from tests.launch.containers import container

from trainlint.launch.markers import markers, spans_nodes


@pytest.mark.parametrize(
    "text",
    [
        "{command: [torchrun, --nnodes=2, x]}",
        "{command: [sh, -c, 'exec torchrun --nnodes $N x']}",
        "{command: [torchrun, '--nnodes=1:4', --rdzv-endpoint=h, x]}",
        "{command: [python, -m, torch.distributed.launch, --nnodes=4, x]}",
        "{command: [deepspeed, --hostfile=/h, x]}",
        "{command: [deepspeed, --num_nodes=2, x]}",
        "{command: [accelerate, launch, --num_machines=2, x]}",
        "{command: [mpirun, --hostfile, /h, x]}",
        "{command: [train, --coordinator, h, --rank, '0', --world-size, '4']}",
        "{command: [python, x], env: [{name: MASTER_ADDR, value: h-0.h}, {name: WORLD_SIZE, value: '4'}]}",
        "{command: [ray, start, --address=h:6379, --block]}",
    ],
)
def test_several_nodes_are_proved(text: str) -> None:
    assert spans_nodes(container(text)) is not None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{command: [python, train.py]}", id="nothing says so"),
        pytest.param("{command: [torchrun, --standalone, --nproc-per-node=8, x]}", id="standalone"),
        pytest.param("{command: [torchrun, --nproc-per-node=8, x]}", id="torchrun alone is one node"),
        pytest.param("{command: [torchrun, --nnodes=1, x], env: [{name: MASTER_ADDR, value: h}]}", id="one node"),
        pytest.param("{command: [python, x], env: [{name: NCCL_DEBUG, value: INFO}]}", id="a library's variable"),
        pytest.param("{command: [python, x], env: [{name: MASTER_ADDR, value: localhost}]}", id="meets itself"),
        pytest.param("{command: [mpirun, -np, '8', x]}", id="mpirun in one pod"),
    ],
)
def test_one_node_or_nothing_is_no_proof(text: str) -> None:
    assert spans_nodes(container(text)) is None


def test_a_marker_says_where_it_stands() -> None:
    (launcher, *_) = markers(container("{command: [bash, -c], args: ['exec torchrun --nnodes=2 x']}"))
    assert (launcher.text, launcher.at.path) == ("torchrun", ("args", 0))
