"""A group that finds a place and never trains cannot run; where that is not sure, it is unknown."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cases.runner import run_case
from tests.engine.worlds import lint

CASES = Path(__file__).parent.parent / "cases"

REFUTED = [
    "fabric/host-network-dns--master-by-service-name",
    "fabric/interface-differs-across-roles--only-workers-on-the-fabric",
    "fabric/nccl-interface-loopback--exclusion-forgets-lo",
    "fabric/nccl-interface-missing--networks-annotation-on-the-job",
    "source/unquoted-string--env-number-and-label-boolean",
    "workload/elastic-policy-invalid--fewer-workers-than-the-minimum",
    "workload/rendezvous-mismatch--roles-disagree-on-the-port",
]
UNKNOWN = [
    "fabric/gloo-interface-syntax--prefix-from-a-configmap",  # only what creates a Gloo group reads it
    "fabric/mixed-collective-versions--master-image-was-bumped",
    "fabric/network-attachment-missing--defined-in-another-namespace",
    "fabric/rdma-on-some-roles--master-without-efa",  # NCCL may fall back to TCP
    "placement/queue-never-admits--volcano-queue-misspelt",
    "source/emptied-variable--rank-of-a-pytorchjob",
    "workload/headless-service-mismatch--service-has-another-name",
    "workload/process-count-mismatch--eight-processes-four-gpus",
]


@pytest.mark.parametrize(
    ("case", "answer"), [*((each, "refuted") for each in REFUTED), *((each, "unknown") for each in UNKNOWN)]
)
def test_a_fault_that_keeps_the_pods_from_training_is_no_yes(case: str, answer: str) -> None:
    result = run_case(CASES / case).result
    assert result is not None
    assert {(str(each.exists), str(each.for_all)) for each in result.groups} == {(answer, answer)}
    if answer == "unknown":
        assert all(any("lthough" in text or "started" in text for text in each.missing) for each in result.groups)


JOB = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: JOB, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template:
        spec:
          containers:
          - name: pytorch
            image: r.example/a:1
            command: [torchrun, train.py]
            env: [{name: NCCL_SOCKET_IFNAME, value: VALUE}]
            resources: {limits: {nvidia.com/gpu: "1"}}
    Worker:
      replicas: 2
      template:
        spec:
          containers:
          - name: pytorch
            image: r.example/a:1
            command: [torchrun, train.py]
            env: [{name: NCCL_SOCKET_IFNAME, value: VALUE}]
            resources: {limits: {nvidia.com/gpu: "1"}}
"""


def answers(root: Path, **jobs: str) -> dict[str, str]:
    files = {f"{name}.yaml": JOB.replace("JOB", name).replace("VALUE", value) for name, value in jobs.items()}
    return {each.name: str(each.exists) for each in lint(root, files).groups}


def test_a_fault_of_one_job_says_nothing_about_another(tmp_path: Path) -> None:
    assert answers(tmp_path, broken="^docker", sound="eth0") == {"ml/broken": "refuted", "ml/sound": "conditional"}


def test_the_answer_does_not_depend_on_which_rules_are_selected(tmp_path: Path) -> None:
    text = JOB.replace("JOB", "a").replace("VALUE", "^docker")
    ignored = lint(tmp_path, {"a.yaml": text}, ignore=frozenset({"fabric", "workload", "policy"}))
    assert [str(each.exists) for each in ignored.groups] == ["refuted"]
    assert ignored.findings == ()


def test_what_refutes_the_placement_is_still_reported(tmp_path: Path) -> None:
    text = JOB.replace("JOB", "a").replace("VALUE", "^docker").replace('"1"', '"9"')
    nodes = (
        "apiVersion: trainlint.io/v1alpha1\nkind: Inventory\nmetadata: {name: i}\npools:\n"
        "- {name: g, count: 4, zone: a, allocatable: {cpu: '9', memory: 9Gi, pods: '9', nvidia.com/gpu: '8'}}\n"
    )
    result = lint(tmp_path, {"a.yaml": text, "nodes.yaml": nodes}, ignore=frozenset())
    errors = {each.finding.rule for each in result.findings if each.finding.severity == "error"}
    assert {"nccl-interface-loopback", "request-exceeds-node"} <= errors
