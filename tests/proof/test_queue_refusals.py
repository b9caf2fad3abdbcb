"""Queues of Volcano and KAI that never start a job.

Volcano at ed72c7c81: pkg/webhooks/admission/jobs/validate/admit_job.go (missing, state, root, children),
pkg/scheduler/plugins/capacity/capacity.go and pkg/scheduler/plugins/proportion/proportion.go (capability),
pkg/controllers/job/job_controller_actions.go (calcPGMinResources). KAI at 72de64fc:
pkg/scheduler/actions/utils/input_jobs.go (missing, parent missing, leaf) and
pkg/scheduler/plugins/proportion/capacity_policy
(limits of the queue and of those above it, quota of jobs that cannot be preempted).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import lint

RULE = "queue-never-admits"


def volcano_queue(name: str, spec: str = "weight: 1") -> str:
    head = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\n"
    return f"{head}metadata: {{name: {name}}}\nspec: {{{spec}}}\n---\n"


def kai_queue(name: str, parent: str = "", gpu: str = "quota: 8, limit: 8", more: str = "") -> str:
    head = "apiVersion: scheduling.run.ai/v2\nkind: Queue\n"
    parents = f"parentQueue: {parent}, " if parent else ""
    rest = "".join(f", {key}: {{quota: -1, limit: -1}}" for key in ("cpu", "memory") if key not in more)
    return f"{head}metadata: {{name: {name}}}\nspec: {{{parents}resources: {{gpu: {{{gpu}}}{more}{rest}}}}}\n---\n"


def vcjob(
    queue: str, spec: str = "minAvailable: 2", tasks: tuple[tuple[str, str], ...] = (("replicas: 2", "1"),)
) -> str:
    line = f"  queue: {queue}\n" if queue else ""
    text = "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: j, namespace: ml}\nspec:\n"
    text += f"  schedulerName: volcano\n{line}  {spec}\n  tasks:\n"
    for number, (task, gpus) in enumerate(tasks):
        limits = f"resources: {{limits: {{nvidia.com/gpu: {gpus!r}}}}}"
        template = f"{{spec: {{restartPolicy: Never, containers: [{{name: c, image: x, {limits}}}]}}}}"
        text += f"  - {{name: t{number}, {task}, template: {template}}}\n"
    return text


def kai_job(queue: str, replicas: int = 4, labels: str = "", policy: str = "", gpus: str = "1") -> str:
    container = f"{{name: pytorch, image: x, resources: {{limits: {{nvidia.com/gpu: {gpus!r}}}}}}}"
    return f"""
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: j, namespace: ml, labels: {{{labels}kai.scheduler/queue: {queue}}}}}
spec:
  runPolicy: {{{policy}}}
  pytorchReplicaSpecs:
    Worker: {{replicas: {replicas}, template: {{spec: {{schedulerName: kai-scheduler, containers: [{container}]}}}}}}
"""


def found(tmp_path: Path, text: str) -> list[tuple[str, str]]:
    result = lint(tmp_path, {"all.yaml": text})
    return [
        (each.finding.message, str(each.finding.certainty)) for each in result.findings if each.finding.rule == RULE
    ]


def says(tmp_path: Path, text: str, *words: str) -> None:
    (message, _) = found(tmp_path, text)[0]
    assert all(word in message for word in words), message


def test_where_git_holds_no_queue_of_the_system_nothing_is_said(tmp_path: Path) -> None:
    assert found(tmp_path, vcjob("team")) == []
    assert found(tmp_path, kai_queue("a") + vcjob("team")) == []
    assert found(tmp_path, volcano_queue("a") + kai_job("team")) == []


def test_a_missing_queue_is_likely_missing_and_the_near_one_is_named(tmp_path: Path) -> None:
    ((message, certainty),) = found(tmp_path, volcano_queue("vision") + vcjob("visoin"))
    assert "visoin" in message
    assert "Git has vision" in message
    assert certainty == "likely"
    assert found(tmp_path, volcano_queue("vision") + vcjob("default")) == []
    assert found(tmp_path, volcano_queue("vision") + vcjob("")) == []
    assert found(tmp_path, volcano_queue("vision") + vcjob("'${QUEUE}'")) == []


@pytest.mark.parametrize("queue", ["default-queue", "default-parent-queue"])
def test_the_queues_that_kai_installs_are_there(tmp_path: Path, queue: str) -> None:
    assert found(tmp_path, kai_queue("a") + kai_job(queue)) == []


def test_a_chart_may_bring_the_queue(tmp_path: Path) -> None:
    release = (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: h, namespace: ml}\n"
        "spec: {chart: {spec: {chart: queues, sourceRef: {kind: HelmRepository, name: r}}}}\n---\n"
    )
    text = volcano_queue("vision") + vcjob("visoin")
    namespaced = found(tmp_path / "a", release + text)
    assert namespaced == [] or namespaced[0][1] == "likely"


@pytest.mark.parametrize(
    ("queues", "words"),
    [
        (volcano_queue("team") + volcano_queue("kid", "parent: team"), ("team", "kid")),
        (volcano_queue("team", "state: Closed"), ("team", "Closed")),
        (volcano_queue("team", "weight: 1, parent: gone"), ("team", "gone")),
    ],
)
def test_volcano_takes_jobs_in_open_queues_without_children(
    tmp_path: Path, queues: str, words: tuple[str, ...]
) -> None:
    says(tmp_path, queues + vcjob("team"), *words)


def test_root_takes_no_jobs(tmp_path: Path) -> None:
    says(tmp_path, volcano_queue("team") + vcjob("root"), "root")


@pytest.mark.parametrize(
    ("spec", "tasks", "limit", "never"),
    [
        ("minAvailable: 2", (("replicas: 2", "2"),), 4, False),
        ("minAvailable: 2", (("replicas: 2", "2"),), 3, True),
        ("minAvailable: 1", (("replicas: 2", "2"),), 3, False),  # the first pod starts, the second waits
        ("minAvailable: 2", (("replicas: 2", "8"), ("replicas: 2", "1")), 2, False),  # two of the small ones
        ("minAvailable: 3", (("replicas: 2", "8"), ("replicas: 2", "1")), 9, True),  # 8 + 1 + 1
        ("minAvailable: 3", (("replicas: 2", "8"), ("replicas: 2", "1")), 10, False),
        ("minAvailable: 3", (("replicas: 2, minAvailable: 2", "8"), ("replicas: 2, minAvailable: 1", "1")), 16, True),
        ("minAvailable: 3", (("replicas: 2, minAvailable: 2", "8"), ("replicas: 2, minAvailable: 1", "1")), 17, False),
        ("priorityClassName: p", (("replicas: 2", "2"),), 3, True),  # without minAvailable: all pods
        ("minAvailable: 2", (("replicas: 2", "${N}"),), 1, False),
    ],
)
def test_the_capability_is_compared_with_the_cheapest_pods_that_make_up_the_gang(
    tmp_path: Path, spec: str, tasks: tuple[tuple[str, str], ...], limit: int, never: bool
) -> None:
    text = volcano_queue("team", f"capability: {{nvidia.com/gpu: {limit}}}") + vcjob("team", spec, tasks)
    assert bool(found(tmp_path, text)) is never


def test_resources_without_a_capability_and_cpu_of_zero_have_no_limit(tmp_path: Path) -> None:
    text = volcano_queue("team", "capability: {cpu: 0, amd.com/gpu: 1, pods: 1}") + vcjob("team")
    assert found(tmp_path, text) == []


def test_the_capability_of_a_parent_binds_too_where_volcano_follows_the_hierarchy(tmp_path: Path) -> None:
    queues = volcano_queue("top", "capability: {nvidia.com/gpu: 1}") + volcano_queue("team", "parent: top")
    ((message, certainty),) = found(tmp_path, queues + vcjob("team"))
    assert "top" in message
    assert certainty == "likely"


@pytest.mark.parametrize(
    ("queues", "words"),
    [
        (kai_queue("team") + kai_queue("kid", "team"), ("parent", "kid")),
        (kai_queue("team", "gone"), ("gone", "not there")),
        (kai_queue("team", gpu="quota: 2, limit: 3"), ("limit", "3")),
        (kai_queue("top", gpu="quota: 2, limit: 3") + kai_queue("team", "top"), ("top", "above team")),
    ],
)
def test_kai_passes_over_jobs_of_such_queues(tmp_path: Path, queues: str, words: tuple[str, ...]) -> None:
    says(tmp_path, queues + kai_job("team"), *words)


@pytest.mark.parametrize(
    ("gpu", "labels", "policy", "never"),
    [
        ("quota: 2, limit: 8", "", "", False),  # over its quota it runs while there is room
        ("quota: 2, limit: 8", "priorityClassName: build, ", "", True),
        ("quota: 2, limit: 8", "priorityClassName: train, ", "", False),
        ("quota: 2, limit: 8", "kai.scheduler/preemptibility: non-preemptible, ", "", True),
        ("quota: 2, limit: 8", "priorityClassName: build, kai.scheduler/preemptibility: preemptible, ", "", False),
        ("quota: -1, limit: -1", "priorityClassName: build, ", "", False),
        ("quota: 2, limit: 3", "", "schedulingPolicy: {minAvailable: 3}", False),
        ("quota: 2", "", "", True),  # a limit that is not written is 0 (docs/queues/README.md:65)
    ],
)
def test_quotas_bind_jobs_that_cannot_be_preempted(
    tmp_path: Path, gpu: str, labels: str, policy: str, never: bool
) -> None:
    text = kai_queue("team", gpu=gpu) + kai_job("team", labels=labels, policy=policy)
    assert bool(found(tmp_path, text)) is never


def test_memory_of_kai_counts_megabytes_and_cpu_thousandths(tmp_path: Path) -> None:
    job = kai_job("team", 1).replace("nvidia.com/gpu: '1'", "cpu: 2, memory: 2G")
    for more, never in ((", cpu: {limit: 1999}", True), (", cpu: {limit: 2000}", False)):
        assert bool(found(tmp_path / more[-5:-2], kai_queue("team", more=more) + job)) is never
    for more, never in ((", memory: {limit: 1999}", True), (", memory: {limit: 2000}", False)):
        assert bool(found(tmp_path / f"m{more[-5:-2]}", kai_queue("team", more=more) + job)) is never


def test_a_pod_group_says_its_queue_and_what_it_needs(tmp_path: Path) -> None:
    group = """
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: g, namespace: ml}
spec: {minMember: 1, queue: team, minResources: {nvidia.com/gpu: 3}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: j, namespace: ml}
spec:
  parallelism: 2
  template:
    metadata: {annotations: {scheduling.k8s.io/group-name: g}}
    spec: {schedulerName: volcano, restartPolicy: Never, containers: [{name: c, image: x}]}
"""
    says(tmp_path, volcano_queue("team", "capability: {nvidia.com/gpu: 2}") + group, "nvidia.com/gpu", "team")
    assert found(tmp_path / "b", volcano_queue("team", "capability: {nvidia.com/gpu: 3}") + group) == []
    says(tmp_path / "c", volcano_queue("teams") + group, "team", "Git has teams")


def test_queues_of_other_systems_keep_their_namespaces(tmp_path: Path) -> None:
    queue = "apiVersion: rabbitmq.com/v1beta1\nkind: Queue\nmetadata: {name: q, namespace: NS}\nspec: {durable: true}\n"
    result = lint(tmp_path, {"all.yaml": queue.replace("NS", "a") + "---\n" + queue.replace("NS", "b")})
    assert not result.findings


def test_the_default_queue_counts_where_it_is_known_to_be_applied(tmp_path: Path) -> None:
    small = volcano_queue("default", "capability: {nvidia.com/gpu: 1}")
    files = {"install/queue.yaml": small, "jobs/job.yaml": vcjob("default")}
    assert not [each for each in lint(tmp_path / "a", files).findings if each.finding.rule == RULE]
    known = {"trainlint.yaml": "clusters: [{name: c, paths: [install, jobs]}]\n"}
    assert [each for each in lint(tmp_path / "b", files | known).findings if each.finding.rule == RULE]
    assert found(tmp_path / "c", small + vcjob("default"))


def test_the_queue_of_an_example_is_for_what_lies_beside_it(tmp_path: Path) -> None:
    files = {"examples/one/queue.yaml": volcano_queue("a"), "examples/two/job.yaml": vcjob("b")}
    assert not [each for each in lint(tmp_path, files).findings if each.finding.rule == RULE]
