"""Kueue: what is never admitted, and what admission adds (S 2.2; surprises 48 to 51 of S 5)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.engine.worlds import lint, verdicts

RULE = "kueue-never-admits"

NODES = """
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: lab}
pools:
  - name: a
    count: 2
    zone: z1
    labels: {pool: a}
    taints: [{key: gpu, value: a, effect: NoSchedule}]
    allocatable: {cpu: "96", memory: 700Gi, nvidia.com/gpu: "8"}
  - name: b
    count: 4
    zone: z1
    labels: {pool: b}
    allocatable: {cpu: "96", memory: 700Gi, nvidia.com/gpu: "8"}
"""


def flavor(name: str = "gpu", spec: str = "nodeLabels: {pool: b}") -> str:
    head = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\n"
    return f"{head}metadata: {{name: {name}}}\nspec: {{{spec}}}\n---\n"


def cluster_queue(spec: str = "", gpus: int = 16, flavors: tuple[str, ...] = ("gpu",), name: str = "cq") -> str:
    quotas = f"[{{name: cpu, nominalQuota: 100}}, {{name: nvidia.com/gpu, nominalQuota: {gpus}}}]"
    listed = ", ".join(f"{{name: {each}, resources: {quotas}}}" for each in flavors)
    groups = f"resourceGroups: [{{coveredResources: [cpu, nvidia.com/gpu], flavors: [{listed}]}}]"
    selector = "" if "namespaceSelector" in spec else "namespaceSelector: {}, "
    head = f"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {{name: {name}}}\n"
    return f"{head}spec: {{{selector}{spec}{groups}}}\n---\n"


LOCAL = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: lq, namespace: ml}
spec: {clusterQueue: cq}
"""
NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: ml, labels: {team: a}}\n"


def job(
    spec: str = "", requests: str = "nvidia.com/gpu: '8'", meta: str = "", template: str = "", pods: int = 2
) -> str:
    return f"""
apiVersion: batch/v1
kind: Job
metadata: {{name: train, namespace: ml, labels: {{kueue.x-k8s.io/queue-name: lq}}{meta}}}
spec:
  parallelism: {pods}
  completions: {pods}
  completionMode: Indexed
  template:
    metadata: {{{template}}}
    spec: {{restartPolicy: Never, {spec}containers: [{{name: a, image: i, resources: {{limits: {{{requests}}}}}}}]}}
"""


def reasons(root: Path, queues: str, work: str = "", **files: str) -> list[str]:
    named = {"queues.yaml": queues, "job.yaml": work or job(), **{f"{name}.yaml": text for name, text in files.items()}}
    return [each.finding.message for each in lint(root, named).findings if each.finding.rule == RULE]


def test_a_queue_that_admits_says_nothing(tmp_path: Path) -> None:
    assert reasons(tmp_path, flavor() + cluster_queue() + LOCAL) == []


@pytest.mark.parametrize(
    ("queues", "words"),
    [
        (flavor() + cluster_queue("namespaceSelector: null, ") + LOCAL, "no namespaceSelector"),  # S 5.51
        (
            flavor() + cluster_queue("namespaceSelector: {matchLabels: {team: b}}, ") + LOCAL,
            "does not match namespace ml",
        ),
        (flavor() + cluster_queue("stopPolicy: HoldAndDrain, ") + LOCAL, "stopPolicy is HoldAndDrain"),
        (flavor() + cluster_queue() + LOCAL.replace("cq}", "cq, stopPolicy: Hold}"), "stopPolicy is Hold"),
        (flavor() + cluster_queue() + LOCAL.replace("name: lq", "name: other"), "no LocalQueue lq in namespace ml"),
        (flavor() + cluster_queue() + LOCAL.replace("clusterQueue: cq", "clusterQueue: x"), "ClusterQueue x"),
        (flavor("other") + cluster_queue() + LOCAL, "flavor gpu does not exist"),
        (flavor() + cluster_queue(gpus=15) + LOCAL, "request 16 nvidia.com/gpu"),
        (
            flavor(spec="nodeTaints: [{key: gpu, value: a, effect: NoSchedule}]") + cluster_queue() + LOCAL,
            "do not tolerate its taint gpu=a:NoSchedule",  # S 5.50
        ),
    ],
)
def test_what_makes_admission_impossible(tmp_path: Path, queues: str, words: str) -> None:
    (message,) = reasons(tmp_path, queues, ns=NAMESPACE)
    assert words in message


def test_a_resource_that_no_group_covers(tmp_path: Path) -> None:
    # S 5.48
    (message,) = reasons(tmp_path, flavor() + cluster_queue() + LOCAL, job(requests="cpu: '1', memory: 1Gi"))
    assert "requests memory, which no resource group of cq covers" in message


def test_shares_of_devices_may_be_counted_under_another_name(tmp_path: Path) -> None:
    work = job(requests="example.com/vgpu-cores: '10'")
    assert reasons(tmp_path, flavor() + cluster_queue() + LOCAL, work) == []


def test_a_selector_that_the_flavor_contradicts(tmp_path: Path) -> None:
    (message,) = reasons(tmp_path, flavor() + cluster_queue() + LOCAL, job("nodeSelector: {pool: a}, "))
    assert "no flavor takes train" in message


def test_keys_that_the_flavor_does_not_have_are_ignored(tmp_path: Path) -> None:
    # S 5.49: admitted, and never scheduled: the pods' own selector is to blame
    files = {
        "queues.yaml": flavor() + cluster_queue() + LOCAL,
        "job.yaml": job("nodeSelector: {rack: r9}, "),
        "nodes.yaml": NODES,
    }
    assert {each.finding.rule for each in lint(tmp_path, files).findings} == {"no-matching-node"}


def test_a_toleration_of_the_flavor_reaches_the_pods(tmp_path: Path) -> None:
    # S 5.50
    spec = (
        "nodeLabels: {pool: a}, nodeTaints: [{key: gpu, value: a, effect: NoSchedule}], "
        "tolerations: [{key: gpu, operator: Exists}]"
    )
    files = {"queues.yaml": flavor(spec=spec) + cluster_queue() + LOCAL, "job.yaml": job(), "nodes.yaml": NODES}
    result = lint(tmp_path, files)
    assert not [each for each in result.findings if each.finding.rule in {RULE, "untolerated-taint"}]


def test_admitted_onto_nodes_that_do_not_exist(tmp_path: Path) -> None:
    # S 2.2: "admitted is not schedulable"
    (message,) = reasons(tmp_path, flavor(spec="nodeLabels: {pool: c}") + cluster_queue() + LOCAL, nodes=NODES)
    assert "onto nodes that do not exist" in message


def test_the_flavor_narrows_the_nodes(tmp_path: Path) -> None:
    # pool b has four nodes, the untainted rest of the cluster none: five pods do not fit, four do
    for pods, expected in ((4, set[str]()), (5, {"group-exceeds-capacity"})):
        files = {
            "queues.yaml": flavor() + cluster_queue(gpus=99) + LOCAL,
            "job.yaml": job(pods=pods),
            "nodes.yaml": NODES.replace("taints: [{key: gpu, value: a, effect: NoSchedule}]", "taints: []"),
        }
        rules = {each.finding.rule for each in lint(tmp_path / str(pods), files).findings}
        assert rules == expected


def test_which_of_several_flavors_is_chosen_is_unknown(tmp_path: Path) -> None:
    both = flavor("x", "nodeLabels: {pool: a}, tolerations: [{key: gpu, operator: Exists}]") + flavor("y")
    files = {
        "queues.yaml": both + cluster_queue(flavors=("x", "y")) + LOCAL,
        "job.yaml": job(meta="", spec="") + "---\n" + SERVICE,
        "nodes.yaml": NODES,
    }
    result = lint(tmp_path, files)
    assert not [each for each in result.findings if each.finding.rule == RULE]


SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: train, namespace: ml}\nspec: {clusterIP: None}\n"


@pytest.mark.parametrize(
    ("own", "other", "admitted"),
    [
        ("cohortName: c, ", "cohortName: c, ", True),  # borrows what the other lends
        ("", "cohortName: c, ", False),
        ("cohortName: c, ", "cohortName: d, ", False),
    ],
)
def test_a_cohort_lends(tmp_path: Path, own: str, other: str, *, admitted: bool) -> None:
    queues = flavor() + cluster_queue(own, gpus=8) + cluster_queue(other, gpus=8, name="rich") + LOCAL
    assert (reasons(tmp_path, queues) == []) is admitted


def test_limits_of_borrowing_and_lending(tmp_path: Path) -> None:
    queues = (
        flavor() + cluster_queue("cohortName: c, ", gpus=8) + cluster_queue("cohortName: c, ", 8, name="rich") + LOCAL
    )
    small = queues.replace("nominalQuota: 8}", "nominalQuota: 8, borrowingLimit: 7}", 1)
    mean = queues.replace("metadata: {name: rich}", "metadata: {name: rich}", 1)
    mean = mean[: mean.index("name: rich")] + mean[mean.index("name: rich") :].replace(
        "nominalQuota: 8}", "nominalQuota: 8, lendingLimit: 7}", 1
    )
    assert len(reasons(tmp_path / "a", small)) == 1
    assert len(reasons(tmp_path / "b", mean)) == 1


def test_a_cohort_that_is_an_object_may_have_more(tmp_path: Path) -> None:
    cohort = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: c}\n---\n"
    quota = "{name: gpu, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}"
    quota = f"{{coveredResources: [nvidia.com/gpu], flavors: [{quota}]}}"
    more = cohort.replace("---", f"spec: {{resourceGroups: [{quota}]}}\n---")
    assert reasons(tmp_path / "more", flavor() + more + cluster_queue("cohortName: c, ", gpus=8) + LOCAL) == []
    (reason,) = reasons(tmp_path / "none", flavor() + cohort + cluster_queue("cohortName: c, ", gpus=8) + LOCAL)
    assert "can give 8 at most" in reason


def test_pods_of_a_deployment_are_admitted_one_by_one(tmp_path: Path) -> None:
    work = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: serve, namespace: ml, labels: {kueue.x-k8s.io/queue-name: lq}}
spec:
  replicas: 9
  selector: {matchLabels: {app: serve}}
  template:
    metadata: {labels: {app: serve}}
    spec: {containers: [{name: a, image: i, resources: {limits: {nvidia.com/gpu: "%d"}}}]}
"""
    queues = flavor() + cluster_queue(gpus=8) + LOCAL
    assert reasons(tmp_path / "a", queues, work % 8) == []
    assert len(reasons(tmp_path / "b", queues, work % 9)) == 1


def test_partial_admission_counts_the_fewest_pods(tmp_path: Path) -> None:
    work = job(meta=", annotations: {kueue.x-k8s.io/job-min-parallelism: '1'}")
    assert reasons(tmp_path, flavor() + cluster_queue(gpus=8) + LOCAL, work) == []


TOPOLOGY = (
    "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata: {name: t}\nspec: {levels: [{nodeLabel: %s}]}\n---\n"
)
REQUIRED = "annotations: {kueue.x-k8s.io/podset-required-topology: topology.kubernetes.io/zone}"


@pytest.mark.parametrize(
    ("queues", "words"),
    [
        (flavor() + cluster_queue() + LOCAL, "the flavor gpu has none"),
        (
            TOPOLOGY % "rack" + flavor(spec="nodeLabels: {pool: b}, topologyName: t") + cluster_queue() + LOCAL,
            "is no level",
        ),
        (TOPOLOGY % "topology.kubernetes.io/zone" + flavor(spec="topologyName: t") + cluster_queue() + LOCAL, ""),
    ],
)
def test_a_required_topology_needs_a_flavor_with_that_level(tmp_path: Path, queues: str, words: str) -> None:
    found = reasons(tmp_path, queues, job(template=REQUIRED))
    assert bool(found) is bool(words)
    assert all(words in message for message in found)


@pytest.mark.parametrize(
    "queues",
    [
        "",  # Kueue is not in use
        LOCAL,  # the ClusterQueue is not in Git, and neither is any other
        flavor() + cluster_queue() + LOCAL.replace("cq}", "'${QUEUE}'}"),
        flavor() + cluster_queue("cohortName: '${C}', ", gpus=1) + LOCAL,
        cluster_queue() + LOCAL,  # no flavor at all is in Git
    ],
)
def test_what_is_not_in_git_proves_nothing(tmp_path: Path, queues: str) -> None:
    assert reasons(tmp_path, queues or "# nothing\n") == []


def test_a_namespace_that_is_not_in_git_may_have_any_label(tmp_path: Path) -> None:
    queues = flavor() + cluster_queue("namespaceSelector: {matchLabels: {team: b}}, ") + LOCAL
    assert reasons(tmp_path, queues) == []


def test_an_object_without_a_namespace_may_be_meant_for_a_queue_elsewhere(tmp_path: Path) -> None:
    queues = flavor() + cluster_queue(gpus=1) + LOCAL
    unstated = job().replace(", namespace: ml", "")
    here = LOCAL.replace("namespace: ml", "namespace: default")
    assert reasons(tmp_path / "a", queues + "---\n" + here, unstated) == []
    assert len(reasons(tmp_path / "b", queues.replace(LOCAL, here), unstated)) == 1


def test_jobs_with_generated_names_are_not_one_job(tmp_path: Path) -> None:
    one = job(pods=1).replace("name: train", "generateName: train-")
    queues = flavor() + cluster_queue(gpus=8) + LOCAL
    assert reasons(tmp_path, queues, one + "---\n" + one) == []


def outcomes(root: Path, **files: str) -> Any:
    return set(verdicts(lint(root, {f"{name}.yaml": text for name, text in files.items()})).values())


GROUP = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml, labels: {kueue.x-k8s.io/queue-name: lq}}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: pytorch, image: i, resources: {limits: {nvidia.com/gpu: "8"}}}]}}
"""


def test_a_group_that_is_never_admitted_is_refuted_and_no_other_rule_speaks(tmp_path: Path) -> None:
    files = {"queues.yaml": flavor() + cluster_queue(gpus=8) + LOCAL, "job.yaml": GROUP, "nodes.yaml": NODES}
    result = lint(tmp_path, files)
    assert {each.finding.rule for each in result.findings} == {RULE}
    assert set(verdicts(result).values()) == {("refuted", "refuted")}


def test_several_flavors_leave_a_group_open_where_they_differ(tmp_path: Path) -> None:
    apart = NODES.replace("zone: z1\n    labels: {pool: b}", "zone: z2\n    labels: {pool: b}")
    both = flavor("x", "nodeLabels: {pool: a}, tolerations: [{key: gpu, operator: Exists}]") + flavor("y")
    queues = both + cluster_queue(flavors=("x", "y")) + LOCAL
    assert outcomes(tmp_path / "a", queues=queues, job=GROUP, nodes=apart) == {("unknown", "unknown")}
    one = flavor("y") + cluster_queue(flavors=("y",)) + LOCAL
    assert outcomes(tmp_path / "b", queues=one, job=GROUP, nodes=apart) == {("proved", "proved")}
