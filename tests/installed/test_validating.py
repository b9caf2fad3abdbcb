"""ValidatingAdmissionPolicies with their bindings, evaluated for what a repository creates."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import by_rule, lint

from trainlint.finding import Certainty, Finding
from trainlint.model.known import Answer
from trainlint.result import Result

NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: ml, labels: {team: vision}}\n"
JOB = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml, labels: {team: vision}}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        metadata: {labels: {app: train}}
        spec:
          containers:
          - name: pytorch
            image: registry.example/a:1
            resources: {limits: {nvidia.com/gpu: "1"}}
"""
OWN_JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  parallelism: 2
  completions: 2
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      hostNetwork: false
      containers:
      - {name: a, image: "registry.example/a:1", resources: {limits: {nvidia.com/gpu: 1}}}
"""
POLICY = """apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: guard}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [kubeflow.org, batch], apiVersions: [v1], operations: [CREATE], resources: [pytorchjobs, jobs]}
"""
OF_PODS = POLICY.replace("kubeflow.org, batch", '""').replace("pytorchjobs, jobs", "pods")
WORKER = "object.spec.pytorchReplicaSpecs.Worker"
BINDING = """---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: guard}
spec:
  policyName: guard
  validationActions: [Deny]
"""


def judged(root: Path, policy: str, job: str = JOB, **files: str) -> Result:
    texts = {f"{name}.yaml": text for name, text in files.items()}
    return lint(
        root, {"job.yaml": job, "namespace.yaml": NAMESPACE, "policy.yaml": policy, **texts}, ignore=frozenset()
    )


def refusals(result: Result) -> list[Finding]:
    return [each.finding for each in result.findings if each.finding.rule == "rejected-object"]


def said(result: Result) -> str:
    """``allowed``, ``unknown`` or the first refusal."""
    if found := refusals(result):
        return found[0].message
    return "unknown" if any(each.file == "policy.yaml" for each in result.unknowns) else "allowed"


def rule(expression: str, more: str = "", of: str = POLICY) -> str:
    return of + f"  validations:\n  - expression: >-\n      {expression}\n" + more + BINDING


@pytest.mark.parametrize(
    ("expression", "refused"),
    [
        ("object.metadata.labels.team == 'vision'", False),
        ("object.metadata.labels.team == 'biology'", True),
        ("'owner' in object.metadata.labels", True),
        ("object.metadata.namespace == 'ml' && object.metadata.name.startsWith('tr')", False),
        ("request.operation == 'CREATE' && request.kind.kind == 'PyTorchJob' && request.namespace == 'ml'", False),
        ("request.resource.resource != 'pytorchjobs'", True),
        ("namespaceObject.metadata.labels.team == object.metadata.labels.team", False),
        ("namespaceObject.metadata.labels['kubernetes.io/metadata.name'] == 'other'", True),
        ("oldObject == null", False),
        (f"{WORKER}.replicas <= 1", True),
        ("object.spec.pytorchReplicaSpecs.all(k, object.spec.pytorchReplicaSpecs[k].replicas <= 2)", False),
        ("object.spec.nothing.here == 1", True),  # it fails, and failurePolicy is Fail
        (
            f"{WORKER}.template.spec.containers.all(c, c.resources.limits['nvidia.com/gpu'] == '2')",
            True,
        ),
    ],
)
def test_objects(tmp_path: Path, expression: str, refused: bool) -> None:
    assert (said(judged(tmp_path, rule(expression))) != "allowed") is refused


@pytest.mark.parametrize(
    ("expression", "refused"),
    [
        # what the API server and its own plugins add
        ("object.spec.schedulerName == 'default-scheduler' && object.spec.dnsPolicy == 'ClusterFirst'", False),
        ("object.spec.volumes.all(v, !has(v.hostPath))", False),
        ("has(object.spec.hostNetwork)", True),  # false is left out
        ("object.spec.serviceAccountName != 'default'", True),
        ("object.spec.containers.all(c, c.resources.requests['nvidia.com/gpu'] == '1')", False),
        ("object.spec.containers.all(c, c.imagePullPolicy == 'IfNotPresent')", False),
        ("object.spec.containers.all(c, has(c.securityContext))", True),
        ("object.metadata.labels['batch.kubernetes.io/job-name'] == 'train'", False),
        ("object.metadata.ownerReferences.exists(o, o.kind == 'Job')", False),
    ],
)
def test_pods_of_a_job(tmp_path: Path, expression: str, refused: bool) -> None:
    assert (said(judged(tmp_path, rule(expression, of=OF_PODS), OWN_JOB)) != "allowed") is refused


VARIABLES = "  variables:\n  - {name: a, expression: '1 + 1'}\n  - {name: b, expression: variables.a + 1}\n"
FAILING = "  variables: [{name: a, expression: object.spec.nothing}]\n"


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        # a message, or an expression that makes one
        (
            rule("false", "    message: No jobs.\n"),
            "No jobs: ValidatingAdmissionPolicy guard refuses PyTorchJob ml/train",
        ),
        (
            rule("false", "    message: not so\n    messageExpression: \"'no ' + object.kind\"\n"),
            "no PyTorchJob: ValidatingAdmissionPolicy guard refuses PyTorchJob ml/train",
        ),
        (
            rule("false", "    message: not so\n    messageExpression: object.spec.nothing\n"),
            "not so: ValidatingAdmissionPolicy guard refuses PyTorchJob ml/train",
        ),
        # variables, which may use each other; one that fails is an error where it is used
        (rule("variables.b == 3", VARIABLES), "allowed"),
        (rule("variables.b == 4", VARIABLES), "variables.b == 4 does not hold"),
        (rule("true || variables.a", FAILING), "allowed"),
        (rule("variables.a == 1", FAILING), "the expression variables.a == 1 fails"),
        # failurePolicy
        (rule("object.spec.nothing == 1", "  failurePolicy: Ignore\n"), "allowed"),
        (rule("false", "  failurePolicy: Ignore\n"), "false does not hold"),
        # conditions
        (rule("false", "  matchConditions: [{name: a, expression: 'object.kind == \"MPIJob\"'}]\n"), "allowed"),
        (
            rule("false", "  matchConditions: [{name: a, expression: 'object.kind == \"PyTorchJob\"'}]\n"),
            "false does not hold",
        ),
        (rule("false", "  matchConditions: [{name: a, expression: has(request.userInfo.extra)}]\n"), "unknown"),
        # what Git does not say
        (rule("request.userInfo.username == 'admin'"), "unknown"),
        (rule("authorizer.group('').resource('pods').check('create').allowed()"), "unknown"),
        (rule("params.data.limit == '1'"), "unknown"),
        (rule("object.metadata.brandNew()"), "unknown"),
        # bindings
        (rule("false").replace("[Deny]", "[Warn]"), "allowed"),
        (rule("false").replace("[Deny]", "[Audit]"), "allowed"),
        (rule("false").replace("[Deny]", "[Deny, Audit]"), "false does not hold"),
        (rule("false") + "  matchResources: {namespaceSelector: {matchLabels: {team: biology}}}\n", "allowed"),
        (rule("false") + "  matchResources: {objectSelector: {matchLabels: {team: vision}}}\n", "false does not hold"),
        (rule("false").replace("policyName: guard", "policyName: other"), "allowed"),
        # without a binding: another place may bind it, and only what it would refuse is not known
        (rule("false").partition("---")[0], "unknown"),
        (rule("true").partition("---")[0], "allowed"),
    ],
)
def test_policies(tmp_path: Path, policy: str, expected: str) -> None:
    assert said(judged(tmp_path, policy)).startswith(expected)


PARAMS = (
    POLICY
    + """  paramKind: {apiVersion: v1, kind: ConfigMap}
  validations: [{expression: object.spec.pytorchReplicaSpecs.Worker.replicas <= int(params.data.most)}]
"""
)
LIMITS = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: limits, namespace: ml}\ndata: {most: '%s'}\n"


@pytest.mark.parametrize(
    ("reference", "most", "expected"),
    [
        ("{name: limits, parameterNotFoundAction: Deny}", "2", "allowed"),
        ("{name: limits, namespace: ml, parameterNotFoundAction: Deny}", "1", "object.spec"),
        ("{name: others, parameterNotFoundAction: Deny}", "1", "unknown"),
        ("{name: limits, namespace: web, parameterNotFoundAction: Deny}", "1", "unknown"),
    ],
)
def test_parameters(tmp_path: Path, reference: str, most: str, expected: str) -> None:
    policy = PARAMS + BINDING + f"  paramRef: {reference}\n"
    assert said(judged(tmp_path, policy, limits=LIMITS % most)).startswith(expected)


def test_the_finding_stands_at_the_field_with_the_policy_and_its_binding(tmp_path: Path) -> None:
    policy = rule("object.spec.pytorchReplicaSpecs.Worker.replicas <= 1", "    message: at most one\n")
    placed = by_rule(judged(tmp_path, policy), "rejected-object")
    assert placed.finding.at.path == ("spec", "pytorchReplicaSpecs", "Worker", "replicas")
    assert [(each.file, each.span.line) for each in placed.related] == [("policy.yaml", 9), ("policy.yaml", 16)]
    assert placed.finding.certainty is Certainty.PROVEN


def test_a_refused_group_is_refuted(tmp_path: Path) -> None:
    (group,) = judged(tmp_path, rule("false")).groups
    assert group.exists is Answer.REFUTED


def test_values_to_be_filled_in_are_not_known(tmp_path: Path) -> None:
    job = JOB.replace("team: vision", "team: REPLACE_ME")
    assert said(judged(tmp_path, rule("object.metadata.labels.team == 'biology'"), job)) == "unknown"
    assert said(judged(tmp_path, rule("object.metadata.name == 'train'"), job)) == "allowed"


def test_what_an_operator_may_set_makes_it_likely(tmp_path: Path) -> None:
    (found,) = refusals(judged(tmp_path, rule("has(object.spec.runPolicy)")))
    assert found.certainty is Certainty.LIKELY
    assert found.assumes == ("no default sets runPolicy",)


def test_containers_that_an_operator_adds_are_not_known(tmp_path: Path) -> None:
    master = "    Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: r.example/a:1}]}}}\n"
    job = JOB.replace("    Worker:", f"{master}    Worker:")
    text = "!has(object.spec.initContainers) || object.spec.initContainers.all(c, c.image.startsWith('r.example'))"
    assert said(judged(tmp_path, rule(text, of=OF_PODS), job)) == "unknown"


def test_one_finding_for_an_object_and_its_pods(tmp_path: Path) -> None:
    both = rule("object.metadata.labels.team == 'x'").replace("kubeflow.org, batch", '"*"')
    both = both.replace("pytorchjobs, jobs", '"*"')
    assert len(refusals(judged(tmp_path, both))) == 1


def test_what_is_not_known_is_said_with_the_expression(tmp_path: Path) -> None:
    result = judged(tmp_path, rule("request.userInfo.username == 'admin'"))
    (missing,) = (each.missing for each in result.unknowns if each.file == "policy.yaml")
    assert missing.startswith("whether it lets the pods of ml/train in")
    assert missing.endswith("(request.userInfo.username == 'admin': who creates the object is not known)")


def test_more_objects_than_can_be_held_against_policies_are_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trainlint.installed.gates.validated._MOST_STEPS", 0)
    assert said(judged(tmp_path, rule("false"))) == "unknown"
    monkeypatch.setattr("trainlint.installed.gates.validated._MOST_STEPS", 1)
    assert said(judged(tmp_path, rule("false"))).startswith("false does not hold")
