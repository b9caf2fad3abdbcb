"""The answers about groups in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import lint

from trainlint.result.answers import can_run, decided

JOB = """
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: serve, namespace: ml}
spec:
  replicas: 1
  leaderWorkerTemplate:
    size: 2
    workerTemplate:
      spec:
        containers:
          - name: server
            command: [python3, server.py, --address, "$(LWS_LEADER_ADDRESS):9000"]
            resources: {limits: {nvidia.com/gpu: 8}}
"""
INVENTORY = "{apiVersion: trainlint.io/v1alpha1, kind: Inventory, metadata: {name: lab}, pools: [POOLS]}"
POOL = "{name: gpu-ZONE, count: COUNT, zone: ZONE, allocatable: {cpu: 90, memory: 900Gi, pods: 99, nvidia.com/gpu: 8}}"


def pool(zone: str, count: int) -> str:
    return POOL.replace("ZONE", zone).replace("COUNT", str(count))


@pytest.mark.parametrize(
    ("pools", "cell", "summary"),
    [
        ([pool("a", 1), pool("b", 1)], "only across zones", "1 can run only across zones"),
        ([pool("a", 1)], "no", "1 cannot run"),
        ([pool("a", 2)], "yes (a)", "1 proved"),
    ],
)
def test_a_group_that_two_zones_take_together_is_not_said_to_run_nowhere(
    tmp_path: Path, pools: list[str], cell: str, summary: str
) -> None:
    result = lint(tmp_path, {"job.yaml": JOB, "inventory.yaml": INVENTORY.replace("POOLS", ", ".join(pools))})
    (group,) = result.groups
    assert (can_run(group), decided(result.groups)) == (cell, summary)


def test_what_a_proved_group_refers_to_and_git_does_not_hold_is_assumed(tmp_path: Path) -> None:
    spec = "spec:\n        serviceAccountName: trainer\n        priorityClassName: high"
    job = JOB.replace("metadata: {name: serve,", "metadata: {labels: {kueue.x-k8s.io/queue-name: gpus}, name: serve,")
    result = lint(
        tmp_path,
        {"job.yaml": job.replace("spec:\n        containers", f"{spec}\n        containers", 1),
         "inventory.yaml": INVENTORY.replace("POOLS", pool("a", 2))},
    )  # fmt: skip
    assert {each.partition(",")[0] for each in result.assumptions if "Git does not hold it" in each} == {
        "LocalQueue ml/gpus is there: serve/leader refers to it",
        "PriorityClass high is there: serve/leader refers to it",
        "ServiceAccount ml/trainer is there: serve/leader refers to it",
    }
