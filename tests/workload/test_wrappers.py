"""Objects that hold others: AppWrapper (W 12) and the resource templates of Argo's workflows."""

from __future__ import annotations

import pytest
from tests.workload.manifests import read

PODS = "spec: {parallelism: 2, template: {spec: {containers: [{name: c}]}}}"
JOB = f"apiVersion: batch/v1\\nkind: Job\\nmetadata: {{NAME}}\\n{PODS}"
WORKFLOW = """
apiVersion: argoproj.io/v1alpha1
kind: KIND
metadata: {name: flow, namespace: ml}
spec: {OPEN templates: [{name: train, resource: {ACTION, manifest: "MANIFEST"}}] CLOSE}
"""


def workflow(
    kind: str = "Workflow", action: str = "action: create", name: str = "name: train", manifest: str = JOB
) -> str:
    inner = kind == "CronWorkflow"
    text = WORKFLOW.replace("KIND", kind).replace("ACTION", action).replace("MANIFEST", manifest.replace("NAME", name))
    return text.replace("OPEN", "workflowSpec: {" if inner else "").replace("CLOSE", "}" if inner else "")


def made(text: str) -> list[tuple[str, str, str]]:
    return [(each.owner.kind, each.owner.namespace, each.owner.name) for each in read(text).objects]


@pytest.mark.parametrize("kind", ["Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate", "CronWorkflow"])
def test_a_workflow_makes_what_its_resource_templates_hold(kind: str) -> None:
    assert made(workflow(kind)) == [("Job", "ml", "train")]
    assert made(workflow(kind).replace("argoproj.io/v1alpha1", "example.com/v1")) == []


@pytest.mark.parametrize(
    ("action", "makes"), [("create", True), ("apply", True), ("get", False), ("delete", False), ("patch", False)]
)
def test_only_some_actions_make_the_object(action: str, makes: bool) -> None:
    assert bool(made(workflow(action=f"action: {action}"))) is makes


def test_an_object_inside_may_name_a_namespace() -> None:
    assert made(workflow(name="name: train, namespace: other")) == [("Job", "other", "train")]


def test_values_of_the_workflow_are_placeholders() -> None:
    (found,) = made(workflow(name="name: 'run-{{ workflow.name }}'"))
    assert found == ("Job", "ml", "run-${workflow.name}")


def test_a_manifest_that_is_no_yaml_is_unknown() -> None:
    found = read(workflow(manifest="{a"))
    assert found.objects == ()
    (unknown,) = found.unknowns
    assert unknown.at is not None
    assert (unknown.subject, unknown.at.path) == ("Workflow flow", ("spec", "templates", 0, "resource", "manifest"))
    assert "template 'train'" in unknown.missing


@pytest.mark.parametrize("manifest", ["[1, 2]", "text"])
def test_a_manifest_that_is_no_object_makes_nothing(manifest: str) -> None:
    assert made(workflow(manifest=manifest)) == []


APP = """
apiVersion: workload.codeflare.dev/v1beta2
kind: AppWrapper
metadata: {name: app, namespace: ml}
spec: {components: [{template: TEMPLATE}, {template: text}, {}]}
"""
INNER = (
    "{apiVersion: batch/v1, kind: Job, metadata: {name: train}, spec: {template: {spec: {containers: [{name: c}]}}}}"
)


def test_an_app_wrapper_makes_its_components() -> None:
    assert made(APP.replace("TEMPLATE", INNER)) == [("Job", "ml", "train")]
    assert made(APP.replace("TEMPLATE", INNER.replace("name: train", "name: train, namespace: x"))) == [
        ("Job", "x", "train")
    ]
    assert made(APP.replace("{template: TEMPLATE}, {template: text}, {}", "")) == []
