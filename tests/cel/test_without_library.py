"""Where cel-expr-python is not installed nothing in CEL is evaluated, which is said with its cause."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.engine.worlds import write

WITHOUT = "import sys; sys.modules['cel_expr_python'] = None; from trainlint.cli.main import main; main()"
CAUSE = "cel-expr-python is not installed (pip install 'trainlint[cel]')"
JOB_SET = """apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: run, namespace: ml}
spec:
  startupPolicy: {startupPolicyOrder: InOrder}
  failurePolicy: {restartStrategy: Sometimes}
  replicatedJobs:
  - {name: a, template: {spec: {template: {spec: {containers: [{name: node, image: 'r.example/a:1'}]}}}}}
"""
JOB = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: run, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Worker: {replicas: 2, template: {spec: {containers: [{name: pytorch, image: 'r.example/a:1'}]}}}
"""
POLICY = """apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: small}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
    - {apiGroups: [kubeflow.org], apiVersions: [v1], operations: [CREATE], resources: [pytorchjobs]}
  validations: [{expression: object.spec.pytorchReplicaSpecs.Worker.replicas < 2}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: small}
spec: {policyName: small, validationActions: [Deny]}
"""


def report(root: Path, files: dict[str, str]) -> Any:
    write(root, files)
    command = [sys.executable, "-c", WITHOUT, "check", str(root), "--output=json", "--no-cache"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def test_rules_of_crds_are_assumed_to_hold(tmp_path: Path) -> None:
    found = report(tmp_path, {"run.yaml": JOB_SET})
    assert f"the rules in CEL that the CRDs of JobSet have hold: {CAUSE}" in str(found["assumptions"])
    refused = [each["location"]["path"] for each in found["findings"] if each["rule"] == "rejected-object"]
    assert refused == [["spec", "failurePolicy", "restartStrategy"]], "what needs no expression is told"


def test_a_kind_without_rules_needs_no_assumption(tmp_path: Path) -> None:
    assert "CEL" not in str(report(tmp_path, {"run.yaml": JOB.replace("PyTorchJob", "XGBoostJob")})["assumptions"])


def test_a_policy_with_an_expression_is_unknown(tmp_path: Path) -> None:
    found = report(tmp_path, {"run.yaml": JOB, "policy.yaml": POLICY})
    assert not [each for each in found["findings"] if each["rule"] == "rejected-object"]
    assert CAUSE in str(found["unknowns"])
    (group,) = found["groups"]
    assert group["exists"] not in ("proved", "refuted")
