"""Connections of which it is not known whether they are permitted: the reason is named, and none is called denied."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from trainlint.engine.current_repository import opened
from trainlint.facts.facts import Facts
from trainlint.model.because import Because
from trainlint.model.known import Answer
from trainlint.proof.ground import ProofGround
from trainlint.proof.group import GroupProof
from trainlint.questions.argument import argue
from trainlint.questions.argument.step import Statement
from trainlint.rule import told_by
from trainlint.wording.because import texts_of

CASES = sorted(
    path for path in (Path(__file__).parents[1] / "cases").glob("policy/*--*") if not (path / "base").is_dir()
)
ZONES = """\
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: nodes}
pools:
  - {name: a, count: 2, zone: a, allocatable: {cpu: "64", memory: 500Gi, pods: "110", nvidia.com/gpu: "8"}}
  - {name: b, count: 2, zone: b, allocatable: {cpu: "64", memory: 500Gi, pods: "110", nvidia.com/gpu: "8"}}
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        metadata: {labels: {app: train}}
        spec:
          containers:
            - {name: pytorch, image: "registry.example/train:1", resources: {limits: {nvidia.com/gpu: "8"}}}
---
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: p, namespace: ml}
spec:
  endpointSelector: {matchLabels: {app: train}}
  ingress: [{fromEndpoints: [{matchLabels: {app: "${NAME}"}}]}]
"""


def proofs(root: Path) -> Iterator[tuple[GroupProof, Facts]]:
    state, _ = opened([root])
    for facts in state.facts:
        for proof in facts.proofs:
            yield proof, facts


def unnamed(proof: GroupProof) -> bool:
    """Whether the connections are not known, and nothing says why."""
    return proof.connections is Answer.UNKNOWN and bool(proof.group.flows) and not proof.missing


@pytest.mark.parametrize("folder", CASES, ids=lambda path: path.name)
def test_a_group_whose_connections_are_not_known_names_a_reason(folder: Path) -> None:
    assert [proof.group.name for proof, _ in proofs(folder) if unnamed(proof)] == []


def texts(statements: tuple[Statement, ...]) -> Iterator[str]:
    for each in statements:
        yield each.text
        yield from texts(each.below)


def test_over_several_zones_the_reason_is_named_and_nothing_is_said_to_be_denied(tmp_path: Path) -> None:
    (tmp_path / "all.yaml").write_text(ZONES, encoding="utf-8")
    ((proof, facts),) = proofs(tmp_path)
    assert proof.connections is Answer.UNKNOWN
    assert any("CiliumNetworkPolicy" in each for each in texts_of(proof.missing)), proof.missing
    (argument,) = argue([(proof, facts)], told_by())
    said = [text for step in argument.steps for text in texts(step.statements)]
    assert not any("denied" in text for text in said)
    assert any("is not known" in text for text in said)


STRANDED = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 8
      template:
        metadata: {labels: {app: train, lane: a}}
        spec:
          containers: [{name: pytorch, image: i, resources: {limits: {nvidia.com/gpu: "16"}}}]
          nodeSelector: {gpu: "true"}
          affinity:
            podAntiAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                - {labelSelector: {matchLabels: {app: train, lane: a}}, topologyKey: kubernetes.io/hostname}
                - {labelSelector: {matchLabels: {app: train}}, topologyKey: topology.kubernetes.io/zone}
    Master:
      replicas: 1
      template:
        metadata: {labels: {app: train}}
        spec:
          containers: [{name: pytorch, image: i, resources: {limits: {nvidia.com/gpu: "1"}}}]
          nodeSelector: {rack: r}
          affinity:
            podAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                - {labelSelector: {matchLabels: {}}, topologyKey: rack}
"""


def test_an_unknown_placement_on_the_ideal_cluster_has_a_reason(tmp_path: Path) -> None:
    """Nodes without zones take the group, and there the first pods may leave no room for the others."""
    (tmp_path / "a.yaml").write_text(STRANDED)
    ((proof, _),) = proofs(tmp_path)
    assert (proof.exists, proof.for_all) == (Answer.CONDITIONAL, Answer.UNKNOWN)
    assert Because(ProofGround.ROOM) in proof.missing
