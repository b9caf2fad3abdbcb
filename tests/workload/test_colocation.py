"""What keeps pods in one domain, and which of them (S 2; W 5, 6, 8, 11; rule topology-per-role)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import GPU, read

from trainlint.model.known import Undetermined
from trainlint.model.workload import Colocation, Workloads
from trainlint.proof.colocation_units import sizes_of
from trainlint.wording.because import because_text
from trainlint_rules.topology.topology_per_role import placed_apart

KUEUE = "kueue.x-k8s.io/podset-required-topology: rack"
GROUP = "kueue.x-k8s.io/podset-group-name: g"
PYTORCH = f"""
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: p, labels: {{kueue.x-k8s.io/queue-name: q}}}}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template: {{metadata: {{annotations: {{MASTER}}}}, spec: {{containers: [{{name: pytorch, {GPU}}}]}}}}
    Worker:
      replicas: 2
      template: {{metadata: {{annotations: {{WORKER}}}}, spec: {{containers: [{{name: pytorch, {GPU}}}]}}}}
"""
SETS = f"""
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: j, annotations: {{WHOLE}}}}
spec:
  replicatedJobs:
    - name: a
      replicas: 3
      template:
        metadata: {{annotations: {{JOB}}}}
        spec:
          parallelism: 2
          completions: 2
          template: {{spec: {{containers: [{{name: c, {GPU}, command: [x, "--coordinator-address=j-b-0-0.j:1"]}}]}}}}
    - name: b
      template: {{spec: {{template: {{spec: {{containers: [{{name: c, {GPU}}}]}}}}}}}}
"""
LWS = f"""
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: l, annotations: {{WHOLE}}}}
spec:
  replicas: 2
  leaderWorkerTemplate:
    size: 3
    workerTemplate:
      metadata: {{annotations: {{POD}}}}
      spec: {{containers: [{{name: c, {GPU}, command: [torchrun, --nnodes=3]}}]}}
"""
VOLCANO = f"""
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: v}}
spec:
  WHOLE
  plugins: {{pytorch: []}}
  tasks:
    - {{name: master, replicas: 1, PART template: {{spec: {{containers: [{{name: c, {GPU}}}]}}}}}}
    - {{name: worker, replicas: 4, PART template: {{spec: {{containers: [{{name: c, {GPU}}}]}}}}}}
"""
JOB_SET_KEY = "alpha.jobset.sigs.k8s.io/exclusive-topology: rack"
LWS_KEY = "leaderworkerset.sigs.k8s.io/exclusive-topology: rack"


def units(workloads: Workloads) -> dict[str, Colocation | None]:
    return {pods.role: pods.together for pods in workloads.pod_sets}


def apart(workloads: Workloads) -> list[str]:
    return [fault.text for group in workloads.groups for fault in placed_apart(group)]


def pytorch(master: str, worker: str) -> Workloads:
    return read(PYTORCH.replace("MASTER", master).replace("WORKER", worker))


def test_kueue_places_each_pod_set_alone() -> None:
    workloads = pytorch(KUEUE, KUEUE)
    found = units(workloads)
    assert [each and (each.key, each.unit, each.exclusive) for each in found.values()] == [
        ("rack", "Master", False),
        ("rack", "Worker", False),
    ]
    (text,) = apart(workloads)
    assert "Master and Worker" in text


def test_kueue_places_two_sets_of_one_group_together() -> None:
    workloads = pytorch(f"{KUEUE}, {GROUP}", f"{KUEUE}, {GROUP}")
    assert len({each and each.unit for each in units(workloads).values()}) == 1
    assert apart(workloads) == []


def test_ranks_that_nothing_ties_may_stand_elsewhere() -> None:
    (text,) = apart(pytorch("", KUEUE))
    assert "says nothing about Master" in text
    assert apart(pytorch("", "")) == []


def test_a_placeholder_is_no_topology() -> None:
    assert apart(pytorch(KUEUE.replace("rack", "'${KEY}'"), KUEUE.replace("rack", "'${KEY}'"))) == []


def test_job_set_gives_each_child_job_a_domain_of_its_own() -> None:
    workloads = read(SETS.replace("WHOLE", JOB_SET_KEY).replace("JOB", "").replace(" JOB", ""))
    found = units(workloads)
    assert all(each and each.per_block and each.exclusive and each.leader_first for each in found.values())
    assert len(apart(workloads)) == 1
    nodes = f"{JOB_SET_KEY}, alpha.jobset.sigs.k8s.io/node-selector: 'true'"  # W 5: nodes are labelled beforehand
    assert set(units(read(SETS.replace("WHOLE", nodes).replace("JOB", ""))).values()) == {None}


def test_the_annotation_of_a_child_job_is_its_own() -> None:
    found = units(read(SETS.replace("WHOLE", "").replace("{JOB}", f"{{{JOB_SET_KEY}}}")))
    assert found["a"] is not None
    assert found["b"] is None


def test_leader_worker_set_places_a_group_as_one() -> None:
    workloads = read(LWS.replace("WHOLE", LWS_KEY).replace("POD", ""))
    assert {each and each.unit for each in units(workloads).values()} == {""}
    assert apart(workloads) == []


def test_on_the_template_only_the_leader_is_placed() -> None:  # W 6, W 17.16
    workloads = read(LWS.replace("WHOLE", "").replace("POD", LWS_KEY))
    assert units(workloads)["worker"] is None
    assert len(apart(workloads)) == 1


@pytest.mark.parametrize(
    ("whole", "part", "found"),
    [
        ("networkTopology: {mode: hard, highestTierAllowed: 1}", "", 0),
        ("networkTopology: {highestTierAllowed: 1}", "", 0),
        ("", "partitionPolicy: {networkTopology: {mode: hard}},", 1),
        ("", "partitionPolicy: {networkTopology: {mode: soft}},", 0),
        ("", "", 0),
    ],
)
def test_volcano_places_the_job_or_the_parts_of_a_task(whole: str, part: str, found: int) -> None:
    assert len(apart(read(VOLCANO.replace("WHOLE", whole).replace("PART", part)))) == found


def test_slices_of_each_role_are_placed_alone() -> None:  # W 11
    slices = "kueue.x-k8s.io/podset-slice-required-topology: rack, kueue.x-k8s.io/podset-slice-size: '1'"
    workloads = pytorch(slices, slices)
    assert {each.parts and (each.parts.key, each.parts.size, each.parts.per_block) for each in workloads.pod_sets} == {
        ("rack", 1, True)
    }
    (text,) = apart(workloads)
    assert "part of each" in text


SUBGROUP_KEY = "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology: rack"


@pytest.mark.parametrize(
    ("size", "policy", "leader", "workers"),
    [
        (4, "{subGroupSize: 2}", (1,), (1, 2)),  # the leader is one of two in the first subgroup
        (5, "{subGroupSize: 2}", (1,), (2, 2)),  # an extra one
        (5, "{subGroupSize: 2, subGroupPolicyType: LeaderExcluded}", None, (2, 2)),
    ],
)
def test_subgroups_have_a_domain_each(
    size: int, policy: str, leader: tuple[int, ...] | None, workers: tuple[int, ...]
) -> None:  # W 6: LeaderWorker and LeaderExcluded
    text = LWS.replace("size: 3", f"size: {size}\n    subGroupPolicy: {policy}")
    workloads = read(text.replace("WHOLE", SUBGROUP_KEY).replace("POD", ""))
    found = {each.role: each.parts and sizes_of(each, each.parts) for each in workloads.pod_sets}
    assert found == {"leader": leader, "worker": workers}
    assert apart(workloads) == []


@pytest.mark.parametrize("replicas", [10**6, 10**30])
def test_more_units_than_can_be_listed_are_not_listed(replicas: int) -> None:
    """A count of thirty digits broke off the run; a mutated repository had it."""
    exclusive = "alpha.jobset.sigs.k8s.io/exclusive-topology: rack"
    text = SETS.replace("WHOLE", exclusive).replace("JOB", "").replace("replicas: 3", f"replicas: {replicas}")
    (many,) = (each for each in read(text).pod_sets if each.role == "a")
    assert many.together is not None
    sizes = sizes_of(many, many.together)
    assert isinstance(sizes, Undetermined)
    assert "more than 100,000 units" in because_text(sizes.why)


def test_every_pod_group_has_a_domain_of_its_own() -> None:  # S 2.1
    group = """
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: NAME}
spec: {schedulingPolicy: {gang: {minCount: 1}}, schedulingConstraints: {topology: [{key: rack}]}}
---
"""
    job = PYTORCH.replace("MASTER", "").replace("WORKER", "")
    one = job.replace("spec: {containers", "spec: {schedulingGroup: {podGroupName: m}, containers", 1)
    both = one.replace("spec: {containers", "spec: {schedulingGroup: {podGroupName: w}, containers", 1)
    workloads = read(group.replace("NAME", "m") + group.replace("NAME", "w") + both)
    assert {each and each.unit for each in units(workloads).values()} == {"pod group m", "pod group w"}
    (text,) = apart(workloads)
    assert "Master and Worker" in text


def test_labels_of_a_ray_cluster_ask_for_a_tier() -> None:  # W 7
    labels = "volcano.sh/network-topology-mode: hard, volcano.sh/network-topology-highest-tier-allowed: '2'"
    pod = f"template: {{spec: {{containers: [{{name: ray, {GPU}}}]}}}}"
    workloads = read(f"""
apiVersion: ray.io/v1
kind: RayCluster
metadata: {{name: r, labels: {{{labels}}}}}
spec: {{headGroupSpec: {{{pod}}}, workerGroupSpecs: [{{groupName: g, replicas: 2, {pod}}}]}}
""")
    assert {each and (each.tier, bool(each.doubt)) for each in units(workloads).values()} == {("2", True)}
