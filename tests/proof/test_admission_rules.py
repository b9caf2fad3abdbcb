"""Admission and volumes in the proof: what refuses a group, what stays unknown (S 1.8, 1.11, decisions 1, 3, 5)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import lint, verdicts

from trainlint.finding import Certainty
from trainlint.result import Result

INVENTORY = """
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: nodes}
pools:
  - name: gpu
    count: 4
    zone: a
    taints: [{key: gpu, effect: NoSchedule}]
    allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}
  - {name: other, count: 4, zone: b, allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}}
"""


def job(
    workers: int = 2,
    namespace: str = "ml",
    pods: str = "",
    gpus: int = 8,
    place: str = "tolerations: [{operator: Exists}]",
) -> str:
    where = f"namespace: {namespace}" if namespace else ""
    return f"""
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: train
  {where}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: {workers}
      template:
        spec:
          {place}
          {pods}
          containers:
            - name: pytorch
              image: registry.example/train:1
              resources: {{limits: {{nvidia.com/gpu: "{gpus}"}}}}
"""


IN_A = "nodeSelector: {topology.kubernetes.io/zone: a}"
BOTH = f"{IN_A}\n          tolerations: [{{operator: Exists}}]"


def rules(result: Result) -> list[str]:
    return sorted(each.finding.rule for each in result.findings if each.finding.category in {"placement", "topology"})


def quota(namespace: str = "ml", hard: str = 'requests.nvidia.com/gpu: "8"') -> str:
    return f"""
apiVersion: v1
kind: ResourceQuota
metadata: {{name: few, namespace: {namespace}}}
spec: {{hard: {{{hard}}}}}
"""


def test_a_runtime_class_that_is_not_in_git_makes_the_taint_unknown_and_no_error(tmp_path: Path) -> None:
    missing = lint(tmp_path, {"n.yaml": INVENTORY, "j.yaml": job(pods="runtimeClassName: kata", place=IN_A)})
    assert rules(missing) == []
    assert verdicts(missing)["ml/train", "."] == ("unknown", "unknown")
    assert any("kata" in unknown.missing for unknown in missing.unknowns)


def test_with_its_tolerations_the_group_fits(tmp_path: Path) -> None:
    kata = "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: kata}\nhandler: kata\n"
    scheduling = "scheduling: {tolerations: [{key: gpu, operator: Exists}]}\n"
    files = {"n.yaml": INVENTORY, "j.yaml": job(pods="runtimeClassName: kata", place=IN_A)}
    fits = lint(tmp_path, {**files, "r.yaml": kata + scheduling})
    assert verdicts(fits)["ml/train", "."] == ("proved", "proved")
    refused = lint(tmp_path, {**files, "r.yaml": kata})
    assert rules(refused) == ["untolerated-taint"]


def test_a_group_over_its_quota_is_refuted_by_the_quota_alone(tmp_path: Path) -> None:
    result = lint(tmp_path, {"n.yaml": INVENTORY, "j.yaml": job(place=BOTH), "q.yaml": quota()})
    assert rules(result) == ["quota-never-admits"]
    assert verdicts(result)["ml/train", "."] == ("refuted", "refuted")


def test_without_an_inventory_a_quota_refutes_too(tmp_path: Path) -> None:
    result = lint(tmp_path, {"j.yaml": job(), "q.yaml": quota()})
    assert rules(result) == ["quota-never-admits"]
    assert verdicts(result)["ml/train", "."] == ("refuted", "refuted")


def test_a_quota_of_another_namespace_is_an_unknown_only_for_those_who_name_none(tmp_path: Path) -> None:
    other = lint(tmp_path, {"n.yaml": INVENTORY, "j.yaml": job(place=BOTH), "q.yaml": quota("prod")})
    assert verdicts(other)["ml/train", "."][0] == "proved"
    unstated = lint(tmp_path, {"j.yaml": job(namespace="", place=BOTH)})
    assert verdicts(unstated)["default/train", "."][0] == "unknown"
    assert rules(unstated) == []


@pytest.mark.parametrize(("hard", "refused"), [("pods: 1", True), ("pods: 2", False), ("limits.cpu: 100", True)])
def test_quotas_count_pods_and_what_containers_leave_open(tmp_path: Path, hard: str, refused: bool) -> None:
    result = lint(tmp_path, {"j.yaml": job(), "q.yaml": quota(hard=hard)})
    assert ("quota-never-admits" in rules(result)) is refused


def test_pods_that_need_not_run_together_are_counted_one_by_one(tmp_path: Path) -> None:
    deployment = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: serve, namespace: ml}
spec:
  replicas: 10
  template: {spec: {containers: [{name: c, image: i, resources: {limits: {cpu: 1}}}]}}
"""
    assert rules(lint(tmp_path, {"d.yaml": deployment, "q.yaml": quota(hard="requests.cpu: 4")})) == []
    large = deployment.replace("cpu: 1", "cpu: 5")
    assert rules(lint(tmp_path, {"d.yaml": large})) == ["quota-never-admits"]


def test_a_default_limit_below_the_request_makes_the_pod_invalid(tmp_path: Path) -> None:
    limits = """
apiVersion: v1
kind: LimitRange
metadata: {name: small, namespace: ml}
spec: {limits: [{type: Container, default: {cpu: 2}}]}
"""
    asked = job().replace('limits: {nvidia.com/gpu: "8"}', 'requests: {cpu: "8"}, limits: {nvidia.com/gpu: "8"}')
    result = lint(tmp_path, {"j.yaml": asked, "l.yaml": limits})
    assert rules(result) == ["quota-never-admits"]
    (found,) = [each for each in result.findings if each.finding.rule == "quota-never-admits"]
    assert "LimitRange" in found.finding.message


def test_defaults_of_a_limit_range_change_what_fits(tmp_path: Path) -> None:
    limits = """
apiVersion: v1
kind: LimitRange
metadata: {name: large, namespace: ml}
spec: {limits: [{type: Container, defaultRequest: {cpu: 65}}]}
"""
    result = lint(tmp_path, {"n.yaml": INVENTORY, "j.yaml": job(), "l.yaml": limits})
    assert rules(result) == ["request-exceeds-node"]


CLASS = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: %s}\nvalue: 1\n"


def test_a_dangling_reference_is_likely_and_leaves_the_answer_open(tmp_path: Path) -> None:
    files = {"n.yaml": INVENTORY, "j.yaml": job(pods="priorityClassName: hihg", place=BOTH), "p.yaml": CLASS % "high"}
    result = lint(tmp_path, files)
    assert rules(result) == ["dangling-reference"]
    (found,) = [each.finding for each in result.findings if each.finding.rule == "dangling-reference"]
    assert found.certainty is Certainty.LIKELY
    assert "high" in found.remedy
    assert verdicts(result)["ml/train", "."][0] == "unknown"


HELM = """
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: platform, namespace: %s}
spec: {chart: {spec: {chart: platform}}}
"""


@pytest.mark.parametrize(
    ("pods", "others"),
    [
        ("priorityClassName: hihg", ""),  # no class in Git: nothing is known
        ("priorityClassName: hihg", CLASS % "high" + "---" + HELM % "kube-system"),  # a chart may bring it in
        ("priorityClassName: ${CLASS}", CLASS % "high"),
        ("priorityClassName: system-node-critical", CLASS % "high"),
        ("serviceAccountName: default", "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: x, namespace: ml}\n"),
        ("serviceAccountName: y", "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: x, namespace: other}\n"),
    ],
)
def test_absence_proves_nothing_where_the_snapshot_is_open(tmp_path: Path, pods: str, others: str) -> None:
    assert rules(lint(tmp_path, {"j.yaml": job(pods=pods), "o.yaml": others})) == []


@pytest.mark.parametrize(
    ("pods", "other"),
    [
        ("serviceAccountName: y", "v1/ServiceAccount"),
        ("volumes: [{name: d, persistentVolumeClaim: {claimName: y}}]", "v1/PersistentVolumeClaim"),
        ("resourceClaims: [{name: d, resourceClaimName: y}]", "resource.k8s.io/v1/ResourceClaim"),
        ("resourceClaims: [{name: d, resourceClaimTemplateName: y}]", "resource.k8s.io/v1/ResourceClaimTemplate"),
        ("runtimeClassName: y", "node.k8s.io/v1/RuntimeClass"),
    ],
)
def test_every_kind_of_reference_is_followed(tmp_path: Path, pods: str, other: str) -> None:
    version, _, kind = other.rpartition("/")
    there = f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: x, namespace: ml}}\n"
    unused = ["unused-device-claim"] * ("resourceClaims" in pods)
    assert rules(lint(tmp_path, {"j.yaml": job(pods=pods), "o.yaml": there})) == ["dangling-reference", *unused]
    assert rules(lint(tmp_path, {"o.yaml": there.replace("name: x", "name: y")})) == unused


CLAIM = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: ml}
spec: {accessModes: [%s], storageClassName: %s, resources: {requests: {storage: 1Ti}}}
"""
MOUNTS = "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]"
LATE = """
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: late}
provisioner: disks.example
volumeBindingMode: WaitForFirstConsumer
"""


def test_a_claim_that_is_not_in_git_is_a_condition_and_no_error(tmp_path: Path) -> None:
    result = lint(tmp_path, {"n.yaml": INVENTORY, "j.yaml": job(pods=MOUNTS, place=BOTH)})
    assert rules(result) == []
    (group,) = result.groups
    assert str(group.exists) == "conditional"
    assert group.needs is not None
    assert [(each.kind, each.namespace, each.name) for each in group.needs.objects] == [
        ("PersistentVolumeClaim", "ml", "data")
    ]


def test_a_shared_claim_that_waits_may_or_may_not_bind_all_pods_to_one_zone(tmp_path: Path) -> None:
    files = {"n.yaml": INVENTORY, "c.yaml": CLAIM % ("ReadWriteMany", "late"), "s.yaml": LATE}
    shared = lint(tmp_path, {**files, "j.yaml": job(pods=MOUNTS)})
    assert verdicts(shared)["ml/train", "."] == ("proved", "unknown")
    pinned = lint(tmp_path, {"j.yaml": job(pods=MOUNTS, place=BOTH)})
    assert verdicts(pinned)["ml/train", "."] == ("proved", "proved")


def test_the_allowed_topologies_of_a_class_bind_its_claims(tmp_path: Path) -> None:
    only_b = "allowedTopologies: [{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [b]}]}]\n"
    files = {"n.yaml": INVENTORY, "c.yaml": CLAIM % ("ReadWriteMany", "late"), "s.yaml": LATE + only_b}
    anywhere = lint(tmp_path, {**files, "j.yaml": job(pods=MOUNTS)})
    assert verdicts(anywhere)["ml/train", "."] == ("proved", "proved")
    in_a = lint(tmp_path, {"j.yaml": job(pods=MOUNTS, place=BOTH)})
    assert rules(in_a) == ["volume-zone-conflict"]


STATEFUL = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: train, namespace: ml}}
spec:
  replicas: 2
  selector: {{matchLabels: {{app: train}}}}
  template:
    metadata: {{labels: {{app: train}}}}
    spec:
      nodeSelector: {{topology.kubernetes.io/zone: {zone}}}
      tolerations: [{{operator: Exists}}]
      containers: [{{name: c, image: "registry.example/train:1", resources: {{limits: {{nvidia.com/gpu: "8"}}}}}}]
  volumeClaimTemplates:
    - metadata: {{name: data}}
      spec: {{storageClassName: late, accessModes: [ReadWriteOnce], resources: {{requests: {{storage: 1Gi}}}}}}
"""


def test_the_class_of_a_claim_template_binds_every_pod_of_a_stateful_set(tmp_path: Path) -> None:
    only_b = "allowedTopologies: [{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [b]}]}]\n"
    files = {"n.yaml": INVENTORY, "s.yaml": LATE + only_b, "j.yaml": STATEFUL.format(zone="b")}
    assert rules(lint(tmp_path, files)) == []
    assert rules(lint(tmp_path, {"j.yaml": STATEFUL.format(zone="a")})) == ["volume-zone-conflict"]


@pytest.mark.parametrize(
    ("mode", "workers", "gpus", "found"),
    [
        ("ReadWriteOnce", 2, 8, ["single-writer-volume-shared"]),  # they fill a node each
        ("ReadWriteOnce", 2, 4, ["single-writer-volume-shared"]),  # they fit on one, and may land on two
        ("ReadWriteOnce", 1, 8, []),
        ("ReadWriteMany", 2, 8, []),
        ("ReadWriteOnce, ReadWriteMany", 2, 8, []),
        ("ReadWriteOncePod", 2, 4, ["single-writer-volume-shared"]),
    ],
)
def test_a_claim_for_one_node_is_not_for_pods_on_several(
    tmp_path: Path, mode: str, workers: int, gpus: int, found: list[str]
) -> None:
    files = {"n.yaml": INVENTORY, "c.yaml": CLAIM % (mode, "late"), "s.yaml": LATE}
    result = lint(tmp_path, {**files, "j.yaml": job(workers, pods=MOUNTS, gpus=gpus, place=BOTH)})
    assert rules(result) == found


def test_one_node_or_host_affinity_keeps_the_pods_of_a_claim_together(tmp_path: Path) -> None:
    files = {"c.yaml": CLAIM % ("ReadWriteOnce", "late"), "s.yaml": LATE}
    single = INVENTORY.replace("count: 4\n    zone: a", "count: 1\n    zone: a")
    assert rules(lint(tmp_path, {**files, "n.yaml": single, "j.yaml": job(2, pods=MOUNTS, gpus=4, place=BOTH)})) == []
    near = (
        "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{"
        "topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {training.kubeflow.org/job-name: train}}}]}}"
    )
    held = job(2, pods=f"{MOUNTS}\n          {near}", gpus=4, place=BOTH)
    assert rules(lint(tmp_path, {"n.yaml": INVENTORY, "j.yaml": held})) == []


def test_a_runtime_class_that_is_not_in_git_may_leave_a_spread_one_zone(tmp_path: Path) -> None:
    spread = (
        "topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: "
        "DoNotSchedule, labelSelector: {matchLabels: {training.kubeflow.org/job-name: train}}}]"
    )
    known = lint(tmp_path, {"n.yaml": INVENTORY, "j.yaml": job(4, pods=spread)})
    assert verdicts(known)["ml/train", "."][0] == "refuted"
    hidden = lint(tmp_path, {"j.yaml": job(4, pods=f"{spread}\n          runtimeClassName: kata")})
    assert verdicts(hidden)["ml/train", "."] == ("unknown", "unknown")
