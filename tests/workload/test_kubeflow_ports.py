"""The port where ranks of kubeflow.org/v1 meet (W 2): that of the main container with the kind's name, or a default.

kubeflow/training-operator v1: pkg/apis/kubeflow.org/v1 defaults (ports, names of containers and ports).
"""

from __future__ import annotations

import pytest
from tests.workload.manifests import group, read

from trainlint.model.workload import FlowKind

JOB = """
apiVersion: kubeflow.org/v1
kind: KIND
metadata: {name: j}
spec:
  ROLES:
    FIRST: {replicas: 1, template: {spec: {containers: [CONTAINERS]}}}
    Worker: {replicas: 2, template: {spec: {containers: [CONTAINERS]}}}
"""
KINDS = {
    "PyTorchJob": ("pytorchReplicaSpecs", "Master", "pytorch", "pytorchjob-port", 23456),
    "XGBoostJob": ("xgbReplicaSpecs", "Master", "xgboost", "xgboostjob-port", 9999),
    "PaddleJob": ("paddleReplicaSpecs", "Master", "paddle", "master", 36543),
    "TFJob": ("tfReplicaSpecs", "Chief", "tensorflow", "tfjob-port", 2222),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("containers", "port"),
    [
        ("{name: MAIN}", 0),
        ("{name: MAIN, ports: [{name: PORT, containerPort: 1234}]}", 1234),
        ("{name: MAIN, ports: [{name: other, containerPort: 1234}]}", 0),
        ("{name: MAIN, ports: [{name: other, containerPort: 1}, {name: PORT, containerPort: 1234}]}", 1234),
        ("{name: side, ports: [{name: PORT, containerPort: 1}]}, {name: MAIN}", 0),
        ("{name: side}, {name: MAIN, ports: [{name: PORT, containerPort: 1234}]}", 1234),
        ("{name: side, ports: [{name: PORT, containerPort: 1234}]}", 1234),
    ],
)
def test_ranks_meet_at_the_port_of_the_main_container(kind: str, containers: str, port: int) -> None:
    roles, first, main, name, default = KINDS[kind]
    containers = containers.replace("MAIN", main).replace("PORT", name)
    text = JOB.replace("KIND", kind).replace("ROLES", roles).replace("FIRST", first).replace("CONTAINERS", containers)
    found = group(read(text))
    ports = {flow.ports.first for flow in found.flows if flow.kind is not FlowKind.DNS}
    assert (port or default) in ports
    assert not {1, 1234, default} - {port or default} & ports
