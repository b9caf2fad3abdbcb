"""What may change or refuse pods is named where it could concern those of a group, of which then nothing is proved."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import lint

from trainlint.result import GroupVerdict
from trainlint.wording.because import texts_of

JOB = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        metadata: {labels: {app: train}}
        spec: {containers: [{name: pytorch, image: "r.example/a:1", resources: {limits: {nvidia.com/gpu: "1"}}}]}
"""
NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: ml, labels: {team: vision}}\n"


def webhook(rule: str = "", more: str = "", name: str = "defaults") -> str:
    rule = rule or "{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}"
    return f"""apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {{name: {name}}}
webhooks:
- name: a.example.com
  rules: [{rule}]
{more}"""


def kyverno(rule: str, match: str = "{any: [{resources: {kinds: [Pod]}}]}", action: str = "Enforce") -> str:
    return f"""apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {{name: p}}
spec:
  validationFailureAction: {action}
  rules:
  - name: r
    match: {match}
    {rule}
"""


def native(kind: str, resources: str = "pods") -> str:
    return f"""apiVersion: admissionregistration.k8s.io/v1
kind: {kind}
metadata: {{name: n}}
spec:
  matchConstraints:
    resourceRules: [{{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [{resources}]}}]
  validations: [{{expression: "request.userInfo.username == 'admin'"}}]
"""


def named(root: Path, text: str) -> list[str]:
    result = lint(root, {"job.yaml": JOB, "namespace.yaml": NAMESPACE, "policy.yaml": text})
    return [each.missing.partition(" (")[0] for each in result.unknowns if each.file == "policy.yaml"]


MUTATE, VALIDATE = "mutate: {patchStrategicMerge: {}}", "validate: {pattern: {}}"
CHANGES, GATES = ["what it changes in the pods of ml/train"], ["whether it lets the pods of ml/train in"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (webhook(), CHANGES),
        (webhook("{apiGroups: ['*'], operations: ['*'], resources: ['*/*']}"), CHANGES),
        (webhook("{apiGroups: [apps], operations: [CREATE], resources: [deployments]}"), []),
        (webhook("{apiGroups: [''], operations: [UPDATE], resources: [pods]}"), []),
        (webhook(more="  namespaceSelector: {matchLabels: {team: vision}}\n"), CHANGES),
        (webhook(more="  objectSelector: {matchLabels: {app: other}}\n"), []),
        (webhook(more="  objectSelector: {matchLabels: {app: train}}\n"), CHANGES),
        (webhook(more="  namespaceSelector: {matchLabels: {team: other}}\n"), []),
        (native("MutatingAdmissionPolicy"), CHANGES),
        (native("ValidatingAdmissionPolicy"), GATES),
        (native("ValidatingAdmissionPolicy", "services"), []),
        (kyverno(MUTATE), CHANGES),
        (kyverno(VALIDATE), GATES),
        (kyverno(VALIDATE, action="Audit"), []),
        (kyverno(MUTATE, "{any: [{resources: {kinds: [Service]}}]}"), []),
        (kyverno(MUTATE, "{any: [{resources: {kinds: [Pod], namespaces: [m*]}}]}"), CHANGES),
        (kyverno(MUTATE, "{any: [{resources: {kinds: [Pod], namespaces: [web]}}]}"), []),
        (kyverno(MUTATE, "{any: [{resources: {kinds: [kubeflow.org/v1/PyTorchJob]}}]}"), CHANGES),
        (kyverno("exclude: {any: [{resources: {namespaces: [ml]}}]}\n    " + MUTATE), []),
    ],
)
def test_it_is_named_where_it_could_concern_a_group(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert named(tmp_path, text) == expected


def validating(rule: str = "", more: str = "", name: str = "guard") -> str:
    return webhook(rule, more, name).replace("kind: Mutating", "kind: Validating")


PODS = "apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]"
JOBS = "{apiGroups: [kubeflow.org], operations: [CREATE], resources: [pytorchjobs]}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (validating(), GATES),
        (validating(JOBS), GATES),
        (validating("{apiGroups: [kubeflow.org], operations: [CREATE], resources: [mpijobs]}"), []),
        (validating(f"{{{PODS}, scope: Cluster}}"), []),
        (validating(f"{{{PODS}, resourceNames: [train]}}"), GATES),  # names of pods are made
        (validating(JOBS.replace("}", ", resourceNames: [other]}")), []),
        (validating("{apiGroups: [''], operations: [CREATE], resources: [pods/binding, pods/exec]}"), []),
        (validating("{apiGroups: [''], operations: [CREATE], resources: ['pods/*']}"), GATES),
        (validating(more="  matchConditions: [{name: a, expression: 'false'}]\n"), GATES),
        (validating(more="  failurePolicy: Ignore\n"), GATES),  # it is about calls that fail
        (validating(more="  namespaceSelector: {matchLabels: {guarded: 'yes'}}\n"), []),
        (validating(more="  namespaceSelector: {matchExpressions: [{key: guarded, operator: DoesNotExist}]}\n"), GATES),
        (
            validating(more="  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: web}}\n"),
            [],
        ),
    ],
)
def test_webhooks_that_refuse(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert named(tmp_path, text) == expected


def binding(more: str = "", policy: str = "n", actions: str = "[Deny]") -> str:
    return f"""---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {{name: b}}
spec:
  policyName: {policy}
  validationActions: {actions}
{more}"""


VALIDATING = native("ValidatingAdmissionPolicy")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (VALIDATING + binding(), GATES),
        (VALIDATING + binding(actions="[Warn, Audit]"), []),
        (VALIDATING + binding(policy="other"), []),  # it is bound nowhere, and bindings are in Git
        (VALIDATING + binding("  matchResources: {namespaceSelector: {matchLabels: {team: other}}}\n"), []),
        (VALIDATING + binding("  matchResources: {namespaceSelector: {matchLabels: {team: vision}}}\n"), GATES),
        (VALIDATING + binding("  matchResources: {objectSelector: {matchLabels: {app: other}}}\n"), []),
        (
            VALIDATING.replace("resourceRules:", f"excludeResourceRules: [{{{PODS}}}]\n    resourceRules:") + binding(),
            [],
        ),
        (VALIDATING.replace("    resource", "    objectSelector: {matchLabels: {app: web}}\n    resource"), []),
        (VALIDATING.replace("name: n", "name: kueue-policy"), GATES),
        (
            VALIDATING.replace("admissionregistration.k8s.io/v1", "policies.kyverno.io/v1").replace("AdmissionP", "P"),
            GATES,
        ),
        (
            VALIDATING.replace("admissionregistration.k8s.io/v1", "policies.kyverno.io/v1")
            .replace("AdmissionP", "P")
            .replace("spec:", "spec:\n  validationActions: [Audit]"),
            [],
        ),
        (
            VALIDATING.replace("admissionregistration.k8s.io/v1", "policies.kyverno.io/v1")
            .replace("ValidatingAdmissionP", "NamespacedValidatingP")
            .replace("name: n", "name: n, namespace: web"),
            [],
        ),
    ],
)
def test_admission_policies_as_they_are_bound(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert named(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (kyverno(VALIDATE, "{all: [{resources: {kinds: [Pod]}}, {resources: {namespaces: [web]}}]}"), []),
        (kyverno(VALIDATE, "{resources: {kinds: [v1/Pod]}}"), GATES),
        (kyverno(VALIDATE, "{resources: {kinds: [apps/v1/Pod]}}"), []),
        (kyverno(VALIDATE, "{resources: {kinds: [Pod/exec]}}"), []),
        (kyverno(VALIDATE, "{resources: {kinds: ['*']}}"), GATES),
        (kyverno(VALIDATE, "{resources: {kinds: [Pod], operations: [UPDATE, DELETE]}}"), []),
        (kyverno(VALIDATE, "{resources: {kinds: [Pod], selector: {matchLabels: {app: web}}}}"), []),
        (kyverno(VALIDATE, "{resources: {kinds: [Pod], selector: {matchLabels: {app: 'tr*'}}}}"), GATES),
        (kyverno(VALIDATE, "{resources: {kinds: [Pod], namespaceSelector: {matchLabels: {team: other}}}}"), []),
        (kyverno(VALIDATE, "{resources: {kinds: [Pod], annotations: {checked: 'yes'}}}"), []),
        (kyverno(VALIDATE, "{resources: {kinds: [PyTorchJob], names: [web-*]}}"), []),
        (kyverno(VALIDATE, "{resources: {kinds: [PyTorchJob], names: [tr*]}}"), GATES),
        (kyverno("exclude: {any: [{resources: {selector: {matchLabels: {app: train}}}}]}\n    " + VALIDATE), []),
        (kyverno("exclude: {any: [{subjects: [{kind: User, name: a}]}]}\n    " + VALIDATE), GATES),
        (kyverno("preconditions: {all: [{key: a, operator: Equals, value: b}]}\n    " + VALIDATE), GATES),
        (kyverno("validate: {failureAction: Audit, pattern: {}}"), []),
        (kyverno("validate: {failureAction: Enforce, pattern: {}}", action="Audit"), GATES),
        (kyverno("mutate: {targets: [{kind: Secret}], patchStrategicMerge: {}}"), []),
        (kyverno(MUTATE).replace("spec:", "spec:\n  admission: false"), []),
        (kyverno("generate: {kind: NetworkPolicy}"), []),
        (kyverno("verifyImages: [{imageReferences: ['*']}]"), GATES),
        (
            kyverno(VALIDATE).replace(
                "  rules", "  validationFailureActionOverrides: [{action: Audit, namespaces: [ml]}]\n  rules"
            ),
            [],
        ),
        (
            kyverno(VALIDATE, action="Audit").replace(
                "  rules", "  validationFailureActionOverrides: [{action: Enforce, namespaces: ['m*']}]\n  rules"
            ),
            GATES,
        ),
        (kyverno(VALIDATE).replace("ClusterPolicy", "Policy").replace("name: p", "name: p, namespace: ml"), GATES),
        (kyverno(VALIDATE).replace("ClusterPolicy", "Policy").replace("name: p", "name: p, namespace: web"), []),
    ],
)
def test_policies_of_kyverno(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert named(tmp_path, text) == expected


def constraint(match: str = "{kinds: [{apiGroups: [''], kinds: [Pod]}]}", more: str = "") -> str:
    return f"""apiVersion: constraints.gatekeeper.sh/v1beta1
kind: K8sRequiredOwner
metadata: {{name: owner}}
spec:
  match: {match}
{more}"""


def mutator(kind: str, more: str = "") -> str:
    return f"""apiVersion: mutations.gatekeeper.sh/v1
kind: {kind}
metadata: {{name: m}}
spec:
  match: {{scope: Namespaced, namespaces: [ml]}}
{more}"""


def scoped(action: str, point: str) -> str:
    points = f"{{action: {action}, enforcementPoints: [{{name: {point}}}]}}"
    return constraint(more=f"  enforcementAction: scoped\n  scopedEnforcementActions: [{points}]\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (constraint(), GATES),
        (constraint("{}"), GATES),
        (constraint(more="  enforcementAction: dryrun\n"), []),
        (constraint(more="  enforcementAction: warn\n"), []),
        (scoped("deny", "validation.gatekeeper.sh"), GATES),
        (scoped("deny", "audit.gatekeeper.sh"), []),
        (scoped("warn", "validation.gatekeeper.sh"), []),
        (constraint("{kinds: [{apiGroups: [apps], kinds: [Deployment]}]}"), []),
        (constraint("{kinds: [{apiGroups: ['*'], kinds: [PyTorchJob]}]}"), GATES),
        (constraint("{namespaces: [m*]}"), GATES),
        (constraint("{namespaces: [web]}"), []),
        (constraint("{excludedNamespaces: [ml]}"), []),
        (constraint("{labelSelector: {matchLabels: {app: web}}, kinds: [{kinds: [Pod]}]}"), []),
        (constraint("{scope: Cluster}"), []),
        (mutator("AssignMetadata"), CHANGES),
        (mutator("Assign", "  applyTo: [{groups: [''], kinds: [Pod], versions: [v1]}]\n"), CHANGES),
        (mutator("Assign", "  applyTo: [{groups: [apps], kinds: [Deployment], versions: [v1]}]\n"), []),
        (
            constraint()
            + "---\napiVersion: config.gatekeeper.sh/v1alpha1\nkind: Config\nmetadata: {name: config}\n"
            + "spec: {match: [{excludedNamespaces: [ml, kube-*], processes: ['*']}]}\n",
            [],
        ),
    ],
)
def test_constraints_and_mutators_of_gatekeeper(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert named(tmp_path, text) == expected


def test_what_an_operator_makes_may_be_refused_as_well(tmp_path: Path) -> None:
    jobset = """apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train, namespace: ml}
spec:
  replicatedJobs:
  - name: w
    template:
      spec:
        parallelism: 2
        completions: 2
        template:
          spec:
            restartPolicy: Never
            containers: [{name: a, image: b, resources: {limits: {nvidia.com/gpu: 1}}}]
"""
    rule = "{apiGroups: [batch], operations: [CREATE], resources: [jobs]}"
    result = lint(tmp_path, {"job.yaml": jobset, "policy.yaml": validating(rule)})
    assert [each.missing for each in result.unknowns if each.file == "policy.yaml"] == GATES


NODES = """apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: lab}
pools:
- {name: gpu, count: 4, zone: a, allocatable: {cpu: "9", memory: 9Gi, pods: "9", nvidia.com/gpu: "8"}}
"""


def group(root: Path, *, nodes: str = NODES, **policies: str) -> GroupVerdict:
    texts = {f"{name}.yaml": text for name, text in policies.items()}
    (found,) = lint(root, {"job.yaml": JOB, "namespace.yaml": NAMESPACE, "nodes.yaml": nodes, **texts}).groups
    return found


def test_a_group_that_may_be_refused_is_not_proved(tmp_path: Path) -> None:
    found = group(tmp_path, policy=kyverno(VALIDATE))
    assert (str(found.exists), str(found.for_all)) == ("unknown", "unknown")
    assert found.missing == ("whether ClusterPolicy p lets its pods in",)


def test_a_group_that_may_be_changed_is_not_proved(tmp_path: Path) -> None:
    found = group(tmp_path, policy=webhook())
    assert (str(found.exists), str(found.for_all)) == ("unknown", "unknown")
    assert found.missing == ("what MutatingWebhookConfiguration defaults changes in its pods",)


def test_what_does_not_apply_leaves_the_proof(tmp_path: Path) -> None:
    found = group(
        tmp_path,
        one=kyverno(VALIDATE, action="Audit"),
        two=webhook(more="  objectSelector: {matchLabels: {app: other}}\n"),
    )
    assert (str(found.exists), str(found.for_all)) == ("proved", "proved")


def test_where_nodes_are_not_known_it_is_one_need_more(tmp_path: Path) -> None:
    found = group(tmp_path, nodes="", one=kyverno(VALIDATE), two=webhook())
    assert str(found.exists) == "conditional"
    assert found.needs is not None
    assert set(texts_of(found.needs.others)) >= {
        "pods that ClusterPolicy p lets in",
        "pods that MutatingWebhookConfiguration defaults leaves fit to run",
    }


def secured(root: Path, level: str, spec: str = "", context: str = "") -> tuple[str, ...]:
    job = JOB.replace("spec: {containers: [{name: pytorch", f"spec: {{{spec}containers: [{{{context}name: pytorch")
    space = NAMESPACE.replace("team: vision", f"pod-security.kubernetes.io/enforce: {level}")
    (found,) = lint(root, {"job.yaml": job, "namespace.yaml": space, "nodes.yaml": NODES}).groups
    assert str(found.exists) == ("unknown" if found.missing else "proved")
    return found.missing


FIT = "securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}, "
TIGHT = "securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}, "
OWN = "securityContext: {runAsNonRoot: true, allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}, "


@pytest.mark.parametrize(
    ("level", "spec", "context", "why"),
    [
        ("privileged", "hostIPC: true, ", "", ""),
        ("baseline", "", "", ""),
        ("baseline", "hostIPC: true, ", "", "they set hostIPC"),
        ("baseline", "volumes: [{name: d, hostPath: {path: /d}}], ", "", "volume d is a hostPath"),
        ("baseline", "", "securityContext: {privileged: true}, ", "container pytorch is privileged"),
        ("baseline", "", "securityContext: {capabilities: {add: [IPC_LOCK]}}, ", "container pytorch adds IPC_LOCK"),
        ("baseline", "", "securityContext: {capabilities: {add: [CHOWN]}}, ", ""),
        ("baseline", "", "ports: [{containerPort: 80, hostPort: 80}], ", "container pytorch has a hostPort"),
        ("restricted", "", "", "container pytorch does not set allowPrivilegeEscalation: false"),
        ("restricted", FIT, TIGHT, ""),
        (
            "restricted",
            FIT + "volumes: [{name: d, nfs: {server: s, path: /}}], ",
            TIGHT,
            "volume d is of a type that is not allowed",
        ),
        ("restricted", FIT.replace("true", "false"), TIGHT, "they may run as root"),
        ("restricted", "", OWN, "container pytorch has no seccomp profile"),
    ],
)
def test_levels_of_pod_security(tmp_path: Path, level: str, spec: str, context: str, why: str) -> None:
    said = f"whether Pod Security {level} of Namespace ml ({why}) lets its pods in"
    assert secured(tmp_path, level, spec, context) == ((said,) if why else ())


def test_what_is_refuted_stays_refuted(tmp_path: Path) -> None:
    found = group(tmp_path, nodes=NODES.replace('"8"', '"0"'), policy=kyverno(VALIDATE))
    assert (str(found.exists), str(found.for_all)) == ("refuted", "refuted")


def test_policies_of_an_example_are_for_what_lies_beside_them(tmp_path: Path) -> None:
    files = {"job.yaml": JOB, "namespace.yaml": NAMESPACE, "samples/policies/policy.yaml": kyverno(VALIDATE)}
    assert not [each for each in lint(tmp_path, files).unknowns if "policy" in (each.file or "")]


def test_without_groups_nothing_is_said(tmp_path: Path) -> None:
    assert lint(tmp_path, {"policy.yaml": webhook()}).unknowns == ()


def test_a_cluster_policy_of_nvidia_is_none_of_these(tmp_path: Path) -> None:
    text = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: gpu}\nspec: {driver: {enabled: true}}\n"
    assert named(tmp_path, text) == []
