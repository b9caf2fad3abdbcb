"""Queues that are not active, and jobs that a manager cluster of MultiKueue hands on
(kubernetes-sigs/kueue:pkg/cache/scheduler/clusterqueue.go, pkg/controller/admissionchecks/multikueue).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import lint

from trainlint.finding import Finding

RULE = "kueue-never-admits"
FLAVOR = "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: FLAVOR}, spec: {SPEC}}\n---\n"
QUEUE = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: fleet}
spec:
  namespaceSelector: {}
  SPEC
  resourceGroups:
    - coveredResources: [nvidia.com/gpu]
      flavors: [{name: any, resources: [{name: nvidia.com/gpu, nominalQuota: GPUS}]}]
---
"""
LOCAL = (
    "{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: fleet, namespace: ml}, "
    "spec: {clusterQueue: fleet}}\n---\n"
)
CHECK = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: NAME}
spec:
  controllerName: kueue.x-k8s.io/CONTROLLER
  parameters: {apiGroup: kueue.x-k8s.io, kind: KIND, name: config}
---
"""
REMOTES = """
{apiVersion: kueue.x-k8s.io/v1beta2, kind: MultiKueueConfig, metadata: {name: config}, spec: {clusters: [CLUSTERS]}}
---
"""
REMOTE = "{apiVersion: kueue.x-k8s.io/v1beta2, kind: MultiKueueCluster, metadata: {name: NAME}}\n---\n"
JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: j, namespace: ml, labels: {kueue.x-k8s.io/queue-name: fleet}}
spec:
  suspend: true
  parallelism: 2
  completions: 2
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: 1}}}]
---
"""
NODES = """
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: NAME}
pools: [{name: p, count: 4, zone: a, allocatable: {cpu: "8", memory: 64Gi, pods: "110", nvidia.com/gpu: "GPUS"}}]
---
"""
TOPOLOGY = "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Topology, metadata: {name: other}, spec: {levels: []}}\n---\n"


def clusters(*names: str) -> dict[str, str]:
    return {"trainlint.yaml": "clusters:\n" + "".join(f"  - {{name: {each}, paths: [{each}]}}\n" for each in names)}


def queue(spec: str = "", gpus: int = 8) -> str:
    return QUEUE.replace("SPEC", spec or "queueingStrategy: BestEffortFIFO").replace("GPUS", str(gpus))


def flavor(name: str = "any", spec: str = "") -> str:
    return FLAVOR.replace("FLAVOR", name).replace("SPEC", spec)


def check(name: str, controller: str = "multikueue") -> str:
    kind = "MultiKueueConfig" if controller == "multikueue" else "ProvisioningRequestConfig"
    return CHECK.replace("NAME", name).replace("CONTROLLER", controller).replace("KIND", kind)


def cohort(name: str, parent: str) -> str:
    head = "apiVersion: kueue.x-k8s.io/v1beta2, kind: Cohort, "
    return f"{{{head}metadata: {{name: {name}}}, spec: {{parentName: {parent}}}}}\n---\n"


def hub(names: str = "west", remotes: str = "west") -> str:
    known = "".join(REMOTE.replace("NAME", each) for each in remotes.split())
    head = flavor() + queue("admissionChecks: [mk]") + LOCAL + check("mk")
    return head + REMOTES.replace("CLUSTERS", names) + known + JOB


def found(tmp_path: Path, files: dict[str, str]) -> list[tuple[str, str]]:
    result = lint(tmp_path, files)
    return [(each.finding.message, each.finding.at.file) for each in result.findings if each.finding.rule == RULE]


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        (flavor() + queue("stopPolicy: Hold"), "stopPolicy is Hold"),
        (flavor("other") + queue(), "flavor any does not exist"),
        (flavor("anyy") + queue(), "there is anyy"),
        (flavor() + queue("admissionChecks: [mk, gone]") + check("mk", "x"), "AdmissionCheck gone does not exist"),
        (flavor() + queue("admissionChecks: [mk, two]") + check("mk") + check("two"), "2 MultiKueue checks"),
        (
            flavor() + queue("admissionChecks: [mk, pr]") + check("mk") + check("pr", "provisioning-request"),
            "ProvisioningRequest check",
        ),
        (
            flavor()
            + queue("admissionChecksStrategy: {admissionChecks: [{name: mk, onFlavors: [any]}]}")
            + check("mk"),
            "some flavors only",
        ),
        (flavor() + queue("cohortName: a") + cohort("a", "b") + cohort("b", "a"), "circle of parents"),
        (flavor() + queue("cohortName: a") + cohort("a", "b") + cohort("b", "b"), "circle of parents (b"),
        (
            flavor(spec="topologyName: gone") + queue() + TOPOLOGY,
            "Topology gone",
        ),
    ],
)
def test_what_makes_a_cluster_queue_inactive(tmp_path: Path, objects: str, words: str) -> None:
    messages = [message for message, _ in found(tmp_path, {"all.yaml": objects + LOCAL + JOB})]
    assert len(messages) == 1
    assert words in messages[0]


def test_a_flavor_that_is_missing_is_one_finding_for_all_jobs_of_the_queue(tmp_path: Path) -> None:
    jobs = JOB + JOB.replace("name: j,", "name: k,")
    ((message, file),) = found(tmp_path, {"q.yaml": flavor("anyy") + queue() + LOCAL, "j.yaml": jobs})
    assert "Job ml/j, Job ml/k" in message
    assert file == "q.yaml"


def test_a_check_of_which_nothing_is_known_is_active(tmp_path: Path) -> None:
    objects = flavor() + queue("admissionChecks: [pr]") + check("pr", "provisioning-request") + LOCAL + JOB
    assert found(tmp_path, {"all.yaml": objects}) == []


def test_the_job_is_judged_in_the_only_worker_cluster(tmp_path: Path) -> None:
    west = flavor() + queue() + LOCAL + NODES.replace("NAME", "west").replace("GPUS", "4")
    files = {"hub/all.yaml": hub() + NODES.replace("NAME", "hub").replace("GPUS", "0")}
    result = lint(tmp_path, clusters("hub", "west") | files | {"west/all.yaml": west})
    assert not [each for each in result.findings if each.finding.severity == "error"]
    assert {each.snapshot: str(each.exists) for each in result.groups} == {"hub": "unknown", "west": "proved"}


@pytest.mark.parametrize(
    ("west", "words"),
    [
        (flavor() + queue(), "west has no LocalQueue fleet in namespace ml"),
        (flavor() + queue() + LOCAL + JOB, "west has a Job ml/j of its own"),
        (flavor() + queue("stopPolicy: Hold") + LOCAL, "in the worker cluster west"),
        (flavor() + queue(gpus=1) + LOCAL, "request 2 nvidia.com/gpu"),
        (flavor() + queue() + LOCAL, ""),
        ("{apiVersion: v1, kind: Namespace, metadata: {name: ml}}\n", ""),  # nothing of Kueue in Git
    ],
)
def test_what_a_worker_cluster_lacks(tmp_path: Path, west: str, words: str) -> None:
    files = clusters("hub", "west") | {"hub/all.yaml": hub(), "west/all.yaml": west}
    messages = [message for message, file in found(tmp_path, files) if file == "hub/all.yaml"]
    assert len(messages) == bool(words)
    assert all(words in each for each in messages)


@pytest.mark.parametrize(
    ("names", "remotes", "east", "never"),
    [
        ("west, east", "west east", flavor() + queue(), True),
        ("west, east", "west east", flavor() + queue() + LOCAL, False),  # one that takes it is enough
        ("west, east", "west", flavor() + queue() + LOCAL, True),  # east is no MultiKueueCluster
        ("west, north", "west north", flavor() + queue() + LOCAL, False),  # north is not described
    ],
)
def test_one_worker_cluster_that_may_take_the_job_is_enough(
    tmp_path: Path, names: str, remotes: str, east: str, never: bool
) -> None:
    files = {"hub/all.yaml": hub(names, remotes), "west/all.yaml": flavor() + queue(), "east/all.yaml": east}
    assert bool(found(tmp_path, clusters("hub", "west", "east") | files)) is never


def dangling(tmp_path: Path, files: dict[str, str]) -> list[Finding]:
    result = lint(tmp_path, files)
    return [each.finding for each in result.findings if each.finding.rule == "dangling-reference"]


def test_a_worker_cluster_that_is_not_defined_is_a_warning_where_another_one_takes_the_job(tmp_path: Path) -> None:
    files = {"hub/all.yaml": hub("west, east"), "west/all.yaml": flavor() + queue() + LOCAL}
    (each,) = dangling(tmp_path, clusters("hub", "west") | files)
    assert each.severity == "warning"
    assert "MultiKueueConfig config refers to MultiKueueCluster east" in each.message
    assert "run in west only" in each.message
    assert each.at.path[-3:] == ("spec", "clusters", 1)
    assert each.certainty == "likely"


def test_a_misspelt_worker_cluster_is_repaired(tmp_path: Path) -> None:
    files = {"hub/all.yaml": hub("west, northen", "west northern"), "west/all.yaml": flavor() + queue() + LOCAL}
    (each,) = dangling(tmp_path, clusters("hub", "west") | files)
    assert each.remedy == "did you mean northern?"
    assert [fix.edits[0].value for fix in each.fixes()] == ["northern"]


@pytest.mark.parametrize(
    ("names", "remotes", "west"),
    [
        ("west, east", "west east", LOCAL),  # both are defined
        ("west, east", "", LOCAL),  # Git holds none: the check is judged by that
        ("west, '${EAST}'", "west", LOCAL),  # not known which one
        ("west, east", "west", ""),  # no worker takes the job, which names the missing one among the reasons
    ],
)
def test_no_warning_about_worker_clusters(tmp_path: Path, names: str, remotes: str, west: str) -> None:
    files = {"hub/all.yaml": hub(names, remotes), "west/all.yaml": flavor() + queue() + west}
    assert dangling(tmp_path, clusters("hub", "west") | files) == []


def test_managed_by_multikueue_is_enough_to_hand_the_job_on(tmp_path: Path) -> None:
    job = JOB.replace("  suspend: true\n", "  managedBy: kueue.x-k8s.io/multikueue\n").replace("labels", "annotations")
    nodes = NODES.replace("NAME", "hub").replace("GPUS", "0")
    result = lint(tmp_path, {"all.yaml": job + nodes})
    assert not [each for each in result.findings if each.finding.severity == "error"]
    assert [str(each.exists) for each in result.groups] == ["unknown"]


def test_a_queue_in_a_misspelt_namespace_stands_there(tmp_path: Path) -> None:
    objects = flavor() + queue() + LOCAL.replace("namespace: ml", "namespace: visoin")
    job = JOB.replace("namespace: ml", "namespace: vision")
    ((message, file),) = found(tmp_path, {"q.yaml": objects, "j.yaml": job})
    assert "visoin" in message
    assert file == "q.yaml"
    used = {"s.yaml": "{apiVersion: v1, kind: Service, metadata: {name: s, namespace: visoin}}\n"}
    ((_, file),) = found(tmp_path / "b", {"q.yaml": objects, "j.yaml": job, **used})
    assert file == "j.yaml"  # the namespace of the queue is used by others: the job's is the slip
    far = {"q.yaml": objects.replace("visoin", "speech"), "j.yaml": job}
    assert found(tmp_path / "c", far) == []
