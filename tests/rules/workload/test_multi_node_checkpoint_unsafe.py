"""Checkpoints of several nodes."""

from __future__ import annotations

import pytest
from tests.workload.manifests import objects, read

from trainlint.kube.meta import read_meta
from trainlint_rules.workload.multi_node_checkpoint_unsafe.storage import storage_of, unsafe_checkpoints

JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: j, namespace: ml}
spec:
  parallelism: 2
  template:
    spec:
      containers: [{name: c, command: [python, x.py, OPTION], volumeMounts: [{name: v, mountPath: MOUNT}]}]
      volumes: [{name: v, VOLUME}]
"""
STORAGE = """
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv}
spec: {mountOptions: [OPTIONS], nfs: {server: s, path: /}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: claim, namespace: ml}
spec: {accessModes: [ReadWriteMany], volumeName: pv}
"""


def volumes(option: str, volume: str, mount: str = "/data", storage: str = "") -> list[str]:
    text = JOB.replace("OPTION", option).replace("VOLUME", volume).replace("MOUNT", mount)
    held = storage_of((read_meta(item), item) for item in objects(storage))
    (workload,) = read(text).objects
    return [fault.cause for pods in workload.pod_sets for fault in unsafe_checkpoints(workload, pods, held)]


@pytest.mark.parametrize(
    "option", ["--checkpoint-dir=/data/run", "--save-dir, /data", "--ckpt_path=/data", "trainer.output_dir=/data/a"]
)
def test_options_say_where_checkpoints_go(option: str) -> None:
    assert volumes(option, "emptyDir: {}") == ["v"]


@pytest.mark.parametrize(
    "option",
    ["--data-dir=/data", "--load-checkpoint=/data", "--resume-from-checkpoint=/data", "--save-dir=/other", "-v"],
)
def test_what_is_read_or_elsewhere_is_no_checkpoint(option: str) -> None:
    assert volumes(option, "emptyDir: {}") == []


def test_a_mount_is_called_after_its_use() -> None:
    assert volumes("-v", "emptyDir: {}", "/mnt/checkpoints") == ["v"]
    assert volumes("-v", "emptyDir: {}", "/mnt/scratch") == []


@pytest.mark.parametrize(
    ("volume", "unsafe"),
    [
        ("emptyDir: {}", True),
        ("hostPath: {path: /mnt/disks/0}", True),
        ("hostPath: {path: /fsx/team}", False),
        ("hostPath: {path: '${DIR}'}", False),
        ("ephemeral: {volumeClaimTemplate: {spec: {}}}", True),
        ("persistentVolumeClaim: {claimName: claim}", False),
        ("nfs: {server: s, path: /}", False),
    ],
)
def test_volumes_that_are_shared_and_stay(volume: str, unsafe: bool) -> None:
    assert bool(volumes("--checkpoint-dir=/data", volume)) is unsafe


@pytest.mark.parametrize(("options", "unsafe"), [("nfsvers=3", True), ("'hard,vers=3'", True), ("nfsvers=4.1", False)])
def test_nfs_before_version_4_loses_locks(options: str, unsafe: bool) -> None:
    volume = "persistentVolumeClaim: {claimName: claim}"
    found = volumes("--checkpoint-dir=/data", volume, storage=STORAGE.replace("OPTIONS", options))
    assert bool(found) is unsafe


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("value: /data/run", ["v"]),
        ("value: data/run", []),  # in the image, or in a place that is not known
        ("valueFrom: {secretKeyRef: {name: s, key: k}}", []),
        ("valueFrom: {configMapKeyRef: {name: s, key: k}}", []),
    ],
)
@pytest.mark.parametrize("name", ["CHECKPOINT_DIR", "OUTPUT_DIR"])
def test_variables_say_it_too_where_their_value_is_known(name: str, value: str, found: list[str]) -> None:
    container = f"env: [{{name: {name}, {value}}}], command: [python, x.py, OPTION]"
    text = JOB.replace("command: [python, x.py, OPTION]", container)
    (workload,) = read(text.replace("OPTION", "-v").replace("VOLUME", "emptyDir: {}").replace("MOUNT", "/data")).objects
    held = storage_of((read_meta(item), item) for item in objects(""))
    faults = [fault.cause for pods in workload.pod_sets for fault in unsafe_checkpoints(workload, pods, held)]
    assert faults == found
