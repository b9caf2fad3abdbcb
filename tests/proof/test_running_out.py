"""Roles all of whose pods are somewhere open no other domain: a pod that needs another one stays Pending (S 1.6)."""

from __future__ import annotations

from typing import Any

import pytest
from tests.proof.records import proved
from tests.proof.test_laws import HOST, TAINT, ZONE, cluster, members, zones_of
from tests.scheduling.clusters import Enumeration

from trainlint.model.because import Because
from trainlint.model.known import Answer
from trainlint.proof import judge, prove
from trainlint.proof.cause import StrandedCause
from trainlint.proof.ground import ProofGround

Data = dict[str, Any]
NEAR = [{"topologyKey": "rack", "labelSelector": {"matchLabels": {"app": "x"}}}]


def role(name: str, replicas: int, *, near: bool = False, tolerates: bool = False) -> Data:
    spec: Data = {"containers": [{"name": "c", "resources": {"limits": {"cpu": "1"}}}]}
    if tolerates:
        spec["tolerations"] = [{"operator": "Exists"}]
    if near:
        spec["affinity"] = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": NEAR}}
    pod = {"metadata": {"labels": {"role": name, "app": "x"}}, "spec": spec}
    return {"role": name, "replicas": replicas, "pod": pod}


def node(name: str, cpus: int, *, tainted: bool = False) -> Data:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {HOST: name, "rack": f"rack-{name}", ZONE: "a"}},
        "spec": {"taints": [TAINT] if tainted else []},
        "status": {"allocatable": {"cpu": str(cpus), "pods": "110"}},
    }


def record(leaders: int, tainted: int, free: int) -> Data:
    """Leaders that may be on both nodes, and a follower near one of them that may be on the second only."""
    group = [role("r0", leaders, tolerates=True), role("r1", 1, near=True)]
    return {"group": group, "nodes": [node("n0", tainted, tainted=True), node("n1", free)], "namespaces": []}


def test_all_leaders_may_land_where_the_follower_cannot_follow() -> None:
    found = record(leaders=2, tainted=2, free=3)
    assert Enumeration(members(found), cluster(found), zones_of(found)).dead_end
    proof = proved(found)
    assert (proof.exists, proof.for_all) == (Answer.PROVED, Answer.REFUTED)
    (cause,) = proof.causes
    assert isinstance(cause, StrandedCause)
    assert [each.role for each in cause.waiting] == ["r1"]


def test_where_the_first_node_takes_not_all_leaders_one_of_them_is_near_the_follower() -> None:
    found = record(leaders=3, tainted=2, free=4)
    assert not Enumeration(members(found), cluster(found), zones_of(found)).dead_end
    assert proved(found).for_all is Answer.PROVED


def test_what_is_not_tried_pod_by_pod_is_not_taken_for_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (judge, prove):
        monkeypatch.setattr(module, "enumerate_placements", lambda *_: None)
    proof = proved(record(leaders=2, tainted=2, free=3))
    assert (proof.exists, proof.for_all) == (Answer.PROVED, Answer.UNKNOWN)
    assert proof.missing == (Because(ProofGround.FOLLOW),)


def test_a_spread_over_hosts_that_counts_other_pods_sets_no_limit_to_its_own() -> None:
    """S 1.7: the skew of a pod that its own selector does not match grows by none of its kind."""
    pods = role("r0", 2)
    pods["pod"]["spec"]["topologySpreadConstraints"] = [
        {
            "maxSkew": 1,
            "topologyKey": HOST,
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"role": "another"}},
        }
    ]
    both = [node("n0", 2), node("n1", 1)]
    both[1]["metadata"]["labels"][ZONE] = "b"
    proof = proved({"group": [pods], "nodes": both, "namespaces": []})
    assert (proof.exists, proof.viable_zones) == (Answer.PROVED, ("a",))


def test_followers_of_a_pod_on_a_node_that_is_full_are_stranded_however_many_other_placements_there_are() -> None:
    """Without the affinity every pod finds room: too many placements to try, so the dead end itself is asked."""
    follower = role("r0", 8, near=True, tolerates=True)
    follower["pod"]["metadata"]["labels"] = {"role": "r0", "app": "x"}
    group = [follower, role("r1", 2, tolerates=True)]
    nodes = [node("small", 2), *(node(f"n{number}", 64) for number in range(20))]
    proof = proved({"group": group, "nodes": nodes, "namespaces": []})
    assert (proof.exists, proof.for_all, proof.notes) == (Answer.PROVED, Answer.REFUTED, ())
    (cause,) = proof.causes
    assert isinstance(cause, StrandedCause)
    assert [each.role for each in cause.waiting] == ["r0"]


def test_pods_that_affinity_keeps_in_a_zone_and_that_fill_it_unevenly_are_a_dead_end_of_the_affinity() -> None:
    """13 pods of 1 CPU and 6 of 8 fill 8 nodes of 8 CPUs in zone ``a``; a second zone has room for any order."""

    def sized(name: str, replicas: int, cpus: str) -> Data:
        found = role(name, replicas)
        found["pod"]["spec"]["containers"][0]["resources"]["limits"]["cpu"] = cpus
        found["pod"]["spec"]["affinity"] = {
            "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{**NEAR[0], "topologyKey": ZONE}]}
        }
        return found

    nodes = [node(f"a{number}", 8) for number in range(8)] + [node(f"b{number}", 8) for number in range(80)]
    for each in nodes[8:]:
        each["metadata"]["labels"][ZONE] = "b"
    group = [sized("r0", 13, "1"), sized("r1", 6, "8")]
    bound = proved({"group": group, "nodes": nodes, "namespaces": []})
    assert (bound.exists, bound.for_all, bound.notes) == (Answer.PROVED, Answer.REFUTED, ())
    cause = next(each for each in bound.causes if isinstance(each, StrandedCause))
    assert (cause.crowded, [each.role for each in cause.waiting]) == (True, ["r1"])
    packed = proved({"group": group, "nodes": nodes[:8], "namespaces": []})
    assert packed.for_all is Answer.REFUTED
    assert not any(isinstance(each, StrandedCause) for each in packed.causes), "without the affinity it happens as well"
    assert packed.notes
