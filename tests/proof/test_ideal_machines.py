"""Ideal nodes of which the selectors name the machine; sizes are those that the providers publish."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.engine.worlds import lint

from trainlint.result import GroupVerdict
from trainlint.wording.because import texts_of

TYPE = "node.kubernetes.io/instance-type"
JOB = """
apiVersion: v1
kind: Service
metadata: {name: train, namespace: ml}
spec: {clusterIP: None, selector: {app: train}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  parallelism: 2
  completions: 2
  completionMode: Indexed
  backoffLimit: 0
  template:
    metadata: {labels: {app: train}}
    spec:
      restartPolicy: Never
      subdomain: train
      SPEC
      containers:
        - name: train
          image: i
          env: [{name: PET_MASTER_ADDR, value: train-0.train}]
          command: [torchrun, --nnodes=2, --nproc-per-node=gpu, t.py]
          resources: {limits: {RESOURCES}}
"""


def judged(root: Path, spec: str, resources: str) -> tuple[GroupVerdict, dict[str, str]]:
    result = lint(root, {"job.yaml": JOB.replace("SPEC", spec).replace("RESOURCES", resources)})
    (group,) = result.groups
    errors = {each.finding.rule: each.finding.message for each in result.findings if each.finding.severity == "error"}
    return group, errors


def on(machine: str, key: str = TYPE) -> str:
    return f"nodeSelector: {{{key}: {machine}}}"


def one_of(key: str, *values: str) -> str:
    expression = f"{{key: {key}, operator: In, values: [{', '.join(values)}]}}"
    return (
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        f"{{nodeSelectorTerms: [{{matchExpressions: [{expression}]}}]}}}}}}"
    )


ABOVE = {
    "cpus of a type": (on("p5.48xlarge"), "cpu: 193"),
    "memory of a type": (on("Standard_ND96isr_H100_v5"), "memory: 1901Gi"),
    "cpus of a family": (on("p4d", "karpenter.k8s.aws/instance-family"), "cpu: 97"),
    "memory of an accelerator": (on("nvidia-b200", "cloud.google.com/gke-accelerator"), "memory: 5Ti"),
    "network cards of a type": (on("p4d.24xlarge"), "vpc.amazonaws.com/efa: 5"),
    "both of two types": (one_of(TYPE, "g5.48xlarge", "c7i.48xlarge"), "nvidia.com/gpu: 8, memory: 800Gi"),
    "cpus of the larger source": (on("g2-standard-24"), "cpu: 25"),
    "network cards of the larger source": (on("p5.4xlarge"), "vpc.amazonaws.com/efa: 5"),
}


@pytest.mark.parametrize("name", ABOVE)
def test_what_is_more_than_the_machine_has_can_run_nowhere(name: str, tmp_path: Path) -> None:
    group, errors = judged(tmp_path, *ABOVE[name])
    assert (group.exists, list(errors)) == ("refuted", ["request-exceeds-node"])


UP_TO = {
    "all cpus of a type": (on("p5.48xlarge"), "cpu: 192", "192"),
    "all memory of a type": (on("a2-highgpu-8g"), "memory: 680Gi", "680Gi"),
    "cpus between two sources": (on("g2-standard-24"), "cpu: 23500m", "g2-standard-24"),
    "all cpus of the larger of two types": (one_of(TYPE, "p5.48xlarge", "p4d.24xlarge"), "cpu: 192", "p5.48xlarge"),
}


@pytest.mark.parametrize("name", UP_TO)
def test_what_the_kubelet_may_not_leave_is_a_need_with_the_margin(name: str, tmp_path: Path) -> None:
    spec, resources, mentioned = UP_TO[name]
    group, errors = judged(tmp_path, spec, resources)
    assert (group.exists, errors) == ("conditional", {})
    assert group.needs is not None
    (told,) = texts_of(group.needs.others)
    assert "may not fit" in told
    assert mentioned in told


FITS = {
    "half of a type": (on("p5.48xlarge"), "cpu: 96, memory: 1000Gi, nvidia.com/gpu: 8, vpc.amazonaws.com/efa: 32"),
    "the larger of two types": (one_of(TYPE, "p4d.24xlarge", "p5.48xlarge"), "cpu: 180"),
    "a type that no table holds": (on("p99.48xlarge"), "cpu: 4000"),
    "one of two types that no table holds": (one_of(TYPE, "p5.48xlarge", "p99.48xlarge"), "cpu: 4000"),
    "a category, of which larger machines come": (on("p", "karpenter.k8s.aws/instance-category"), "cpu: 4000"),
    "a product that is in people's own machines": (on("NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu.product"), "cpu: 4000"),
    "GPUs that are attached to the type": (on("n1-standard-8"), "nvidia.com/gpu: 4"),
    "cards that one of two sources knows": (on("p5.4xlarge"), "vpc.amazonaws.com/efa: 4"),
    "cores that one of two sources knows": (on("trn2.48xlarge"), "aws.amazon.com/neuroncore: 128"),
    "a device that a plugin makes": (on("p5.48xlarge"), "example.com/vgpu: 100"),
    "GPUs that are shared": (
        f"nodeSelector: {{{TYPE}: g5.xlarge, nvidia.com/gpu.sharing-strategy: time-slicing}}",
        "nvidia.com/gpu: 4",
    ),
}


@pytest.mark.parametrize("name", FITS)
def test_what_the_machine_may_have_is_only_a_condition(name: str, tmp_path: Path) -> None:
    group, errors = judged(tmp_path, *FITS[name])
    assert (group.exists, errors) == ("conditional", {})
    assert group.needs is not None
    assert group.needs.others == ()


def test_devices_of_the_machine_count_for_all_pods_on_it(tmp_path: Path) -> None:
    term = "{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: train}}}"
    near = f"affinity: {{podAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{term}]}}}}"
    key = "karpenter.k8s.aws/instance-family"
    assert judged(tmp_path / "8", f"{on('p5', key)}\n      {near}", "nvidia.com/gpu: 8")[0].exists == "refuted"
    assert judged(tmp_path / "4", f"{on('p5', key)}\n      {near}", "nvidia.com/gpu: 4")[0].exists == "conditional"


def test_too_many_devices_of_one_pod_are_told_once(tmp_path: Path) -> None:
    group, errors = judged(tmp_path, on("p5.48xlarge"), "nvidia.com/gpu: 9")
    assert (group.exists, list(errors)) == ("refuted", ["accelerator-shape-mismatch"])


def test_nodes_with_tpus_are_tainted_for_pods_that_ask_for_none(tmp_path: Path) -> None:
    tpu = (
        "nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v5p-slice, cloud.google.com/gke-tpu-topology: 2x2x2}"
    )
    group, errors = judged(tmp_path / "none", tpu, "cpu: 1")
    assert (group.exists, list(errors)) == ("refuted", ["untolerated-taint"])
    group, errors = judged(tmp_path / "some", tpu, "google.com/tpu: 4")
    assert (group.exists, errors) == ("conditional", {})
    tolerated = f"{tpu}\n      tolerations: [{{key: google.com/tpu, operator: Exists}}]"
    assert judged(tmp_path / "tolerated", tolerated, "cpu: 1")[0].exists == "conditional"


def test_an_architecture_that_the_machine_does_not_have_contradicts_it(tmp_path: Path) -> None:
    group, errors = judged(tmp_path, f"nodeSelector: {{{TYPE}: p5.48xlarge, kubernetes.io/arch: arm64}}", "cpu: 1")
    assert (group.exists, list(errors)) == ("refuted", ["accelerator-shape-mismatch"])


def interfaces(count: int) -> str:
    listed = [{"interfaceName": f"eth{each}", "network": f"net-{each}" if each else "default"} for each in range(count)]
    return (
        f"metadata: {{labels: {{app: train}}, annotations: {{networking.gke.io/interfaces: '{json.dumps(listed)}'}}}}"
    )


@pytest.mark.parametrize(
    ("machine", "most"), [("a3-highgpu-8g", 5), ("a3-megagpu-8g", 9), ("a4-highgpu-8g", 10), ("a4x-highgpu-4g", 6)]
)
def test_a_pod_has_no_more_interfaces_than_the_machine_gives(machine: str, most: int, tmp_path: Path) -> None:
    for count, expected in ((most, []), (most + 1, ["accelerator-shape-mismatch"])):
        text = JOB.replace("SPEC", on(machine)).replace("RESOURCES", "nvidia.com/gpu: 4")
        text = text.replace("metadata: {labels: {app: train}}", interfaces(count))
        result = lint(tmp_path / str(count), {"job.yaml": text})
        assert [each.finding.rule for each in result.findings if each.finding.severity == "error"] == expected


def test_interfaces_of_a_machine_in_no_table_are_not_counted(tmp_path: Path) -> None:
    text = JOB.replace("SPEC", on("a9-ultragpu-8g")).replace("RESOURCES", "nvidia.com/gpu: 4")
    result = lint(tmp_path, {"job.yaml": text.replace("metadata: {labels: {app: train}}", interfaces(20))})
    assert not [each for each in result.findings if each.finding.severity == "error"]
