"""Whether policies of Pod Security, Kubernetes, Kyverno and Gatekeeper are about an object, field by field.

What a field means is what kubernetes.io (Pod Security Standards, Dynamic Admission Control), kyverno.io (Match and
Exclude) and open-policy-agent.github.io/gatekeeper (How to use, Exempting namespaces) say of it.
"""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from tests.workload.manifests import read

from trainlint.installed.gates.arrival import Arrival, arrivals, arriving
from trainlint.installed.gates.gatekeeper import Exempt, matches_constraint, read_exempt, verb_of
from trainlint.installed.gates.kyverno import is_policy, matches_rule, rules_of
from trainlint.installed.gates.match import (
    all_of,
    any_of,
    matches_globs,
    matches_rules,
    selects_labels,
    selects_namespace,
)
from trainlint.installed.gates.native import (
    NATIVE,
    denies,
    is_policy_of_kyverno,
    matches_binding,
    matches_kyverno,
    matches_native,
    read_bindings,
)
from trainlint.installed.gates.podsecurity import breaks
from trainlint.kube.meta import Meta, read_meta
from trainlint.source.document import Document, Field

POD = Arrival("", "Pod", "ml", labels={"app": "train"}, annotations={"note": "x"})
NAMED = Arrival("batch", "Job", "ml", "train", labels={"app": "train"})
OPEN = Arrival("batch", "Job", "ml", open=True)
NAMESPACES: dict[str, dict[str, str] | None] = {"ml": {"team": "vision"}, "other": None}


def field(value: Any) -> Field:
    return Document("a.yaml", 0, 1, "", yaml.safe_load(value) if isinstance(value, str) else value).root


@pytest.mark.parametrize(
    ("answers", "any_", "all_"),
    [
        ((), False, True),
        ((True,), True, True),
        ((False,), False, False),
        ((None,), None, None),
        ((True, False), True, False),
        ((True, None), True, None),
        ((False, None), None, False),
        ((True, False, None), True, False),
    ],
)
def test_answers_together(answers: tuple[bool | None, ...], any_: bool | None, all_: bool | None) -> None:
    assert any_of(answers) is any_
    assert all_of(answers) is all_


@pytest.mark.parametrize(
    ("patterns", "text", "expected"),
    [
        (["train"], "train", True),
        (["tr*"], "train", True),
        (["trai?"], "train", True),
        (["a", "b"], "train", False),
        (["Train"], "train", False),
        ([], "train", False),
        (["train"], "", None),
        (["${X}"], "train", None),
        (["train"], "${X}", None),
    ],
)
def test_names_and_patterns(patterns: list[str], text: str, expected: bool | None) -> None:
    assert matches_globs(patterns, text) is expected


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("", True),
        ("{}", True),
        ("matchLabels: {app: train}", True),
        ("matchLabels: {app: other}", False),
        ("matchLabels: {other: train}", False),
        ("matchLabels: {app: 'tr*'}", None),  # Kyverno's wildcards
        ("matchLabels: {'ap?': train}", None),
        ("matchLabels: {app: '${X}'}", None),
        ("matchExpressions: [{key: app, operator: In, values: [a, train]}]", True),
        ("matchExpressions: [{key: app, operator: In, values: [a]}]", False),
        ("matchExpressions: [{key: app, operator: NotIn, values: [a]}]", True),
        ("matchExpressions: [{key: app, operator: NotIn, values: [train]}]", False),
        ("matchExpressions: [{key: no, operator: NotIn, values: [train]}]", True),
        ("matchExpressions: [{key: app, operator: Exists}]", True),
        ("matchExpressions: [{key: no, operator: Exists}]", False),
        ("matchExpressions: [{key: app, operator: DoesNotExist}]", False),
        ("matchExpressions: [{key: no, operator: DoesNotExist}]", True),
    ],
)
def test_selectors_of_labels(selector: str, expected: bool | None) -> None:
    value = yaml.safe_load(selector) if selector else None
    here = field({"s": value} if selector else {})["s"]
    assert selects_labels(here, POD) is expected
    # of an object that is made elsewhere no label is known
    assert selects_labels(here, OPEN) is (True if selector in ("", "{}") else None)
    named = field({"s": yaml.safe_load(selector.replace("app", "team").replace("train", "vision"))} if selector else {})
    assert selects_namespace(named["s"], POD, NAMESPACES) is expected


def test_of_a_namespace_without_a_document_only_the_name_is_known() -> None:
    here = field({"s": {"matchLabels": {"kubernetes.io/metadata.name": "other"}}})["s"]
    elsewhere = Arrival("", "Pod", "other")
    assert selects_namespace(here, elsewhere, NAMESPACES) is True
    assert selects_namespace(here, POD, NAMESPACES) is False
    assert selects_namespace(field({"s": {"matchLabels": {"team": "a"}}})["s"], elsewhere, NAMESPACES) is None


RULE = {"apiGroups": ["batch"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["jobs"]}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, True),
        ({"apiGroups": ["*"]}, True),
        ({"apiGroups": ["apps", "batch"]}, True),
        ({"apiGroups": [""]}, False),
        ({"apiGroups": None}, False),
        ({"operations": ["*"]}, True),
        ({"operations": ["UPDATE", "CREATE"]}, True),
        ({"operations": ["UPDATE"]}, False),
        ({"scope": "Namespaced"}, True),
        ({"scope": "*"}, True),
        ({"scope": "Cluster"}, False),
        ({"resources": ["*"]}, True),
        ({"resources": ["*/*"]}, True),
        ({"resources": ["jobs/*"]}, True),
        ({"resources": ["jobs/status"]}, False),
        ({"resources": ["pods", "jobs"]}, True),
        ({"resources": ["pods"]}, False),
        ({"resourceNames": ["train"]}, True),
        ({"resourceNames": ["other"]}, False),
        ({"resourceNames": []}, True),
    ],
)
def test_rules_of_admission(change: dict[str, Any], expected: bool | None) -> None:
    rules = field([{**RULE, **change}])
    assert matches_rules(rules, NAMED) is expected
    constraints = {"spec": {"matchConstraints": {"resourceRules": [{**RULE, **change}]}}}
    meta = Meta(kind="ValidatingPolicy")
    assert matches_kyverno(meta, field(constraints), NAMESPACES, NAMED) is expected
    excluded = {"spec": {"matchConstraints": {"resourceRules": [RULE], "excludeResourceRules": [{**RULE, **change}]}}}
    assert matches_kyverno(meta, field(excluded), NAMESPACES, NAMED) is not expected
    assert matches_rules(field([]), NAMED) is False


def test_the_name_of_what_is_generated_is_not_known() -> None:
    rule = {**RULE, "apiGroups": [""], "resources": ["pods"], "resourceNames": ["train"]}
    assert matches_rules(field([rule]), POD) is None
    assert matches_rules(field([rule, {**rule, "resourceNames": []}]), POD) is True


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, True),
        ({"evaluation": {"admission": {"enabled": False}}}, False),
        ({"evaluation": {"admission": {"enabled": True}}}, True),
        ({"validationActions": ["Deny"]}, True),
        ({"validationActions": ["Audit", "Deny"]}, True),
        ({"validationActions": ["Audit"]}, False),
        ({"validationActions": []}, True),
    ],
)
def test_newer_policies_of_kyverno(spec: dict[str, Any], expected: bool | None) -> None:
    item = field({"spec": {"matchConstraints": {"resourceRules": [RULE]}, **spec}})
    assert matches_kyverno(Meta(kind="ValidatingPolicy"), item, NAMESPACES, NAMED) is expected
    own = Meta(kind="NamespacedValidatingPolicy", namespace="ml")
    assert matches_kyverno(own, item, NAMESPACES, NAMED) is expected
    for namespace in ("other", ""):
        meta = Meta(kind="NamespacedValidatingPolicy", namespace=namespace)
        assert matches_kyverno(meta, item, NAMESPACES, NAMED) is False
    default = Arrival("batch", "Job", "default", "train")
    assert matches_kyverno(Meta(kind="NamespacedValidatingPolicy"), item, NAMESPACES, default) is expected


@pytest.mark.parametrize("scope", ["", "Namespaced"])
@pytest.mark.parametrize("kind", ["ImageValidatingPolicy", "MutatingPolicy", "ValidatingPolicy"])
def test_kinds_of_kyverno(scope: str, kind: str) -> None:
    assert is_policy_of_kyverno(Meta(kind=f"{scope}{kind}", api_version="policies.kyverno.io/v1"))
    assert not is_policy_of_kyverno(Meta(kind=f"{scope}{kind}", api_version="kyverno.io/v1"))
    assert not is_policy_of_kyverno(Meta(kind="GeneratingPolicy", api_version="policies.kyverno.io/v1"))


@pytest.mark.parametrize("kind", ["ClusterPolicy", "Policy"])
def test_older_kinds_of_kyverno(kind: str) -> None:
    assert is_policy(Meta(kind=kind, api_version="kyverno.io/v1"))
    assert not is_policy(Meta(kind=kind, api_version="nvidia.com/v1"))
    assert not is_policy(Meta(kind="PolicyException", api_version="kyverno.io/v2"))


REGISTRATION = "admissionregistration.k8s.io/v1"


@pytest.mark.parametrize("kind", sorted(NATIVE))
def test_bindings_of_policies(kind: str) -> None:
    text = {
        "apiVersion": REGISTRATION,
        "kind": f"{kind}Binding",
        "spec": {"policyName": "p", "matchResources": {"objectSelector": {"matchLabels": {"app": "train"}}}},
    }
    policy = {"apiVersion": REGISTRATION, "kind": kind, "metadata": {"name": "p"}}
    item = field({**policy, "spec": {"matchConstraints": {"resourceRules": [RULE]}}})
    other = {**text, "apiVersion": "example.com/v1"}
    listed = [field(each) for each in (text, other, policy)]
    bindings = read_bindings((read_meta(each), each) for each in listed)
    assert {name: (list(each.by_policy), each.stated) for name, each in bindings.items()} == {
        name: (["p"], True) if name == kind else ([], False) for name in NATIVE
    }
    assert matches_native(Meta(name="p"), item, bindings[kind], NAMESPACES, NAMED) is True
    unlabelled = Arrival("batch", "Job", "ml", "train")
    assert matches_native(Meta(name="p"), item, bindings[kind], NAMESPACES, unlabelled) is False
    assert matches_native(Meta(name="q"), item, bindings[kind], NAMESPACES, NAMED) is False
    (without,) = (each for name, each in bindings.items() if name != kind)
    assert matches_native(Meta(name="q"), item, without, NAMESPACES, NAMED) is None
    assert matches_native(Meta(name="p"), item, bindings[kind], NAMESPACES, POD) is False
    assert matches_native(Meta(name="q"), item, without, NAMESPACES, POD) is False


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({}, True),
        ({"resourceRules": [RULE]}, True),
        ({"resourceRules": [{**RULE, "resources": ["pods"]}]}, False),
        ({"excludeResourceRules": [RULE]}, False),
        ({"namespaceSelector": {"matchLabels": {"team": "vision"}}}, True),
        ({"namespaceSelector": {"matchLabels": {"team": "x"}}}, False),
        ({"objectSelector": {"matchLabels": {"app": "x"}}}, False),
    ],
)
def test_a_binding_takes_all_of_its_policy_or_less(resources: dict[str, Any], expected: bool) -> None:
    assert matches_binding(field({"matchResources": resources}), NAMED, NAMESPACES) is expected


def test_a_binding_refuses() -> None:
    assert denies(field({"validationActions": ["Audit", "Deny"]}))
    assert not denies(field({"validationActions": ["Audit", "Warn"]}))
    assert not denies(field({}))


@pytest.mark.parametrize(
    ("rule", "verbs"),
    [
        ({"mutate": {"patchStrategicMerge": {}}}, ["mutate"]),
        ({"mutate": {"targets": [{"kind": "Pod"}]}}, []),
        ({"mutate": {"targets": []}}, ["mutate"]),
        ({"validate": {"pattern": {}}}, ["validate"]),
        ({"verifyImages": [{"x": 1}]}, ["validate"]),
        ({"verifyImages": []}, []),
        ({"generate": {}}, []),
        ({"mutate": {}, "validate": {}}, ["mutate", "validate"]),
    ],
)
def test_rules_of_kyverno(rule: dict[str, Any], verbs: list[str]) -> None:
    assert [verb for verb, _ in rules_of(field({"spec": {"rules": [rule]}}))] == verbs
    assert [verb for verb, _ in rules_of(field({"spec": {"admission": True, "rules": [rule]}}))] == verbs
    assert not list(rules_of(field({"spec": {"admission": False, "rules": [rule]}})))


def of_kyverno(
    match: dict[str, Any],
    arrival: Arrival = NAMED,
    verb: str = "mutate",
    spec: dict[str, Any] | None = None,
    **rule: Any,
) -> bool | None:
    cluster = Meta(kind="ClusterPolicy")
    return matches_rule(cluster, verb, field({"match": match, **rule}), field(spec or {}), NAMESPACES, arrival)


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({"kinds": ["Job"]}, True),
        ({"kinds": ["batch/v1/Job"]}, True),
        ({"kinds": ["batch/*/Job"]}, True),
        ({"kinds": ["v1/Job"]}, True),
        ({"kinds": ["*/Job"]}, True),
        ({"kinds": ["apps/v1/Job"]}, False),
        ({"kinds": ["Job/status"]}, False),
        ({"kinds": ["Job/*"]}, True),
        ({"kinds": ["batch/v1/Job/status"]}, False),
        ({"kinds": ["*"]}, True),
        ({"kinds": ["*/*"]}, True),
        ({"kinds": ["*/x"]}, False),
        ({"kinds": ["Pod", "Job"]}, True),
        ({"kinds": ["Pod"]}, False),
        ({"operations": ["CREATE"]}, True),
        ({"operations": ["UPDATE"]}, False),
        ({"names": ["tr*"]}, True),
        ({"names": ["x"]}, False),
        ({"name": "train"}, True),
        ({"name": "x"}, False),
        ({"names": ["x"], "name": "train"}, True),
        ({"namespaces": ["m*"]}, True),
        ({"namespaces": ["x"]}, False),
        ({"selector": {"matchLabels": {"app": "train"}}}, True),
        ({"selector": {"matchLabels": {"app": "x"}}}, False),
        ({"namespaceSelector": {"matchLabels": {"team": "vision"}}}, True),
        ({"namespaceSelector": {"matchLabels": {"team": "x"}}}, False),
        ({"annotations": {"note": "x"}}, False),
        ({"kinds": ["Job"], "namespaces": ["x"]}, False),
    ],
)
def test_resources_of_kyverno(resources: dict[str, Any], expected: bool) -> None:
    other = {"resources": {"kinds": ["Secret"]}}
    one = {"resources": resources}
    assert of_kyverno(one) is expected
    assert of_kyverno({"any": [other, one]}) is expected
    assert of_kyverno({"all": [one]}) is expected
    assert of_kyverno({"all": [one, other]}) is False
    taken = {"resources": {"kinds": ["Job"]}}
    assert of_kyverno(taken, exclude=one) is not expected
    assert of_kyverno(taken, exclude={"any": [one]}) is not expected
    assert of_kyverno({}) is False


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [({"note": "x"}, True), ({"note": "?"}, True), ({"note": "y"}, False), ({"no": "x"}, False), ({"no*": "x"}, None)],
)
def test_annotations_of_kyverno(annotations: dict[str, str], expected: bool | None) -> None:
    match = {"resources": {"annotations": annotations}}
    assert of_kyverno(match, POD) is expected
    assert of_kyverno(match, OPEN) is None
    assert of_kyverno({"resources": {"kinds": ["Job"]}}, OPEN) is True


@pytest.mark.parametrize("users", ["clusterRoles", "roles", "subjects"])
def test_who_creates_an_object_is_not_known(users: str) -> None:
    taken = {"resources": {"kinds": ["Job"]}}
    assert of_kyverno({**taken, users: ["x"]}) is None
    assert of_kyverno({**taken, users: []}) is True
    assert of_kyverno(taken, exclude={**taken, users: ["x"]}) is None
    assert of_kyverno(taken, preconditions={"all": [{"key": "x"}]}) is None
    assert of_kyverno(taken, preconditions={}) is True


def test_a_policy_of_a_namespace_is_for_that_one() -> None:
    rule, spec = field({"match": {"resources": {"kinds": ["Job"]}}}), field({})
    for namespace, expected in (("ml", True), ("other", False), ("", False)):
        meta = Meta(kind="Policy", namespace=namespace)
        assert matches_rule(meta, "mutate", rule, spec, NAMESPACES, NAMED) is expected
    default = Arrival("batch", "Job", "default", "train")
    assert matches_rule(Meta(kind="Policy"), "mutate", rule, spec, NAMESPACES, default) is True


ENFORCE, AUDIT = "Enforce", "Audit"
MAYBE = {"namespaceSelector": {"matchLabels": {"${X}": "y"}}}


@pytest.mark.parametrize(
    ("rule", "spec", "expected"),
    [
        ({}, {}, False),
        ({"validate": {"failureAction": ENFORCE}}, {}, True),
        ({"validate": {"failureAction": "enforce"}}, {}, True),
        ({"validate": {"failureAction": AUDIT}}, {"validationFailureAction": ENFORCE}, False),
        ({}, {"validationFailureAction": ENFORCE}, True),
        ({}, {"validationFailureAction": "enforce"}, True),
        ({}, {"validationFailureAction": AUDIT}, False),
        ({"verifyImages": [{"failureAction": ENFORCE}]}, {}, True),
        ({"verifyImages": [{"failureAction": AUDIT}]}, {"validationFailureAction": ENFORCE}, False),
        ({"validate": {"failureActionOverrides": [{"action": ENFORCE}]}}, {}, True),
        ({"validate": {"failureActionOverrides": [{"action": ENFORCE, "namespaces": ["m*"]}]}}, {}, True),
        ({"validate": {"failureActionOverrides": [{"action": ENFORCE, "namespaces": ["x"]}]}}, {}, False),
        ({}, {"validationFailureActionOverrides": [{"action": ENFORCE, "namespaces": ["ml"]}]}, True),
        (
            {},
            {
                "validationFailureAction": ENFORCE,
                "validationFailureActionOverrides": [{"action": AUDIT, "namespaces": ["ml"]}],
            },
            False,
        ),
        (
            {"validate": {"failureActionOverrides": [{"action": AUDIT}]}},
            {"validationFailureActionOverrides": [{"action": ENFORCE}]},
            False,
        ),
        ({}, {"validationFailureActionOverrides": [{"action": ENFORCE, **MAYBE}]}, None),
        ({}, {"validationFailureActionOverrides": [{"action": AUDIT, **MAYBE}]}, False),
        ({}, {"validationFailureActionOverrides": [{"action": ENFORCE, **MAYBE}, {"action": AUDIT}]}, None),
        ({}, {"validationFailureActionOverrides": [{"action": ENFORCE, **MAYBE}, {"action": ENFORCE}]}, True),
        (
            {},
            {"validationFailureAction": ENFORCE, "validationFailureActionOverrides": [{"action": ENFORCE, **MAYBE}]},
            True,
        ),
    ],
)
def test_what_kyverno_refuses(rule: dict[str, Any], spec: dict[str, Any], expected: bool | None) -> None:
    taken = {"resources": {"kinds": ["Job"]}}
    assert of_kyverno(taken, verb="validate", spec=spec, **rule) is expected
    assert of_kyverno(taken, verb="mutate", spec=spec, **rule) is True


CONSTRAINT = Meta(kind="K8sRequired", api_version="constraints.gatekeeper.sh/v1beta1")
MUTATOR = Meta(kind="Assign", api_version="mutations.gatekeeper.sh/v1")
OF_METADATA = Meta(kind="AssignMetadata", api_version="mutations.gatekeeper.sh/v1")


def test_what_an_object_of_gatekeeper_does() -> None:
    kinds = [verb_of(each) for each in (CONSTRAINT, MUTATOR, OF_METADATA, Meta(api_version="v1"))]
    assert kinds == ["validate", "mutate", "mutate", ""]


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        ({}, True),
        ({"kinds": [{"apiGroups": ["batch"], "kinds": ["Job"]}]}, True),
        ({"kinds": [{"apiGroups": ["*"], "kinds": ["*"]}]}, True),
        ({"kinds": [{"kinds": ["Job"]}]}, True),
        ({"kinds": [{"apiGroups": ["batch"]}]}, True),
        ({"kinds": [{"apiGroups": [""], "kinds": ["Job"]}]}, False),
        ({"kinds": [{"apiGroups": ["batch"], "kinds": ["Pod"]}]}, False),
        ({"kinds": [{"kinds": ["Pod"]}, {"kinds": ["Job"]}]}, True),
        ({"scope": "Cluster"}, False),
        ({"scope": "Namespaced"}, True),
        ({"scope": "*"}, True),
        ({"source": "Generated"}, False),
        ({"source": "Original"}, True),
        ({"namespaces": ["m*"]}, True),
        ({"namespaces": ["x"]}, False),
        ({"excludedNamespaces": ["m*"]}, False),
        ({"excludedNamespaces": ["x"]}, True),
        ({"excludedNamespaces": ["${X}"]}, None),
        ({"name": "tr*"}, True),
        ({"name": "x"}, False),
        ({"labelSelector": {"matchLabels": {"app": "train"}}}, True),
        ({"labelSelector": {"matchLabels": {"app": "x"}}}, False),
        ({"namespaceSelector": {"matchLabels": {"team": "vision"}}}, True),
        ({"namespaceSelector": {"matchLabels": {"team": "x"}}}, False),
    ],
)
def test_what_gatekeeper_matches(match: dict[str, Any], expected: bool | None) -> None:
    item = field({"spec": {"match": match}})
    assert matches_constraint(CONSTRAINT, item, Exempt(), NAMESPACES, NAMED) is expected
    assert matches_constraint(OF_METADATA, item, Exempt(), NAMESPACES, NAMED) is expected
    assert matches_constraint(MUTATOR, item, Exempt(), NAMESPACES, NAMED) is False
    applied = field({"spec": {"match": match, "applyTo": [{"groups": ["batch"], "kinds": ["Job"]}]}})
    assert matches_constraint(MUTATOR, applied, Exempt(), NAMESPACES, NAMED) is expected


@pytest.mark.parametrize(
    ("groups", "kinds", "expected"),
    [
        (["batch"], ["Job"], True),
        (["*"], ["*"], True),
        (["apps"], ["Job"], False),
        (["batch"], ["Pod"], False),
        ([], ["Job"], False),
        (["batch"], [], False),
    ],
)
def test_what_a_mutator_applies_to(groups: list[str], kinds: list[str], expected: bool) -> None:
    item = field({"spec": {"applyTo": [{"groups": groups, "kinds": kinds}]}})
    assert matches_constraint(MUTATOR, item, Exempt(), NAMESPACES, NAMED) is expected


POINTS = [{"name": "validation.gatekeeper.sh"}]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, True),
        ({"enforcementAction": "deny"}, True),
        ({"enforcementAction": "dryrun"}, False),
        ({"enforcementAction": "warn"}, False),
        ({"enforcementAction": "scoped"}, False),
        (
            {
                "enforcementAction": "scoped",
                "scopedEnforcementActions": [{"action": "deny", "enforcementPoints": POINTS}],
            },
            True,
        ),
        (
            {
                "enforcementAction": "scoped",
                "scopedEnforcementActions": [{"action": "deny", "enforcementPoints": [{"name": "*"}]}],
            },
            True,
        ),
        (
            {
                "enforcementAction": "scoped",
                "scopedEnforcementActions": [
                    {"action": "deny", "enforcementPoints": [{"name": "audit.gatekeeper.sh"}]}
                ],
            },
            False,
        ),
        (
            {
                "enforcementAction": "scoped",
                "scopedEnforcementActions": [{"action": "warn", "enforcementPoints": POINTS}],
            },
            False,
        ),
    ],
)
def test_what_gatekeeper_refuses(spec: dict[str, Any], expected: bool) -> None:
    item = field({"spec": spec})
    assert matches_constraint(CONSTRAINT, item, Exempt(), NAMESPACES, NAMED) is expected
    assert matches_constraint(OF_METADATA, item, Exempt(), NAMESPACES, NAMED) is True


@pytest.mark.parametrize(
    ("process", "mutates", "validates"),
    [
        ("*", False, False),
        ("webhook", True, False),
        ("mutation-webhook", False, True),
        ("audit", True, True),
        ("sync", True, True),
    ],
)
def test_namespaces_that_gatekeeper_leaves_out(process: str, mutates: bool, validates: bool) -> None:
    config = {
        "apiVersion": "config.gatekeeper.sh/v1alpha1",
        "kind": "Config",
        "spec": {"match": [{"excludedNamespaces": ["m*"], "processes": [process]}]},
    }
    others = [{**config, "kind": "Other"}, {**config, "apiVersion": "example.com/v1"}]
    found = [field(each) for each in (config, *others)]
    exempt = read_exempt((read_meta(each), each) for each in found)
    assert exempt == Exempt(() if mutates else ("m*",), () if validates else ("m*",))
    item = field({"spec": {}})
    assert matches_constraint(OF_METADATA, item, exempt, NAMESPACES, NAMED) is mutates
    assert matches_constraint(CONSTRAINT, item, exempt, NAMESPACES, NAMED) is validates


SAFE = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def broken(level: str, context: dict[str, Any], list_: str = "containers", **spec: Any) -> str:
    container = {"name": "a", "image": "r.example/a:1", "securityContext": context}
    ports = spec.pop("ports", None)
    container |= {"ports": ports} if ports else {}
    lists = {"containers": [{"name": "m", "image": "r.example/a:1", "securityContext": SAFE}]}
    lists[list_] = [container]
    template = {"spec": {"restartPolicy": "Never", **lists, **spec}}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "t", "namespace": "ml"}}
    found = read(yaml.safe_dump({**job, "spec": {"template": template}}))
    return breaks(level, found.pod_sets[0], {str(each.owner): each for each in found.objects})


@pytest.mark.parametrize("list_", ["containers", "initContainers"])
@pytest.mark.parametrize(
    ("context", "why"),
    [
        ({}, ""),
        ({"privileged": True}, "container a is privileged"),
        ({"privileged": False}, ""),
        ({"capabilities": {"add": ["SYS_ADMIN", "CHOWN", "BPF"]}}, "container a adds BPF, SYS_ADMIN"),
        ({"procMount": "Unmasked"}, "container a sets procMount"),
        ({"procMount": "Default"}, ""),
        ({"seccompProfile": {"type": "Unconfined"}}, "container a sets the seccomp profile Unconfined"),
        ({"seccompProfile": {"type": "Localhost"}}, ""),
        ({"appArmorProfile": {"type": "Unconfined"}}, "container a sets the AppArmor profile Unconfined"),
        ({"appArmorProfile": {"type": "RuntimeDefault"}}, ""),
        ({"windowsOptions": {"hostProcess": True}}, "container a sets hostProcess"),
        ({"windowsOptions": {"hostProcess": False}}, ""),
        ({"seLinuxOptions": {"type": "spc_t"}}, "container a sets seLinuxOptions"),
        ({"seLinuxOptions": {"user": "u"}}, "container a sets seLinuxOptions"),
        ({"seLinuxOptions": {"role": "r"}}, "container a sets seLinuxOptions"),
        ({"seLinuxOptions": {"level": "s0"}}, ""),
    ]
    + [({"seLinuxOptions": {"type": f"container_{each}t"}}, "") for each in ("", "engine_", "init_", "kvm_")]
    + [
        ({"capabilities": {"add": [each]}}, "")
        for each in (
            *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE"),
            *("SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
        )
    ],
)
def test_what_baseline_forbids_of_containers(list_: str, context: dict[str, Any], why: str) -> None:
    assert broken("baseline", context, list_) == why
    assert broken("privileged", context, list_) == ""
    if why:
        assert broken("restricted", {**SAFE, **context}, list_) == why


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"hostIPC": True}, "they set hostIPC"),
        ({"hostNetwork": True}, "they set hostNetwork"),
        ({"hostPID": True}, "they set hostPID"),
        ({"hostPID": False}, ""),
        ({"securityContext": {"seccompProfile": {"type": "Unconfined"}}}, "they set the seccomp profile Unconfined"),
        ({"securityContext": {"appArmorProfile": {"type": "Unconfined"}}}, "they set the AppArmor profile Unconfined"),
        ({"securityContext": {"windowsOptions": {"hostProcess": True}}}, "they set hostProcess"),
        ({"securityContext": {"seLinuxOptions": {"type": "spc_t"}}}, "they set seLinuxOptions"),
        ({"securityContext": {"sysctls": [{"name": "kernel.msgmax"}]}}, "they set the sysctl kernel.msgmax"),
        ({"securityContext": {"sysctls": [{"name": "net.ipv4.tcp_rmem"}]}}, ""),
        ({"volumes": [{"name": "d", "emptyDir": {}}]}, ""),
        ({"volumes": [{"name": "d", "hostPath": {"path": "/d"}}]}, "volume d is a hostPath"),
        ({"ports": [{"containerPort": 1, "hostPort": 1}]}, "container a has a hostPort"),
        ({"ports": [{"containerPort": 1, "hostPort": 0}]}, ""),
    ],
)
def test_what_baseline_forbids_of_pods(spec: dict[str, Any], why: str) -> None:
    assert broken("baseline", {}, **spec) == why
    assert broken("restricted", SAFE, **spec) == why
    assert broken("privileged", {}, **spec) == ""
    assert broken("no-level", {}, **spec) == ""


ROOT = "container a may run as root"


@pytest.mark.parametrize("list_", ["containers", "initContainers"])
@pytest.mark.parametrize(
    ("change", "general", "why"),
    [
        ({}, {}, ""),
        ({"allowPrivilegeEscalation": True}, {}, "container a does not set allowPrivilegeEscalation: false"),
        ({"allowPrivilegeEscalation": None}, {}, "container a does not set allowPrivilegeEscalation: false"),
        ({"capabilities": {"drop": ["CHOWN"]}}, {}, "container a does not drop ALL capabilities"),
        ({"capabilities": None}, {}, "container a does not drop ALL capabilities"),
        ({"capabilities": {"drop": ["ALL"], "add": ["CHOWN"]}}, {}, "container a adds CHOWN"),
        ({"capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]}}, {}, ""),
        ({"runAsNonRoot": False}, {}, ROOT),
        ({"runAsNonRoot": False}, {"runAsNonRoot": True}, ROOT),
        ({"runAsUser": 0}, {}, ROOT),
        ({"runAsUser": 1}, {}, ""),
        ({}, {"runAsNonRoot": False}, "they may run as root"),
        ({}, {"runAsUser": 0}, "they may run as root"),
        ({"runAsUser": 1}, {"runAsUser": 0}, "they may run as root"),
        ({}, {"runAsUser": 1}, ""),
        ({"seccompProfile": {"type": "Localhost"}}, {}, ""),
    ],
)
def test_what_restricted_asks_for(list_: str, change: dict[str, Any], general: dict[str, Any], why: str) -> None:
    context = {key: each for key, each in {**SAFE, **change}.items() if each is not None}
    assert broken("restricted", context, list_, securityContext=general) == why
    assert broken("baseline", context, list_, securityContext=general) == ""


@pytest.mark.parametrize(
    ("key", "why"), [("runAsNonRoot", ROOT), ("seccompProfile", "container a has no seccomp profile")]
)
def test_what_a_pod_says_for_its_containers(key: str, why: str) -> None:
    context = {name: each for name, each in SAFE.items() if name != key}
    assert broken("restricted", context) == why
    assert broken("restricted", context, securityContext={key: SAFE[key]}) == ""


@pytest.mark.parametrize(
    ("type_", "allowed"),
    [(each, True) for each in ("configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "projected", "secret")]
    + [("persistentVolumeClaim", True), ("nfs", False), ("iscsi", False), ("gcePersistentDisk", False)],
)
def test_volumes_of_restricted(type_: str, allowed: bool) -> None:
    why = "" if allowed else "volume d is of a type that is not allowed"
    assert broken("restricted", SAFE, volumes=[{"name": "d", type_: {}}]) == why
    assert broken("baseline", SAFE, volumes=[{"name": "d", type_: {}}]) == ""


TRAIN = """apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml, labels: {a: b}, annotations: {c: d}}
spec: {parallelism: 2, completions: 2, template: {metadata: {labels: {e: f}}, spec: {containers: [{name: a}]}}}
"""


def test_what_arrives_for_a_job() -> None:
    found = read(TRAIN)
    job, pods = arrivals(found.objects, found.pod_sets)
    assert (job.group, job.kind, job.namespace, job.name, job.version) == ("batch", "Job", "ml", "train", "v1")
    assert (dict(job.labels), job.annotations, job.open, job.resource) == ({"a": "b"}, {"c": "d"}, False, "jobs")
    assert (pods.group, pods.kind, pods.namespace, pods.name, pods.version) == ("", "Pod", "ml", "", "v1")
    assert pods.labels["e"] == "f"
    assert pods.resource == "pods"
    whole = list(arriving(found.objects[0]))
    assert [(each.arrival, each.pod_sets, each.body is not None) for each in whole] == [
        (job, found.pod_sets, True),
        (pods, found.pod_sets, True),
    ]


def test_no_pods_arrive_where_there_are_none() -> None:
    found = read(TRAIN.replace("parallelism: 2", "parallelism: 0"))
    assert list(arrivals(found.objects, found.pod_sets)) == []
    assert [(each.arrival.kind, each.pod_sets) for each in arriving(found.objects[0])] == [("Job", ())]


def test_a_pod_arrives_once_and_a_training_job_with_what_is_made_of_it() -> None:
    found = read("apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: ml}\nspec: {containers: [{name: a}]}\n")
    assert [each.kind for each in arrivals(found.objects, found.pod_sets)] == ["Pod"]
    found = read(
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: a, namespace: ml}\n"
        "spec:\n  replicatedJobs:\n"
        "  - {name: w, replicas: 2, template: {spec: {template: {spec: {containers: [{name: a}]}}}}}\n"
    )
    made = list(arrivals(found.objects, found.pod_sets))
    assert [(each.kind, each.open) for each in made] == [("JobSet", False), ("Job", True), ("Pod", False)]
    assert [each.body is None for each in arriving(found.objects[0])] == [False, True, False]
