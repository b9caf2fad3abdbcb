"""What stands around a group counts for its verdict: control plane, mesh, names that are made (decision 12)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.rules.policy.repositories import JOB, cnp, knp
from tests.rules.policy.test_control_plane import KUEUE, METRICS, OPERATOR, OWN, hook, shut
from tests.rules.policy.test_mesh_denies_flow import namespace

from trainlint.engine import check
from trainlint.model.known import Answer

NODES = """\
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: nodes}
pools:
  - {name: a, count: 4, zone: a, allocatable: {cpu: "64", memory: 500Gi, pods: "110", nvidia.com/gpu: "8"}}
"""
OF_RAY = knp(f"  podSelector: {{}}\n  policyTypes: [Ingress]\n  ingress: [{OWN}]\n")


def judged(root: Path, files: Mapping[str, str], name: str = "ml/train") -> tuple[Answer, str]:
    """Whether the group can run, and everything that is said not to be known."""
    for file, text in {"nodes.yaml": NODES, **files}.items():
        (root / file).write_text(text, encoding="utf-8")
    result = check([root])
    assert result.failures == ()
    (group,) = [each for each in result.groups if each.name == name]
    return group.exists, "\n".join(f"{each.subject}: {each.missing}" for each in result.unknowns)


def released(text: str) -> str:
    """The Deployment, Service and webhook under the names of Kueue's release, by which the webhook is Kueue's own."""
    for name, own in (
        ("namespace: sys", "namespace: kueue-system"),
        ("name: manager", "name: kueue-controller-manager"),
        ("metadata: {name: hook,", "metadata: {name: kueue-webhook-service,"),
        ("service: {name: hook,", "service: {name: kueue-webhook-service,"),
        ("metadata: {name: h}", "metadata: {name: kueue-mutating-webhook-configuration}"),
        ("name: h.example.com", "name: mpytorchjob.kb.io"),
    ):
        assert name in text
        text = text.replace(name, own)
    return text


def test_a_webhook_that_is_probably_shut_off_leaves_the_group_unknown(tmp_path: Path) -> None:
    """Kueue's own: of any other webhook it is unknown whether it refuses the group."""
    files = {"a.yaml": released(KUEUE + hook()), "job.yaml": JOB}
    exists, _ = judged(tmp_path, files)
    assert exists is Answer.PROVED
    exists, unknown = judged(tmp_path, {**files, "p.yaml": shut(METRICS, namespace="kueue-system")})
    assert exists is Answer.UNKNOWN
    assert "the API server cannot reach kueue-system/kueue-controller-manager on TCP port 9443" in unknown


@pytest.mark.parametrize(
    ("mode", "answer"),
    [
        ("", Answer.UNKNOWN),  # the submitter's pod sends the job, and only the operator does not see its state
        ("  submissionMode: HTTPMode\n", Answer.REFUTED),  # the operator itself sends it
    ],
)
def test_a_job_that_its_operator_cannot_send_never_trains(tmp_path: Path, mode: str, answer: Answer) -> None:
    files = {"job.yaml": ray_job(spec=mode), "op.yaml": OPERATOR}
    assert judged(tmp_path, files, "ml/r")[0] is Answer.PROVED
    exists, unknown = judged(tmp_path, {**files, "p.yaml": OF_RAY}, "ml/r")
    assert exists is answer
    assert ("cannot reach" in unknown) is (answer is Answer.UNKNOWN)


def ray_job(name: str = "name: r", spec: str = "") -> str:
    """A RayJob with two workers."""
    workers = (
        "{groupName: workers, replicas: 2, rayStartParams: {}, template: {spec: {containers: "
        "[{name: w, image: 'rayproject/ray:2.49.0', resources: {limits: {nvidia.com/gpu: '8'}}}]}}}"
    )
    return (
        f"apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {{{name}, namespace: ml}}\n"
        f"spec:\n  entrypoint: python x.py\n{spec}  rayClusterSpec:\n"
        "    headGroupSpec: {rayStartParams: {}, template: {spec: {containers: "
        f"[{{name: h, image: 'rayproject/ray:2.49.0'}}]}}}}}}\n    workerGroupSpecs: [{workers}]\n"
    )


def authorization(spec: str, where: str = "ml") -> str:
    head = "---\napiVersion: security.istio.io/v1\nkind: AuthorizationPolicy\n"
    return f"{head}metadata: {{name: only, namespace: {where}}}\nspec: {{{spec}}}\n"


CALLERS = "rules: [{from: [{source: {principals: [cluster.local/ns/web/sa/web]}}]}]"
SERVER = """---
apiVersion: policy.linkerd.io/v1beta3
kind: Server
metadata: {name: only, namespace: ml}
spec: {podSelector: {matchLabels: {app: train}}, port: 23456}
"""


@pytest.mark.parametrize(
    ("mesh", "of"),
    [
        (authorization(CALLERS), namespace(name="ml")),
        (authorization(CALLERS), namespace("istio.io/dataplane-mode: ambient", "ml")),
        (authorization(CALLERS, "istio-system"), namespace(name="ml")),
        (authorization(f"selector: {{matchLabels: {{app: train}}}}, {CALLERS}"), namespace(name="ml")),
        (authorization("action: DENY, rules: [{}]"), namespace(name="ml")),
        (authorization("{}"[1:-1]), namespace(name="ml")),
        (SERVER, namespace("team: ml", "ml")),
    ],
)
def test_what_a_mesh_may_refuse_is_not_proved(tmp_path: Path, mesh: str, of: str) -> None:
    exists, unknown = judged(tmp_path, {"job.yaml": JOB, "mesh.yaml": mesh + of})
    assert exists is Answer.UNKNOWN
    assert "of the service mesh lets through" in unknown


@pytest.mark.parametrize(
    ("mesh", "of"),
    [
        (authorization(CALLERS), namespace("istio-injection: disabled", "ml")),
        (authorization(CALLERS, "web"), namespace(name="ml")),
        (authorization(CALLERS, "istio-system"), namespace("team: ml", "ml")),
        (authorization(f"selector: {{matchLabels: {{app: web}}}}, {CALLERS}"), namespace(name="ml")),
        (authorization("rules: [{}]"), namespace(name="ml")),
        (authorization("action: AUDIT, rules: [{}]"), namespace(name="ml")),
        (SERVER.replace("app: train", "app: web"), namespace("team: ml", "ml")),
    ],
)
def test_what_is_not_about_the_group_is_passed_over(tmp_path: Path, mesh: str, of: str) -> None:
    assert judged(tmp_path, {"job.yaml": JOB, "mesh.yaml": mesh + of})[0] is Answer.PROVED


@pytest.mark.parametrize("name", ["name: r", "generateName: r-"])
@pytest.mark.parametrize(
    "selected", ["ray.io/cluster: r", "ray.io/cluster: r-abcde", "ray.io/node-type: head", "ray.io/is-ray-node: 'yes'"]
)
@pytest.mark.parametrize("admitted", ["ray.io/cluster: r", "ray.io/group: workers", "app: web"])
def test_errors_and_the_verdict_agree_on_names_that_are_made(
    tmp_path: Path, name: str, selected: str, admitted: str
) -> None:
    job = ray_job(name)
    policy = cnp(
        f"  endpointSelector: {{matchLabels: {{{selected}}}}}\n"
        f"  ingress: [{{fromEndpoints: [{{matchLabels: {{{admitted}}}}}]}}]\n"
    )
    for file, text in {"nodes.yaml": NODES, "job.yaml": job, "p.yaml": policy}.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    result = check([tmp_path])
    (group,) = result.groups
    errors = {each.finding.rule for each in result.findings} & {"flow-denied", "collective-ports-blocked"}
    assert bool(errors) == (group.exists is Answer.REFUTED)
    assert bool(errors) == (group.connections is Answer.REFUTED)
    if group.exists is Answer.UNKNOWN:
        assert any(group.name in each.subject for each in result.unknowns)
