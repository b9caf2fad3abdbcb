"""RayCluster, RayJob, RayService (W 7)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import GPU, env, flows, group, labels, name_users, read, role

from trainlint.model.workload import FlowKind

SPEC = f"""
      headGroupSpec:
        rayStartParams: {{num-cpus: "0"}}
        template: {{spec: {{containers: [{{name: ray-head}}]}}}}
      workerGroupSpecs:
      - groupName: gpu
        replicas: 3
        minReplicas: 1
        maxReplicas: 4
        template: {{metadata: {{labels: {{app.kubernetes.io/name: mine}}}}, spec: {{containers: [{{name: w, {GPU}}}]}}}}
"""


def cluster(spec: str = SPEC) -> str:
    return f"apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {{name: rc, namespace: rl}}\nspec:{spec}"


def test_pods_carry_the_labels_of_the_cluster_and_the_users_win() -> None:
    workloads = read(cluster())
    assert labels(role(workloads, "head")) == {
        "ray.io/is-ray-node": "yes",
        "ray.io/cluster": "rc",
        "ray.io/node-type": "head",
        "ray.io/group": "headgroup",
        "ray.io/identifier": "rc-head",
        "app.kubernetes.io/name": "kuberay",
        "app.kubernetes.io/created-by": "kuberay-operator",
    }
    worker = labels(role(workloads, "gpu"))
    assert (worker["ray.io/group"], worker["ray.io/node-type"]) == ("gpu", "worker")
    assert worker["app.kubernetes.io/name"] == "mine"


@pytest.mark.parametrize(
    ("change", "replicas", "most"),
    [
        (("replicas: 3", "replicas: 9"), 4, None),
        (("replicas: 3", "replicas: 0"), 1, None),
        (("replicas: 3", "replicas: 3\n        numOfHosts: 4"), 12, None),
        (("      headGroup", "      enableInTreeAutoscaling: true\n      headGroup"), 1, 4),
    ],
)
def test_replicas_are_clamped_and_a_range_only_with_the_autoscaler(
    change: tuple[str, str], replicas: int, most: int | None
) -> None:
    gpu = role(read(cluster(SPEC.replace(change[0], change[1], 1))), "gpu")
    assert (gpu.replicas, gpu.max_replicas) == (replicas, most)


def test_nodes_join_the_head_and_call_each_other_in_all_directions() -> None:
    # F8
    found = group(read(cluster()))
    assert found.name == "rl/rc"
    assert flows(found, FlowKind.RENDEZVOUS) == {"gpu -> head 6379"}
    pairs = {("head", "gpu"), ("gpu", "head"), ("gpu", "gpu")}
    assert flows(found, FlowKind.CALL) == {
        f"{one} -> {other} {ports}" for one, other in pairs for ports in ("32768-60999", "10002-19999")
    }
    assert flows(found, FlowKind.COLLECTIVE) == {"gpu -> gpu 32768-60999"}
    assert name_users(found) == {"gpu"}


def test_ports_of_the_head_can_be_set() -> None:
    ports = 'num-cpus: "0", port: "7000", min-worker-port: "20000", max-worker-port: "20010"'
    found = flows(group(read(cluster(SPEC.replace('num-cpus: "0"', ports)))))
    assert "gpu -> head 7000" in found
    assert "gpu -> gpu 20000-20010" in found


@pytest.mark.parametrize(
    ("node", "objects", "fixed"),
    [
        ("6380", "6381", True),
        ("1", "65535", True),
        ("0", "6381", False),  # 0: the system picks one
        ("6380", "65536", False),
        ("6380", "${PORT}", False),
        ("6380", "", False),
    ],
)
def test_the_managers_of_a_group_listen_where_both_ports_say(node: str, objects: str, fixed: bool) -> None:
    start = (
        f'rayStartParams: {{node-manager-port: "{node}", object-manager-port: "{objects}"}}\n        template: {{met'
    )
    calls = flows(group(read(cluster(SPEC.replace("template: {met", start)))), FlowKind.CALL)
    to_workers = {each for each in calls if "-> gpu" in each}
    listening = {node, objects} if fixed else {"32768-60999"}
    expected = {f"{one} -> gpu {port}" for one in ("head", "gpu") for port in (*listening, "10002-19999")}
    assert to_workers == expected
    assert calls - to_workers == {f"gpu -> head {ports}" for ports in ("32768-60999", "10002-19999")}


@pytest.mark.parametrize(
    ("low", "high", "ports"),
    [
        ("20000", "20000", "20000"),
        ("20001", "20000", "10002-19999"),  # no range: as if none were written
        ("20000", "", "10002-19999"),
        ("", "20000", "10002-19999"),
    ],
)
def test_worker_processes_have_a_range_where_both_ends_are_written(low: str, high: str, ports: str) -> None:
    words = {"min-worker-port": low, "max-worker-port": high}
    start = ", ".join(f'{key}: "{value}"' for key, value in words.items() if value)
    found = flows(group(read(cluster(SPEC.replace('num-cpus: "0"', start)))), FlowKind.CALL)
    assert {each for each in found if each.startswith("gpu -> gpu")} == {
        "gpu -> gpu 32768-60999",
        f"gpu -> gpu {ports}",
    }


def test_the_heads_service_is_headless_and_selects_the_head() -> None:
    (service,) = read(cluster()).services
    assert (service.ref.name, service.headless) == ("rc-head-svc", True)
    assert service.selector == {
        "ray.io/cluster": "rc",
        "ray.io/node-type": "head",
        "ray.io/identifier": "rc-head",
        "app.kubernetes.io/created-by": "kuberay-operator",
        "app.kubernetes.io/name": "kuberay",
    }


def test_workers_on_cpus_are_no_ranks() -> None:
    assert not group(read(cluster(SPEC.replace(f", {GPU}", "")))).collective


def test_the_cluster_of_a_ray_job_has_a_random_name_and_a_submitter_that_need_not_be_near() -> None:
    nested = "\n".join(f"  {line}" for line in SPEC.splitlines())
    text = (
        f"apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {{name: rj, namespace: rl}}\nspec:\n  rayClusterSpec:{nested}"
    )
    workloads = read(text)
    assert labels(role(workloads, "gpu"))["ray.io/cluster"] == "?"
    assert labels(role(workloads, "submitter"))["job-name"] == "rj"
    known = [each for each in workloads.services if "RANDOM" not in each.ref.name]
    assert [each.ref.name for each in known] == ["rj-head-svc"]
    assert known[0].selector is not None
    assert known[0].selector["ray.io/node-type"] == "head"
    found = group(workloads)
    assert "submitter -> head 8265" in flows(found)
    assert [found.members[index].role for index in found.dependencies] == ["submitter"]
    assert "submitter" not in {pods.role for pods in read(text + "\n  submissionMode: HTTPMode").pod_sets}


def test_replicas_of_a_ray_service_are_ranks_only_over_several_hosts() -> None:
    nested = "\n".join(f"  {line}" for line in SPEC.splitlines())
    text = f"apiVersion: ray.io/v1\nkind: RayService\nmetadata: {{name: rs}}\nspec:\n  rayClusterConfig:{nested}"
    assert not group(read(text)).collective
    assert group(read(text.replace("replicas: 3", "numOfHosts: 2\n          replicas: 3"))).collective


def test_the_runtime_environment_of_a_ray_job_reaches_its_processes() -> None:
    nested = "\n".join(f"  {line}" for line in SPEC.splitlines())
    text = f"""apiVersion: ray.io/v1
kind: RayJob
metadata: {{name: rj, namespace: rl}}
spec:
  runtimeEnvYAML: |
    env_vars: {{NCCL_DEBUG: "INFO"}}
  rayClusterSpec:{nested}"""
    assert env(role(read(text), "gpu"))["NCCL_DEBUG"] == "INFO"
    assert read(text.replace('{NCCL_DEBUG: "INFO"}', "{[")).groups
