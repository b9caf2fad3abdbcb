"""Values that must be strings and are not, wherever they stand."""

from __future__ import annotations

from trainlint.kube.strings import unquoted
from trainlint.source.document import Document
from trainlint.source.loader import load


def found(text: str) -> list[tuple[str, tuple[str | int, ...]]]:
    root = Document("a.yaml", 0, 1, text, load(text).data).root
    return sorted((what, field.path) for what, field in unquoted(root))


def test_labels_taints_tolerations_and_variables_are_strings_at_any_depth() -> None:
    text = """
kind: PyTorchJob
metadata: {labels: {a: yes, b: "yes"}, annotations: {c: 1.5}}
spec:
  replicas: 3
  roles:
    - template:
        spec:
          nodeSelector: {gpu: true}
          tolerations: [{key: a, value: 1}, {key: b, value: "1"}]
          containers: [{env: [{name: A, value: a}, {name: B, value: 8}]}]
"""
    spec = ("spec", "roles", 0, "template", "spec")
    assert found(text) == [
        ("a label", ("metadata", "labels", "a")),
        ("a node label", (*spec, "nodeSelector", "gpu")),
        ("a toleration's value", (*spec, "tolerations", 0, "value")),
        ("an annotation", ("metadata", "annotations", "c")),
        ("the value of an environment variable", (*spec, "containers", 0, "env", 1, "value")),
    ]


def test_values_of_a_chart_have_the_form_that_the_chart_gives_them() -> None:
    text = (
        "kind: HelmRelease\nmetadata: {labels: {a: 1}}\nspec: {values: {env: [{name: A, value: 0}], labels: {b: 1}}}\n"
    )
    assert found(text) == [("a label", ("metadata", "labels", "a"))]
    text = "kind: Application\nspec: {source: {helm: {valuesObject: {podLabels: {b: 1}}}}}\n"
    assert found(text) == []


def test_values_of_a_requirement_are_no_values_of_a_chart() -> None:
    text = "kind: Pod\nspec: {a: {values: [x, {labels: {b: 1}}]}}\n"
    assert found(text) == [("a label", ("spec", "a", "values", 1, "labels", "b"))]


def test_a_schema_may_have_a_property_called_annotations() -> None:
    schema = "{type: object, properties: {annotations: {type: object, maxProperties: 8}, labels: {minProperties: 1}}}"
    text = (
        f"kind: CustomResourceDefinition\nspec: {{versions: [{{name: v1, schema: {{openAPIV3Schema: {schema}}}}}]}}\n"
    )
    assert found(text) == []
