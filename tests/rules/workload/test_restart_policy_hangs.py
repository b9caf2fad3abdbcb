"""What happens to the survivors when a rank fails (W 2, 3, 5, 6, 8, 9; W 17.14)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import GPU, read

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
PYTORCH = f"""
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: j}}
spec:
  RUN
  pytorchReplicaSpecs:
    Worker: {{replicas: 2, POLICY template: {{spec: {{containers: [{{name: pytorch, {GPU}, COMMAND}}]}}}}}}
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
    - {{name: master, replicas: 1, template: {{spec: {{containers: [{{name: c, {GPU}}}]}}}}}}
    - {{name: worker, replicas: 1, template: {{spec: {{containers: [{{name: c, {GPU}}}]}}}}}}
"""


def texts(manifest: str) -> list[str]:
    workloads = read(manifest)
    found = list(communicators(workloads.groups))
    return [
        fault.text for workload in workloads.objects for fault in hanging_restarts(workload, ranks_of(workload, found))
    ]


@pytest.mark.parametrize(
    ("backoff", "word"), [("", "so it is 6"), ("backoffLimit: 3", "backoffLimit is 3"), ("backoffLimit: 0", "")]
)
def test_a_pod_of_a_job_is_made_again_alone(backoff: str, word: str) -> None:
    found = texts(JOB.replace("BACKOFF", backoff))
    assert [word in text for text in found] == ([True] if word else [])


def test_a_policy_that_fails_the_whole_job_is_as_good() -> None:
    assert texts(JOB.replace("BACKOFF", "podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {}}]}")) == []


def test_a_job_of_one_pod_may_try_again() -> None:
    assert texts(JOB.replace("BACKOFF", "").replace("s: 2", "s: 1").replace("parallelism: 2", "parallelism: 1")) == []


def pytorch(run: str = "", policy: str = "", command: str = "command: [torchrun, x.py]") -> list[str]:
    run = f"runPolicy: {{{run}}}" if run else ""
    return texts(PYTORCH.replace("RUN", run).replace("POLICY", policy).replace("COMMAND", command, 1))


def test_a_rank_that_restarts_alone_cannot_join() -> None:  # OnFailure is PyTorchJob's default (W 2)
    assert "not written, so it is OnFailure" in pytorch("cleanPodPolicy: Running")[0]
    assert "is ExitCode" in pytorch("cleanPodPolicy: Running", "restartPolicy: ExitCode,")[0]


def test_survivors_of_a_failed_job_must_be_cleaned_up() -> None:  # None is the default (W 2)
    assert "not written, so it is None" in pytorch("", "restartPolicy: Never,")[0]
    assert pytorch("cleanPodPolicy: Running", "restartPolicy: Never,") == []
    assert pytorch("cleanPodPolicy: All", "restartPolicy: Never,") == []
    assert pytorch("cleanPodPolicy: '${POLICY}'", "restartPolicy: Never,") == []


def test_ranks_of_an_elastic_job_meet_again() -> None:
    assert (
        texts(
            PYTORCH.replace("RUN", "elasticPolicy: {minReplicas: 1, maxReplicas: 2}")
            .replace("POLICY", "")
            .replace("COMMAND", "")
        )
        == []
    )
    assert pytorch(command="command: [torchrun, --rdzv-backend=c10d, --rdzv-endpoint=j-worker-0:1, x.py]") == []
    assert pytorch(command="command: [torchrun, '--nnodes=1:2', x.py]") == []


def test_workers_of_an_mpi_job_wait_for_its_launcher() -> None:
    assert "cleanPodPolicy" in texts(MPI.replace("RUN", ""))[0]
    assert texts(MPI.replace("RUN", "runPolicy: {cleanPodPolicy: Running}")) == []


def test_a_leader_worker_set_recreates_its_group_unless_told_otherwise() -> None:
    assert len(texts(LWS.replace("POLICY", "None"))) == 1
    assert texts(LWS.replace("POLICY", "RecreateGroupOnPodRestart")) == []


def test_volcano_needs_a_policy_for_failed_pods() -> None:
    assert len(texts(VOLCANO.replace("POLICIES", ""))) == 1
    assert texts(VOLCANO.replace("POLICIES", "policies: [{event: PodFailed, action: RestartJob}]")) == []
    assert texts(VOLCANO.replace("POLICIES", "policies: [{events: ['*'], action: AbortJob}]")) == []
    assert len(texts(VOLCANO.replace("POLICIES", "policies: [{event: TaskCompleted, action: CompleteJob}]"))) == 1


@pytest.mark.parametrize(
    ("container", "hangs"),
    [("command: [python, train.py]", True), ("command: [sleep, inf]", False), ("image: perf/sleep:1", False)],
)
def test_a_job_of_several_pods_on_accelerators_computes_together_unless_they_only_wait(
    container: str, *, hangs: bool
) -> None:
    size = "completionMode: Indexed, completions: 2, parallelism: 2"
    pods = f"{{spec: {{restartPolicy: Never, containers: [{{name: c, {GPU}, {container}}}]}}}}"
    text = f"{{apiVersion: batch/v1, kind: Job, metadata: {{name: j}}, spec: {{{size}, template: {pods}}}}}"
    assert bool(list(communicators(read(text).groups))) is hangs


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        (JOB.replace("BACKOFF", ""), "note"),
        (JOB.replace("BACKOFF", "backoffLimit: 6"), "note"),
        (JOB.replace("BACKOFF", "backoffLimit: 3"), None),
        (PYTORCH.replace("RUN", "").replace("POLICY", "restartPolicy: OnFailure,"), "note"),
        (PYTORCH.replace("RUN", "").replace("POLICY", ""), "note"),
        (PYTORCH.replace("RUN", "").replace("POLICY", "restartPolicy: Always,"), None),
        (PYTORCH.replace("RUN", "").replace("POLICY", "restartPolicy: Never,"), "note"),
        (PYTORCH.replace("RUN", "runPolicy: {cleanPodPolicy: None}").replace("POLICY", "restartPolicy: Never,"), None),
        (MPI.replace("RUN", ""), "note"),
        (MPI.replace("RUN", "runPolicy: {cleanPodPolicy: None}"), None),
    ],
)
def test_what_is_not_written_is_a_note(text: str, severity: str | None) -> None:
    workloads = read(text.replace("COMMAND", COMMAND))
    found = list(communicators(workloads.groups))
    faults = [fault for each in workloads.objects for fault in hanging_restarts(each, ranks_of(each, found))]
    assert [fault.severity for fault in faults] == [severity]


VOLCANO_MPI = f"""
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: v}}
spec:
  plugins: {{ssh: [], svc: []}}
  policies: [{{event: PodEvicted, action: RestartJob}}]
  tasks:
  - name: master
    MASTER
    template:
      spec: {{restartPolicy: RESTART, containers: [{{name: c, command: [mpirun, --host, "v-w-0.v", x]}}]}}
  - name: w
    replicas: 2
    template: {{spec: {{containers: [{{name: c, command: [/usr/sbin/sshd, -D], {GPU}}}]}}}}
"""


@pytest.mark.parametrize(
    ("policies", "restart", "severity"),
    [
        ("", "OnFailure", []),  # mpirun starts again, and its ranks with it
        ("", "Never", ["note"]),
        ("policies: [{event: PodFailed, action: RestartJob}]", "Never", []),
    ],
)
def test_workers_of_mpirun_wait_for_it_alone(policies: str, restart: str, severity: list[str]) -> None:
    workloads = read(VOLCANO_MPI.replace("MASTER", policies).replace("RESTART", restart))
    found = list(communicators(workloads.groups))
    faults = [fault for each in workloads.objects for fault in hanging_restarts(each, ranks_of(each, found))]
    assert [fault.severity for fault in faults] == severity


def test_workers_with_parameter_servers_wait_for_no_other() -> None:
    pod = "template: {spec: {containers: [{name: c, command: [python, x.py]}]}}"
    workloads = read(f"""
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: v}}
spec:
  plugins: {{tensorflow: []}}
  tasks: [{{name: ps, replicas: 1, {pod}}}, {{name: worker, replicas: 2, {pod}}}]
""")
    found = list(communicators(workloads.groups))
    assert found
    assert [fault for each in workloads.objects for fault in hanging_restarts(each, ranks_of(each, found))] == []
