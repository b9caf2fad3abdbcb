"""The surprises of the scheduling specification (S 5), by number: one cluster, one pod, the nodes that it may go to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from tests.scheduling.clusters import (
    HOSTNAME,
    ZONE,
    apart,
    bare_node,
    feasible,
    near,
    node,
    on_nodes,
    pod,
    refusing,
    taint,
    term,
    where,
)

from trainlint.model.selector import NodeSelectorTerm, Requirement
from trainlint.model.storage import Claim, PersistentVolume, Storage, StorageClass
from trainlint.scheduling.node import Node
from trainlint.scheduling.pod import Pod

GPU = "nvidia.com/gpu"
UNRESOLVABLE = "UnschedulableAndUnresolvable"


@dataclass(frozen=True)
class Case:
    """A sentence (with its number in S 5), a pod, nodes and placed pods, and the names of the feasible nodes."""

    sentence: str
    pod: Pod
    nodes: Sequence[Node]
    feasible: Sequence[str]
    placed: Sequence[tuple[str, Pod]] = ()
    namespaces: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    storage: Storage | None = None


def spread(key: str = ZONE, labels: dict[str, str] | None = None, **parts: object) -> dict[str, object]:
    constraint = {"topologyKey": key, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", **parts}
    return constraint if labels is None else {**constraint, "labelSelector": {"matchLabels": labels}}


def container(requests: dict[str, str] | None = None, **parts: object) -> dict[str, object]:
    return {"name": "c", "resources": {"limits": requests or {}}, **parts}


N = node("n", {ZONE: "a"}, gpu="8")
A, B = node("a", {ZONE: "a"}), node("b", {ZONE: "b"})
X, Y = pod({"app": "x"}), pod({"app": "y"})
TO_X = near(term(ZONE, {"app": "x"}))
HELD = pod({}, "other", affinity=apart(term(ZONE, {"app": "x"}, namespaceSelector={})))
ENDING = Pod("default", {"app": "x"}, X.spec, X.requests, terminating=True)
RDZV = {"name": "c", "ports": [{"containerPort": 29500}]}

CASES = [
    Case("1 an empty node affinity term matches no node", pod(affinity=on_nodes({})), [N], []),
    Case(
        "2 an empty term is skipped, the next decides", pod(affinity=on_nodes({}, where(ZONE, "In", "a"))), [N], ["n"]
    ),
    Case("3 an absent label satisfies NotIn", pod(affinity=on_nodes(where("gpu-type", "NotIn", "t4"))), [N], ["n"]),
    Case("4 label values are compared with case", pod(nodeSelector={"gpu": "true"}), [node("n", {"gpu": "True"})], []),
    Case(
        "5 Gt on a label that is no integer is false",
        pod(affinity=on_nodes(where("c", "Gt", "4"))),
        [node("n", {"c": "8gb"})],
        [],
    ),
    Case(
        "6 a malformed term leaves the other in force",
        pod(affinity=on_nodes(where("c", "Gt", "4", "8"), where(ZONE, "In", "a"))),
        [N],
        ["n"],
    ),
    Case(
        "7 nodeSelector and node affinity must both hold",
        pod(nodeSelector={ZONE: "a"}, affinity=on_nodes(where(ZONE, "In", "b"))),
        [A, B],
        [],
    ),
    Case("8 PreferNoSchedule does not filter", pod(), [node("n", taints=[taint("k", "v", "PreferNoSchedule")])], ["n"]),
    Case(
        "9 Equal compares the value",
        pod(tolerations=[{"key": GPU, "operator": "Equal", "value": "true"}]),
        [node("n", taints=[taint(GPU, "present")])],
        [],
    ),
    Case(
        "10 the default operator is Equal",
        pod(tolerations=[{"key": "k"}]),
        [node("n", taints=[taint("k")]), node("m", taints=[taint("k", "x")])],
        ["n"],
    ),
    Case(
        "11 two effects of one key are two taints",
        pod(tolerations=[{"key": "k", "operator": "Exists", "effect": "NoSchedule"}]),
        [node("n", taints=[taint("k"), taint("k", "", "NoExecute")])],
        [],
    ),
    Case(
        "12 tolerationSeconds plays no part",
        pod(tolerations=[{"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 0}]),
        [node("n", taints=[taint("k", "", "NoExecute")])],
        ["n"],
    ),
    Case(
        "13 a wildcard toleration covers a cordon that is not listed",
        pod(tolerations=[{"operator": "Exists"}]),
        [
            bare_node(
                {"metadata": {"name": "n"}, "spec": {"unschedulable": True}, "status": {"allocatable": {"pods": "9"}}}
            )
        ],
        ["n"],
    ),
    Case(
        "14 Gt tolerations are behind a gate",
        pod(tolerations=[{"key": "r", "operator": "Gt", "value": "90"}]),
        [node("n", taints=[taint("r", "95")])],
        [],
    ),
    Case(
        "15 no toleration is added for GPU taints by default",
        pod(limits={GPU: "1"}),
        [node("n", taints=[taint(GPU)], gpu="8")],
        [],
    ),
    Case(
        "17 init and main containers need the larger, not the sum",
        pod(initContainers=[container({GPU: "8"})], containers=[container({GPU: "8"})]),
        [N],
        ["n"],
    ),
    Case(
        "18 a sidecar after an init container does not add to it",
        pod(
            initContainers=[container({"cpu": "4"}), container({"cpu": "1"}, restartPolicy="Always")],
            containers=[container({"cpu": "3"})],
        ),
        [node("n", cpu="4")],
        ["n"],
    ),
    Case(
        "18 a sidecar before an init container does",
        pod(
            initContainers=[container({"cpu": "1"}, restartPolicy="Always"), container({"cpu": "4"})],
            containers=[container({"cpu": "3"})],
        ),
        [node("n", cpu="4")],
        [],
    ),
    Case(
        "19 pod-level requests replace the sum",
        pod(resources={"requests": {"cpu": "2"}}, containers=[container({"cpu": "6"})]),
        [node("n", cpu="4")],
        ["n"],
    ),
    Case("20 limits become requests", pod(limits={GPU: "8"}), [node("n", gpu="8"), node("m", gpu="7")], ["n"]),
    Case(
        "21 a node without allocatable pods takes none",
        pod(),
        [bare_node({"metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "8"}}})],
        [],
    ),
    Case(
        "22 the vCPUs of the type are more than the allocatable ones",
        pod(limits={"cpu": "192"}),
        [node("p5", cpu="191450m")],
        [],
    ),
    Case(
        "23 every container is rounded up to a thousandth",
        pod(containers=[container({"cpu": "0.5m"}), container({"cpu": "0.5m"})]),
        [node("n", cpu="1m"), node("m", cpu="2m")],
        ["m"],
    ),
    Case(
        "24 the wildcard address conflicts with every address",
        pod(containers=[{"name": "c", "ports": [{"containerPort": 1, "hostPort": 29500, "hostIP": "10.0.0.1"}]}]),
        [A],
        [],
        placed=[("a", pod(containers=[{"name": "c", "ports": [{"containerPort": 1, "hostPort": 29500}]}]))],
    ),
    Case(
        "25 host ports of ordinary init containers are ignored",
        pod(initContainers=[{"name": "i", "ports": [{"containerPort": 80, "hostPort": 80}]}], containers=[container()]),
        [A],
        ["a"],
        placed=[("a", pod(containers=[{"name": "c", "ports": [{"containerPort": 80, "hostPort": 80}]}]))],
    ),
    Case(
        "26 hostNetwork makes host ports of declared ports",
        pod(hostNetwork=True, containers=[RDZV]),
        [A, B],
        ["b"],
        placed=[("a", pod(hostNetwork=True, containers=[RDZV]))],
    ),
    Case(
        "26 without hostNetwork declared ports conflict with nothing",
        pod(containers=[RDZV]),
        [A],
        ["a"],
        placed=[("a", pod(containers=[RDZV]))],
    ),
    Case("27 the first pod of its own kind may go anywhere", pod({"app": "x"}, affinity=TO_X), [A], ["a"]),
    Case("27 a pod of another kind may not", pod({"app": "y"}, affinity=TO_X), [A], []),
    Case(
        "28 a term about another namespace does not match the pod itself",
        pod({"app": "x"}, affinity=near(term(ZONE, {"app": "x"}, namespaces=["other"]))),
        [A],
        [],
    ),
    Case(
        "29 one and the same pod must match all terms",
        pod(affinity=near(term(ZONE, {"app": "x"}), term(ZONE, {"tier": "t"}))),
        [A],
        [],
        placed=[("a", X), ("a", pod({"tier": "t"}))],
    ),
    Case(
        "30 the first pod, too, needs the topology key",
        pod({"app": "x"}, affinity=near(term("rack", {"app": "x"}))),
        [A],
        [],
    ),
    Case(
        "31 anti-affinity over a key that no node has holds nowhere",
        pod({"app": "x"}, affinity=apart(term("rack", {"app": "x"}))),
        [A],
        ["a"],
        placed=[("a", X)],
    ),
    Case(
        "32 a placed pod's anti-affinity holds against newcomers of every namespace it selects",
        pod({"app": "x"}),
        [A, B],
        ["b"],
        placed=[("a", HELD)],
    ),
    Case(
        "33 an own namespaceSelector of NotIn alone matches every namespace (S 8)",
        pod(affinity=apart(term(ZONE, {"app": "x"}, namespaceSelector=where("env", "NotIn", "dev")))),
        [A, B],
        ["b"],
        placed=[("a", pod({"app": "x"}, "dev"))],
        namespaces={"dev": {"env": "dev"}, "default": {}},
    ),
    Case(
        "33 with In it follows the documentation",
        pod(affinity=apart(term(ZONE, {"app": "x"}, namespaceSelector=where("env", "In", "prod")))),
        [A, B],
        ["a", "b"],
        placed=[("a", pod({"app": "x"}, "dev"))],
        namespaces={"dev": {"env": "dev"}, "default": {}},
    ),
    Case(
        "34 an omitted namespaceSelector is the own namespace",
        pod(affinity=apart(term(ZONE, {"app": "x"}))),
        [A, B],
        ["a", "b"],
        placed=[("a", pod({"app": "x"}, "other"))],
    ),
    Case(
        "34 an empty one is every namespace",
        pod(affinity=apart(term(ZONE, {"app": "x"}, namespaceSelector={}))),
        [A, B],
        ["b"],
        placed=[("a", pod({"app": "x"}, "other"))],
    ),
    Case(
        "35 a tainted empty domain pins the minimum",
        pod({"app": "x"}, topologySpreadConstraints=[spread(HOSTNAME, {"app": "x"})]),
        [A, node("control-plane", taints=[taint("node-role.kubernetes.io/control-plane")])],
        [],
        placed=[("a", X)],
    ),
    Case(
        "35 nodeTaintsPolicy Honor takes it out",
        pod({"app": "x"}, topologySpreadConstraints=[spread(HOSTNAME, {"app": "x"}, nodeTaintsPolicy="Honor")]),
        [A, node("control-plane", taints=[taint("node-role.kubernetes.io/control-plane")])],
        ["a"],
        placed=[("a", X)],
    ),
    Case(
        "36 an empty selector never limits the skew, but the key is needed",
        pod({"app": "x"}, topologySpreadConstraints=[spread(ZONE, {})]),
        [A, B, node("bare")],
        ["a", "b"],
        placed=[("a", X), ("a", X)],
    ),
    Case(
        "37 neither does a selector that is not there",
        pod({"app": "x"}, topologySpreadConstraints=[spread()]),
        [A, B, node("bare")],
        ["a", "b"],
        placed=[("a", X), ("a", X)],
    ),
    Case(
        "38 a constraint that does not select the pod itself is limited by others only",
        pod({"app": "y"}, topologySpreadConstraints=[spread(ZONE, {"app": "x"})]),
        [A, B],
        ["a", "b"],
        placed=[("a", X), ("a", Y), ("a", Y), ("a", Y)],
    ),
    Case(
        "39 fewer domains than minDomains leave one pod for each",
        pod({"app": "x"}, topologySpreadConstraints=[spread(ZONE, {"app": "x"}, minDomains=3)]),
        [A, B],
        [],
        placed=[("a", X), ("b", X)],
    ),
    Case(
        "40 a node that lacks one of two keys is no domain of either",
        pod({"app": "x"}, topologySpreadConstraints=[spread(ZONE, {"app": "x"}), spread("rack", {"app": "x"})]),
        [node("a", {ZONE: "a", "rack": "r"}), B],
        ["a"],
        placed=[("a", X)],
    ),
    Case(
        "41 a nodeSelector on the zone leaves one domain",
        pod({"app": "x"}, nodeSelector={ZONE: "a"}, topologySpreadConstraints=[spread(ZONE, {"app": "x"})]),
        [A, B],
        ["a"],
        placed=[("a", X), ("a", X)],
    ),
    Case(
        "56 the sum over nodes does not help one pod",
        pod(limits={GPU: "8"}),
        [node(f"n{index}", gpu="7") for index in range(4)],
        [],
    ),
    Case("66 a terminating pod still counts for affinity", pod(affinity=TO_X), [A, B], ["a"], placed=[("a", ENDING)]),
    Case(
        "66 and not for spread",
        pod({"app": "x"}, topologySpreadConstraints=[spread(ZONE, {"app": "x"})]),
        [A, B],
        ["a", "b"],
        placed=[("a", ENDING)],
    ),
    Case("67 a memory request of 512m is one byte", pod(limits={"memory": "512m"}), [node("n", memory="1")], ["n"]),
    Case(
        "68 the filter accepts Exists with a value",
        pod(tolerations=[{"key": "k", "operator": "Exists", "value": "v"}]),
        [node("n", taints=[taint("k", "other")])],
        ["n"],
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.sentence)
def test_a_surprise_of_the_filters(case: Case) -> None:
    found = feasible(case.pod, case.nodes, case.placed, namespaces=case.namespaces, storage=case.storage)
    assert sorted(found) == sorted(case.feasible)


def volume(name: str, zone: str, **parts: object) -> PersistentVolume:
    affinity = (NodeSelectorTerm((Requirement(ZONE, "In", (zone,)),)),)
    return PersistentVolume(name, capacity="10Gi", node_affinity=affinity, **parts)  # type: ignore[arg-type]


def storage(*claims: Claim, volumes: Sequence[PersistentVolume] = (), classes: Sequence[StorageClass] = ()) -> Storage:
    return Storage(
        {each.name: each for each in volumes},
        {(each.namespace, each.name): each for each in claims},
        {each.name: each for each in classes},
        complete=True,
        controllers=False,
    )


DATA = pod(volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "d"}}])
RWO, RWOP = frozenset({"ReadWriteOnce"}), frozenset({"ReadWriteOncePod"})


def test_42_a_read_write_once_claim_holds_pods_in_its_zone_but_not_on_one_node() -> None:
    bound = storage(Claim("default", "d", RWO, volume="pv", bound=True), volumes=[volume("pv", "a")])
    others = [node("a2", {ZONE: "a"}), A, B]
    assert feasible(DATA, others, [("a", DATA)], storage=bound) == ["a2", "a"]


def test_43_a_second_pod_of_a_read_write_once_pod_claim_waits_on_every_node() -> None:
    bound = storage(Claim("default", "d", RWOP, volume="pv", bound=True), volumes=[volume("pv", "a")])
    assert feasible(DATA, [A], storage=bound) == ["a"]
    assert refusing(DATA, A, [DATA], bound) == {"VolumeRestrictions": "Unschedulable"}


def test_44_a_missing_storage_class_counts_as_immediate() -> None:
    unbound = storage(Claim("default", "d", RWO, storage_class="typo"))
    assert refusing(DATA, A, storage=unbound)["VolumeBinding"] == UNRESOLVABLE


def test_45_a_missing_claim_keeps_the_pod_from_every_node() -> None:
    assert set(refusing(DATA, A, storage=storage())) == {
        "VolumeRestrictions",
        "NodeVolumeLimits",
        "VolumeBinding",
        "VolumeZone",
    }


def test_46_two_underscores_separate_zones_in_a_volume_label() -> None:
    labelled = PersistentVolume("pv", labels={ZONE: "a__b"}, capacity="10Gi")
    bound = storage(Claim("default", "d", RWO, volume="pv", bound=True), volumes=[labelled])
    assert feasible(DATA, [A, B, node("c", {ZONE: "c"}), node("zoneless")], storage=bound) == ["a", "b", "zoneless"]


def test_8_match_fields_of_a_volume_are_ignored() -> None:
    fields = (NodeSelectorTerm(fields=(Requirement("metadata.name", "In", ("elsewhere",)),)),)
    pinned = PersistentVolume("pv", capacity="10Gi", node_affinity=fields)
    bound = storage(Claim("default", "d", RWO, volume="pv", bound=True), volumes=[pinned])
    assert feasible(DATA, [A], storage=bound) == ["a"]


def test_8_resources_with_ill_formed_names_are_ignored() -> None:
    odd = pod(containers=[{"name": "c", "resources": {"requests": {"gpu": "8", "NVIDIA.COM/gpu": "8", "a/b/c": "1"}}}])
    assert feasible(odd, [A]) == ["a"]


def test_8_a_malformed_selector_of_a_hard_spread_constraint_is_an_error() -> None:
    constraint = {
        **spread(),
        "labelSelector": {"matchExpressions": [{"key": "app", "operator": "Gt", "values": ["1"]}]},
    }
    assert refusing(pod(topologySpreadConstraints=[constraint]), A) == {"PodTopologySpread": "Error"}


def test_8_one_empty_zone_of_cpu_nodes_makes_the_third_gpu_worker_wait() -> None:
    worker = pod({"app": "x"}, limits={GPU: "1"}, topologySpreadConstraints=[spread(ZONE, {"app": "x"})])
    gpu = [node("a", {ZONE: "a"}, gpu="8"), node("b", {ZONE: "b"}, gpu="8")]
    cpu = node("c", {ZONE: "c"})
    assert feasible(worker, [*gpu, cpu], [("a", worker), ("b", worker)]) == []
    assert feasible(worker, gpu, [("a", worker), ("b", worker)]) == ["a", "b"]
