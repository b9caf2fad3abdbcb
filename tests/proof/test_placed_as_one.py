"""What places pods as one constrains the proof exactly as far as it does (S 2; W 4 to 8, 11; decisions 2 and 3).

Two zones, each with two racks; rack r2 of zone a holds one node more than the others.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import lint

RACKS = (("a", "r1", 2), ("a", "r2", 3), ("b", "r3", 2), ("b", "r4", 2))


def nodes(labels: bool = True) -> str:
    """One Node each, so that HyperNodes can name them."""
    return "---\n".join(
        f"apiVersion: v1\nkind: Node\nmetadata:\n  name: {rack}-{number}\n"
        f"  labels: {{topology.kubernetes.io/zone: {zone}{f', rack: {rack}' if labels else ''}}}\n"
        'status: {allocatable: {cpu: "64", memory: 500Gi, pods: "110", nvidia.com/gpu: "8"}}\n'
        for zone, rack, count in RACKS
        for number in range(count)
    )


POD = (
    "spec: {restartPolicy: Never, "
    "containers: [{name: c, command: [python, train.py], resources: {limits: {nvidia.com/gpu: 8}}}]}"
)


def job_set(jobs: int, pods: int, key: str = "rack") -> str:
    return f"""
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: train, namespace: ml, annotations: {{alpha.jobset.sigs.k8s.io/exclusive-topology: {key}}}}}
spec:
  replicatedJobs:
    - name: w
      replicas: {jobs}
      template: {{spec: {{parallelism: {pods}, completions: {pods}, backoffLimit: 0, template: {{{POD}}}}}}}
"""


def job(pods: int, annotations: str = "", labels: str = "kueue.x-k8s.io/queue-name: q", spec: str = POD) -> str:
    return f"""
apiVersion: batch/v1
kind: Job
metadata: {{name: train, namespace: ml, labels: {{{labels}}}}}
spec:
  parallelism: {pods}
  completions: {pods}
  completionMode: Indexed
  backoffLimit: 0
  template: {{metadata: {{labels: {{scheduling.x-k8s.io/pod-group: g}}, annotations: {{{annotations}}}}}, {spec}}}
"""


def volcano(pods: int, topology: str, more: str = "") -> str:
    return f"""
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: train, namespace: ml}}
spec:
  {more}
  networkTopology: {{{topology}}}
  plugins: {{pytorch: [--master=worker], svc: [--disable-network-policy=true]}}
  tasks: [{{name: worker, replicas: {pods}, template: {{{POD}}}}}]
"""


def hypernodes(by_label: bool = False) -> str:
    """Racks are tier 1, zones tier 2."""

    def leaf(rack: str) -> str:
        selector = (
            f"labelMatch: {{matchLabels: {{rack: {rack}}}}}" if by_label else f'regexMatch: {{pattern: "^{rack}-"}}'
        )
        return hypernode(rack, 1, f"{{type: Node, selector: {{{selector}}}}}")

    def zone(name: str, racks: tuple[str, ...]) -> str:
        members = ", ".join(f"{{type: HyperNode, selector: {{exactMatch: {{name: {rack}}}}}}}" for rack in racks)
        return hypernode(f"zone-{name}", 2, members)

    return "---\n".join([*(leaf(rack) for _, rack, _ in RACKS), zone("a", ("r1", "r2")), zone("b", ("r3", "r4"))])


def hypernode(name: str, tier: int, members: str) -> str:
    return (
        "apiVersion: topology.volcano.sh/v1alpha1\nkind: HyperNode\n"
        f"metadata: {{name: {name}}}\nspec: {{tier: {tier}, tierName: tier-{tier}, members: [{members}]}}\n"
    )


def answers(folder: Path, *files: str) -> tuple[str, str, tuple[str, ...]]:
    """Exists, for all, and the rules that speak of topology."""
    result = lint(folder, {f"f{number}.yaml": text for number, text in enumerate((nodes(), *files))})
    (group,) = result.groups
    rules = {each.finding.rule for each in result.findings if each.finding.severity.value != "note"}
    topology = {"no-viable-zone", "split-across-zones", "stranded-by-affinity", "exclusive-topology-insufficient"}
    return str(group.exists), str(group.for_all), tuple(sorted(rules & topology))


def missing(folder: Path, *files: str) -> str:
    result = lint(folder, {f"f{number}.yaml": text for number, text in enumerate((nodes(), *files))})
    return " | ".join(each.missing for each in result.unknowns)


@pytest.mark.parametrize(
    ("jobs", "pods", "expected"),
    [
        (2, 2, ("proved", "refuted", ("split-across-zones",))),  # two racks of one zone, or of two
        (1, 3, ("proved", "refuted", ("stranded-by-affinity",))),  # only r2 holds three; the leader may land elsewhere
        (3, 2, ("refuted", "refuted", ("no-viable-zone",))),  # three racks are in no zone
        (5, 1, ("refuted", "refuted", ("exclusive-topology-insufficient",))),
    ],
)
def test_each_child_job_of_a_job_set_takes_a_rack(
    tmp_path: Path, jobs: int, pods: int, expected: tuple[str, str, tuple[str, ...]]
) -> None:  # S 2.3, W 5
    assert answers(tmp_path, job_set(jobs, pods)) == expected


def test_child_jobs_that_keep_zones_for_themselves_are_in_several(tmp_path: Path) -> None:  # S 2.3
    assert answers(tmp_path, job_set(2, 1, "topology.kubernetes.io/zone"))[:2] == ("refuted", "refuted")


REQUIRED = "kueue.x-k8s.io/podset-required-topology"


@pytest.mark.parametrize(
    ("pods", "annotation", "expected"),
    [
        (3, f"{REQUIRED}: rack", ("proved", "proved", ())),  # S 2.2: only r2 holds three, and Kueue looks for room
        (2, f"{REQUIRED}: rack", ("proved", "proved", ())),  # a rack is in one zone
        (4, f"{REQUIRED}: topology.kubernetes.io/zone", ("proved", "proved", ())),
        (4, f"{REQUIRED}: rack", ("refuted", "refuted", ("exclusive-topology-insufficient",))),
        (2, "", ("proved", "refuted", ("split-across-zones",))),
    ],
)
def test_kueue_puts_a_pod_set_where_it_fits(
    tmp_path: Path, pods: int, annotation: str, expected: tuple[str, str, tuple[str, ...]]
) -> None:
    assert answers(tmp_path, job(pods, annotation)) == expected


SLICES = "kueue.x-k8s.io/podset-slice-required-topology: rack, kueue.x-k8s.io/podset-slice-size: "


def test_slices_are_each_in_one_rack(tmp_path: Path) -> None:  # W 11
    # two slices of two: two racks of zone a, of zone b, or one of each
    assert answers(tmp_path / "a", job(4, f"{SLICES}'2'"))[:2] == ("proved", "refuted")
    # with a required zone the slices are in one of them
    both = f"{SLICES}'2', {REQUIRED}: topology.kubernetes.io/zone"
    assert answers(tmp_path / "b", job(4, both)) == ("proved", "proved", ())
    # five pods fit into zone a, but not as slices of two: the last slice finds one node of each rack
    assert answers(tmp_path / "c", job(5, both))[0] == "proved"
    assert answers(tmp_path / "d", job(6, f"{SLICES}'2'"))[0] == "refuted"
    # no rack holds four
    found = answers(tmp_path / "e", job(4, f"{SLICES}'4'"))
    assert found == ("refuted", "refuted", ("exclusive-topology-insufficient",))


def test_without_a_queue_it_is_unknown_whether_kueue_reads_it(tmp_path: Path) -> None:  # S 2.2
    work = job(2, f"{REQUIRED}: rack", labels="")
    assert answers(tmp_path / "a", work)[:2] == ("proved", "unknown")
    assert "whether Kueue admits it" in missing(tmp_path / "b", work)


@pytest.mark.parametrize("by_label", [False, True])
@pytest.mark.parametrize(
    ("pods", "topology", "expected"),
    [
        (3, "mode: hard, highestTierAllowed: 1", ("proved", "proved", ())),
        (4, "highestTierAllowed: 1", ("refuted", "refuted", ("exclusive-topology-insufficient",))),
        (4, "mode: hard, highestTierAllowed: 2", ("proved", "proved", ())),
        (4, "mode: hard, highestTierName: tier-2", ("proved", "proved", ())),
        (2, "mode: hard, highestTierAllowed: 3", ("proved", "refuted", ("split-across-zones",))),  # the whole cluster
        (2, "mode: soft, highestTierAllowed: 1", ("proved", "refuted", ("split-across-zones",))),
    ],
)
def test_volcano_keeps_a_job_in_one_hypernode(
    tmp_path: Path, pods: int, topology: str, expected: tuple[str, str, tuple[str, ...]], *, by_label: bool
) -> None:  # S 2.3, W 8
    assert answers(tmp_path, volcano(pods, topology), hypernodes(by_label)) == expected


def test_tiers_without_hypernodes_are_unknown_with_what_would_make_them_known(tmp_path: Path) -> None:
    work = volcano(2, "mode: hard, highestTierAllowed: 1")
    assert answers(tmp_path / "a", work)[:2] == ("unknown", "unknown")
    assert "kubectl get hypernodes" in missing(tmp_path / "b", work)
    # what never fits does not fit in a HyperNode either
    assert answers(tmp_path / "c", volcano(10, "mode: hard, highestTierAllowed: 1"))[:2] == ("refuted", "refuted")


def test_a_pod_group_of_volcano_counts_for_pods_that_volcano_places(tmp_path: Path) -> None:  # S 2.3
    group = """
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: g, namespace: ml}
spec: {minMember: 3, networkTopology: {mode: hard, highestTierAllowed: 1}}
"""
    annotation = "scheduling.k8s.io/group-name: g"
    theirs = job(3, annotation, "", POD.replace("{restartPolicy", "{schedulerName: volcano, restartPolicy"))
    assert answers(tmp_path / "a", theirs, group, hypernodes()) == ("proved", "proved", ())
    assert answers(tmp_path / "b", job(3, annotation, ""), group, hypernodes())[1] != "proved"


def test_a_pod_group_of_kubernetes_counts_where_the_gate_is_on(tmp_path: Path) -> None:  # S 2.1: off by default
    group = """
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: g, namespace: ml}
spec: {schedulingPolicy: {gang: {minCount: 2}}, schedulingConstraints: {topology: [{key: rack}]}}
"""
    work = job(2, "", "", POD.replace("{restartPolicy", "{schedulingGroup: {podGroupName: g}, restartPolicy"))
    assert answers(tmp_path / "a", work, group)[:2] == ("proved", "unknown")
    assert "TopologyAwareWorkloadScheduling" in missing(tmp_path / "b", work, group)


def test_a_coscheduling_gang_knows_no_topology(tmp_path: Path) -> None:  # S 2.3: minMember, nothing else
    group = (
        "apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\n"
        "metadata: {name: g, namespace: ml}\nspec: {minMember: 2}\n"
    )
    assert answers(tmp_path, job(2, "", ""), group) == ("proved", "refuted", ("split-across-zones",))


def lws(annotations: str, size: int, more: str = "", replicas: int = 1) -> str:
    pod = POD.replace("restartPolicy: Never, ", "")
    return f"""
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: train, namespace: ml, annotations: {{{annotations}}}}}
spec:
  replicas: {replicas}
  leaderWorkerTemplate: {{size: {size}, {more} workerTemplate: {{{pod}}}}}
"""


def test_a_group_of_a_leader_worker_set_follows_its_leader(tmp_path: Path) -> None:  # W 6
    key = "leaderworkerset.sigs.k8s.io/exclusive-topology: rack"
    assert answers(tmp_path / "a", lws(key, 2)) == ("proved", "proved", ())
    assert answers(tmp_path / "b", lws(key, 3)) == ("proved", "refuted", ("stranded-by-affinity",))


@pytest.mark.parametrize(
    ("size", "policy", "expected"),
    [
        (4, "subGroupSize: 2", ("proved", "refuted", ("split-across-zones",))),
        # leader and two workers fit into r2 alone, and may begin elsewhere; the other two may be in any other rack
        (5, "subGroupSize: 2", ("proved", "refuted", ("split-across-zones", "stranded-by-affinity"))),
        (6, "subGroupSize: 2", ("refuted", "refuted", ("no-viable-zone",))),
        (8, "subGroupSize: 4", ("refuted", "refuted", ("exclusive-topology-insufficient",))),
    ],
)
def test_each_subgroup_takes_a_rack(
    tmp_path: Path, size: int, policy: str, expected: tuple[str, str, tuple[str, ...]]
) -> None:  # W 6
    key = "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology: rack"
    assert answers(tmp_path, lws(key, size, f"subGroupPolicy: {{{policy}}},")) == expected


@pytest.mark.parametrize(
    "annotations",
    [
        "alpha.jobset.sigs.k8s.io/exclusive-topology: '${KEY}'",
        "alpha.jobset.sigs.k8s.io/exclusive-topology: rack, alpha.jobset.sigs.k8s.io/node-selector: 'true'",
    ],
)
def test_what_cannot_be_read_is_unknown(tmp_path: Path, annotations: str) -> None:  # W 5: labelled beforehand
    work = job_set(2, 1).replace("alpha.jobset.sigs.k8s.io/exclusive-topology: rack", annotations)
    assert answers(tmp_path, work)[:2] == ("unknown", "unknown")


def test_the_annotation_on_a_template_binds_the_leader_alone(tmp_path: Path) -> None:  # W 6
    key = "leaderworkerset.sigs.k8s.io/exclusive-topology: rack"
    work = lws("", 3).replace("workerTemplate: {", f"workerTemplate: {{metadata: {{annotations: {{{key}}}}}, ")
    assert answers(tmp_path, work) == ("proved", "refuted", ("split-across-zones",))
