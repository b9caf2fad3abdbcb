"""Groups whose nodes are not known: refuted is what no cluster could run, the rest carries its conditions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.engine.worlds import lint, verdicts

from trainlint.proof.ideal.smallest_nodes import least_nodes
from trainlint.report.inventory import inventory_yaml
from trainlint.result import GroupVerdict
from trainlint.wording.because import texts_of

ZONE = "topology.kubernetes.io/zone"
TRAIN = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template:
        metadata: {labels: {app: train}}
        spec:
          {%sMASTER containers: [{name: pytorch, image: i, command: [torchrun, t.py], resources: RESOURCES}]}
    Worker:
      replicas: 3
      template:
        metadata: {labels: {app: train}}
        spec:
          {%sWORKER containers: [{name: pytorch, image: i, command: [torchrun, t.py], resources: RESOURCES}]}
"""


def job(master: str = "", worker: str | None = None) -> str:
    own, other = (f"{text}, " if text else "" for text in (master, master if worker is None else worker))
    return (
        TRAIN.replace("RESOURCES", "{limits: {nvidia.com/gpu: 8}}").replace("%sMASTER", own).replace("%sWORKER", other)
    )


def affine(*expressions: str) -> str:
    return (
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        f"{{nodeSelectorTerms: [{{matchExpressions: [{', '.join(expressions)}]}}]}}}}}}"
    )


def near(kind: str, key: str, labels: str = "app: train") -> str:
    term = f"{{topologyKey: {key}, labelSelector: {{matchLabels: {{{labels}}}}}}}"
    return f"affinity: {{{kind}: {{requiredDuringSchedulingIgnoredDuringExecution: [{term}]}}}}"


def spread(key: str, more: str = "") -> str:
    return (
        f"topologySpreadConstraints: [{{topologyKey: {key}, maxSkew: 1, whenUnsatisfiable: DoNotSchedule, "
        f"labelSelector: {{matchLabels: {{app: train}}}}{more}}}]"
    )


def judged(root: Path, text: str, **more: str) -> tuple[GroupVerdict, dict[str, Any]]:
    result = lint(root, {"job.yaml": text, **{f"{name}.yaml": each for name, each in more.items()}})
    errors = {each.finding.rule: each.finding for each in result.findings if each.finding.category != "workload"}
    (group,) = result.groups
    return group, {name: each for name, each in errors.items() if each.category in {"placement", "topology", "policy"}}


CONDITIONAL = {
    "nothing asked": job(),
    "one label": job("nodeSelector: {gpu: h100}"),
    "several values": job(affine("{key: gpu, operator: In, values: [a, b]}")),
    "another than": job(affine("{key: gpu, operator: NotIn, values: [a]}")),
    "any value": job(affine("{key: gpu, operator: Exists}")),
    "no label": job(affine("{key: slow, operator: DoesNotExist}")),
    "more than": job(affine("{key: gpus, operator: Gt, values: ['4']}", "{key: gpus, operator: NotIn, values: ['5']}")),
    "between": job(affine("{key: gpus, operator: Gt, values: ['4']}", "{key: gpus, operator: Lt, values: ['6']}")),
    "one zone": job(f"nodeSelector: {{{ZONE}: eu-1a}}"),
    "two zones": job(affine(f"{{key: {ZONE}, operator: In, values: [a, b]}}")),
    "a node each": job(near("podAntiAffinity", "kubernetes.io/hostname")),
    "near each other": job(near("podAffinity", ZONE)),
    "near each other in a rack": job(near("podAffinity", "rack")),
    "on one host": job(near("podAffinity", "kubernetes.io/hostname")),
    # clusters without zones exist: there no pod is kept apart (decision 3)
    "apart over zones": job(near("podAntiAffinity", ZONE)),
    # a cluster of one zone satisfies any spread over zones, and one of four zones this one too
    "spread over zones": job(spread(ZONE)),
    "spread over zones at most": job(spread(ZONE, ", minDomains: 1")),
    "spread over hosts": job(spread("kubernetes.io/hostname")),
    "spread over all nodes": job(f"nodeSelector: {{{ZONE}: a}}, " + spread(ZONE, ", nodeAffinityPolicy: Ignore")),
    "different labels of the roles": job("nodeSelector: {gpu: a}", "nodeSelector: {gpu: b}"),
    "a claim outside Git": job("volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]"),
    "a runtime class outside Git": job("runtimeClassName: nvidia"),
}


@pytest.mark.parametrize("name", CONDITIONAL)
def test_what_some_cluster_could_run_is_conditional(name: str, tmp_path: Path) -> None:
    group, findings = judged(tmp_path, CONDITIONAL[name])
    assert (group.exists, group.for_all, findings) == ("conditional", "conditional", {}), group.missing
    assert group.needs is not None
    assert group.connections == "proved"
    assert [(each.role, each.pods) for each in group.needs.roles] == [("train/Master", 1), ("train/Worker", 3)]


REFUTED = {
    "no-matching-node": job("nodeSelector: {gpu: a}, " + affine("{key: gpu, operator: In, values: [b]}")),
    "spread-unsatisfiable": job(f"nodeSelector: {{{ZONE}: a}}, " + spread(ZONE, ", minDomains: 3")),
    "no-viable-zone": job(f"nodeSelector: {{{ZONE}: a}}", f"nodeSelector: {{{ZONE}: b}}"),
}


@pytest.mark.parametrize("rule", REFUTED)
def test_what_no_cluster_could_run_is_refuted(rule: str, tmp_path: Path) -> None:
    group, findings = judged(tmp_path, REFUTED[rule])
    assert (group.exists, group.for_all) == ("refuted", "refuted")
    assert set(findings) == {rule}
    assert findings[rule].certainty == "proven"


def test_a_number_between_two_that_follow_each_other_does_not_exist(tmp_path: Path) -> None:
    between = affine("{key: gpus, operator: Gt, values: ['4']}", "{key: gpus, operator: Lt, values: ['5']}")
    group, findings = judged(tmp_path, job(between))
    assert (group.exists, set(findings)) == ("refuted", {"no-matching-node"})


FILLED = {
    "a label": (job("nodeSelector: {gpu: '${GPU}'}"), "gpu"),
    "a label of a term": (job(affine("{key: gpu, operator: In, values: ['${GPU}']}")), "gpu"),
    "the affinity": (job("affinity: '${AFFINITY}'"), "placeholder"),
    "a number of devices": (job().replace("nvidia.com/gpu: 8", "nvidia.com/gpu: '${GPUS}'"), "'${GPUS}'"),
}


@pytest.mark.parametrize("name", FILLED)
def test_where_placeholders_stand_the_answer_depends_on_their_values(name: str, tmp_path: Path) -> None:
    text, named = FILLED[name]
    group, findings = judged(tmp_path, text)
    assert (group.exists, group.for_all, findings) == ("conditional", "conditional", {}), group.missing
    assert group.needs is not None
    assert any(named in each for each in texts_of(group.needs.others)), group.needs.others


@pytest.mark.parametrize("count", ["'${NODES}'", "CHANGE_ME", "'{{ nodes }}'"])
def test_a_placeholder_for_the_number_of_pods_leaves_the_answer_open_for_any_number(count: str, tmp_path: Path) -> None:
    group, findings = judged(tmp_path, job().replace("replicas: 3", f"replicas: {count}"))
    assert (group.exists, group.for_all, findings) == ("conditional", "conditional", {}), group.missing
    assert group.needs is not None
    assert [(each.role, each.pods, bool(each.unsaid)) for each in group.needs.roles] == [
        ("train/Master", 1, False),
        ("train/Worker", 1, True),
    ]
    assert group.needs.together == ZONE  # several pods may be spread


def test_what_no_number_of_pods_could_run_is_refuted(tmp_path: Path) -> None:
    never = "nodeSelector: {gpu: a}, " + affine("{key: gpu, operator: In, values: [b]}")
    group, findings = judged(tmp_path, job(never).replace("replicas: 3", "replicas: '${NODES}'"))
    assert (group.exists, set(findings)) == ("refuted", {"no-matching-node"})


def test_what_depends_on_the_number_of_pods_is_unknown(tmp_path: Path) -> None:
    """Two pods cannot be apart on the one node that is named, and one is alone there."""
    apart = near("podAntiAffinity", "kubernetes.io/hostname")
    text = job("", f"nodeSelector: {{kubernetes.io/hostname: n1}}, {apart}")
    group, _ = judged(tmp_path, text.replace("replicas: 3", "replicas: '${NODES}'"))
    assert group.exists == "unknown"
    assert any("replicas" in each for each in group.missing)


def test_a_placeholder_beside_known_nodes_is_unknown(tmp_path: Path) -> None:
    nodes = """
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: lab}
pools:
  - {name: a, count: 4, zone: a, labels: {gpu: a}, allocatable: {cpu: "9", pods: "9", nvidia.com/gpu: "8"}}
"""
    group, findings = judged(tmp_path, job("nodeSelector: {gpu: '${GPU}'}"), nodes=nodes)
    assert (group.exists, findings) == ("unknown", {})
    assert group.missing


POLICY = """
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: zone, namespace: ml}
spec:
  endpointSelector: {}
  ingress: [{fromEntities: [host]}, {fromEndpoints: [{matchLabels: {topology.kubernetes.io/zone: eu-1a}}]}]
"""


def test_flows_that_no_zone_permits_are_refuted_without_nodes(tmp_path: Path) -> None:
    group, findings = judged(tmp_path, job(), policy=POLICY.replace("eu-1a", "nowhere").replace("topology", "x"))
    assert (group.exists, group.connections) == ("refuted", "refuted")
    assert "flow-denied" in findings


def test_what_the_group_needs_beside_nodes_is_listed(tmp_path: Path) -> None:
    text = job(
        "priorityClassName: high, runtimeClassName: nvidia, "
        "volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]"
    )
    group, _ = judged(tmp_path, text)
    assert group.needs is not None
    found = {(each.kind, each.namespace, each.name) for each in group.needs.objects}
    assert found == {
        ("PriorityClass", "", "high"),
        ("RuntimeClass", "", "nvidia"),
        ("PersistentVolumeClaim", "ml", "data"),
    }


SURE = [name for name in CONDITIONAL if "outside Git" not in name]


@pytest.mark.parametrize("name", SURE)
def test_the_nodes_that_it_needs_prove_it(name: str, tmp_path: Path) -> None:
    group, _ = judged(tmp_path / "before", CONDITIONAL[name])
    assert group.needs is not None
    nodes = inventory_yaml(least_nodes(group.needs), "needed")
    (after,) = verdicts(lint(tmp_path / "after", {"job.yaml": CONDITIONAL[name], "nodes.yaml": nodes})).values()
    assert after == ("proved", "proved"), nodes


def test_pods_on_one_host_need_a_node_with_room_for_all(tmp_path: Path) -> None:
    group, _ = judged(tmp_path / "before", CONDITIONAL["on one host"])
    assert group.needs is not None
    nodes = inventory_yaml(least_nodes(group.needs), "needed")
    for number, (old, new) in enumerate([('nvidia.com/gpu: "32"', 'nvidia.com/gpu: "31"'), ('pods: "4"', 'pods: "3"')]):
        assert old in nodes
        less = {"job.yaml": CONDITIONAL["on one host"], "nodes.yaml": nodes.replace(old, new)}
        (after,) = verdicts(lint(tmp_path / str(number), less)).values()
        assert after[0] == "refuted"


@pytest.mark.parametrize(
    "name", ["nothing asked", "one label", "any value", "one zone", "near each other", "a node each"]
)
def test_with_any_of_them_taken_away_it_is_not(name: str, tmp_path: Path) -> None:
    group, _ = judged(tmp_path / "before", CONDITIONAL[name])
    assert group.needs is not None
    nodes = inventory_yaml(least_nodes(group.needs), "needed")
    less = [nodes.replace("count: 4", "count: 3"), nodes.replace('nvidia.com/gpu: "8"', 'nvidia.com/gpu: "7"')]
    labels = {"one label": 'gpu: "h100"', "any value": 'gpu: "any"', "one zone": "zone: eu-1a"}
    less += [nodes.replace(labels[name], "zone: z" if name == "one zone" else 'x: "y"')] if name in labels else []
    for number, text in enumerate(less):
        assert text != nodes
        (after,) = verdicts(lint(tmp_path / str(number), {"job.yaml": CONDITIONAL[name], "nodes.yaml": text})).values()
        assert "proved" not in after[0], text


QUEUE = """
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: shared, namespace: ml, annotations: {from: FROM}}
spec: {clusterQueue: all}
---
"""
CLUSTER_QUEUE = """
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: all, annotations: {from: FROM}}
spec: {namespaceSelector: {}}
"""


def test_a_queue_that_only_other_alternatives_hold_is_a_need(tmp_path: Path) -> None:
    """Two samples define the queue, each in its own way, and a third defines only the ClusterQueue."""
    samples = {f"{name}/queue.yaml": (QUEUE + CLUSTER_QUEUE).replace("FROM", name) for name in ("a", "b")}
    samples["c/queue.yaml"] = CLUSTER_QUEUE.replace("FROM", "c")
    queued = job().replace("namespace: ml}", "namespace: ml, labels: {kueue.x-k8s.io/queue-name: shared}}", 1)
    result = lint(tmp_path, {**samples, "jobs/job.yaml": queued})
    (without,) = (each for each in result.groups if each.snapshot == "c")
    assert without.exists == "conditional", without.missing
    assert without.needs is not None
    assert [(each.kind, each.namespace, each.name) for each in without.needs.objects] == [
        ("LocalQueue", "ml", "shared")
    ]


def test_nodes_that_only_other_alternatives_describe_do_not_matter(tmp_path: Path) -> None:
    """Each sample has its ConfigMap of one name; one of them has a ComputeClass too."""
    settings = "\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: sample, namespace: ml}\ndata: {of: FROM}\n"
    made = "---\napiVersion: cloud.google.com/v1\nkind: ComputeClass\nmetadata: {name: fast}\n"
    made += "spec: {priorities: [{machineFamily: n2}]}\n"
    samples = {f"{name}/all.yaml": settings.replace("FROM", name) for name in ("a", "b")}
    samples["a/all.yaml"] += made
    result = lint(tmp_path, {**samples, "jobs/job.yaml": job()})
    assert {each.exists for each in result.groups} == {"conditional"}, [each.missing for each in result.groups]


def test_pods_that_must_share_a_node_run_in_no_zone_and_not_across_zones_either(tmp_path: Path) -> None:
    """Four pods with 8 GPUs each on one node, and the machine that they select has 8."""
    text = job(
        "nodeSelector: {node.kubernetes.io/instance-type: p5.48xlarge}, "
        + near("podAffinity", "kubernetes.io/hostname")
    )
    group, findings = judged(tmp_path, text)
    assert (group.exists, {name: str(each.severity) for name, each in findings.items()}) == (
        "refuted",
        {"no-viable-zone": "error"},
    )
