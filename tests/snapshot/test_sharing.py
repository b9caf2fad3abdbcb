"""Snapshots share the facts that rest on the same manifests, and only those."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest
from tests.bench.repository import build_small
from tests.snapshot.test_alternatives import job, snapshots

from trainlint.engine import check
from trainlint.facts import prover
from trainlint.facts.facts import Facts
from trainlint.launch.environment import environment
from trainlint.snapshot.build import Snapshot

CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: ml}\ndata: {BACKEND: %s}\n"
READER = """apiVersion: batch/v1
kind: Job
metadata: {name: reader, namespace: ml}
spec: {template: {spec: {containers: [{name: m, image: i, envFrom: [{configMapRef: {name: settings}}]}]}}}
"""
NODE = """apiVersion: v1
kind: Node
metadata: {name: %s, labels: {topology.kubernetes.io/zone: a}}
status: {allocatable: {cpu: "8", memory: 64Gi, pods: "110"}}
"""
POLICY = """apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed, namespace: ml}
spec: {podSelector: {matchLabels: {app: %s}}, policyTypes: [Ingress]}
"""


def pods(snapshot: Snapshot, name: str) -> object:
    return next(each for each in snapshot.workloads.pod_sets if each.owner.name == name)


def test_an_object_of_all_alternatives_becomes_one_pod_set(tmp_path: Path) -> None:
    found = snapshots(tmp_path, {"a/j.yaml": job(image="a"), "b/j.yaml": job(image="b"), "shared.yaml": job("other")})
    assert pods(found["a"], "other") is pods(found["b"], "other")
    assert pods(found["a"], "train") is not pods(found["b"], "train")


def test_an_object_that_takes_values_from_an_alternative_is_another_in_each(tmp_path: Path) -> None:
    found = snapshots(tmp_path, {"a/c.yaml": CONFIG % "nccl", "b/c.yaml": CONFIG % "gloo", "shared.yaml": READER})
    values = {}
    for name, snapshot in found.items():
        pod_set = next(each for each in snapshot.workloads.pod_sets)
        values[name] = environment(pod_set.spec.containers[0])["BACKEND"].value
    assert values == {"a": "nccl", "b": "gloo"}


def test_an_object_that_misses_in_one_alternative_what_another_has_is_another_in_each(tmp_path: Path) -> None:
    files = {"a/c.yaml": CONFIG % "nccl", "a/j.yaml": job(image="a"), "b/j.yaml": job(image="b"), "shared.yaml": READER}
    found = snapshots(tmp_path, files)
    seen = {}
    for name, snapshot in found.items():
        pod_set = next(each for each in snapshot.workloads.pod_sets if each.owner.name == "reader")
        seen[name] = sorted(environment(pod_set.spec.containers[0])), pod_set.spec.containers[0].hidden_env
    assert seen == {"a": (["BACKEND"], ()), "b": ([], ("ConfigMap settings",))}


@pytest.mark.parametrize("same", [True, False])
def test_nodes_and_policies_are_shared_exactly_where_they_are_the_same(tmp_path: Path, *, same: bool) -> None:
    files = {"a/j.yaml": job(image="a"), "b/j.yaml": job(image="b")}
    if same:
        files |= {"nodes.yaml": NODE % "n", "policy.yaml": POLICY % "x"}
    else:
        files |= {"a/n.yaml": NODE % "n", "b/n.yaml": NODE % "n", "a/p.yaml": POLICY % "x", "b/p.yaml": POLICY % "y"}
    one, two = (Facts(each) for each in snapshots(tmp_path, files).values())
    assert (one.snapshot.inventories[0] is two.snapshot.inventories[0]) is same
    assert (one.policies is two.policies) is same
    assert one.cluster.storage is two.cluster.storage


def test_one_more_alternative_of_a_job_costs_the_proof_of_that_job_alone(tmp_path: Path) -> None:
    build_small(tmp_path)
    source = sorted((tmp_path / "training").rglob("*.yaml"))[0]
    text = source.read_text(encoding="utf-8")
    source.unlink()

    def proofs(alternatives: int) -> int:
        for number in range(alternatives):
            home = tmp_path / "variants" / f"v{number}"
            home.mkdir(parents=True, exist_ok=True)
            (home / "job.yaml").write_text(text.replace("NCCL_DEBUG, value: WARN", f"NCCL_DEBUG, value: L{number}"))
        with mock.patch.object(prover, "prove", wraps=prover.prove) as proved:
            result = check([tmp_path])
        assert len(result.snapshots) == alternatives
        return proved.call_count

    groups = 3
    assert proofs(2) == groups + 1
    assert proofs(6) == groups + 5
