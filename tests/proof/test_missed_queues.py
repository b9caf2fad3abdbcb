"""Jobs that go past the queue that they are meant for.

Kueue: QueueNameForObject and ManagedJobsNamespaceSelectorAlwaysRespected (kubernetes-sigs/kueue:pkg/features, 0.15 and
later), managedJobsNamespaceSelector in pkg/controller/jobframework/reconciler.go. KAI: CalcPodGroupQueue in
pkg/podgrouper/podgrouper/plugins/defaultgrouper. Volcano: pkg/controllers/podgroup/pg_controller_handler.go.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import lint

RULE = "queue-missed"
KUEUE = """
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: f}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cq}
spec:
  namespaceSelector: {}
  resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 9}]}]}]
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: lq, namespace: ml}, spec: {clusterQueue: cq}}
---
"""
CONFIGURATION = """
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
managedJobsNamespaceSelector: {matchLabels: {managed: "yes"}}
integrations: {frameworks: [FRAMEWORKS]}
---
"""
MANAGER = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: kueue-controller-manager, namespace: kueue-system}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec: {containers: [{name: manager, image: "registry.k8s.io/kueue/kueue:VERSION"}]}
---
"""
NAMESPACE = "{apiVersion: v1, kind: Namespace, metadata: {name: ml, labels: {LABELS}}}\n---\n"
DEFAULT = (
    "{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: default, namespace: ml}, "
    "spec: {clusterQueue: cq}}\n---\n"
)
LABEL = "labels: {kueue.x-k8s.io/queue-name: lq}"


def job(metadata: str = "", template: str = "", spec: str = "", namespace: str = "namespace: ml, ") -> str:
    container = "{name: c, image: x, resources: {requests: {cpu: 1}}}"
    inner = f"{{metadata: {{{template}}}, spec: {{restartPolicy: Never, containers: [{container}]}}}}"
    head = f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j, {namespace}{metadata}}}\n"
    return f"{head}spec: {{{spec}backoffLimit: 0, template: {inner}}}\n"


def found(tmp_path: Path, text: str) -> list[str]:
    result = lint(tmp_path, {"all.yaml": text})
    return [each.finding.message for each in result.findings if each.finding.rule == RULE]


@pytest.mark.parametrize(
    ("metadata", "template", "spec", "word"),
    [
        (LABEL, "", "", ""),
        (LABEL, "", "suspend: true, ", ""),
        ("annotations: {kueue.x-k8s.io/queue-name: lq}", "", "", "annotation"),
        ("labels: {kueue.x-k8s.io/queue: lq}", "", "", "kueue.x-k8s.io/queue is none"),
        ("labels: {kueue.x-k8s.io/queue_name: lq}", "", "", "none that it reads"),
        ("labels: {kueue.x-k8s.io/local-queue-name: lq}", "", "", "none that it reads"),
        ("labels: {kueue.k8s.io/queue-name: lq}", "", "", "none that it reads"),
        ("labels: {keueu.x-k8s.io/queue-name: lq}", "", "", "none that it reads"),
        ("labels: {kueue.x-k8s.io/priority-class: high}", "", "", ""),
        ("labels: {app: queue-name}", "", "", ""),
        ("", LABEL, "", "pod template"),
        ("", "", "suspend: true, ", "suspended"),
        ("", "", "suspend: true, managedBy: example.com/dispatcher, ", ""),
        ("", "", "suspend: '${X}', ", ""),
        ("", "", "", ""),
    ],
)
def test_kueue_reads_one_label_of_the_job(tmp_path: Path, metadata: str, template: str, spec: str, word: str) -> None:
    messages = found(tmp_path, KUEUE + job(metadata, template, spec))
    assert len(messages) == bool(word)
    assert all(word in each for each in messages)


def test_without_kueue_in_git_nothing_is_said(tmp_path: Path) -> None:
    assert found(tmp_path, job("annotations: {kueue.x-k8s.io/queue-name: lq}", "", "suspend: true, ")) == []


def test_a_default_queue_takes_the_suspended_job(tmp_path: Path) -> None:
    assert found(tmp_path, KUEUE + DEFAULT + job(spec="suspend: true, ")) == []


def test_a_job_without_a_namespace_may_be_meant_for_any_queue(tmp_path: Path) -> None:
    assert found(tmp_path, KUEUE + job(spec="suspend: true, ", namespace="")) == []


@pytest.mark.parametrize(("version", "missed"), [("v0.14.3", 0), ("v0.15.0", 1), ("v0.16.0", 1), ("latest", 1)])
def test_annotations_are_read_before_0_15(tmp_path: Path, version: str, missed: int) -> None:
    text = KUEUE + CONFIGURATION.replace("FRAMEWORKS", "batch/job") + MANAGER.replace("VERSION", version)
    text += NAMESPACE.replace("LABELS", "managed: 'yes'")
    assert len(found(tmp_path, text + job("annotations: {kueue.x-k8s.io/queue-name: lq}"))) == missed


@pytest.mark.parametrize(
    ("version", "labels", "metadata", "default", "missed"),
    [
        ("v0.16.0", "", LABEL, "", 1),
        ("v0.16.0", "managed: 'no'", LABEL, "", 1),
        ("v0.16.0", "managed: 'yes'", LABEL, "", 0),
        ("v0.14.0", "", LABEL, "", 0),  # there the selector counts only for jobs that name no queue
        ("v0.16.0", None, LABEL, "", 0),  # no Namespace in Git: its labels are not known
        ("v0.16.0", "", "", DEFAULT, 1),
        ("v0.16.0", "managed: 'yes'", "", DEFAULT, 0),
        ("v0.16.0", "", "", "", 0),  # no queue is meant for it
    ],
)
def test_namespaces_that_the_selector_leaves_out(
    tmp_path: Path, version: str, labels: str | None, metadata: str, default: str, missed: int
) -> None:
    namespace = "" if labels is None else NAMESPACE.replace("LABELS", labels)
    text = KUEUE + default + CONFIGURATION.replace("FRAMEWORKS", "batch/job") + MANAGER.replace("VERSION", version)
    assert len(found(tmp_path, text + namespace + job(metadata))) == missed


def test_kinds_that_the_configuration_does_not_enable(tmp_path: Path) -> None:
    text = KUEUE + NAMESPACE.replace("LABELS", "managed: 'yes'") + CONFIGURATION
    two = job(LABEL) + "---\n" + job(LABEL).replace("name: j,", "name: k,")
    (message,) = found(tmp_path / "a", text.replace("FRAMEWORKS", "jobset.x-k8s.io/jobset") + two)
    assert "jobset.x-k8s.io/jobset" in message
    assert "and 1 more" in message
    assert found(tmp_path / "b", text.replace("FRAMEWORKS", "batch/job") + job(LABEL)) == []


def test_pods_are_queued_one_by_one_where_that_is_enabled(tmp_path: Path) -> None:
    text = KUEUE + NAMESPACE.replace("LABELS", "managed: 'yes'") + CONFIGURATION.replace("FRAMEWORKS", "batch/job, pod")
    assert found(tmp_path, text + job("", LABEL)) == []


KAI = "{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: team}}\n---\n"


@pytest.mark.parametrize(
    ("metadata", "template", "scheduler", "word"),
    [
        ("labels: {kai.scheduler/queue: team}", "", "kai-scheduler", ""),
        ("", "labels: {kai.scheduler/queue: team}", "kai-scheduler", ""),
        ("labels: {kai.scheduler/queue: team}", "", "default-scheduler", "schedulerName"),
        ("", "labels: {kai.scheduler/queue: team}", "", "scheduler"),
        ("labels: {kai.scheduler/queue: team}", "", "own-scheduler", ""),  # KAI under another name
        ("annotations: {kai.scheduler/queue: team}", "", "kai-scheduler", "annotation"),
        ("", "annotations: {kai.scheduler/queue: team}", "kai-scheduler", "annotation"),
        ("labels: {kai.scheduler/queue-name: team}", "", "kai-scheduler", "none that KAI reads"),
        ("annotations: {kai.scheduler/queue: team}", "", "", ""),  # nothing of KAI would place it
        ("", "", "kai-scheduler", ""),
    ],
)
def test_kai_reads_a_label_of_pods_that_name_it(
    tmp_path: Path, metadata: str, template: str, scheduler: str, word: str
) -> None:
    text = job(metadata, template).replace("restartPolicy", f"schedulerName: {scheduler or '~'}, restartPolicy")
    messages = found(tmp_path, KAI + text)
    assert len(messages) == bool(word)
    assert all(word in each or "names no" in each or "do not name" in each for each in messages)


VOLCANO = "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: team}}\n---\n"


@pytest.mark.parametrize(
    ("metadata", "template", "scheduler", "missed"),
    [
        ("", "annotations: {scheduling.volcano.sh/queue-name: team}", "volcano", 0),
        ("annotations: {scheduling.volcano.sh/queue-name: team}", "", "volcano", 0),  # inherited from the owner
        ("", "labels: {scheduling.volcano.sh/queue-name: team}", "volcano", 1),
        ("", "annotations: {scheduling.volcano.sh/queue-name: team}", "default-scheduler", 1),
    ],
)
def test_volcano_reads_an_annotation_of_pods_that_name_it(
    tmp_path: Path, metadata: str, template: str, scheduler: str, missed: int
) -> None:
    text = job(metadata, template).replace("restartPolicy", f"schedulerName: {scheduler}, restartPolicy")
    assert len(found(tmp_path, VOLCANO + text)) == missed


@pytest.mark.parametrize(("queue", "missed"), [("", 1), ("queue: team, ", 0)])
def test_a_job_of_volcano_has_its_queue_in_the_spec(tmp_path: Path, queue: str, missed: int) -> None:
    text = (
        "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: v, namespace: ml, "
        f"labels: {{volcano.sh/queue-name: team}}}}, spec: {{{queue}tasks: [{{name: t, replicas: 1, "
        "template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}]}}"
    )
    assert len(found(tmp_path, VOLCANO + text)) == missed


def test_kuberay_names_the_scheduler_in_its_pods(tmp_path: Path) -> None:
    ray = (
        "{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: r, namespace: ml, "
        "labels: {kai.scheduler/queue: team}}, spec: {headGroupSpec: {rayStartParams: {}, "
        "template: {spec: {containers: [{name: h, image: x}]}}}}}"
    )
    assert found(tmp_path, KAI + ray) == []


def test_the_queue_of_a_wrapper_is_for_what_it_holds(tmp_path: Path) -> None:
    inner = job(spec="suspend: true, ").replace("\n", "\n          ")
    wrapper = "apiVersion: workload.codeflare.dev/v1beta2\nkind: AppWrapper\n"
    wrapper += (
        f"metadata: {{name: w, namespace: ml, {LABEL}}}\nspec:\n  components:\n    - template:\n          {inner}"
    )
    assert found(tmp_path, KUEUE + wrapper) == []
