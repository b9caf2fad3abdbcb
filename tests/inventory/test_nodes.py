"""v1 Nodes, as ``kubectl get nodes -o yaml`` prints them, to an inventory (S 1.1, 1.2, 1.5, 3)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import lint, verdicts

from trainlint.inventory.read import read_inventories
from trainlint.kube.meta import read_meta
from trainlint.model.known import Undetermined
from trainlint.model.pool import Inventory, Pool
from trainlint.source.document import Document
from trainlint.source.loader import load
from trainlint.source.reading import objects


def inventories(**files: str) -> tuple[Inventory, ...]:
    documents = [Document(f"{name}.yaml", 0, 1, text, load(text).data) for name, text in files.items()]
    return read_inventories((read_meta(item), item) for document in documents for item in objects(document))


STATUS = "status: {allocatable: {cpu: 4, memory: 8Gi, pods: 110}}\n"


def node(body: str, name: str = "gpu-1", labels: str = "{}") -> Pool:
    body = body if "status" in body else body + STATUS
    text = f"apiVersion: v1\nkind: Node\nmetadata: {{name: {name}, labels: {labels}}}\n{body}"
    (inventory,) = inventories(nodes=text)
    (pool,) = inventory.pools
    return pool


def written(pool: Pool) -> dict[str, object]:
    """What is allocatable, without what is not known."""
    return {name: each for name, each in (pool.allocatable or {}).items() if not isinstance(each, Undetermined)}


def test_a_node_is_a_pool_of_one_with_a_host_name() -> None:
    pool = node("spec: {taints: [{key: a, value: b, effect: NoExecute}]}\nstatus: {allocatable: {cpu: 4, pods: 110}}\n")
    assert (pool.minimum, pool.maximum, pool.node_name) == (1, 1, "gpu-1")
    assert pool.labels == {"kubernetes.io/hostname": "gpu-1"}
    assert [(taint.key, taint.value, taint.effect) for taint in pool.taints] == [("a", "b", "NoExecute")]
    assert pool.taints[0].at is not None
    assert pool.taints[0].at.path == ("spec", "taints", 0)
    assert written(pool) == {"cpu": "4", "pods": "110"}
    assert pool.listed_keys is None  # every label that the node has is written
    assert pool.notes == ()


def test_a_host_name_that_is_written_wins() -> None:
    pool = node("", labels="{kubernetes.io/hostname: other}")
    assert pool.labels["kubernetes.io/hostname"] == "other"


def test_all_nodes_of_a_list_and_of_one_directory_are_one_inventory() -> None:
    one = "apiVersion: v1\nkind: List\nitems:\n" + "".join(
        f"- {{apiVersion: v1, kind: Node, metadata: {{name: n{number}}}, {STATUS.strip()}}}\n" for number in range(3)
    )
    other = f"apiVersion: v1\nkind: Node\nmetadata: {{name: more}}\n{STATUS}"
    (inventory,) = inventories(a=one, b=other)
    assert [pool.name for pool in inventory.pools] == ["n0", "n1", "n2", "more"]
    assert inventory.pools[1].at is not None
    assert inventory.pools[1].at.path == ("items", 1)
    assert inventory.complete


def test_a_typed_list_gives_its_items_their_kind() -> None:
    text = (
        "apiVersion: v1\nkind: NodeList\n"
        f"items: [{{metadata: {{name: a}}, {STATUS.strip()}}}, {{metadata: {{name: b}}, {STATUS.strip()}}}]\n"
    )
    (inventory,) = inventories(nodes=text)
    assert [pool.name for pool in inventory.pools] == ["a", "b"]


CONDITIONS = [
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/unreachable",
    "node.kubernetes.io/unschedulable",
    "node.kubernetes.io/memory-pressure",
    "node.kubernetes.io/disk-pressure",
    "node.kubernetes.io/pid-pressure",
    "node.kubernetes.io/network-unavailable",
    "node.cloudprovider.kubernetes.io/uninitialized",
]


@pytest.mark.parametrize("key", CONDITIONS)
def test_taints_that_a_condition_put_there_are_left_out_and_a_note_says_so(key: str) -> None:
    taints = f"[{{key: {key}, effect: NoExecute}}, {{key: gpu, effect: NoSchedule}}]"
    pool = node(f"spec: {{taints: {taints}}}\nstatus: {{allocatable: {{pods: 1}}}}\n")
    assert [taint.key for taint in pool.taints] == ["gpu"]
    (note,) = pool.notes
    assert key in note
    assert "gpu-1" in note


def test_a_taint_that_people_put_there_stays() -> None:
    # out-of-service is added by people (S 1.2).
    pool = node("spec: {taints: [{key: node.kubernetes.io/out-of-service, effect: NoExecute}]}\n")
    assert [taint.key for taint in pool.taints] == ["node.kubernetes.io/out-of-service"]


def test_a_cordon_stays_without_its_taint() -> None:
    taint = "{key: node.kubernetes.io/unschedulable, effect: NoSchedule}"
    pool = node(f"spec: {{unschedulable: true, taints: [{taint}]}}\n")
    assert pool.unschedulable
    assert pool.taints == ()


def test_capacity_stands_in_for_allocatable_with_a_note() -> None:
    pool = node("status: {capacity: {cpu: '8', pods: '30'}}\n")
    assert written(pool) == {"cpu": "8", "pods": "30"}
    assert any("capacity" in note for note in pool.notes)


def test_allocatable_counts_where_both_are_given() -> None:
    pool = node("status: {capacity: {cpu: '8', pods: '30'}, allocatable: {cpu: '7', pods: '30'}}\n")
    assert written(pool) == {"cpu": "7", "pods": "30"}
    assert pool.notes == ()


def test_a_node_that_does_not_say_how_many_pods_it_takes_was_cut_down_and_takes_the_default() -> None:
    pool = node("status: {allocatable: {cpu: '7'}}\n")
    assert written(pool) == {"cpu": "7", "pods": "110"}
    assert any("110" in note for note in pool.notes)
    assert written(node("status: {allocatable: {pods: '0'}}\n")) == {"pods": "0"}


@pytest.mark.parametrize(
    "text",
    [
        "metadata: {name: worker-3, labels: {storage: fast}}\n",  # a label that GitOps adds to one node of many
        f"metadata: {{labels: {{storage: fast}}}}\n{STATUS}",  # an assertion of a test
        f"metadata: {{name: '${{NODE}}'}}\n{STATUS}",
        "metadata: {name: worker-3}\nspec: {taints: [{key: gpu, effect: NoSchedule}]}\n",
        "metadata: {name: worker-3}\nstatus: {conditions: []}\n",
    ],
)
def test_a_node_without_a_name_or_amounts_is_no_inventory(text: str) -> None:
    assert inventories(nodes=f"apiVersion: v1\nkind: Node\n{text}") == ()


def test_a_node_that_lists_cpu_and_memory_lists_its_devices() -> None:
    found = node("status: {allocatable: {cpu: '7', memory: 8Gi}}\n")
    assert "nvidia.com/gpu" not in (found.allocatable or {})
    assert not found.open_resources
    extract = node("status: {capacity: {vendor.example/widget: '2'}}\n")
    assert extract.open_resources
    assert isinstance((extract.allocatable or {})["cpu"], Undetermined)
    assert isinstance((extract.allocatable or {})["memory"], Undetermined)


@pytest.mark.parametrize("key", ["kubernetes.io/arch", "kubernetes.io/os", "beta.kubernetes.io/arch"])
def test_labels_that_every_kubelet_sets_are_never_absent(key: str) -> None:
    assert isinstance(node("").label(key), Undetermined)
    assert node("", labels=f"{{{key}: x}}").label(key) == "x"
    assert node("").label("topology.kubernetes.io/zone") is None


def test_a_placeholder_is_an_unknown_amount() -> None:
    pool = node("status: {allocatable: {cpu: '${CPUS}', pods: '110'}}\n")
    assert pool.allocatable is not None
    assert isinstance(pool.allocatable["cpu"], Undetermined)


def test_an_empty_node_describes_nothing() -> None:
    assert inventories(nodes="apiVersion: v1\nkind: Node\n") == ()


@pytest.mark.parametrize("api", ["example.org/v1", "v2", ""])
def test_another_api_s_node_is_no_node(api: str) -> None:
    assert inventories(nodes=f"apiVersion: '{api}'\nkind: Node\nmetadata: {{name: a}}\n") == ()


@pytest.mark.parametrize(
    "body",
    [
        "spec: 1\nstatus: x\n",
        "spec: {taints: {a: b}}\n",
        "spec: {taints: [1, null, [], {key: [1], value: {a: b}, effect: 7}]}\n",
        "status: {allocatable: [1]}\n",
        "status: {allocatable: {cpu: {a: b}, memory: null, pods: []}}\n",
        "status: {capacity: null, allocatable: {}}\n",
        "spec: {unschedulable: maybe}\n",
    ],
)
def test_malformed_parts_of_a_node_hurt_nothing_else(body: str) -> None:
    text = f"apiVersion: v1\nkind: Node\nmetadata: {{name: gpu-1}}\n{body}"
    assert [pool.name for each in inventories(nodes=text) for pool in each.pools] in ([], ["gpu-1"])


JOB = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy:
    cleanPodPolicy: All
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          containers:
            - {name: pytorch, image: "registry.example/train:1", resources: {limits: {nvidia.com/gpu: "8"}}}
"""


def test_what_was_assumed_about_nodes_is_listed(tmp_path: Path) -> None:
    text = (
        "apiVersion: v1\nkind: Node\nmetadata: {{name: n{}}}\nstatus: {{capacity: {{nvidia.com/gpu: '8', pods: 9}}}}\n"
    )
    result = lint(tmp_path, {"nodes.yaml": f"{text.format(1)}---\n{text.format(2)}", "job.yaml": JOB})
    assert set(verdicts(result).values()) == {("proved", "proved")}
    assert [note for note in result.assumptions if note.startswith("node n1: capacity")]


def test_a_node_that_takes_no_pods_takes_none_and_nothing_breaks(tmp_path: Path) -> None:
    # S 1.5: len(pods) + 1 > allocatable.pods.
    text = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {nvidia.com/gpu: '8', pods: '0'}}\n"
    result = lint(tmp_path, {"nodes.yaml": text, "job.yaml": JOB})
    assert set(verdicts(result).values()) == {("refuted", "refuted")}
    assert [each.finding.rule for each in result.findings] == ["request-exceeds-node"]
