"""Manifests for the tests, written as YAML, and short forms of what comes out of them."""

from __future__ import annotations

from textwrap import dedent

import yaml

from trainlint.model.known import Undetermined
from trainlint.model.settings import Settings
from trainlint.model.workload import PER_POD, Flow, FlowKind, Group, PodSet, Workloads
from trainlint.source.document import Document, Field
from trainlint.workload import read_workloads

GPU = "resources: {limits: {nvidia.com/gpu: 8}}"
"""Makes a container one that computes on accelerators."""


def objects(text: str) -> list[Field]:
    documents = yaml.safe_load_all(dedent(text))
    return [Document("train.yaml", index, 1, "", data).root for index, data in enumerate(documents) if data is not None]


def read(text: str) -> Workloads:
    return read_workloads(objects(text), Settings())


def role(workloads: Workloads, name: str) -> PodSet:
    (found,) = [pods for pods in workloads.pod_sets if name in (pods.role, pods.name)]
    return found


def labels(pods: PodSet) -> dict[str, str]:
    """The labels with ``*`` for what each pod has of its own and ``?`` for what is unknown."""
    return {
        key: "*" if value == PER_POD else "?" if isinstance(value, Undetermined) else value
        for key, value in pods.labels.items()
    }


def env(pods: PodSet, container: int = 0) -> dict[str, str]:
    """The variables of a container; the last of equal names, as for the kubelet."""
    return {
        entry.name: "*" if entry.value == PER_POD else "?" if isinstance(entry.value, Undetermined) else entry.value
        for entry in pods.spec.containers[container].env
    }


def group(workloads: Workloads) -> Group:
    (only,) = workloads.groups
    return only


def flows(found: Group, *kinds: FlowKind) -> set[str]:
    """The flows of these kinds (all but DNS where none is given), as ``source -> target ports``."""
    return {_text(found, flow) for flow in found.flows if flow.kind in (kinds or set(FlowKind) - {FlowKind.DNS})}


def name_users(found: Group) -> set[str]:
    """The pod sets that need DNS, each by UDP and TCP 53."""
    needed = {(flow.source, flow.protocol, str(flow.ports)) for flow in found.flows if flow.kind is FlowKind.DNS}
    sources = {source for source, _, _ in needed}
    assert needed == {(source, protocol, "53") for source in sources for protocol in ("UDP", "TCP")}
    return {found.members[source].role or found.members[source].owner.name for source in sources}


def _text(found: Group, flow: Flow) -> str:
    assert flow.target is not None
    source, target = found.members[flow.source], found.members[flow.target]
    return f"{source.role or source.owner.name} -> {target.role or target.owner.name} {flow.ports}"
