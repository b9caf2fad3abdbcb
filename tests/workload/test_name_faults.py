"""Names that operators make (W 2, 3, 5, 6, 7, 8, 9)."""

from __future__ import annotations

import operator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.engine.worlds import lint
from tests.workload.manifests import objects, read

from trainlint.finding import Severity
from trainlint.model.settings import Settings
from trainlint.workload import read_workloads
from trainlint.workload.checks.names import colliding_names, long_names
from trainlint_rules.workload.generated_name_too_long import finding_of

POD = "template: {spec: {containers: [{name: c}]}}"
JOB_SET = f"""
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: NAME}}
spec:
  replicatedJobs: [{{name: rj, replicas: 2, template: {{spec: {{parallelism: 12, completions: 12, {POD}}}}}}}]
"""
PYTORCH = f"""
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: NAME}}
spec: {{pytorchReplicaSpecs: {{Worker: {{replicas: 2, {POD.replace("name: c", "name: pytorch")}}}}}}}
"""
INDEXED = f"""
apiVersion: batch/v1
kind: Job
metadata: {{name: NAME}}
spec: {{completionMode: Indexed, completions: 2, parallelism: 2, {POD}}}
"""
LWS = """
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: NAME}
spec: {replicas: 11, leaderWorkerTemplate: {size: 2, workerTemplate: {spec: {containers: [{name: c}]}}}}
"""
MPI = f"""
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {{name: NAME}}
spec: {{mpiReplicaSpecs: {{Launcher: {{{POD}}}, Worker: {{replicas: 2, {POD}}}}}}}
"""
CRON = f"""
apiVersion: batch/v1
kind: CronJob
metadata: {{name: NAME}}
spec: {{jobTemplate: {{spec: {{{POD}}}}}}}
"""
RAY = """
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: NAME}
spec: {headGroupSpec: {template: {spec: {containers: [{name: c}]}}}}
"""


@pytest.mark.parametrize(
    ("manifest", "most"),
    [
        (JOB_SET, 63 - len("-rj-1-11-xxxxx")),  # W 5: pod name + 6 characters
        (PYTORCH, 63 - len("-worker-1")),  # W 2: a Service for each pod
        (INDEXED, 63 - len("-1")),  # W 9: the host name
        (LWS, 63 - len("-10-1")),  # W 6
        (MPI, 63 - len("-worker-1")),  # W 3: DNS-1035 label
        (CRON, 52),
        (RAY, 53),
    ],
)
def test_one_character_more_is_too_long(manifest: str, most: int) -> None:
    fits, exceeds = (read(manifest.replace("NAME", "n" * length)).objects[0] for length in (most, most + 1))
    assert list(long_names(fits)) == []
    (fault,) = long_names(exceeds)
    assert fault.at.path == ("metadata", "name")


@pytest.mark.parametrize("name", ["'{{ workflow.name }}-with-a-long-long-long-long-long-long-long-suffix-1234567'"])
def test_a_placeholder_has_no_length(name: str) -> None:
    assert list(long_names(read(JOB_SET.replace("NAME", name)).objects[0])) == []


def test_two_objects_of_one_file_that_make_one_name() -> None:
    pair = (
        PYTORCH.replace("NAME", "train")
        + "---"
        + PYTORCH.replace("NAME", "train")
        .replace("PyTorch", "XGBoost")
        .replace("pytorchReplicaSpecs", "xgbReplicaSpecs")
    )
    (fault,) = colliding_names(read(pair).objects, operator.eq)
    assert "train-worker-0" in finding_of(fault).message


def test_two_objects_with_names_of_their_own() -> None:
    pair = PYTORCH.replace("NAME", "a") + "---" + PYTORCH.replace("NAME", "b")
    assert list(colliding_names(read(pair).objects, operator.eq)) == []


VOLCANO = f"""
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: NAME}}
spec: {{tasks: [{{name: TASK, replicas: 11, {POD}}}]}}
"""


@pytest.mark.parametrize(
    ("name", "task", "said"),
    [
        ("n" * 64, "worker", "64 characters"),  # the label volcano.sh/job-name
        ("n" * 53, "worker", ""),
        ("n" * 54, "worker", "64 characters"),  # the webhook looks at the names of pods, with and without svc
        ("n", "w" * 64, "69 characters"),
    ],
)
def test_names_that_volcano_makes(name: str, task: str, said: str) -> None:
    found = list(long_names(read(VOLCANO.replace("NAME", name).replace("TASK", task)).objects[0]))
    assert [said in finding_of(fault).message for fault in found] == ([True] if said else [])


def test_a_policy_that_volcano_cannot_make_is_no_mistake_of_the_user() -> None:
    text = VOLCANO.replace("TASK", "w").replace("spec: {", "spec: {plugins: {svc: []}, ")
    assert len(read(text.replace("NAME", "n" * 63)).policies) == 1
    assert read(text.replace("NAME", "n" * 64)).policies == ()


@pytest.mark.parametrize(
    ("files", "sure", "severities"),
    [
        (("a.yaml", "b.yaml"), False, [Severity.WARNING]),
        (("a.yaml", "b/a.yaml"), False, []),
        (("a.yaml", "b.yaml"), True, [None]),
        (("a/a.yaml", "b/a.yaml"), True, [None]),
    ],
)
def test_two_files_that_make_one_name(files: tuple[str, str], sure: bool, severities: list[Severity | None]) -> None:
    one = PYTORCH.replace("NAME", "train")
    other = one.replace("PyTorch", "XGBoost").replace("pytorchReplicaSpecs", "xgbReplicaSpecs")
    fields = [
        replace(objects(text)[0].document, file=file).root for text, file in zip((one, other), files, strict=True)
    ]
    found = list(colliding_names(read_workloads(fields, Settings()).objects, lambda *_: sure))
    assert [fault.severity for fault in found] == severities


JOB = """apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: NAME, namespace: ml}
spec:
  replicatedJobs:
  - name: ROLE
    template: {spec: {parallelism: 2, completions: 2, template: {spec: {containers: [{name: a, image: a}]}}}}
"""
KUSTOMIZATION = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [{}]\n"
FLUX = """apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: jobs, namespace: flux-system}
spec: {path: ./jobs, prune: true, interval: 1m, sourceRef: {kind: GitRepository, name: flux-system}}
"""


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, []),  # they may be meant for different times
        ({"kustomization.yaml": KUSTOMIZATION.format("jobs/d/a.yaml, jobs/e/b.yaml")}, ["error"]),
        (
            {
                "all/kustomization.yaml": KUSTOMIZATION.format("../jobs/d, ../jobs/e"),
                "jobs/d/kustomization.yaml": KUSTOMIZATION.format("a.yaml"),
                "jobs/e/kustomization.yaml": KUSTOMIZATION.format("b.yaml"),
            },
            ["error"],
        ),
        (
            {
                "jobs/d/kustomization.yaml": KUSTOMIZATION.format("a.yaml"),
                "jobs/e/kustomization.yaml": KUSTOMIZATION.format("b.yaml"),
            },
            [],
        ),
        ({"flux.yaml": FLUX}, ["error"]),
    ],
)
def test_objects_in_two_directories_that_are_deployed_together(
    tmp_path: Path, more: dict[str, str], expected: list[str]
) -> None:
    files = {
        "jobs/d/a.yaml": JOB.replace("NAME", "a").replace("ROLE", "b-c"),
        "jobs/e/b.yaml": JOB.replace("NAME", "a-b").replace("ROLE", "c"),
    }
    result = lint(tmp_path, {**files, **more}, ignore=frozenset())
    found = [each.finding for each in result.findings if each.finding.rule == "generated-name-too-long"]
    assert [str(each.severity) for each in found] == expected
    assert all("a-b-c-0" in each.message for each in found)


@pytest.mark.parametrize(
    ("maker", "job", "collides"),
    [
        (JOB_SET, "t-rj-0", True),
        (JOB_SET, "t-rj-1", True),
        (JOB_SET, "t-rj-2", False),  # it has two replicas
        (JOB_SET, "t", False),
        (MPI, "t-launcher", True),  # W 3: the launcher is a Job
        (MPI, "t-worker-0", False),  # a pod may be called like a Job
        (CRON, "t", False),  # its Jobs are named after the time
        (INDEXED, "t", True),
    ],
)
def test_a_job_of_the_name_of_one_that_an_operator_makes(maker: str, job: str, collides: bool) -> None:
    text = f"{maker.replace('NAME', 't')}---{INDEXED.replace('NAME', job)}"
    found = list(colliding_names(read(text).objects, operator.eq))
    assert [each.name for each in found] == ([job] if collides else [])


def test_an_object_of_another_namespace_makes_other_jobs() -> None:
    other = INDEXED.replace("NAME", "t-launcher, namespace: other")
    assert list(colliding_names(read(f"{MPI.replace('NAME', 't')}---{other}").objects, operator.eq)) == []
