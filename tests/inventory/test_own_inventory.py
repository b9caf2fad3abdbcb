"""The Inventory of trainlint itself: pools, sizes, zones, and mistakes in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.engine.worlds import lint, verdicts, write

from trainlint.cli.main import cli
from trainlint.finding import UsageError
from trainlint.inventory.trainlint import read_inventory
from trainlint.model.known import Undetermined
from trainlint.model.pool import Inventory, Pool
from trainlint.source.document import Document
from trainlint.source.loader import load

HEAD = "apiVersion: trainlint.io/v1alpha1\nkind: Inventory\nmetadata: {name: lab}\n"
ZONE = "topology.kubernetes.io/zone"


def inventory(body: str) -> Inventory:
    text = HEAD + body
    return read_inventory(Document("i.yaml", 0, 1, text, load(text).data).root)


def pool(fields: str) -> Pool:
    (only,) = inventory(f"pools:\n  - {{name: p, {fields}}}\n").pools
    return only


@pytest.mark.parametrize(
    ("size", "minimum", "maximum"),
    [("count: 3", 3, 3), ("min: 1, max: 4", 1, 4), ("max: 4", 0, 4), ("min: 2", 2, None), ("count: 0", 0, 0)],
)
def test_the_size_is_a_count_or_a_range(size: str, minimum: int, maximum: int | None) -> None:
    made = pool(size)
    assert (made.minimum, made.maximum) == (minimum, maximum)


def test_zone_and_region_set_the_labels_of_the_platforms() -> None:
    made = pool("count: 1, zone: a, region: r, labels: {gpu: 'true'}")
    assert made.labels == {
        ZONE: "a",
        "topology.kubernetes.io/region": "r",
        "gpu": "true",
        "kubernetes.io/os": "linux",
    }


def test_the_zone_wins_over_a_label_of_the_same_key() -> None:
    assert pool(f"count: 1, zone: a, labels: {{{ZONE}: b}}").labels[ZONE] == "a"


def test_taints_keep_their_places() -> None:
    made = pool("count: 1, taints: [{key: k, value: v, effect: NoSchedule}, {key: l, effect: NoExecute}]")
    assert [(each.key, each.value, each.effect) for each in made.taints] == [
        ("k", "v", "NoSchedule"),
        ("l", "", "NoExecute"),
    ]
    assert made.taints[1].at is not None
    assert made.taints[1].at.path == ("pools", 0, "taints", 1)


def test_numbers_are_quantities_too_and_pods_have_the_kubelet_s_default() -> None:
    made = pool("count: 1, allocatable: {cpu: 64, memory: 500Gi, nvidia.com/gpu: 8}")
    assert known(made) == {"pods": "110", "cpu": "64", "memory": "500Gi", "nvidia.com/gpu": "8"}
    assert known(pool("count: 1, allocatable: {pods: 30}")) == {"pods": "30"}


def known(made: Pool) -> dict[str, object]:
    return {name: each for name, each in (made.allocatable or {}).items() if not isinstance(each, Undetermined)}


def test_amounts_that_are_not_written_are_unknown_and_devices_are_none() -> None:
    made = pool("count: 1, allocatable: {nvidia.com/gpu: 8}")
    unknown = {name for name, each in (made.allocatable or {}).items() if isinstance(each, Undetermined)}
    assert unknown == {"cpu", "memory", "ephemeral-storage", "hugepages-1Gi", "hugepages-2Mi"}
    assert not made.open_resources


def test_without_allocatable_the_size_of_the_nodes_is_unknown() -> None:
    assert pool("count: 1").allocatable is None


def test_labels_that_no_pool_lists_may_come_from_the_platform() -> None:
    one, other = inventory("pools: [{name: x, count: 1, labels: {disk: ssd}}, {name: w, count: 1}]\n").pools
    assert one.label("disk") == "ssd"
    assert other.label("disk") is None  # a key that the inventory lists: this pool surely lacks it
    assert other.label(ZONE) is None
    assert isinstance(other.label("node.kubernetes.io/instance-type"), Undetermined)
    assert other.label("example.org/custom") is None


def test_an_inventory_is_complete_unless_it_says_otherwise() -> None:
    assert inventory("pools: []\n").complete
    assert not inventory("complete: false\npools: []\n").complete


@pytest.mark.parametrize(
    ("marked", "key", "cause"),
    [
        ("▸pool: []\npools: []\n", "pool", "no such key; did you mean pools?"),
        ("▸pools: {}\n", "pools", "must be a list"),
        ("pools: [▸1]\n", "pools.0", "must be a mapping, got 1"),
        ("pools: [▸{name: p}]\n", "pools.0", "give count (or min and max)"),
        ("pools: [▸{name: p, count: 1, max: 2}]\n", "pools.0", "not both"),
        ("pools: [▸{name: p, min: 3, max: 2}]\n", "pools.0", "max is smaller than min"),
        ("pools: [{name: p, ▸count: -1}]\n", "pools.0.count", "must be at least 0, got -1"),
        ("pools: [{name: p, ▸count: many}]\n", "pools.0.count", "must be a whole number, got 'many'"),
        ("pools: [{name: p, ▸count: '${N}'}]\n", "pools.0.count", "must be a whole number, got '${N}'"),
        ("pools: [{name: p, ▸count: 1.5}]\n", "pools.0.count", "1.5"),
        ("pools: [{name: p, count: 1, ▸zoen: a}]\n", "pools.0.zoen", "no such key; did you mean zone?"),
        ("pools: [{name: p, count: 1, ▸zone: ''}]\n", "pools.0.zone", "must not be empty"),
        ("pools: [{name: p, count: 1, ▸zone: 1}]\n", "pools.0.zone", "as the number 1: put it in quotes"),
        ("pools: [▸{count: 1}]\n", "pools.0.name", "this key is required"),
        ("pools: [{▸name: '', count: 1}]\n", "pools.0.name", "must not be empty"),
        ("pools: [{name: p, count: 1, labels: {▸gpu: true}}]\n", "pools.0.labels.gpu", "as true: put it in quotes"),
        ("pools: [{name: p, count: 1, taints: [▸{key: k}]}]\n", "pools.0.taints.0.effect", "required"),
        (
            "pools: [{name: p, count: 1, taints: [{key: k, ▸effect: NoShedule}]}]\n",
            "pools.0.taints.0.effect",
            "'NoShedule'",
        ),
        ("pools: [{name: p, count: 1, allocatable: {▸cpu: [1]}}]\n", "pools.0.allocatable.cpu", "must be a string"),
        ("pools: [{name: p, count: 1, allocatable: {▸cpu: yes}}]\n", "pools.0.allocatable.cpu", "must be a string"),
    ],
)
def test_a_mistake_is_named_at_its_place(marked: str, key: str, cause: str) -> None:
    before, _, after = marked.partition("▸")
    with pytest.raises(UsageError) as raised:
        inventory(before + after)
    line, column = HEAD.count("\n") + before.count("\n") + 1, len(before) - before.rfind("\n")
    assert str(raised.value).startswith(f"i.yaml:{line}:{column}: Inventory: {key}: ")
    assert cause in str(raised.value)


def test_an_inventory_without_pools_is_a_mistake() -> None:
    with pytest.raises(UsageError, match=r"^i\.yaml:1:1: Inventory: pools: this key is required$"):
        inventory("complete: true\n")


def test_the_command_line_ends_with_2_and_prints_file_line_and_column(tmp_path: Path) -> None:
    write(tmp_path, {"cluster/i.yaml": f"# a comment\n{HEAD}pools:\n  - {{name: p, count: 1, zoen: a}}\n"})
    outcome = CliRunner().invoke(cli, ["check", str(tmp_path)])
    assert outcome.exit_code == 2
    assert "cluster/i.yaml:6:25: Inventory: pools.0.zoen: no such key; did you mean zone?" in outcome.stderr
    assert "Traceback" not in outcome.output


def test_an_inventory_inside_a_list_is_found_and_its_mistakes_as_well(tmp_path: Path) -> None:
    text = """apiVersion: v1
kind: List
items:
  - apiVersion: trainlint.io/v1alpha1
    kind: Inventory
    metadata: {name: lab}
    pools:
      - {name: p, cuont: 1}
"""
    write(tmp_path, {"i.yaml": text})
    outcome = CliRunner().invoke(cli, ["check", str(tmp_path)])
    assert outcome.exit_code == 2
    assert "i.yaml:8:19: Inventory: pools.0.cuont" in outcome.stderr


def job(replicas: int = 2) -> str:
    return f"""apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: train, namespace: ml}}
spec:
  runPolicy:
    cleanPodPolicy: All
  pytorchReplicaSpecs:
    Worker:
      replicas: {replicas}
      restartPolicy: Never
      template:
        spec:
          containers:
            - {{name: pytorch, image: "registry.example/train:1", resources: {{limits: {{nvidia.com/gpu: "8"}}}}}}
"""


GPU = 'zone: a, allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}'


@pytest.mark.parametrize(
    ("pools", "replicas", "exists"),
    [
        ("min: 0, max: 4", 4, "proved"),  # exists holds at the maximum size (decision 3)
        ("min: 0, max: 3", 4, "refuted"),
        ("min: 1", 64, "proved"),  # without a limit there is always room
        ("count: 0", 2, "refuted"),
    ],
)
def test_exists_is_judged_at_the_maximum_size(tmp_path: Path, pools: str, replicas: int, exists: str) -> None:
    text = f"{HEAD}pools:\n  - {{name: gpu, {pools}, {GPU}}}\n"
    result = lint(tmp_path, {"i.yaml": text, "j.yaml": job(replicas)})
    assert {each[0] for each in verdicts(result).values()} == {exists}


def test_in_an_incomplete_inventory_nothing_is_impossible(tmp_path: Path) -> None:
    # Absence proves something only where the snapshot is closed (decision 5).
    text = f"{HEAD}complete: false\npools:\n  - {{name: gpu, count: 1, {GPU}}}\n"
    result = lint(tmp_path, {"i.yaml": text, "j.yaml": job(4)})
    assert verdicts(result) == {("ml/train", "."): ("conditional", "conditional")}
    assert {each.finding.rule for each in result.findings} <= {"gpu-pool-untainted"}  # a note about what there is


def test_unknown_amounts_leave_the_answer_unknown(tmp_path: Path) -> None:
    text = f"{HEAD}pools:\n  - {{name: gpu, count: 4, zone: a}}\n"
    result = lint(tmp_path, {"i.yaml": text, "j.yaml": job()})
    assert verdicts(result) == {("ml/train", "."): ("unknown", "unknown")}
    assert result.findings == ()
    assert result.unknowns
