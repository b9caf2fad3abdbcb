"""The proof of a group against what kube-scheduler did with it (recordings of whole groups, see conformance/data).

Exists is proved if some complete placement uses one zone only; for all if every complete one does and no order leads
into a dead end. An unknown is never wrong, but there may be few of them.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from trainlint.finding import Location
from trainlint.kube.meta import read_labels
from trainlint.kube.node import read_node
from trainlint.kube.pod import read_pod_spec
from trainlint.model.pool import Inventory
from trainlint.model.settings import Cni, Settings
from trainlint.model.workload import EPHEMERAL, Flow, FlowKind, Group, ObjectRef, PodSet
from trainlint.policy import PolicyContext, read_policies
from trainlint.proof import group as group_module
from trainlint.proof.feasibility import judge_pod_set
from trainlint.proof.group import GroupProof, Stage, prove
from trainlint.reachability import NO_DOMAIN, Reachability, places
from trainlint.scheduling.condense import condense
from trainlint.scheduling.node import node_of
from trainlint.source.document import Document

DATA = Path(__file__).parents[1] / "conformance" / "data" / "scheduling"
SETTINGS = Settings(cni=Cni(name="", version=""))


def recorded(name: str, step: int) -> Iterator[dict[str, Any]]:
    """Records without pods of others, volumes and pods that the API server refuses."""
    with gzip.open(DATA / name, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % step == 0:
                record = json.loads(line)
                if not (record.get("pods") or record.get("volumes") or record.get("invalid")):
                    yield record


def proved(record: dict[str, Any]) -> GroupProof:
    root = Document("record", 0, 1, "", record).root
    members = tuple(
        PodSet(
            ObjectRef("Job", each["pod"]["metadata"]["namespace"].scalar or "default", "group"),
            each["role"].scalar or "",
            each["replicas"].value,
            read_labels(each["pod"]["metadata"]["labels"]),
            read_pod_spec(each["pod"]["spec"]),
            at=each.at,
            template=each["pod"].at,
        )
        for each in root["group"].elements()
    )
    flows = tuple(
        Flow(one, other, "TCP", EPHEMERAL, FlowKind.COLLECTIVE, "they are ranks", Location("record", 0))
        for one, here in enumerate(members)
        for other in range(len(members))
        if one != other or (isinstance(here.replicas, int) and here.replicas > 1)
    )
    group = Group("default/group", "Job", members, flows, at=members[0].at)
    pools = tuple(read_node(each) for each in root["nodes"].elements())
    inventory = Inventory("recorded", pools, at=members[0].at)
    nodes = tuple(node_of(pool) for pool in condense(pools, [member.spec for member in members]))
    namespaces = {
        each["name"].scalar or "": {
            **read_labels(each["labels"]),
            "kubernetes.io/metadata.name": each["name"].scalar or "",
        }
        for each in root["namespaces"].elements()
    }
    feasible = {index: judge_pod_set(member, inventory, nodes, SETTINGS) for index, member in enumerate(members)}
    stage = Stage(nodes, feasible, (), SETTINGS, namespaces)
    policies = read_policies([], PolicyContext(SETTINGS, namespaces))
    everywhere = places((node.pool for node in nodes), SETTINGS.topology_key)
    return prove(group, Reachability(group, everywhere, policies, SETTINGS, namespaces), stage, [])


def wrong(record: dict[str, Any], proof: GroupProof) -> list[str]:
    seen = record["results"]["any_order"]
    alone = {zones[0] for zones in seen["zones"] if len(zones) == 1}
    exists = "proved" if alone else "refuted"
    together = all(len(zones) == 1 for zones in seen["zones"])
    for_all = "proved" if alone and together and not seen["dead_end"] else "refuted"
    found = []
    if proof.exists.value not in {exists, "unknown"}:
        found.append(f"{record['id']}: exists is {proof.exists.value}, recorded {exists}")
    if proof.for_all.value not in {for_all, "unknown"}:
        found.append(f"{record['id']}: for all is {proof.for_all.value}, recorded {for_all}")
    viable = {None if zone == NO_DOMAIN else zone for zone in proof.viable_zones}
    if proof.exists.value == "proved" and viable != alone:
        found.append(f"{record['id']}: viable zones are {viable}, recorded {alone}")
    return found


@pytest.mark.parametrize(
    ("name", "step", "unknown"), [("group-hand.jsonl.gz", 1, 0.0), ("group-random.jsonl.gz", 3, 0.02)]
)
def test_answers_agree_with_the_scheduler(name: str, step: int, unknown: float) -> None:
    answers: Counter[str] = Counter()
    problems: list[str] = []
    for record in recorded(name, step):
        proof = proved(record)
        problems += wrong(record, proof)
        answers[proof.for_all.value] += 1
    assert problems == []
    assert answers["unknown"] <= unknown * answers.total()


def test_answers_by_classes_alone_agree_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Large groups are never explored placement by placement; what is said of them must hold all the same."""
    monkeypatch.setattr(group_module, "explored", lambda *_: None)
    answers: Counter[str] = Counter()
    problems: list[str] = []
    for record in recorded("group-random.jsonl.gz", 2):
        proof = proved(record)
        problems += wrong(record, proof)
        answers[proof.for_all.value] += 1
    assert problems == []
    assert answers["unknown"] <= 0.15 * answers.total()
