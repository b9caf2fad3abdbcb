"""WORLD_SIZE of Volcano's pytorch plugin, release by release (volcano-sh/volcano 4238)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import read

from trainlint.workload.checks.plugins import volcano_release, world_sizes

JOB = """
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: j}
spec:
  plugins: {pytorch: [PLUGIN]}
  tasks:
  - {name: master, replicas: 1, template: {spec: {containers: [{name: c, command: COMMAND}]}}}
  - {name: worker, replicas: 3, template: {spec: {containers: [{name: c, command: COMMAND}]}}}
  - {name: board, replicas: BOARDS, template: {spec: {containers: [{name: c, command: [tensorboard]}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: volcano-controllers}
spec: {template: {spec: {containers: [{name: c, image: "IMAGE"}]}}}
"""
PYTHON = "[python, train.py]"


@pytest.mark.parametrize(
    ("image", "command", "boards", "plugin", "size"),
    [
        ("volcanosh/vc-controller-manager:v1.11.2", PYTHON, "1", "", 5),
        ("docker.io/volcanosh/vc-controller-manager:v1.10.0", PYTHON, "2", "", 6),
        ("docker.io/volcanosh/vc-controller-manager:v1.12.0", PYTHON, "1", "", None),
        ("docker.io/volcanosh/vc-controller-manager:latest", PYTHON, "1", "", None),
        ("volcanosh/vc-controller-manager:v1.11.2", PYTHON, "0", "", None),
        ("volcanosh/vc-controller-manager:v1.11.2", "[torchrun, --nnodes=4, train.py]", "1", "", None),
        ("volcanosh/vc-controller-manager:v1.11.2", "[bash, -c, torchrun --nnodes=$WORLD_SIZE train.py]", "1", "", 5),
        ("volcanosh/vc-controller-manager:v1.11.2", PYTHON, "1", "--worker=board", 5),
    ],
)
def test_tasks_beside_the_ranks(image: str, command: str, boards: str, plugin: str, size: int | None) -> None:
    text = JOB.replace("IMAGE", image).replace("COMMAND", command).replace("BOARDS", boards).replace("PLUGIN", plugin)
    workloads = read(text)
    release = volcano_release(workloads.pod_sets)
    found = [fault.size for each in workloads.objects for fault in world_sizes(each, release)]
    assert found == ([] if size is None else [size])
