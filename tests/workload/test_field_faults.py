"""Fields that a kind does not have where they stand: where they belong, and what no advice may say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.workload.manifests import objects

from trainlint.finding import Certainty, Finding
from trainlint.model.settings import Settings
from trainlint.workload.checks.fields import misplaced_fields_of
from trainlint_rules.workload.misplaced_field import finding_of

POD = """
apiVersion: v1
kind: Pod
metadata: {name: one}
spec:
  securityContext: {SECURITY}
  MORE
  containers: [{name: main, image: 'registry.example/one:1'}]
"""
NEW = replace(Settings(), kubernetes="1.34", kubernetes_stated=True)


def faults(text: str, settings: Settings = NEW) -> list[Finding]:
    (item,) = objects(text)
    return [finding_of(fault, settings) for fault in misplaced_fields_of(item, settings)]


def pod(security: str = "", more: str = "") -> str:
    return POD.replace("SECURITY", security).replace("MORE", more)


def test_a_field_of_containers_is_moved_to_them() -> None:
    (fault,) = faults(pod("allowPrivilegeEscalation: false"))
    assert fault.remedy == "move it to spec.containers.securityContext.allowPrivilegeEscalation"
    assert fault.fixes()


@pytest.mark.parametrize("security", ["privileged: true", "allowPrivilegeEscalation: true"])
def test_no_advice_gives_containers_rights_that_they_do_not_have(security: str) -> None:
    (fault,) = faults(pod(security))
    assert fault.remedy.startswith("remove it")
    assert not fault.fixes()


@pytest.mark.parametrize(
    ("security", "remedy"),
    [("runAsRoot: false", "write runAsNonRoot: true"), ("runAsRoot: true", "remove it")],
)
def test_a_suggestion_never_inverts_a_meaning(security: str, remedy: str) -> None:
    (fault,) = faults(pod(security))
    assert (fault.remedy, fault.fixes()) == (remedy, ())


def test_minimum_is_not_suggested_for_maximum() -> None:
    (fault,) = faults(
        "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: s}, spec: {maxReadySeconds: 3, template: {}}}"
    )
    assert "minReadySeconds" not in fault.remedy


CLAIM = "resourceClaims: [{name: gpu, source: {resourceClaimTemplateName: one}}]"


def test_the_source_of_a_claim_moves_into_the_claim_since_1_31() -> None:
    (fault,) = faults(pod(more=CLAIM))
    assert fault.remedy == "move resourceClaimTemplateName one level up, in place of source"
    assert (fault.certainty, fault.assumes) == (Certainty.PROVEN, ())
    assert faults(pod(more=CLAIM), replace(NEW, kubernetes="1.30")) == []


def test_of_a_version_that_is_not_stated_it_is_likely() -> None:
    (fault,) = faults(pod(more=CLAIM), Settings())
    assert fault.certainty is Certainty.LIKELY
    assert "nothing in Git states" in fault.assumes[0]


def test_the_same_field_in_two_roles_is_one_fault() -> None:
    role = "{replicas: 1, template: {spec: {tolerationz: [], containers: [{name: pytorch, image: x}]}}}"
    (fault,) = faults(
        "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: t}, spec: {pytorchReplicaSpecs: "
        f"{{Master: {role}, Worker: {role}}}}}}}"
    )
    assert len(fault.related) == 1
    assert len(fault.fixes()[0].edits) == 2


def test_two_fields_at_different_places_are_two() -> None:
    assert len(faults(pod("tolerationz: 1", "tolerationz: []"))) == 2


def test_a_tfjob_takes_roles_of_any_name() -> None:
    role = "{replicas: 1, template: {spec: {containers: [{name: tensorflow, image: x}]}}}"
    text = "{apiVersion: kubeflow.org/v1, kind: KIND, metadata: {name: t}, spec: {AT: {worker: ROLE}}}"
    text = text.replace("ROLE", role)
    assert faults(text.replace("KIND", "TFJob").replace("AT:", "tfReplicaSpecs:")) == []
    assert len(faults(text.replace("KIND", "PyTorchJob").replace("AT:", "pytorchReplicaSpecs:"))) == 1
