"""Laws of the proof on small groups of any shape: sound against every placement, and indifferent to order.

The judge is independent: it places one pod at a time on single nodes and asks the filters each time.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.proof.records import proved
from tests.scheduling.clusters import Enumeration, field

from trainlint.kube.meta import read_labels
from trainlint.kube.node import read_node
from trainlint.kube.pod import read_pod_spec
from trainlint.model.known import Answer
from trainlint.proof import judge, prove
from trainlint.proof.group import GroupProof
from trainlint.reachability import NO_DOMAIN
from trainlint.scheduling.filter import verdicts
from trainlint.scheduling.node import Node, node_of
from trainlint.scheduling.occupancy import Occupancy
from trainlint.scheduling.pod import Pod, defaulted

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
GPU = "nvidia.com/gpu"
TAINT = {"key": "gpu", "effect": "NoSchedule"}
Data = dict[str, Any]
FEW = settings(max_examples=120, suppress_health_check=list(HealthCheck))


@st.composite
def nodes(draw: st.DrawFn) -> list[Data]:
    made = []
    for number in range(draw(st.integers(1, 4))):
        labels = {HOST: f"n{number}", "rack": draw(st.sampled_from(["r1", "r2"]))}
        zone = draw(st.sampled_from(["a", "a", "b", ""]))
        if zone:
            labels[ZONE] = zone
        gpus, cpus = draw(st.integers(0, 2)), draw(st.integers(1, 3))
        made.append(
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": f"n{number}", "labels": labels},
                "spec": {"taints": [TAINT] if draw(st.booleans()) else []},
                "status": {"allocatable": {"cpu": str(cpus), "pods": "4", GPU: str(gpus)}},
            }
        )
    return made


@st.composite
def roles(draw: st.DrawFn, *, spread: bool) -> list[Data]:
    made = []
    for number in range(draw(st.integers(1, 2))):
        spec: Data = {
            "containers": [{"name": "c", "resources": {"limits": {"cpu": "1", GPU: str(draw(st.integers(0, 1)))}}}]
        }
        if draw(st.booleans()):
            spec["tolerations"] = [{"operator": "Exists"}]
        if draw(st.integers(0, 3)) == 0:
            spec["nodeSelector"] = {ZONE: "a"}
        affinity: Data = {}
        for kind in ("podAffinity", "podAntiAffinity"):
            if draw(st.integers(0, 3)) == 0:
                affinity[kind] = {"requiredDuringSchedulingIgnoredDuringExecution": [draw(terms())]}
        spec["affinity"] = affinity
        if spread and draw(st.booleans()):
            spec["topologySpreadConstraints"] = [
                {
                    "maxSkew": draw(st.integers(1, 2)),
                    "topologyKey": draw(st.sampled_from([ZONE, HOST])),
                    "whenUnsatisfiable": "DoNotSchedule",
                    "labelSelector": draw(selectors()),
                }
            ]
        made.append(
            {
                "role": f"r{number}",
                "replicas": draw(st.integers(1, 2)),
                "pod": {"metadata": {"labels": {"role": f"r{number}", "app": "x"}}, "spec": spec},
            }
        )
    return made


def selectors() -> st.SearchStrategy[Data]:
    return st.sampled_from(
        [{"matchLabels": {"app": "x"}}, {"matchLabels": {"role": "r0"}}, {"matchLabels": {"role": "r1"}}]
    )


def terms() -> st.SearchStrategy[Data]:
    return st.builds(
        lambda key, selector: {"topologyKey": key, "labelSelector": selector},
        st.sampled_from([ZONE, HOST, "rack"]),
        selectors(),
    )


@st.composite
def records(draw: st.DrawFn, *, spread: bool = True) -> Data:
    return {"group": draw(roles(spread=spread)), "nodes": draw(nodes()), "namespaces": []}


def members(record: Data) -> list[tuple[Pod, int]]:
    return [
        (
            defaulted(
                "default",
                read_labels(field(each["pod"]["metadata"])["labels"]),
                read_pod_spec(field(each["pod"]["spec"])),
            ),
            each["replicas"],
        )
        for each in record["group"]
    ]


def cluster(record: Data) -> list[Node]:
    return [node_of(read_node(field(each))) for each in record["nodes"]]


def zones_of(record: Data) -> list[str | None]:
    return [each["metadata"]["labels"].get(ZONE) for each in record["nodes"]]


def said(proof: GroupProof) -> tuple[Answer, Answer, tuple[str, ...]]:
    return proof.exists, proof.for_all, proof.viable_zones


@FEW
@given(records())
def test_answers_are_those_of_every_placement_or_unknown(record: Data) -> None:
    everything = Enumeration(members(record), cluster(record), zones_of(record))
    alone = {next(iter(zones)) for zones in everything.zones if len(zones) == 1}
    proof = proved(record)
    if proof.exists is not Answer.UNKNOWN:
        assert (proof.exists is Answer.PROVED) is bool(alone)
    if proof.exists is Answer.PROVED:
        for zone in proof.zones:
            viable = (None if zone.name == NO_DOMAIN else zone.name) in alone
            assert zone.answer is Answer.UNKNOWN or (zone.answer is Answer.PROVED) is viable
        assert set(proof.viable_zones) == {zone.name for zone in proof.zones if zone.answer is Answer.PROVED}
    good = bool(alone) and all(len(zones) == 1 for zones in everything.zones) and not everything.dead_end
    if proof.for_all is not Answer.UNKNOWN:
        assert (proof.for_all is Answer.PROVED) is good


@FEW
@given(records())
def test_by_classes_alone_they_are_too(record: Data) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for module in (judge, prove):
            patch.setattr(module, "enumerate_placements", lambda *_: None)
        proof = proved(record)
    everything = Enumeration(members(record), cluster(record), zones_of(record))
    alone = {next(iter(zones)) for zones in everything.zones if len(zones) == 1}
    if proof.exists is not Answer.UNKNOWN:
        assert (proof.exists is Answer.PROVED) is bool(alone)
    good = bool(alone) and all(len(zones) == 1 for zones in everything.zones) and not everything.dead_end
    if proof.for_all is not Answer.UNKNOWN:
        assert (proof.for_all is Answer.PROVED) is good


@FEW
@given(records())
def test_every_witness_and_counterexample_can_be_placed_pod_by_pod(record: Data) -> None:
    proof = proved(record)
    for assignments in filter(None, (proof.assignments, proof.bad_assignments)):
        wanted = Counter[tuple[int, str]]()
        for assignment in assignments:
            wanted[int(assignment.pod_set[-1]), assignment.zone] += assignment.pods
        if assignments is proof.assignments:
            pods = Counter({role: 0 for role, _ in enumerate(record["group"])})
            for (role, _), count in wanted.items():
                pods[role] += count
            assert pods == {role: each["replicas"] for role, each in enumerate(record["group"])}
            assert len({zone for _, zone in wanted}) == 1
        assert any(True for _ in orders(members(record), cluster(record), zones_of(record), wanted))


def orders(
    roles: list[tuple[Pod, int]], nodes: list[Node], zones: list[str | None], wanted: Counter[tuple[int, str]]
) -> Iterator[tuple[tuple[int, int], ...]]:
    """Every way to place so many pods of each role in each zone, one by one past all filters."""
    kinds = [pod for pod, _ in roles]
    pending: list[tuple[tuple[int, int], ...]] = [()]
    seen: set[tuple[tuple[int, int], ...]] = set()
    while pending:
        placed = pending.pop()
        if placed in seen:
            continue
        seen.add(placed)
        left = wanted - Counter((role, zones[at] or NO_DOMAIN) for at, role in placed)
        if not left:
            yield placed
            continue
        counts = [dict(Counter(at for at, role in placed if role == index)) for index, _ in enumerate(kinds)]
        occupancy = Occupancy(nodes, kinds, counts)
        for role, zone in left:
            answers = verdicts(kinds[role], occupancy)
            for at, _ in enumerate(nodes):
                if (zones[at] or NO_DOMAIN) == zone and all(answer[at] is None for answer in answers.values()):
                    pending.append(tuple(sorted((*placed, (at, role)))))


@FEW
@given(records(), st.randoms(use_true_random=False))
def test_the_order_of_roles_and_nodes_changes_nothing(record: Data, random: Any) -> None:
    shuffled = copy.deepcopy(record)
    random.shuffle(shuffled["group"])
    random.shuffle(shuffled["nodes"])
    assert said(proved(shuffled)) == said(proved(record))


@FEW
@given(records(spread=False), st.integers(0, 3))
def test_one_more_node_never_takes_existence_away(record: Data, like: int) -> None:
    before = proved(record)
    assume(before.exists is Answer.PROVED)
    grown = copy.deepcopy(record)
    extra = copy.deepcopy(grown["nodes"][like % len(grown["nodes"])])
    extra["metadata"]["name"] = extra["metadata"]["labels"][HOST] = "extra"
    grown["nodes"].append(extra)
    assert proved(grown).exists is not Answer.REFUTED


@FEW
@given(records(spread=False), st.integers(0, 3), st.sampled_from(["cpu", GPU, "pods"]))
def test_more_room_never_turns_fits_into_never(record: Data, which: int, resource: str) -> None:
    before = proved(record)
    assume(before.exists is Answer.PROVED)
    grown = copy.deepcopy(record)
    room = grown["nodes"][which % len(grown["nodes"])]["status"]["allocatable"]
    room[resource] = str(int(room[resource]) + 2)
    assert proved(grown).exists is not Answer.REFUTED


@FEW
@given(records(spread=False), st.integers(0, 1))
def test_one_more_toleration_never_takes_existence_away(record: Data, which: int) -> None:
    before = proved(record)
    assume(before.exists is Answer.PROVED)
    grown = copy.deepcopy(record)
    spec = grown["group"][which % len(grown["group"])]["pod"]["spec"]
    spec["tolerations"] = [*spec.get("tolerations", []), {"key": "gpu", "operator": "Exists"}]
    assert proved(grown).exists is not Answer.REFUTED


def test_with_a_spread_that_honours_taints_a_toleration_can_take_existence_away() -> None:
    """The tainted zone becomes a domain, and the constraint then forces one pod into it (S 1.7)."""

    def world(tolerations: list[Data]) -> Data:
        spread = {
            "maxSkew": 1,
            "topologyKey": ZONE,
            "whenUnsatisfiable": "DoNotSchedule",
            "nodeTaintsPolicy": "Honor",
            "labelSelector": {"matchLabels": {"app": "x"}},
        }
        spec = {"containers": [{"name": "c"}], "tolerations": tolerations, "topologySpreadConstraints": [spread]}
        return {
            "group": [{"role": "r0", "replicas": 2, "pod": {"metadata": {"labels": {"app": "x"}}, "spec": spec}}],
            "nodes": [
                {
                    "metadata": {"name": zone, "labels": {ZONE: zone, HOST: zone}},
                    "spec": {"taints": taints},
                    "status": {"allocatable": {"cpu": "4", "pods": "9"}},
                }
                for zone, taints in (("a", []), ("b", [TAINT]))
            ],
            "namespaces": [],
        }

    assert proved(world([])).exists is Answer.PROVED
    assert proved(world([{"operator": "Exists"}])).exists is Answer.REFUTED


def _pod(role: str, gpus: str, affinity: Data) -> Data:
    limits = {"cpu": "1", GPU: gpus}
    spec = {"containers": [{"name": "c", "resources": {"limits": limits}}], "affinity": affinity}
    return {"role": role, "replicas": 1, "pod": {"metadata": {"labels": {"role": role}}, "spec": spec}}


def _node(name: str, gpus: str) -> Data:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {HOST: name, ZONE: "a"}},
        "status": {"allocatable": {"cpu": "1", "pods": "4", GPU: gpus}},
    }


@pytest.mark.parametrize("waits", [True, False])
def test_a_pod_that_waits_for_another_never_takes_its_place(waits: bool) -> None:
    """The first fits on both nodes, the second on the one with a GPU: only a pod that comes first could take it."""
    term = {"topologyKey": ZONE, "labelSelector": {"matchLabels": {"role": "second"}}}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}} if waits else {}
    group = [_pod("first", "0", affinity), _pod("second", "1", {})]
    proof = proved({"group": group, "nodes": [_node("plain", "0"), _node("gpu", "1")], "namespaces": []})
    assert proof.exists is Answer.PROVED
    assert proof.for_all is (Answer.PROVED if waits else Answer.REFUTED)
