"""What containers take from ConfigMaps and from the pods' own metadata."""

from __future__ import annotations

from tests.workload.manifests import env, flows, group, read, role

from trainlint.launch.environment import environment
from trainlint.model.known import Undetermined

CONFIG = """
apiVersion: v1
kind: ConfigMap
metadata: {name: net, namespace: lab}
data:
  NCCL_SOCKET_IFNAME: eth
  master: fit-0.fit
  run.sh: |
    #!/bin/bash
    exec torchrun --nnodes=2 --master-addr=fit-0.fit --master-port=29501 train.py
---
"""
JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: fit, namespace: lab}
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 2
  template:
    metadata: {labels: {team: vision}}
    spec:
      subdomain: fit
      volumes: [{name: s, configMap: {name: net}}]
      containers:
      - name: c
        command: [bash, /scripts/run.sh]
        volumeMounts: [{name: s, mountPath: /scripts}]
        envFrom: [{configMapRef: {name: net}, prefix: X_}]
        env:
        - {name: MASTER, valueFrom: {configMapKeyRef: {name: net, key: master}}}
        - {name: TEAM, valueFrom: {fieldRef: {fieldPath: "metadata.labels['team']"}}}
        - {name: NS, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
        - {name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
        - {name: KEY, valueFrom: {secretKeyRef: {name: s, key: k}}}
        - {name: FULL, value: "$(MASTER).$(NS)"}
        - {name: HALF, value: "$(MASTER).$(IP)"}
"""


def test_variables_come_from_the_snapshots_config_maps_and_the_pods_metadata() -> None:
    found = env(role(read(CONFIG + JOB), "fit"))
    assert found["MASTER"] == "fit-0.fit"
    assert found["X_NCCL_SOCKET_IFNAME"] == "eth"
    assert (found["TEAM"], found["NS"]) == ("vision", "lab")
    assert (found["IP"], found["KEY"]) == ("?", "?")


def test_a_config_map_that_is_not_there_leaves_its_values_open() -> None:
    assert env(role(read(JOB), "fit"))["MASTER"] == "?"


def test_references_between_variables_are_filled_in_as_far_as_they_are_known() -> None:
    (container,) = role(read(CONFIG + JOB), "fit").spec.containers
    variables = environment(container)
    assert variables["FULL"].value == "fit-0.fit.lab"
    assert isinstance(variables["HALF"].value, Undetermined)


def test_a_mounted_script_that_is_run_says_where_ranks_meet() -> None:
    found = group(read(CONFIG + JOB))
    assert "fit -> fit 29501" in flows(found)
    (flow,) = [flow for flow in found.flows if str(flow.ports) == "29501"]
    assert flow.at.path == ("data", "run.sh")


def test_a_mounted_script_that_is_not_run_says_nothing() -> None:
    workloads = read(CONFIG + JOB.replace("/scripts/run.sh", "/other.sh"))
    assert all("29501" not in text for found in workloads.groups for text in flows(found))
