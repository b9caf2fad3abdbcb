"""Single proposals: what is written for them, and where nothing is proposed. Remedies: the rules' own pages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.engine.worlds import write
from tests.test_rule_examples import MARK, examples

from trainlint.engine import repairs, trial
from trainlint.engine.check import check
from trainlint.engine.request import Repairs
from trainlint.finding import Safety
from trainlint.fix.diff import unified
from trainlint.fix.store import replace_file
from trainlint.kube.spelling import misspelt, only_meant
from trainlint.result import Result
from trainlint.rule import Rule

TORCH = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Master: &role
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              resources: {limits: {nvidia.com/gpu: "1"}}
    Worker:
      replicas: 3
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              resources: {limits: {nvidia.com/gpu: "1"}}
"""
VOLCANO = """apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  minAvailable: 2
  plugins: {pytorch: ["--master=master", "--worker=worker", "--port=23456"]}
  tasks:
    - name: master
      replicas: 1
      template: &template
        spec:
          containers:
            - {name: x, image: "registry.example/x:1", resources: {limits: {nvidia.com/gpu: "1"}}}
    - name: worker
      replicas: 1
      template:
        spec:
          containers:
            - {name: x, image: "registry.example/x:1", resources: {limits: {nvidia.com/gpu: "1"}}}
"""


def repaired(root: Path, files: Mapping[str, str]) -> Result:
    write(root, files)
    result = check([root], repairs=Repairs.EACH)
    assert result.failures == ()
    return result


def diff(result: Result, step: str) -> str:
    """The diff of the repair that says a step, without its heads."""
    (found,) = (each for each in result.repairs or () if any(step in text for text in each.steps))
    text = "".join(unified(each.file, each.before, each.after) for each in found.changes)
    return "\n".join(line for line in text.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---"))


@pytest.mark.parametrize(("rule", "role", "text", "shared"), list(examples()))
def test_the_bad_examples_of_the_rules_are_fixed(
    rule: Rule, role: str, text: str, shared: dict[str, str], tmp_path: Path
) -> None:
    if role != "bad" or "base" in shared:
        return
    files = {"example.yaml": MARK.sub("", text)}
    files |= {"given.yaml": MARK.sub("", shared["given"])} if "given" in shared else {}
    files |= {"trainlint.yaml": shared["settings"]} if "settings" in shared else {}
    result = repaired(tmp_path, files)
    fixed = {each for repair in result.repairs or () for each in repair.fixes}
    own = {each.finding.id for each in result.findings if each.finding.rule == rule.name}
    if not own:
        return  # the example has files of its own names, which test_rule_examples.py writes
    marks = [match["repaired"] for match in MARK.finditer(text + shared.get("given", ""))]
    assert (own <= fixed) == all(marks), "what one repair removes is marked: # expect, repaired"
    for repair in result.repairs or ():  # each by itself, on the files as they are
        for change in repair.changes:
            replace_file(tmp_path, change.file, change.before, change.after)
        after = check([tmp_path])
        assert not {each.finding.id for each in after.findings} & set(repair.fixes)
        assert {each.finding.rule for each in after.findings} <= {each.finding.rule for each in result.findings}
        for change in repair.changes:
            replace_file(tmp_path, change.file, change.after, change.before)


def test_a_rank_that_comes_back_alone_never_does(tmp_path: Path) -> None:
    text = TORCH.replace("restartPolicy: Never", "restartPolicy: OnFailure").replace("&role", "")
    assert diff(repaired(tmp_path, {"job.yaml": text}), "restartPolicy") == "\n".join(
        ["-      restartPolicy: OnFailure", "+      restartPolicy: Never"] * 2
    )


def test_what_is_not_written_is_written_beside_its_siblings(tmp_path: Path) -> None:
    text = TORCH.replace("  runPolicy: {cleanPodPolicy: Running}\n", "").replace("&role", "")
    result = repaired(tmp_path, {"job.yaml": text})
    assert diff(result, "cleanPodPolicy") == "+  runPolicy:\n+    cleanPodPolicy: Running"


def test_a_volcano_job_restarts_as_one(tmp_path: Path) -> None:
    result = repaired(tmp_path, {"job.yaml": VOLCANO.replace(" &template", "")})
    assert diff(result, "restart train as one").splitlines() == [
        "+  policies:",
        "+    - event: PodFailed",
        "+      action: RestartJob",
        "+    - event: PodEvicted",
        "+      action: RestartJob",
    ]


def test_a_text_that_others_share_by_an_anchor_is_not_changed(tmp_path: Path) -> None:
    labels = "metadata: {name: a, namespace: ml, labels: &labels {gpu: 8}}\n"
    text = f"apiVersion: apps/v1\nkind: Deployment\n{labels}spec:\n  selector: {{matchLabels: *labels}}\n"
    text += "  template:\n    metadata: {labels: *labels}\n    spec: {containers: [{name: a, image: 'x:1'}]}\n"
    result = repaired(tmp_path, {"a.yaml": text})
    assert "unquoted-string" in {each.finding.rule for each in result.findings}
    assert result.repairs == ()


def test_a_template_is_not_changed(tmp_path: Path) -> None:
    text = TORCH.replace("replicas: 3", "replicas: {{ .Values.workers }}").replace("&role", "")
    result = repaired(tmp_path, {"chart/Chart.yaml": "name: c\n", "chart/templates/job.yaml": text})
    assert result.repairs == ()


def test_a_misspelt_field_and_one_in_the_wrong_place_keep_their_comments(tmp_path: Path) -> None:
    text = TORCH.replace("&role", "").replace(
        "    Worker:\n      replicas: 3\n",
        "    Worker:\n      replicas: 3\n"
        "      nodeSelector:  # the fast ones\n        # all of them\n        fast: really\n",
    )
    result = repaired(tmp_path, {"job.yaml": text})
    assert diff(result, "move nodeSelector").splitlines() == [
        "-      nodeSelector:  # the fast ones",
        "-        # all of them",
        "-        fast: really",
        "+          nodeSelector:  # the fast ones",
        "+            # all of them",
        "+            fast: really",
    ]


def test_a_repair_in_two_files_says_so(tmp_path: Path) -> None:
    """The chief follows no pod and the store lies elsewhere: each of the two must tolerate a taint of its own file."""
    inventory = """apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: lab}
pools:
  - name: gpu
    count: 4
    zone: a
    taints: [{key: dedicated, value: gpu, effect: NoSchedule}]
    allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}
  - {name: cpu, count: 4, zone: b, allocatable: {cpu: "16", memory: 64Gi}}
"""
    policy = """apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: store, namespace: ml}
spec:
  podSelector: {matchLabels: {app: store}}
  policyTypes: [Ingress]
  ingress:
    - from: [{podSelector: {matchLabels: {role: trainer}}}]
"""
    store = """apiVersion: v1
kind: Service
metadata: {name: store, namespace: ml}
spec:
  clusterIP: None
  selector: {app: store}
  ports: [{port: 2379}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: store, namespace: ml}
spec:
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec:
      containers:
        - {name: store, image: "registry.example/store:1", args: ["--listen=0.0.0.0:2379"]}
"""
    job = """apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  completions: 2
  parallelism: 2
  completionMode: Indexed
  backoffLimit: 0
  template:
    metadata: {labels: {role: train}}
    spec:
      restartPolicy: Never
      tolerations: [{key: dedicated, operator: Exists}]
      containers:
        - name: train
          image: registry.example/train:1
          command: [sh, -c, "exec train --store store.ml.svc:2379 --rank $JOB_COMPLETION_INDEX --world-size 2"]
          resources: {limits: {nvidia.com/gpu: "8"}, requests: {cpu: "8", memory: 64Gi, nvidia.com/gpu: "8"}}
          volumeMounts: [{name: shm, mountPath: /dev/shm}]
      volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 8Gi}}]
"""
    files = {"inventory.yaml": inventory, "policy.yaml": policy, "store.yaml": store, "job.yaml": job}
    result = repaired(tmp_path, files)
    (repair,) = (each for each in result.repairs or () if each.group)
    assert [each.file for each in repair.changes] == ["job.yaml", "store.yaml"]
    assert repair.safety is Safety.UNSAFE
    assert len(repair.steps) == 3  # the label that is admitted, the toleration, the zone


def test_what_was_not_tried_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repairs, "WORK", 0)
    monkeypatch.setattr(repairs, "FEWEST", 1)
    text = TORCH.replace("restartPolicy: Never", "restartPolicy: OnFailure").replace("&role", "")
    result = repaired(tmp_path, {"job.yaml": text, "two.yaml": text.replace("name: train,", "name: two,")})
    assert [each.why for each in result.unrepaired if not each.group] == [repairs.UNTRIED]


def test_repairs_end_where_as_much_was_looked_at_as_they_are_worth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = TORCH.replace("restartPolicy: Never", "restartPolicy: OnFailure").replace("&role", "")
    files = {"job.yaml": text, "two.yaml": text.replace("name: train,", "name: two,")}
    every = repaired(tmp_path / "every", files)
    monkeypatch.setattr(trial, "STEPS", 1)
    few = repaired(tmp_path / "few", files)
    assert len(few.repairs or ()) < len(every.repairs or ())
    assert [each.why for each in few.unrepaired if not each.group] == [repairs.UNTRIED]
    assert len(few.findings) == len(every.findings)


@pytest.mark.parametrize(
    ("written", "meant", "expected"),
    [
        ("whisper-pretrian", "whisper-pretrain", True),
        ("acelerator", "accelerator", True),
        ("zone-a", "zone-b", False),  # two zones, no slip of the pen
        ("gpu-1", "gpu-2", False),
        ("a100", "h100", False),
        ("v1", "v10", False),
        ("blue", "green", False),
        ("ml", "ai", False),
        ("train", "train", False),
        ("training-hgh", "training-high", True),
    ],
)
def test_a_slip_of_the_pen_is_told_from_another_name(written: str, meant: str, *, expected: bool) -> None:
    assert misspelt(written, meant) is expected


def test_only_one_name_can_be_meant() -> None:
    assert only_meant("trainr", ["trainer", "store"]) == "trainer"
    assert only_meant("trainr", ["trainer", "trains", "store"]) == ""


def test_a_minimum_that_is_written_nowhere_has_no_repair(tmp_path: Path) -> None:
    """Volcano takes the number of all pods where a Job says no minAvailable: there is no line to lower."""
    job = {"job.yaml": LATE}
    result = check([write(tmp_path, job)], repairs=Repairs.EACH)
    assert result.failures == ()
    assert "gang-waits-for-later-pods" in {each.finding.rule for each in result.findings}
    fixed = {each for repair in result.repairs or () for each in repair.fixes}
    assert not {each.finding.id for each in result.findings if each.finding.rule == "gang-waits-for-later-pods"} & fixed


LATE = """\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  schedulerName: volcano
  plugins: {svc: [], pytorch: [--master=master, --worker=worker, --port=23456]}
  tasks:
    - {name: master, replicas: 1, template: {spec: {containers: [{name: m, image: i}]}}}
    - name: worker
      replicas: 2
      dependsOn: {name: [master]}
      template: {spec: {containers: [{name: w, image: i}]}}
"""
