"""Where the rules of platform/ speak and where they stay silent (S 1.5, 3, 4)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.engine.worlds import lint, write

from trainlint.engine import check

GPUS = 'allocatable: {cpu: "96", memory: 700Gi, nvidia.com/gpu: "8"}'
TAINTED = f"{{name: gpu, count: 2, zone: a, taints: [{{key: gpu, value: a, effect: NoSchedule}}], {GPUS}}}"
CPUS = '{name: cpu, count: 2, zone: a, allocatable: {cpu: "16", memory: 64Gi}}'


def inventory(*pools: str) -> str:
    listed = "".join(f"  - {pool}\n" for pool in pools)
    return f"apiVersion: trainlint.io/v1alpha1\nkind: Inventory\nmetadata: {{name: lab}}\npools:\n{listed}"


def said(root: Path, rule: str, **files: str) -> list[Any]:
    named = {f"{name}.yaml": text for name, text in files.items()}
    result = check([write(root, named)])
    assert result.failures == ()
    return [each.finding for each in result.findings if each.finding.rule == rule]


def workload(kind: str = "Deployment", spec: str = "", name: str = "app", image: str = "registry.example/app:1") -> str:
    return f"""
apiVersion: apps/v1
kind: {kind}
metadata: {{name: {name}, namespace: ops}}
spec:
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec: {{{spec}containers: [{{name: main, image: "{image}"}}]}}
"""


TOLERATES = "tolerations: [{key: gpu, operator: Exists}], "


@pytest.mark.parametrize(
    ("pools", "speaks"),
    [
        ((f"{{name: gpu, count: 2, {GPUS}}}", CPUS), True),
        ((f"{{name: gpu, count: 2, {GPUS}}}",), False),  # every pool has GPUs
        ((TAINTED, CPUS), False),
        ((f"{{name: gpu, count: 2, taints: [{{key: x, effect: PreferNoSchedule}}], {GPUS}}}", CPUS), True),
        (('{name: gpu, count: 2, allocatable: {nvidia.com/gpu: "0"}}', CPUS), False),
        (('{name: mig, count: 2, allocatable: {nvidia.com/mig-1g.5gb: "7"}}', CPUS), True),
        (("{name: gpu, count: 2}", CPUS), False),  # nothing says what it has
    ],
)
def test_gpu_pools_without_a_taint(tmp_path: Path, pools: tuple[str, ...], *, speaks: bool) -> None:
    assert bool(said(tmp_path, "gpu-pool-untainted", nodes=inventory(*pools))) is speaks


def test_many_untainted_nodes_are_one_finding(tmp_path: Path) -> None:
    node = "apiVersion: v1\nkind: Node\nmetadata: {{name: n{0}}}\nstatus: {{allocatable: {{{1}cpu: '8'}}}}\n---\n"
    gpu = "nvidia.com/gpu: '8', "
    text = "".join(node.format(number, gpu if number else "") for number in range(4))
    (finding,) = said(tmp_path, "gpu-pool-untainted", nodes=text)
    assert len(finding.places) == 2


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        (workload(spec=TOLERATES), True),
        (workload(spec="tolerations: [{operator: Exists}], "), True),
        (workload(), False),
        (workload("DaemonSet", spec=TOLERATES), False),
        (workload(spec=TOLERATES + "nodeSelector: {kubernetes.io/os: windows}, "), False),
        (workload(spec="tolerations: [{key: gpu, value: other}], "), False),
        (workload(spec=TOLERATES).replace("spec:\n", "spec:\n  replicas: 0\n", 1), False),
        (workload(spec=TOLERATES).replace('app:1"', 'app:1", resources: {limits: {nvidia.com/gpu: "1"}}'), False),
        (workload(spec=TOLERATES.replace("gpu,", "'${KEY}',")), False),
    ],
)
def test_pods_that_may_land_on_gpu_nodes_without_a_gpu(tmp_path: Path, text: str, *, speaks: bool) -> None:
    rule = "gpu-taint-tolerated-without-gpu"
    assert bool(said(tmp_path, rule, nodes=inventory(TAINTED, CPUS), app=text)) is speaks


def test_a_coordinator_of_a_group_may_stand_on_gpu_nodes(tmp_path: Path) -> None:
    job = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Master: &role
      replicas: 1
      template: {spec: {tolerations: [{key: gpu, operator: Exists}], containers: [{name: pytorch, image: i}]}}
    Worker: *role
"""
    assert not said(tmp_path, "gpu-taint-tolerated-without-gpu", nodes=inventory(TAINTED, CPUS), job=job)


@pytest.mark.parametrize(
    ("name", "image", "spec", "speaks"),
    [
        ("nvidia-device-plugin", "registry.example/k8s-device-plugin:1", "", True),
        ("dcgm", "registry.example/dcgm-exporter:4", "", True),
        ("agent", "registry.example/cilium:1", "", True),
        ("nvidia-device-plugin", "i", TOLERATES, False),
        ("nvidia-device-plugin", "i", "nodeSelector: {pool: other}, ", False),
        ("log-collector", "registry.example/vector:1", "", False),  # nothing tells that it belongs there
        ("amdgpu-device-plugin", "i", "", False),  # of another maker
    ],
)
def test_daemon_sets_that_gpu_nodes_need(tmp_path: Path, name: str, image: str, spec: str, *, speaks: bool) -> None:
    text = workload("DaemonSet", spec, name, image)
    found = said(tmp_path, "daemonset-misses-gpu-nodes", nodes=inventory(TAINTED, CPUS), ds=text)
    assert bool(found) is speaks


@pytest.mark.parametrize(
    ("pool", "words"),
    [
        ("labels: {nvidia.com/gpu.count: '4'}, " + GPUS, "says 4 GPUs, 8"),
        ("labels: {nvidia.com/gpu.count: '8'}, " + GPUS, ""),
        ("labels: {nvidia.com/gpu.count: '2', nvidia.com/gpu.replicas: '4'}, " + GPUS, ""),  # time-slicing (S 3)
        ("labels: {nvidia.com/gpu.count: '4', nvidia.com/mig.strategy: single}, " + GPUS, ""),
        ("labels: {cloud.google.com/gke-accelerator-count: '4'}, " + GPUS, "says 4 GPUs, 8"),
        ("labels: {topology.kubernetes.io/region: us-east-1}, zone: us-west-2a", "region us-west-2"),
        ("labels: {topology.kubernetes.io/region: r1}, zone: rack-7", ""),
        ("labels: {node.kubernetes.io/instance-type: p4d.24xlarge}, allocatable: {cpu: '128'}", "96 CPUs"),
        ("labels: {node.kubernetes.io/instance-type: p4d.24xlarge, kubernetes.io/arch: arm64}", "is amd64"),
        ("labels: {node.kubernetes.io/instance-type: g5.xlarge}, " + GPUS.replace("96", "3"), "has 1 GPUs, 8"),
        ("labels: {node.kubernetes.io/instance-type: p4d.24xlarge}, " + GPUS.replace("96", "90"), ""),
        ("labels: {node.kubernetes.io/instance-type: no-such.type}, " + GPUS, ""),
    ],
)
def test_contradictions_of_a_pool(tmp_path: Path, pool: str, words: str) -> None:
    found = said(tmp_path, "inventory-contradiction", nodes=inventory(f"{{name: a, count: 1, {pool}}}"))
    assert bool(found) is bool(words)
    assert all(words in each.message for each in found)


SCHEDULER = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [{%s}]\n"


@pytest.mark.parametrize(
    ("profile", "speaks"),
    [
        ("plugins: {filter: {disabled: [{name: NodeResourcesFit}]}}", True),
        ("plugins: {filter: {disabled: [{name: '*'}]}}", True),
        ("plugins: {multiPoint: {disabled: [{name: NodeResourcesFit}]}}", True),
        ("plugins: {filter: {disabled: [{name: '*'}], enabled: [{name: NodeResourcesFit}]}}", False),
        (
            "plugins: {multiPoint: {disabled: [{name: '*'}]}, filter: {enabled: [{name: NodeResourcesFit}]}}",
            False,
        ),
        ("plugins: {score: {disabled: [{name: NodeResourcesFit}]}}", False),
        ("pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: [nvidia.com/gpu]}}]", True),
        ("pluginConfig: [{name: NodeResourcesFit, args: {ignoredResourceGroups: [amd.com]}}]", True),
        ("pluginConfig: [{name: NodeResourcesFit, args: {ignoredResourceGroups: [example.com]}}]", False),
        ("pluginConfig: [{name: NodeAffinity, args: {ignoredResources: [nvidia.com/gpu]}}]", False),
    ],
)
def test_scheduler_configurations_that_do_not_count_gpus(tmp_path: Path, profile: str, *, speaks: bool) -> None:
    assert bool(said(tmp_path, "scheduler-ignores-gpu", scheduler=SCHEDULER % profile)) is speaks


def test_a_configuration_in_a_config_map_is_one_too(tmp_path: Path) -> None:
    text = (SCHEDULER % "plugins: {filter: {disabled: [{name: NodeResourcesFit}]}}").replace("\n", "\n    ")
    head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: s, namespace: kube-system}\n"
    held = f"{head}data:\n  a.yaml: |\n    {text}\n"
    (finding,) = said(tmp_path, "scheduler-ignores-gpu", scheduler=held)
    assert finding.at.path[:2] == ("data", "a.yaml")


def test_what_the_workloads_ask_for_counts_as_well(tmp_path: Path) -> None:
    text = SCHEDULER % "pluginConfig: [{name: NodeResourcesFit, args: {ignoredResourceGroups: [furiosa.ai]}}]"
    asks = workload().replace('app:1"', 'app:1", resources: {limits: {furiosa.ai/npu: "1"}}')
    assert not said(tmp_path / "a", "scheduler-ignores-gpu", scheduler=text)
    assert said(tmp_path / "b", "scheduler-ignores-gpu", scheduler=text, app=asks)


RULES = """
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: a, namespace: monitoring}
spec: {groups: [{name: a, rules: [{alert: A, expr: '%s'}]}]}
"""
GPU_JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: tune, namespace: ml}
spec: {template: {spec: {containers: [{name: a, image: i, resources: {limits: {nvidia.com/gpu: "1"}}}]}}}
"""
RELEASE = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: stack, namespace: monitoring}\n"


@pytest.mark.parametrize(
    ("expression", "speaks"),
    [
        ("kube_job_status_failed > 0", True),
        ("kube_pod_container_status_restarts_total > 5", True),
        ('rate(node_cpu_seconds_total{mode="idle"}[5m]) < 1', True),
        ("DCGM_FI_DEV_GPU_UTIL < 5", False),
        ("avg(nvidia_smi_utilization_gpu_ratio) < 0.1", False),
        ("increase(trainer_global_step[15m]) == 0", False),
        ("neuroncore_utilization_ratio < 0.1", False),
    ],
)
def test_alerts_that_tell_running_from_progress(tmp_path: Path, expression: str, *, speaks: bool) -> None:
    assert bool(said(tmp_path, "no-idle-gpu-alert", rules=RULES % expression, job=GPU_JOB)) is speaks


def test_no_alert_is_missed_where_there_is_no_monitoring_or_more_than_is_read_or_no_gpu(tmp_path: Path) -> None:
    blind = RULES % "up == 0"
    assert not said(tmp_path / "a", "no-idle-gpu-alert", job=GPU_JOB)
    assert not said(tmp_path / "b", "no-idle-gpu-alert", rules=blind, job=GPU_JOB, release=RELEASE)
    assert not said(tmp_path / "c", "no-idle-gpu-alert", rules=blind, app=workload())


def test_odd_shapes_break_nothing(tmp_path: Path) -> None:
    odd = {
        "a.yaml": SCHEDULER % "plugins: [1], pluginConfig: {a: b}",
        "b.yaml": "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nspec: {groups: 7}\n",
        "c.yaml": "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: nvidia}\nspec: {template: [1]}\n",
        "d.yaml": inventory(TAINTED),
    }
    assert lint(tmp_path, odd).failures == ()
