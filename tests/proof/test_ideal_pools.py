"""The pools of the ideal cluster: which labels its nodes have, how many there are, and what is not known of them."""

from __future__ import annotations

from typing import Any

import pytest
from tests.scheduling.clusters import Data, pod

from trainlint.kube.ground import FieldGround
from trainlint.model.because import Because
from trainlint.model.ground import ValueGround
from trainlint.model.needs import DeviceNeed, NeedGround, Needs, ObjectNeed, RoleNeed
from trainlint.model.pod import Toleration
from trainlint.model.selector import Requirement
from trainlint.proof.ideal.cluster import ENOUGH, alone_in, ideal_cluster, is_invented, without
from trainlint.proof.ideal.requirement_sets import choices, numbers
from trainlint.scheduling.packing import UNLIMITED
from trainlint.scheduling.pod import Pod
from trainlint.wording.needs import need_words, object_words, role_words, taint_words

ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
HOST = "kubernetes.io/hostname"
ANY, OTHER = "(any zone)", "(another zone)"


def requirement(operator: str, *values: str, key: str = "k") -> Requirement:
    return Requirement(key, operator, values)


@pytest.mark.parametrize(
    ("asked", "more", "expected"),
    [
        ([requirement("In", "a", "b")], (), ("a", "b")),
        ([requirement("In", "a", "b"), requirement("NotIn", "a")], (), ("b",)),
        ([requirement("In", "a"), requirement("In", "b")], (), ()),
        ([requirement("NotIn", "a")], (None, "a", "c"), (None, "c")),
        ([requirement("Exists")], (), ("any",)),
        ([requirement("Exists")], (None, "c"), ("c", "any")),
        ([requirement("DoesNotExist")], (None, "c"), (None,)),
        ([requirement("Exists"), requirement("DoesNotExist")], (None,), ()),
        ([requirement("Gt", "4")], (None,), ("5",)),
        ([requirement("Gt", "4"), requirement("NotIn", "5")], (), ("6",)),
        ([requirement("Lt", "4")], (), ("3",)),
        ([requirement("Lt", "4"), requirement("NotIn", "3", "2")], (), ("1",)),
        ([requirement("Gt", "4"), requirement("Lt", "6")], (), ("5",)),
        ([requirement("Gt", "4"), requirement("Lt", "5")], (), ()),
        ([], (None, "c"), (None, "c")),
    ],
)
def test_the_values_that_satisfy_requirements(
    asked: list[Requirement], more: tuple[str | None, ...], expected: tuple[str | None, ...]
) -> None:
    assert choices(asked, more) == expected


def test_numbers_are_as_many_as_values_that_are_left_out_and_one_more() -> None:
    assert list(numbers([requirement("Gt", "7"), requirement("NotIn", "8", "9")])) == ["8", "9", "10"]
    assert list(numbers([requirement("Lt", "7")])) == ["6"]
    assert list(numbers([requirement("Gt", "x"), requirement("In", "7"), requirement("Exists")])) == []


def pools(*pods: Pod, policies: tuple[frozenset[str], bool] = (frozenset(), False)) -> list[Any]:
    return list(ideal_cluster(pods, (), None, ZONE, policies).inventory.pools)


def labels_of(*pods: Pod, **more: Any) -> list[Data]:
    return [dict(each.labels) for each in pools(*pods, **more)]


def affine(*terms: list[Data], fields: bool = False) -> Data:
    name = "matchFields" if fields else "matchExpressions"
    required = {"nodeSelectorTerms": [{name: each} for each in terms]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}}


def term(key: str, operator: str, *values: str) -> Data:
    return {"key": key, "operator": operator, "values": list(values)}


def near(kind: str, key: str) -> Data:
    required = [{"topologyKey": key, "labelSelector": {"matchLabels": {"a": "b"}}}]
    return {"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": required}}}


BARE = [{ZONE: ANY}, {ZONE: OTHER}]
TWO = [{"gpu": value, **each} for value in "ab" for each in BARE]
RACKS: list[Data] = [{"rack": "(1. domain)"}, {"rack": "(2. domain)"}, {}]
IN_RACKS = [{**each, **rack} for each in BARE for rack in RACKS]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, BARE),
        ({"nodeSelector": {"gpu": "a"}}, [{"gpu": "a", **each} for each in BARE]),
        ({"nodeSelector": {ZONE: "z"}}, [{ZONE: "z"}]),
        (affine([term("gpu", "In", "a", "b")]), [{"gpu": "a", **each} for each in BARE]),
        (affine([term("gpu", "In", "a")], [term("gpu", "In", "b")]), TWO),
        (affine([term("gpu", "NotIn", "a")]), BARE),
        (affine([term("gpu", "Exists")]), [{"gpu": "any", **each} for each in BARE]),
        (affine([term("gpu", "DoesNotExist")]), BARE),
        (affine([term("gpus", "Gt", "4")]), [{"gpus": "5", **each} for each in BARE]),
        (affine([term(ZONE, "In", "y", "z")]), [{ZONE: "y"}, {ZONE: "z"}]),
        (affine([term(ZONE, "NotIn", "y")]), BARE),
        (affine([term(ZONE, "DoesNotExist")]), [{}]),
        # requirements that contradict each other: nodes that satisfy the first
        (affine([term("gpu", "In", "a"), term("gpu", "In", "b")]), [{"gpu": "a", **each} for each in BARE]),
        (near("podAffinity", "rack"), IN_RACKS),
        (near("podAffinity", HOST), BARE),
    ],
)  # fmt: skip
def test_the_labels_of_the_nodes_that_a_pod_tells_apart(spec: Data, expected: list[Data]) -> None:
    assert labels_of(pod(**spec)) == expected


@pytest.mark.parametrize(
    ("spec", "name", "labels"),
    [
        ({"nodeName": "n7"}, "n7", {HOST: "n7"}),
        ({"nodeSelector": {HOST: "n7"}}, "n7", {HOST: "n7"}),
        (affine([term("metadata.name", "In", "n7")], fields=True), "n7", {HOST: "n7"}),
    ],
)
def test_a_node_that_has_a_name_is_there_once(spec: Data, name: str, labels: Data) -> None:
    for each, zone in zip(pools(pod(**spec)), (ANY, OTHER), strict=True):
        assert (each.node_name, each.minimum, each.maximum) == (name, 1, 1)
        assert each.labels == {**labels, ZONE: zone}
        assert each.name == f"a node with {HOST}={name}, {ZONE}={zone}"


def test_nodes_without_a_name_are_as_many_as_are_asked_for() -> None:
    (one, other) = pools(pod(limits={"cpu": "2", "nvidia.com/gpu": "8"}))
    assert (one.node_name, one.minimum, one.maximum) == ("", UNLIMITED, None)
    assert one.allocatable == dict.fromkeys(("cpu", "memory", "nvidia.com/gpu", "pods"), ENOUGH)
    assert (one.name, other.name) == (f"a node with {ZONE}={ANY}", f"a node with {ZONE}={OTHER}")
    assert [each.name for each in pools(pod(**affine([term(ZONE, "DoesNotExist")])))] == ["any node"]


@pytest.mark.parametrize(
    ("spec", "regions", "unsaid"),
    [
        ({}, False, {}),
        ({}, True, {REGION: Because(ValueGround.IDEAL_REGION)}),
        ({"nodeSelector": {REGION: "r"}}, True, {}),
    ],
)
def test_the_region_is_not_known_where_policies_read_it_and_no_label_says_it(
    spec: Data, regions: bool, unsaid: dict[str, Because]
) -> None:
    assert [each.undetermined for each in pools(pod(**spec), policies=(frozenset(), regions))] == [unsaid, unsaid]


def test_zones_that_policies_name_are_looked_at_before_others() -> None:
    assert labels_of(pod(), policies=(frozenset({"z", "y"}), False)) == [
        {ZONE: each} for each in ("y", "z", ANY, OTHER)
    ]
    assert [is_invented(each) for each in (ANY, OTHER, "z", "(1. domain)")] == [True, True, False, False]


def test_pods_that_must_be_near_each_other_are_on_nodes_that_satisfy_both() -> None:
    one = pod(**{"nodeSelector": {"gpu": "a"}, **near("podAffinity", HOST)})
    other = pod(nodeSelector={"disk": "b"})
    assert labels_of(one, other) == [
        {**labels, **each} for labels in ({"gpu": "a"}, {"disk": "b"}, {"gpu": "a", "disk": "b"}) for each in BARE
    ]
    assert labels_of(pod(nodeSelector={"gpu": "a"}), other) == [
        {**labels, **each} for labels in ({"gpu": "a"}, {"disk": "b"}) for each in BARE
    ]


def spread(key: str, **more: Any) -> Data:
    constraint = {"topologyKey": key, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}, **more}
    return {"topologySpreadConstraints": [constraint]}


@pytest.mark.parametrize(
    ("spec", "count"),
    [
        (spread(ZONE), 2),
        (spread(ZONE, minDomains=2), 2),
        (spread(ZONE, minDomains=3), 3),
        (spread(ZONE, minDomains=3, whenUnsatisfiable="ScheduleAnyway"), 2),
        (spread(HOST, minDomains=3), 2),
        (spread(ZONE, minDomains=16), 16),
        (spread(ZONE, minDomains=17), 16),
    ],
)
def test_there_are_as_many_domains_as_a_spread_asks_for(spec: Data, count: int) -> None:
    ideal = ideal_cluster((pod(**spec),), (), None, ZONE)
    zones = [each.labels[ZONE] for each in ideal.inventory.pools]
    assert zones == [ANY, OTHER, *(f"({number}. domain)" for number in range(3, 17))][:count]
    hard = spec["topologySpreadConstraints"][0]
    counts = hard["whenUnsatisfiable"] == "DoNotSchedule" and hard["topologyKey"] == ZONE
    assert ideal.spread == (frozenset({ZONE}) if counts else frozenset())
    assert (ideal.open is not None) == (hard.get("minDomains") == 17)
    assert (ideal.inventory.ideal, ideal.inventory.invented, ideal.unlabelled) == (True, True, False)


def test_nodes_without_the_label_are_wanted_where_a_pod_asks_for_them() -> None:
    assert ideal_cluster((pod(**affine([term(ZONE, "DoesNotExist")])),), (), None, ZONE).unlabelled
    assert not ideal_cluster((pod(**affine([term("rack", "DoesNotExist")])),), (), None, ZONE).unlabelled
    assert not ideal_cluster((pod(**affine([term(ZONE, "Exists")])),), (), None, ZONE).unlabelled


def test_a_cluster_with_one_domain_and_one_without_the_label() -> None:
    inventory = ideal_cluster((pod(nodeSelector={"gpu": "a"}),), (), None, ZONE).inventory
    assert [each.labels for each in alone_in(inventory, ZONE, ANY).pools] == [{"gpu": "a", ZONE: ANY}]
    assert alone_in(inventory, ZONE, None).pools == ()
    assert [(each.name, each.labels) for each in without(inventory, ZONE).pools] == [
        ("a node with gpu=a", {"gpu": "a"})
    ]
    assert without(inventory, "gpu").pools[0].labels == {ZONE: ANY}


ROLE = RoleNeed("train/Worker", 3, requests={"cpu": "2", "nvidia.com/gpu": "8"})
GPU = Requirement("gpu", "In", ("a",))
DISK = Requirement("disk", "Exists", ())


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({}, "train/Worker: 3 pods with 2 cpu, 8 nvidia.com/gpu each"),
        ({"pods": 1}, "train/Worker: 1 pod with 2 cpu, 8 nvidia.com/gpu"),
        ({"pods": 2}, "train/Worker: 2 pods with 2 cpu, 8 nvidia.com/gpu each"),
        ({"requests": {}}, "train/Worker: 3 pods"),
        (
            {"pods": 1, "unsaid": Because(FieldGround.NOT_WHOLE, ("replicas", "x"))},
            (
                "train/Worker: 1 pod or more with 2 cpu, 8 nvidia.com/gpu each; how many is not known: "
                "replicas is x, not a whole number"
            ),
        ),
        ({"requests": {}, "apart": True}, "train/Worker: 3 pods, each on a node of its own"),
        ({"requests": {}, "beside": True}, "train/Worker: 3 pods, near which the pods of the group must be"),
        (
            {"requests": {}, "devices": (DeviceNeed("train/Worker", "c"), DeviceNeed("train/Worker", "d"))},
            "train/Worker: 3 pods; devices on its node: c, d",
        ),
        ({"requests": {}, "volumes": ("c", "d")}, "train/Worker: 3 pods; within reach of the volumes of c, d"),
        ({"requests": {}, "labels": ((GPU,),)}, "train/Worker: 3 pods, on nodes with gpu=a"),
        ({"requests": {}, "labels": ((GPU, DISK),)}, "train/Worker: 3 pods, on nodes with gpu=a and disk Exists"),
        (
            {"requests": {}, "labels": ((GPU,), (DISK,))},
            "train/Worker: 3 pods, on nodes with gpu=a, or with disk Exists",
        ),
        ({"requests": {}, "labels": ((GPU,), ())}, "train/Worker: 3 pods"),
        (
            {
                "requests": {},
                "tolerates": (Toleration("a", "Equal", "b", "NoSchedule"), Toleration("c"), Toleration("c")),
            },
            "train/Worker: 3 pods; the nodes may be tainted a=b:NoSchedule, c",
        ),
    ],
)
def test_what_a_role_needs_in_words(more: dict[str, Any], text: str) -> None:
    base = {"role": ROLE.role, "pods": ROLE.pods, "requests": ROLE.requests}
    assert role_words(RoleNeed(**{**base, **more})) == text


@pytest.mark.parametrize(
    ("toleration", "text"),
    [
        (Toleration("a", "Equal", "b", "NoSchedule"), "a=b:NoSchedule"),
        (Toleration("a", "Exists", "", "NoExecute"), "a:NoExecute"),
        (Toleration("a", "Equal", "b", ""), "a=b"),
        (Toleration("", "Exists", "", ""), "with anything"),
    ],
)
def test_taints_in_words(toleration: Toleration, text: str) -> None:
    assert taint_words(toleration) == text


@pytest.mark.parametrize(
    ("needs", "texts"),
    [
        (Needs(), []),
        (Needs(domain=ZONE), ["all of this in one zone"]),
        (Needs(domain="example.com/rack", zones=("a", "b")), ["all of this in one rack: a or b"]),
        (Needs(zones=("a",)), []),
        (Needs(shared=("a/rack",)), ["all of this on nodes with one value of the label a/rack"]),
        (
            Needs(together=ZONE),
            ["nothing keeps the pods together: every placement is good only where such nodes are in one zone"],
        ),
        (
            Needs(objects=(ObjectNeed("Secret", "ml", "s", "train/Worker"), ObjectNeed("Node", "", "n", "r"))),
            ["Secret ml/s, for train/Worker", "Node n, for r"],
        ),
        (
            Needs(others=(Because(NeedGround.DEVICES, ("x",)), Because(NeedGround.SELECTED))),
            ["the devices of x", "nodes that are selected where a placeholder stands"],
        ),
        (Needs(roles=(RoleNeed("r", 1),)), ["r: 1 pod"]),
    ],
)  # fmt: skip
def test_needs_in_words(needs: Needs, texts: list[str]) -> None:
    assert list(need_words(needs)) == texts
    assert object_words(ObjectNeed("Secret", "ml", "s", "r")) == "Secret ml/s"
