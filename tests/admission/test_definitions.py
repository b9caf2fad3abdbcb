"""CRDs that the repository holds: what they demand of objects of their kind; expectations are those of the API server
(k8s.io/apiextensions-apiserver, and the documentation of CustomResourceDefinitions).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.engine.worlds import lint

from trainlint.finding import Certainty, Finding
from trainlint.result import Result

CONFIG = """workloads:
- kind: Train
  roles:
  - {name: worker, at: spec}
"""
CRD: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "trains.example.com"},
    "spec": {"group": "example.com", "names": {"kind": "Train", "plural": "trains"}, "scope": "Namespaced"},
}
TRAIN = """apiVersion: example.com/v1
kind: Train
metadata: {{name: run, namespace: ml}}
spec:
  replicas: 2
  {more}
  template:
    spec:
      containers:
      - {{name: node, image: "r.example/a:1"}}
"""
FREE = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def crd(fields: dict[str, Any], *, served: bool = True, **spec: Any) -> str:
    """A CRD of Trains whose spec has these fields; it keeps what a pod template holds."""
    whole = {"type": "object", "properties": {"replicas": {"type": "integer"}, "template": FREE, **fields}, **spec}
    schema = {"type": "object", "properties": {"spec": whole}}
    version = {"name": "v1", "served": served, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return yaml.safe_dump({**CRD, "spec": {**CRD["spec"], "versions": [version]}}, sort_keys=False)


def judged(root: Path, definition: str, more: str = "x: 1", **others: str) -> Result:
    texts = {f"{name}.yaml": text for name, text in others.items()}
    files = {"trainlint.yaml": CONFIG, "crds/trains.yaml": definition, "run.yaml": TRAIN.format(more=more)}
    return lint(root, {**files, **texts}, ignore=frozenset())


def findings(result: Result, *rules: str) -> list[Finding]:
    wanted = rules or ("rejected-object",)
    return [each.finding for each in result.findings if each.finding.rule in wanted]


@pytest.mark.parametrize(
    ("schema", "more", "place"),
    [
        ({"type": "string"}, "x: 1", "spec.x"),
        ({"type": "integer"}, "x: 1", ""),
        ({"type": "integer"}, "x: 1.5", "spec.x"),
        ({"type": "string", "enum": ["a", "b"]}, "x: c", "spec.x"),
        ({"type": "string", "enum": ["a", "b"]}, "x: b", ""),
        ({"type": "string", "pattern": "^[a-z]+$"}, "x: a1", "spec.x"),
        ({"type": "string", "pattern": "^[a-z]+$"}, "x: abc", ""),
        ({"type": "string", "pattern": r"^\p{Greek}\Q.\E$"}, "x: \u03b1.", ""),  # of Go, and not of Python
        ({"type": "string", "pattern": r"^\p{Greek}\Q.\E$"}, "x: \u03b1\u03b2", "spec.x"),
        ({"type": "string", "format": "ipv4"}, "x: one", "spec.x"),
        ({"type": "string", "format": "uuid"}, "x: 7d444840-9dc0-11d1-b245-5ffdce74fad2", ""),
        ({"type": "integer", "minimum": 2}, "x: 1", "spec.x"),
        ({"type": "integer", "minimum": 1, "exclusiveMinimum": True}, "x: 1", "spec.x"),
        ({"type": "integer", "multipleOf": 8}, "x: 12", "spec.x"),
        ({"type": "string", "maxLength": 3}, "x: four", "spec.x"),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 1}, "x: [a, b]", "spec.x"),
        ({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}, "x: [a, a]", "spec.x.1"),
        ({"type": "array", "items": {"type": "string"}}, "x: [a, a]", ""),
        ({"type": "object", "required": ["key"], "properties": {"key": {"type": "string"}}}, "x: {}", "spec.x"),
        ({"type": "object", "required": ["key"], "properties": {"key": {"default": "a"}}}, "x: {}", ""),
        (
            {"type": "object", "required": ["key"], "properties": {"key": {"type": "string", "nullable": True}}},
            "x: {key: null}",
            "",
        ),
        ({"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]}, "x: 5", ""),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "x: {a: b}", "spec.x.a"),
        (
            {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}], **FREE},
            "x: {c: 1}",
            "spec.x",
        ),
        ({"type": "object", "not": {"required": ["c"]}, **FREE}, "x: {c: 1}", "spec.x"),
        ({"type": "integer", "x-kubernetes-validations": [{"rule": "self % 2 == 0"}]}, "x: 1", "spec.x"),
        ({"type": "integer", "x-kubernetes-validations": [{"rule": "self % 2 == 0"}]}, "x: 4", ""),
        ({"type": "integer", "x-kubernetes-validations": [{"rule": "self >= oldSelf"}]}, "x: 1", ""),
        ({"type": "string", "enum": ["a"]}, "x: '{{ mode }}'", ""),
    ],
)
def test_demands(tmp_path: Path, schema: dict[str, Any], more: str, place: str) -> None:
    found = findings(judged(tmp_path, crd({"x": schema}), more))
    assert [".".join(map(str, each.at.path)) for each in found] == ([place] if place else [])
    for each in found:
        assert each.certainty is Certainty.PROVEN
        assert [related.at.file for related in each.places] == ["crds/trains.yaml"]


def test_lists_whose_elements_are_told_apart_by_fields(tmp_path: Path) -> None:
    item = {"type": "object", "properties": {"name": {"type": "string"}, "port": {"type": "integer", "default": 80}}}
    ports = {"type": "array", "items": item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port"]}
    found = findings(judged(tmp_path, crd({"x": ports}), "x: [{name: a}, {name: b, port: 80}, {name: c, port: 81}]"))
    assert [each.at.path for each in found] == [("spec", "x", 1)]
    assert "holds port 80 twice" in found[0].message


def test_a_rule_says_its_message_and_where_it_stands(tmp_path: Path) -> None:
    rule = {"rule": "self.replicas <= self.x", "message": "no more replicas than x"}
    definition = crd({"x": {"type": "integer"}}, **{"x-kubernetes-validations": [rule]})
    (found,) = judged(tmp_path, definition).findings
    assert found.finding.rule == "rejected-object"
    assert "no more replicas than x" in found.finding.message
    (related,) = found.finding.places
    assert related.at.path[-1] == "x-kubernetes-validations"


def test_no_group_is_proved_of_an_object_that_is_refused(tmp_path: Path) -> None:
    (group,) = judged(tmp_path, crd({"x": {"type": "string"}})).groups
    assert group.exists.value == "refuted"


def test_a_field_that_the_crd_does_not_have_is_dropped(tmp_path: Path) -> None:
    result = judged(tmp_path, crd({"mode": {"type": "string"}}), "modes: fast")
    (found,) = findings(result, "misplaced-field")
    assert found.at.path == ("spec", "modes")
    assert "mode" in found.message
    assert not findings(result)


def test_a_version_that_is_not_served(tmp_path: Path) -> None:
    (found,) = findings(judged(tmp_path, crd({"x": {"type": "integer"}}, served=False)))
    assert (found.at.path, found.certainty) == (("apiVersion",), Certainty.LIKELY)


JOB_SET = """apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: run, namespace: ml}
spec:
  novelty: 3
  failurePolicy: {restartStrategy: Sometimes}
  replicatedJobs:
  - {name: a, template: {spec: {template: {spec: {containers: [{name: node, image: 'r.example/a:1'}]}}}}}
"""


def job_set_crd(**labels: str) -> str:
    fields = {
        "novelty": {"type": "integer", "maximum": 2},
        "replicatedJobs": {"type": "array", "items": FREE},
        "failurePolicy": {"type": "object", "properties": {"restartStrategy": {"type": "string"}}},
    }
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}}
    version = {"name": "v1alpha2", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"kind": "JobSet", "plural": "jobsets"}
    return yaml.safe_dump(
        {
            **CRD,
            "metadata": {"name": "jobsets.jobset.x-k8s.io", "labels": labels},
            "spec": {"group": "jobset.x-k8s.io", "names": names, "scope": "Namespaced", "versions": [version]},
        },
        sort_keys=False,
    )


def test_the_crd_of_a_known_kind_counts_before_what_is_known_of_it(tmp_path: Path) -> None:
    without = lint(tmp_path / "a", {"run.yaml": JOB_SET}, ignore=frozenset())
    assert findings(without, "misplaced-field")
    assert [each.at.path for each in findings(without)] == [("spec", "failurePolicy", "restartStrategy")]
    result = lint(tmp_path / "b", {"run.yaml": JOB_SET, "crd.yaml": job_set_crd()}, ignore=frozenset())
    assert not findings(result, "misplaced-field")
    assert [each.at.path for each in findings(result)] == [("spec", "novelty")]


@pytest.mark.parametrize(
    ("labels", "certainty"),
    [
        ({"app.kubernetes.io/version": "v0.8.1"}, Certainty.PROVEN),
        ({"helm.sh/chart": "jobset-0.8.1"}, Certainty.PROVEN),
        ({"app.kubernetes.io/version": "v0.6.0"}, None),
        ({}, Certainty.LIKELY),
    ],
)
def test_labels_of_a_crd_say_which_release_is_installed(
    tmp_path: Path, labels: dict[str, str], certainty: Certainty | None
) -> None:
    other = job_set_crd(**labels).replace("JobSet", "Other").replace("jobsets", "others")
    text = JOB_SET.replace("  novelty: 3\n", "")
    found = findings(lint(tmp_path, {"run.yaml": text, "crd.yaml": other}, ignore=frozenset()))
    assert [each.certainty for each in found] == ([] if certainty is None else [certainty])


BAD = {
    "type": {"type": "text"},
    "no mapping": [1, 2],
    "enum": {"enum": 3},
    "minimum": {"type": "integer", "minimum": "one"},
    "rule": {"x-kubernetes-validations": [{"rule": 3}]},
    "required": {"type": "object", "required": "x"},
}


@pytest.mark.parametrize("name", BAD)
def test_a_crd_that_is_none_is_told_and_judges_nothing(tmp_path: Path, name: str) -> None:
    result = judged(tmp_path, crd({"x": BAD[name]}))
    assert not findings(result)
    (unknown,) = [each for each in result.unknowns if "Train" in each.subject]
    assert "its CRD cannot be read" in unknown.missing
    (group,) = result.groups
    assert group.exists.value == "unknown"


def test_a_regular_expression_that_is_none_leaves_it_open(tmp_path: Path) -> None:
    result = judged(tmp_path, crd({"x": {"type": "string", "pattern": "(["}}), "x: a")
    assert not findings(result)
    (group,) = result.groups
    assert group.exists.value == "unknown"


def test_of_two_crds_that_differ_none_counts(tmp_path: Path) -> None:
    other = crd({"x": {"type": "string"}})
    result = judged(tmp_path, crd({"x": {"type": "boolean"}}), other=other)
    assert not findings(result)
    assert any("which CRD counts" in each.missing for each in result.unknowns)
    assert findings(judged(tmp_path / "same", other, other=other))


LIST = {"type": "array", "items": {"type": "object", "properties": {"name": {}, "image": {}}}}
PODS = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {"affinity": {"type": "boolean"}, "containers": LIST, "newer": {}, "volumes": LIST},
        }
    },
}


def test_what_pods_must_be_is_known_and_not_read_from_a_crd_in_block_style(tmp_path: Path) -> None:
    """It is half a megabyte: the type of a field of the pod is not judged by it."""
    texts = {"template": {**PODS, "properties": {"spec": {**PODS["properties"]["spec"]}}}, "x": {"type": "string"}}
    result = judged(tmp_path, crd(texts))
    assert [each.at.path for each in findings(result)] == [("spec", "x")]


@pytest.mark.parametrize(
    ("pod", "container", "dropped"),
    [
        ("affinity: {}", "", []),
        ("newer: 1", "", []),  # known to the CRD, and not here
        ("hostname: a", "", ["hostname"]),
        ("", "env: []", ["env"]),
        ("volumes: [{name: a, image: {}}]", "", []),
        ("volumes: [{name: a, emptyDir: {}}]", "", ["emptyDir"]),
    ],
)
def test_fields_of_pods_that_the_crd_does_not_have_are_dropped(
    tmp_path: Path, pod: str, container: str, dropped: list[str]
) -> None:
    train = yaml.safe_load(TRAIN.format(more=""))
    spec = train["spec"]["template"]["spec"]
    spec |= yaml.safe_load(pod) or {}
    spec["containers"][0] |= yaml.safe_load(container) or {}
    definition = crd({"template": PODS})
    files = {"trainlint.yaml": CONFIG, "crds/trains.yaml": definition, "run.yaml": yaml.safe_dump(train)}
    result = lint(tmp_path, files, ignore=frozenset())
    assert [each.at.path[-1] for each in findings(result, "misplaced-field")] == dropped


def test_a_pod_of_which_the_crd_keeps_all_fields_loses_none(tmp_path: Path) -> None:
    spec = {**PODS["properties"]["spec"], "x-kubernetes-preserve-unknown-fields": True}
    definition = crd({"template": {"type": "object", "properties": {"spec": spec}}})
    train = yaml.safe_load(TRAIN.format(more=""))
    train["spec"]["template"]["spec"]["hostname"] = "a"
    files = {"trainlint.yaml": CONFIG, "crds/trains.yaml": definition, "run.yaml": yaml.safe_dump(train)}
    assert not findings(lint(tmp_path, files, ignore=frozenset()), "misplaced-field")


def test_a_default_has_the_defaults_of_what_it_holds(tmp_path: Path) -> None:
    inner = {"type": "object", "default": {}, "properties": {"policy": {"type": "string", "default": "Never"}}}
    definition = crd({"x": inner}, **rule("self.x.policy == 'Never'"))
    assert not findings(judged(tmp_path, definition, ""))
    assert findings(judged(tmp_path / "other", definition, "x: {policy: Always}"))


def rule(text: str, **more: Any) -> dict[str, Any]:
    return {"x-kubernetes-validations": [{"rule": text, **more}]}


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("!oldSelf.hasValue()", False),
        ("oldSelf.hasValue()", True),
        ("oldSelf.orValue(3) == 3 && self.x == 1", False),
        ("oldSelf.orValue(3) < self.x", True),
    ],
)
def test_of_an_object_that_is_created_there_is_no_old_value(tmp_path: Path, text: str, *, refused: bool) -> None:
    definition = crd({"x": {"type": "integer"}}, **rule(text, optionalOldSelf=True, message="no"))
    assert len(findings(judged(tmp_path, definition))) == refused


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("'x is ' + string(self.x)", "x is 1"),
        ("'two\\nlines'", "plain"),
        ("string(self.absent)", "plain"),
        ("''", "plain"),
    ],
)
def test_an_expression_says_why_and_the_message_where_it_fails(tmp_path: Path, expression: str, said: str) -> None:
    more = {"message": "plain", "messageExpression": expression}
    (found,) = findings(judged(tmp_path, crd({"x": {"type": "integer"}}, **rule("self.x > 1", **more))))
    assert said in found.message


@pytest.mark.parametrize(
    ("text", "more", "refused"),
    [
        ("self.x == self.z", "x: [b, a]\n  z: [a, b]", False),
        ("self.x == self.z", "x: [b, a]\n  z: [a, c]", True),
        ("self.x != self.z", "x: [b, a]\n  z: [a, b]", True),
        ("self.x == ['a', 'b']", "x: [b, a]", False),  # left open
        ("size(self.x) == 3", "x: [b, a]", True),
    ],
)
def test_sets_are_equal_in_any_order(tmp_path: Path, text: str, more: str, *, refused: bool) -> None:
    of_texts = {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}
    found = findings(judged(tmp_path, crd({"x": of_texts, "z": of_texts}, **rule(text)), more))
    assert len(found) == refused
