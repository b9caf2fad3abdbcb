"""Faults of restart policies as a whole: place, severity, evidence, other places and edits (W 2, 3, 5, 6, 8, 9).

What nothing in the manifest says, or every example has, is a note; what is written is as severe as the rule.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.workload.manifests import GPU, read

from trainlint.finding import Append, Certainty, Put, Severity
from trainlint.workload.checks.fault import Fault
from trainlint.workload.communicators import communicators, ranks_of
from trainlint_rules.workload.restart_policy_hangs.restarts import hanging_restarts

COMMAND = "command: [torchrun, --nnodes=2, --master-addr=j-0.j, train.py]"
JOB = f"""
apiVersion: batch/v1
kind: Job
metadata: {{name: j}}
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 2
  BACKOFF
  template: {{spec: {{subdomain: j, containers: [{{name: c, {COMMAND}}}]}}}}
"""
JOBSET = f"""
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: j}}
spec:
  replicatedJobs:
    - name: a
      template: {{spec: {{BACKOFF template: {{spec: {{containers: [{{name: c, {GPU}, COMMAND}}]}}}}}}}}
    - name: b
      template: {{spec: {{BACKOFF template: {{spec: {{containers: [{{name: c, {GPU}, COMMAND}}]}}}}}}}}
""".replace("COMMAND", "command: [torchrun, --nnodes=2, --master-addr=j-a-0-0.j, x.py]")
TORCH = f"""
apiVersion: kubeflow.org/v1
kind: KIND
metadata: {{name: j}}
spec:
  RUN
  ROLES:
    Master: {{replicas: 1, POLICY template: {{spec: {{containers: [{{name: MAIN, {GPU}}}]}}}}}}
    Worker: {{replicas: 2, POLICY template: {{spec: {{containers: [{{name: MAIN, {GPU}}}]}}}}}}
"""
MPI = f"""
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {{name: j}}
spec:
  RUN
  mpiReplicaSpecs:
    Launcher: {{template: {{spec: {{containers: [{{name: l, command: [mpirun, x]}}]}}}}}}
    Worker: {{replicas: 2, template: {{spec: {{containers: [{{name: w, {GPU}}}]}}}}}}
"""
LWS = f"""
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: j}}
spec:
  leaderWorkerTemplate:
    size: 2
    restartPolicy: POLICY
    workerTemplate: {{spec: {{containers: [{{name: c, {GPU}, command: [torchrun, --nnodes=2]}}]}}}}
"""
VOLCANO = f"""
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: j}}
spec:
  POLICIES
  plugins: {{pytorch: []}}
  tasks:
    - {{name: master, replicas: 1, OWN template: {{spec: {{containers: [{{name: c, {GPU}}}]}}}}}}
    - {{name: worker, replicas: 2, template: {{spec: {{containers: [{{name: c, {GPU}}}]}}}}}}
"""


def torch(run: str = "", policy: str = "", kind: str = "PyTorchJob") -> str:
    roles, main = {
        "PyTorchJob": ("pytorchReplicaSpecs", "pytorch"),
        "XGBoostJob": ("xgbReplicaSpecs", "xgboost"),
    }[kind]
    text = TORCH.replace("KIND", kind).replace("ROLES", roles).replace("MAIN", main)
    return text.replace("RUN", run).replace("POLICY", policy)


def faults(text: str) -> list[Fault]:
    workloads = read(text)
    found = communicators(workloads.groups)
    made = [each for item in workloads.objects for each in hanging_restarts(item, ranks_of(item, found))]
    assert all(each.certainty is Certainty.LIKELY for each in made)
    return made


def shown(fault: Fault) -> tuple[str, str, dict[str, Any], list[str], list[tuple[str, object]]]:
    """Place, severity, evidence, other places, and the edits."""
    edits: list[tuple[str, object]] = []
    for fix in fault.fixes:
        for edit in fix.edits:
            assert isinstance(edit, Put | Append)
            edits.append((path(edit.at.path), edit.value))
    others = [path(at.path) for _, at in fault.related]
    return path(fault.at.path), fault.severity.value if fault.severity else "", dict(fault.evidence), others, edits


def path(steps: tuple[str | int, ...]) -> str:
    return ".".join(map(str, steps))


NOTE = Severity.NOTE.value
CHILD = "spec.replicatedJobs.{}.template.spec.backoffLimit"
ROLE = "spec.pytorchReplicaSpecs.{}.restartPolicy"
MASTER, WORKER = ROLE.format("Master"), ROLE.format("Worker")
NEVER = "restartPolicy: Never,"
CLEAN = "spec.runPolicy.cleanPodPolicy"
FAILED, EVICTED = ({"event": event, "action": "RestartJob"} for event in ("PodFailed", "PodEvicted"))
RESTART = [("spec.policies", FAILED), ("spec.policies", EVICTED)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (JOB.replace("BACKOFF", "backoffLimit: 0"), None),
        (
            JOB.replace("BACKOFF", ""),
            ("spec.backoffLimit", NOTE, {"backoffLimit": "6"}, [], [("spec.backoffLimit", 0)]),
        ),
        (
            JOB.replace("BACKOFF", "backoffLimit: 1"),
            ("spec.backoffLimit", "", {"backoffLimit": "1"}, [], [("spec.backoffLimit", 0)]),
        ),
        (
            JOB.replace("BACKOFF", "backoffLimit: 6"),
            ("spec.backoffLimit", NOTE, {"backoffLimit": "6"}, [], [("spec.backoffLimit", 0)]),
        ),
        (JOB.replace("BACKOFF", "backoffLimit: '${N}'"), None),
        (
            JOB.replace("BACKOFF", "podFailurePolicy: {rules: [{action: Ignore}]}"),
            ("spec.backoffLimit", NOTE, {"backoffLimit": "6"}, [], [("spec.backoffLimit", 0)]),
        ),
        (
            JOBSET.replace("BACKOFF", ""),
            (
                CHILD.format(0),
                NOTE,
                {"backoffLimit": "6"},
                [CHILD.format(1)],
                [(CHILD.format(0), 0), (CHILD.format(1), 0)],
            ),
        ),
        (
            JOBSET.replace("BACKOFF", "backoffLimit: 0,", 1).replace("BACKOFF", "backoffLimit: 2,"),
            (CHILD.format(1), "", {"backoffLimit": "2"}, [], [(CHILD.format(1), 0)]),
        ),
        (
            torch("runPolicy: {cleanPodPolicy: All}", "restartPolicy: ExitCode,"),
            (MASTER, "", {"restartPolicy": "ExitCode"}, [WORKER], [(MASTER, "Never"), (WORKER, "Never")]),
        ),
        (
            torch("runPolicy: {cleanPodPolicy: All}"),
            (MASTER, NOTE, {"restartPolicy": "OnFailure"}, [WORKER], [(MASTER, "Never"), (WORKER, "Never")]),
        ),
        (torch("runPolicy: {cleanPodPolicy: All}", NEVER), None),
        (torch("runPolicy: {cleanPodPolicy: All}", kind="XGBoostJob"), None),  # Never is its default
        (
            torch("", NEVER),
            (CLEAN, NOTE, {"cleanPodPolicy": "None"}, [MASTER, WORKER], [(CLEAN, "Running")]),
        ),
        (
            torch("runPolicy: {cleanPodPolicy: None}", NEVER),
            (CLEAN, "", {"cleanPodPolicy": "None"}, [MASTER, WORKER], [(CLEAN, "Running")]),
        ),
        (torch("elasticPolicy: {minReplicas: 1}"), None),
        (LWS.replace("POLICY", "RecreateGroupOnPodRestart"), None),
        (
            LWS.replace("POLICY", "None"),
            (
                "spec.leaderWorkerTemplate.restartPolicy",
                "",
                {},
                [],
                [("spec.leaderWorkerTemplate.restartPolicy", "RecreateGroupOnPodRestart")],
            ),
        ),
        (VOLCANO.replace("POLICIES", "").replace("OWN", ""), ("spec.policies", NOTE, {}, ["spec.tasks.1"], RESTART)),
        (
            VOLCANO.replace("POLICIES", "policies: [{event: PodEvicted, action: RestartJob}]").replace("OWN", ""),
            ("spec.policies", "", {}, ["spec.tasks.1"], RESTART),
        ),
        (
            VOLCANO.replace("POLICIES", "policies: [{event: PodFailed, action: RestartTask}]").replace("OWN", ""),
            ("spec.policies", "", {}, ["spec.tasks.1"], RESTART),
        ),
        (
            VOLCANO.replace("POLICIES", "").replace("OWN", "policies: [{event: PodFailed, action: AbortJob}],"),
            ("spec.policies", NOTE, {}, [], RESTART),
        ),
        *(
            (VOLCANO.replace("POLICIES", f"policies: [{{{policy}}}]").replace("OWN", ""), None)
            for policy in (
                "event: PodFailed, action: RestartJob",
                "events: [PodEvicted, PodFailed], action: AbortJob",
                "event: '*', action: TerminateJob",
                "event: AnyEvent, action: CompleteJob",
                "exitCode: 1, action: RestartJob",
            )
        ),
        (MPI.replace("RUN", "runPolicy: {cleanPodPolicy: All}"), None),
    ],
)
def test_a_fault_of_restarts_as_a_whole(text: str, expected: tuple[Any, ...] | None) -> None:
    assert [shown(each) for each in faults(text)] == ([] if expected is None else [expected])


@pytest.mark.parametrize(("run", "severity"), [("", NOTE), ("runPolicy: {cleanPodPolicy: None}", "")])
def test_workers_of_mpi_are_not_cleaned_up(run: str, severity: str) -> None:
    (found,) = faults(MPI.replace("RUN", run))
    at, seen, evidence, _, edits = shown(found)
    assert (at, evidence, edits) == (CLEAN, {"cleanPodPolicy": "None"}, [(CLEAN, "Running")])
    assert seen in {severity, NOTE}
    assert faults(MPI.replace("RUN", run).replace(GPU, "image: x")) == []
