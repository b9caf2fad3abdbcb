"""Slots of DeepSpeed's hostfile (W 15.F12)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import read

from trainlint.workload.checks.hostfile import hostfile_slots
from trainlint.workload.services import directory_of

SET = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: w, namespace: ml}
spec:
  serviceName: w
  replicas: 2
  template:
    metadata: {labels: {app: w}}
    spec:
      volumes: [{name: h, configMap: {name: hosts}}]
      containers:
      - name: c
        command: COMMAND
        volumeMounts: [{name: h, mountPath: PATH}]
        resources: {limits: {nvidia.com/gpu: GPUS}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: hosts, namespace: ml}
data: {hostfile: "w-0.w slots=8\\nw-1.w slots=8\\n"}
"""


def slots(command: str = "[deepspeed, train.py]", path: str = "/job", gpus: str = "8") -> list[tuple[str, str | None]]:
    workloads = read(SET.replace("COMMAND", command).replace("PATH", path).replace("GPUS", gpus))
    directory = directory_of(workloads)
    found = [fault for each in workloads.objects for fault in hostfile_slots(each, directory)]
    return [(fault.at.path[-1] if isinstance(fault.at.path[-1], str) else "inline", fault.severity) for fault in found]


@pytest.mark.parametrize(
    ("command", "path", "gpus", "found"),
    [
        ("[deepspeed, train.py]", "/job", "8", []),
        ("[deepspeed, train.py]", "/job", "4", [("hostfile", None)]),
        ("[deepspeed, train.py]", "/job", "16", [("hostfile", "warning")]),
        ("[deepspeed, --hostfile=/etc/h/hostfile, train.py]", "/etc/h", "4", [("hostfile", None)]),
        ("[deepspeed, --hostfile=/etc/other, train.py]", "/etc/h", "4", []),
        ("[deepspeed, --num_gpus=4, train.py]", "/job", "4", []),  # it takes fewer than the file lists
        ("[deepspeed, --include=w-0.w@w-1.w, train.py]", "/job", "4", []),
        ("[python, train.py]", "/job", "4", []),
        (
            '[bash, -c, "echo w-0 slots=8 > /tmp/hosts; deepspeed --hostfile /tmp/hosts train.py"]',
            "/job",
            "4",
            [("inline", None)],
        ),
    ],
)
def test_slots_against_the_accelerators_of_a_pod(
    command: str, path: str, gpus: str, found: list[tuple[str, str | None]]
) -> None:
    assert slots(command, path, gpus) == found
