"""The proof of a group that is written as a recording: roles with their pods, nodes, namespaces, no policies."""

from __future__ import annotations

from typing import Any

from trainlint.finding import Location
from trainlint.kube.meta import read_labels
from trainlint.kube.node import read_node
from trainlint.kube.pod import read_pod_spec
from trainlint.model.pool import Inventory
from trainlint.model.settings import Cni, Settings
from trainlint.model.workload import EPHEMERAL, Flow, FlowKind, Group, ObjectRef, PodSet
from trainlint.policy import PolicyContext, read_policies
from trainlint.proof.cluster_model import ClusterModel
from trainlint.proof.feasibility import judge_pod_set
from trainlint.proof.group import GroupProof
from trainlint.proof.prove import prove
from trainlint.reachability import Reachability, places
from trainlint.scheduling.condense import condense, named
from trainlint.scheduling.node import node_of
from trainlint.source.document import Document

__all__ = ["proved"]

SETTINGS = Settings(cni=Cni(name="", version=""))


def proved(record: dict[str, Any]) -> GroupProof:
    """The proof of the group of a record; every rank talks to every other."""
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
    nodes = tuple(node_of(pool) for pool in condense(pools, named([member.spec for member in members])))
    namespaces = {
        each["name"].scalar or "": {
            **read_labels(each["labels"]),
            "kubernetes.io/metadata.name": each["name"].scalar or "",
        }
        for each in root["namespaces"].elements()
    }
    feasible = {index: judge_pod_set(member, inventory, nodes, SETTINGS) for index, member in enumerate(members)}
    stage = ClusterModel(nodes, feasible, (), SETTINGS, namespaces)
    policies = read_policies([], PolicyContext(SETTINGS, namespaces))
    everywhere = places((node.pool for node in nodes), SETTINGS.topology_key)
    reach = Reachability(group, everywhere, policies, SETTINGS, namespaces, zonal=False)  # there are no policies
    return prove(group, reach, stage, [])
