"""DisaggregatedSet: a LeaderWorkerSet for each role and slice (W 6; kubernetes-sigs/lws pkg/utils/disaggregatedset)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import GPU, labels, objects, read, role

from trainlint.kube.meta import read_meta
from trainlint.model.known import Undetermined
from trainlint.model.settings import Settings
from trainlint.workload import read_workloads
from trainlint.workload.checks.fields import misplaced_fields
from trainlint_rules.topology.topology_per_role import placed_apart

SET = f"""
apiVersion: disaggregatedset.x-k8s.io/v1
kind: DisaggregatedSet
metadata: {{name: s, namespace: ml}}
spec:
  SLICES
  roles:
    - name: prefill
      METADATA
      spec:
        replicas: 2
        leaderWorkerTemplate:
          size: 3
          workerTemplate: {{metadata: {{labels: {{a: b}}}}, spec: {{containers: [{{name: c, {GPU}}}]}}}}
    - name: decode
      scaling: {{mode: External}}
      spec:
        leaderWorkerTemplate: {{size: 2, workerTemplate: {{spec: {{containers: [{{name: c, {GPU}}}]}}}}}}
"""


def text(slices: str = "", metadata: str = "") -> str:
    return SET.replace("SLICES", slices).replace("METADATA", metadata)


def test_each_role_makes_groups_of_its_own() -> None:
    workloads = read(text())
    assert [(group.name, [pods.replicas for pods in group.members]) for group in workloads.groups] == [
        ("ml/s-prefill", [1, 2]),
        ("ml/s-decode", [1, 1]),
    ]
    assert all(group.collective for group in workloads.groups)
    assert workloads.unknowns == ()


@pytest.mark.parametrize(("slices", "groups"), [("", 2), ("slices: 3", 6)])
def test_each_replica_in_each_slice_is_a_group(slices: str, groups: int) -> None:
    prefill, decode = read(text(slices)).groups
    assert prefill.instances == groups
    assert isinstance(decode.instances, Undetermined)  # an autoscaler decides


def test_labels_of_the_set_and_of_its_leader_worker_sets() -> None:
    leader = read(text()).pod_sets[0]
    found = labels(leader)
    assert {key: found[f"disaggregatedset.x-k8s.io/{key}"] for key in ("name", "role", "slice", "revision")} == {
        "name": "s",
        "role": "prefill",
        "slice": "0",
        "revision": "?",
    }
    assert (found["app"], found["a"]) == ("s-0-prefill", "b")
    assert found["leaderworkerset.sigs.k8s.io/name"] == "?"  # <set>-<slice>-<revision>-<role>
    assert labels(read(text("slices: 2")).pod_sets[0])["app"] == "*"
    assert leader.hostname == ""


def test_places_are_those_of_the_role() -> None:
    worker = role(read(text()), "s-prefill/worker")
    assert worker.template.path == ("spec", "roles", 0, "spec", "leaderWorkerTemplate", "workerTemplate")


@pytest.mark.parametrize("kind", ["ExclusiveSlice", "ExclusiveTopology", "None"])
def test_a_placement_policy_keeps_a_slice_in_one_domain(kind: str) -> None:
    workloads = read(text(f"placementPolicy: {{type: {kind}, topology: rack}}"))
    found = {each.together and (each.together.key, each.together.leader_first) for each in workloads.pod_sets}
    assert found == ({None} if kind == "None" else {("rack", True)})
    assert [fault for group in workloads.groups for fault in placed_apart(group)] == []


def test_an_exclusive_topology_of_a_role_is_that_of_its_leader_worker_set() -> None:
    key = "leaderworkerset.sigs.k8s.io/exclusive-topology"
    workloads = read(text(metadata=f"metadata: {{annotations: {{{key}: rack}}}}"))
    assert [each.together and each.together.by for each in workloads.pod_sets] == [key, key, None, None]


def test_a_field_at_the_wrong_place_is_found_in_a_role() -> None:
    wrong = text().replace("      spec:\n        replicas: 2", "      size: 3\n      spec:\n        replicas: 2")
    items = objects(wrong)
    found = misplaced_fields(read_workloads(items, Settings()), [(read_meta(item), item) for item in items])
    assert [fault.misplaced.field.path for fault in found] == [("spec", "roles", 0, "size")]
    right = objects(text("placementPolicy: {type: ExclusiveSlice, topology: rack}"))
    assert list(misplaced_fields(read_workloads(right, Settings()), [(read_meta(item), item) for item in right])) == []
