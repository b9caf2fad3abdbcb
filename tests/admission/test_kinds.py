"""What operators refuse: cases that the recordings do not have, and the words of some that they have."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.workload.manifests import objects

from trainlint.admission.problem import Problem
from trainlint.admission.refusals import problems
from trainlint.engine import check
from trainlint.model.because import Because
from trainlint.model.refuser import Refuser
from trainlint.wording.because import because_text, remedy_for

CONTAINERS = "containers: [{name: pytorch, image: 'registry.example/x:1'}]"
RAY = f"""
apiVersion: ray.io/v1
kind: RayJob
metadata: {{name: ppo, namespace: rl, labels: {{LABELS}}}}
spec:
  entrypoint: python ppo.py
  MORE
  rayClusterSpec:
    headGroupSpec: {{rayStartParams: {{}}, template: {{spec: {{{CONTAINERS}}}}}}}
"""
TORCH = f"""
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: NAME, namespace: ml}}
spec:
  pytorchReplicaSpecs:
    Master: {{replicas: 1, template: {{spec: {{{CONTAINERS}}}}}}}
    Worker: {{replicas: 1, template: {{spec: {{{CONTAINERS}}}}}}}
"""
JOBS = f"""
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: js, namespace: ml}}
spec:
  replicatedJobs:
    - name: leader
      template: {{spec: {{template: {{spec: {{restartPolicy: Never, {CONTAINERS}}}}}}}}}
    - name: workers
      DEPENDS
      template: {{spec: {{template: {{spec: {{restartPolicy: Never, {CONTAINERS}}}}}}}}}
"""


def of(text: str) -> list[Problem]:
    return [each for item in objects(text) for each in problems(item, "1.36")]


def test_kueue_refuses_a_queued_rayjob_that_keeps_its_cluster_and_takes_one_that_does_not() -> None:
    queued = RAY.replace("LABELS", "kueue.x-k8s.io/queue-name: q")
    (only,) = of(queued.replace("MORE", ""))
    assert only.by == Because(Refuser.KUEUE)
    assert only.assumes
    assert of(queued.replace("MORE", "shutdownAfterJobFinishes: true")) == []


def test_a_placeholder_says_nothing_about_the_end_of_a_rayjob() -> None:
    assert of(RAY.replace("LABELS", "").replace("MORE", "shutdownAfterJobFinishes: ${X}\n  suspend: true")) == []


@pytest.mark.parametrize(
    ("name", "by"), [("Train", "the API server"), ("1train", "the training operator's webhook"), ("train", "")]
)
def test_the_form_of_a_name_is_refused_by_whoever_reads_it_first(name: str, by: str) -> None:
    found = of(TORCH.replace("NAME", name))
    assert [because_text(each.by) for each in found] == ([by] if by else [])


def test_the_same_fault_in_two_roles_is_one() -> None:
    text = TORCH.replace("NAME", "t").replace(
        "image: 'registry.example/x:1'", "image: x, volumeMounts: [{name: a, mountPath: /a}]"
    )
    (only,) = of(text)
    assert only.at[:3] == ("spec", "pytorchReplicaSpecs", "Master")
    assert [path[2] for _, path in only.related] == ["Worker"]


@pytest.mark.parametrize(
    ("depends", "words"),
    [("lead", "did you mean leader?"), ("workers", "name another"), ("leader", "")],
)
def test_a_replicated_job_depends_on_one_before_it(depends: str, words: str) -> None:
    found = of(JOBS.replace("DEPENDS", f"dependsOn: [{{name: {depends}, status: Ready}}]"))
    assert [words in remedy_for(each.why) for each in found] == ([True] if words else [])


def test_a_mount_of_a_claim_template_has_a_volume() -> None:
    text = f"""
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: s}}
spec:
  selector: {{matchLabels: {{a: b}}}}
  volumeClaimTemplates: [{{metadata: {{name: data}}}}]
  template:
    metadata: {{labels: {{a: b}}}}
    spec: {{{CONTAINERS.replace("'}]", "', volumeMounts: [{name: data, mountPath: /d}]}]")}}}
"""
    assert of(text) == []
    assert len(of(text.replace("a: b}}\n    spec", "a: c}}\n    spec"))) == 1


GROUP = """
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: prod}
pools:
  - {name: gpu, count: 4, zone: z1, allocatable: {cpu: "96", memory: 700Gi, nvidia.com/gpu: "8", pods: "110"}}
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: t, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Master: &role
      replicas: 1
      template:
        spec:
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
          containers:
            - name: NAME
              image: registry.example/x:1
              resources: {limits: {nvidia.com/gpu: 8}}
              volumeMounts: [{name: shm, mountPath: /dev/shm}MOUNT]
    Worker: *role
"""


@pytest.mark.parametrize(
    ("name", "mount", "answer"),
    [
        ("pytorch", "", "proved"),
        ("pytorch", ", {name: no, mountPath: /no}", "refuted"),
        ("pytorch", ", {name: shm, mountPath: /dev/shm}", "refuted"),
        ("trainer", "", "refuted"),
        ("pytorch", ", {name: shm, mountPath: /x, subPaht: y}", "unknown"),
    ],
)
def test_no_group_is_proved_while_its_object_is_refused(tmp_path: Path, name: str, mount: str, answer: str) -> None:
    (tmp_path / "all.yaml").write_text(GROUP.replace("NAME", name).replace("MOUNT", mount), encoding="utf-8")
    (group,) = check([tmp_path]).groups
    assert group.exists.value == answer


@pytest.mark.parametrize(
    ("kind", "name", "refused"),
    [
        ("ConfigMap", "my_map", True),
        ("ConfigMap", "my.map", False),
        ("Secret", "MY_SECRET", False),  # a placeholder
        ("Namespace", "a.b", True),
        ("Service", "1svc", True),
        ("Service", "svc", False),
    ],
)
def test_names_of_what_pods_refer_to_are_checked(tmp_path: Path, kind: str, name: str, refused: bool) -> None:
    text = f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: {name}}}\n"
    (tmp_path / "all.yaml").write_text(f"{text}---\n{TORCH.replace('NAME', 'train')}", encoding="utf-8")
    found = [each.finding for each in check([tmp_path]).findings if each.finding.rule == "rejected-object"]
    assert [each.at.path for each in found] == ([("metadata", "name")] if refused else [])


KUEUE = """
apiVersion: v1
kind: ConfigMap
metadata: {name: kueue-manager-config, namespace: kueue-system}
data:
  controller_manager_config.yaml: |
    apiVersion: config.kueue.x-k8s.io/v1beta1
    kind: Configuration
    integrations: {frameworks: [FRAMEWORK]}
---
"""


@pytest.mark.parametrize(("framework", "certainties"), [("ray.io/rayjob", ["proven"]), ("batch/job", [])])
def test_kueue_refuses_only_what_its_configuration_says_that_it_manages(
    tmp_path: Path, framework: str, certainties: list[str]
) -> None:
    job = RAY.replace("LABELS", "kueue.x-k8s.io/queue-name: q").replace("MORE", "")
    (tmp_path / "all.yaml").write_text(KUEUE.replace("FRAMEWORK", framework) + job, encoding="utf-8")
    found = [each.finding for each in check([tmp_path]).findings if each.finding.rule == "rejected-object"]
    assert [each.certainty.value for each in found] == certainties


def test_a_dot_in_the_name_of_a_statefulset_is_refused_since_1_36() -> None:
    text = f"""
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: a.b}}
spec: {{selector: {{matchLabels: {{a: b}}}}, template: {{metadata: {{labels: {{a: b}}}}, spec: {{{CONTAINERS}}}}}}}
"""
    (item,) = objects(text)
    assert len(problems(item, "1.36")) == 1
    assert problems(item, "1.35") == ()
