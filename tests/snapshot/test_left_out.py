"""What is left out of a snapshot cannot prove, and refutes only what it lies beside (design, section 7.3)."""

from __future__ import annotations

from pathlib import Path

from tests.engine.worlds import found, lint, verdicts

from trainlint.result import Result

NODES = """apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: cluster}
pools:
  - {name: gpu, count: 4, zone: a, allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8", pods: "110"}}
"""
PROVED = ("proved", "proved")
UNKNOWN = ("unknown", "unknown")
REFUTED = ("refuted", "refuted")


def torch(name: str = "train", volume: str = "emptyDir: {medium: Memory}", command: str = "train") -> str:
    return f"""apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: {name}, namespace: ml}}
spec:
  runPolicy: {{cleanPodPolicy: All}}
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        metadata: {{labels: {{app: {name}}}}}
        spec:
          volumes: [{{name: shm, emptyDir: {{medium: Memory}}}}, {{name: data, {volume}}}]
          containers:
            - name: pytorch
              image: "registry.example/train:1"
              command: [{command}]
              volumeMounts: [{{name: shm, mountPath: /dev/shm}}, {{name: data, mountPath: /data}}]
              resources: {{limits: {{nvidia.com/gpu: "1"}}}}
"""


def etcd(image: str) -> str:
    return f"""apiVersion: apps/v1
kind: Deployment
metadata: {{name: etcd, namespace: ml}}
spec:
  selector: {{matchLabels: {{app: etcd}}}}
  template:
    metadata: {{labels: {{app: etcd}}}}
    spec: {{containers: [{{name: etcd, image: "etcd:{image}"}}]}}
---
apiVersion: v1
kind: Service
metadata: {{name: etcd, namespace: ml}}
spec: {{selector: {{app: etcd}}, ports: [{{port: {image}}}]}}
"""


def policy(selector: str = "{}", allows: str = "", name: str = "deny") -> str:
    return f"""apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {{name: {name}, namespace: ml}}
spec: {{podSelector: {selector}, policyTypes: [Ingress]{allows}}}
"""


def missing(result: Result, group: str) -> str:
    return " ".join(text for each in result.groups if each.name == group for text in each.missing)


def test_a_policy_that_only_another_state_holds_keeps_a_group_from_being_proved(tmp_path: Path) -> None:
    files = {
        "nodes.yaml": NODES,
        "one/etcd.yaml": etcd("1"),
        "one/job.yaml": torch(),
        "two/etcd.yaml": etcd("2"),
        "two/deny.yaml": policy(),
    }
    result = lint(tmp_path / "all", files)
    assert verdicts(result) == {("ml/train", "one"): UNKNOWN}
    assert "NetworkPolicy ml/deny in two/deny.yaml" in missing(result, "ml/train")
    others = {**files, "two/deny.yaml": policy("{matchLabels: {app: web}}")}
    assert verdicts(lint(tmp_path / "others", others)) == {("ml/train", "one"): PROVED}


def test_a_group_outside_of_the_states_is_proved_in_none_that_goes_without_the_policy(tmp_path: Path) -> None:
    # Only etcd conflicts. That `two` closes the namespace may hold for a job that belongs to neither of them.
    result = lint(
        tmp_path,
        {
            "nodes.yaml": NODES,
            "jobs/job.yaml": torch(),
            "one/etcd.yaml": etcd("1"),
            "two/etcd.yaml": etcd("2"),
            "two/deny.yaml": policy(),
        },
    )
    assert verdicts(result) == {("ml/train", "one"): UNKNOWN, ("ml/train", "two"): REFUTED}


def test_a_group_of_a_state_is_proved_without_the_policy_of_the_next_one(tmp_path: Path) -> None:
    result = lint(
        tmp_path,
        {
            "nodes.yaml": NODES,
            "before/etcd.yaml": etcd("1"),
            "before/job.yaml": torch(),
            "after/etcd.yaml": etcd("2"),
            "after/job.yaml": torch(),
            "after/deny.yaml": policy(),
        },
    )
    assert verdicts(result) == {("ml/train", "before"): PROVED, ("ml/train", "after"): REFUTED}


def test_a_state_that_defines_the_policy_itself_needs_no_other_definition(tmp_path: Path) -> None:
    result = lint(
        tmp_path,
        {
            "nodes.yaml": NODES,
            "before/etcd.yaml": etcd("1"),
            "before/deny.yaml": policy(),
            "after/etcd.yaml": etcd("2"),
            "after/deny.yaml": policy(allows=", ingress: [{}]"),
            "after/job.yaml": torch(),
        },
    )
    assert verdicts(result) == {("ml/train", "after"): PROVED}


def test_a_quota_that_only_another_state_holds_keeps_a_group_from_being_proved(tmp_path: Path) -> None:
    quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: few, namespace: ml}\nspec: {hard: {pods: '1'}}\n"
    files = {
        "nodes.yaml": NODES,
        "one/etcd.yaml": etcd("1"),
        "one/job.yaml": torch(),
        "two/etcd.yaml": etcd("2"),
        "two/quota.yaml": quota,
    }
    result = lint(tmp_path / "here", files)
    assert verdicts(result) == {("ml/train", "one"): UNKNOWN}
    assert "ResourceQuota ml/few" in missing(result, "ml/train")
    elsewhere = {**files, "two/quota.yaml": quota.replace("namespace: ml", "namespace: web")}
    assert verdicts(lint(tmp_path / "elsewhere", elsewhere)) == {("ml/train", "one"): PROVED}


def test_a_service_that_the_group_calls_and_only_another_state_holds(tmp_path: Path) -> None:
    store = "apiVersion: v1\nkind: Service\nmetadata: {name: store, namespace: ml}\nspec: {ports: [{port: 9}]}\n"
    call = "train, '--store=http://store:9'"
    files = {
        "nodes.yaml": NODES,
        "one/etcd.yaml": etcd("1"),
        "one/job.yaml": torch(command=call),
        "two/etcd.yaml": etcd("2"),
        "two/store.yaml": store,
    }
    result = lint(tmp_path / "called", files)
    assert verdicts(result) == {("ml/train", "one"): UNKNOWN}
    assert "Service ml/store" in missing(result, "ml/train")
    uncalled = lint(tmp_path / "uncalled", {**files, "one/job.yaml": torch()})
    assert verdicts(uncalled) == {("ml/train", "one"): PROVED}


def test_a_job_is_not_charged_with_the_claim_of_another_example_of_its_name(tmp_path: Path) -> None:
    def claim(mode: str) -> str:
        return (
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: ml}\n"
            f"spec: {{accessModes: [{mode}], resources: {{requests: {{storage: 1Gi}}}}}}\n"
        )

    shared = "persistentVolumeClaim: {claimName: data}"
    files = {
        "nodes.yaml": NODES,
        "one/job.yaml": torch("one", shared),
        "one/more.yaml": torch("more"),
        "one/claim.yaml": claim("ReadWriteMany"),
        "two/job.yaml": torch("two"),
        "two/rest.yaml": torch("rest"),
        "two/claim.yaml": claim("ReadWriteOncePod"),
    }
    result = lint(tmp_path / "fine", files)
    assert [each.name for each in result.snapshots] == ["one/claim.yaml", "two/claim.yaml"]
    assert found(result) == []
    charged = lint(tmp_path / "charged", {**files, "two/job.yaml": torch("two", shared)})
    assert [rule for rule, _ in found(charged)] == ["single-writer-volume-shared"]


def test_a_policy_that_two_teams_define_differently_is_judged_in_both_forms(tmp_path: Path) -> None:
    result = lint(
        tmp_path,
        {
            "nodes.yaml": NODES,
            "team/job.yaml": torch(),
            "team/more.yaml": torch("more"),
            "team/policy.yaml": policy(allows=", ingress: [{}]"),
            "platform/policy.yaml": policy(),
            "platform/one.yaml": etcd("1"),
        },
    )
    assert verdicts(result)[("ml/train", "team/policy.yaml")] == PROVED
    assert verdicts(result)[("ml/train", "platform/policy.yaml")] == REFUTED
