"""What a snapshot takes from the repository and its settings: namespaces, inventory, network plugin, clusters."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import found, lint, verdicts

from trainlint.finding import Location
from trainlint.inventory.read import nearest_inventories
from trainlint.model.pool import Inventory, Pool
from trainlint.model.settings import NEWEST_CILIUM, NEWEST_KUBERNETES, Settings
from trainlint.snapshot.build import Snapshot, build_snapshots
from trainlint.snapshot.kinds import READ_KINDS
from trainlint.snapshot.repository import read_repository
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import read
from trainlint.wording.because import texts_of


def inventory(name: str, gpus: int = 8, zone: str = "a", extra: str = "") -> str:
    return f"""apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {{name: {name}}}
{extra}
pools:
  - {{name: gpu, count: 2, zone: {zone}, allocatable: {{cpu: "64", memory: 500Gi, nvidia.com/gpu: "{gpus}"}}}}
"""


def torch(name: str = "train", namespace: str = "ml") -> str:
    metadata = f"{{name: {name}, namespace: {namespace}}}" if namespace else f"{{name: {name}}}"
    return f"""apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {metadata}
spec:
  runPolicy:
    cleanPodPolicy: All
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        metadata: {{labels: {{app: train}}}}
        spec:
          containers:
            - {{name: pytorch, image: "registry.example/train:1", resources: {{limits: {{nvidia.com/gpu: "8"}}}}}}
"""


CILIUM = """apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: open, namespace: ml}
spec: {endpointSelector: {}, ingress: [{fromEntities: [all]}]}
"""
KUBERNETES = """apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: open, namespace: ml}
spec: {podSelector: {}, policyTypes: [Ingress], ingress: [{}]}
"""


def snapshot(settings: Settings, **files: str) -> Snapshot:
    kinds = KindFilter(READ_KINDS)
    readings = [read(f"{name}.yaml", text.encode(), kinds) for name, text in files.items()]
    (made,) = build_snapshots(read_repository(readings), [settings])
    return made


# --- namespaces ---


def test_every_namespace_carries_its_name_as_a_label(tmp_path: Path) -> None:
    # The API server adds kubernetes.io/metadata.name (S 1.6). A Namespace that is only used exists all the same, and
    # nothing says which other labels it has (decision 11).
    made = snapshot(
        Settings(), ns="apiVersion: v1\nkind: Namespace\nmetadata: {name: web, labels: {team: x}}\n", job=torch()
    )
    assert made.namespaces == {
        "web": {"team": "x", "kubernetes.io/metadata.name": "web"},
        "ml": None,
    }


def test_no_manifest_can_write_another_name_into_that_label() -> None:
    text = "apiVersion: v1\nkind: Namespace\nmetadata: {name: web, labels: {kubernetes.io/metadata.name: other}}\n"
    assert snapshot(Settings(), ns=text).namespaces["web"] == {"kubernetes.io/metadata.name": "web"}


def test_an_object_without_namespace_is_in_default_and_that_is_said() -> None:
    made, named = snapshot(Settings(), job=torch(namespace="")), snapshot(Settings(), job=torch())
    assert list(made.namespaces) == ["default"]
    assert any('"default"' in text for text in texts_of(made.settings.assumptions))
    assert not any('"default"' in text for text in texts_of(named.settings.assumptions))


ISOLATING = """apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {{name: deny, namespace: ml}}
spec: {{podSelector: {{matchLabels: {{app: {}}}}}, policyTypes: [Ingress]}}
"""


def test_an_unstated_namespace_is_unknown_where_a_policy_elsewhere_would_change_the_verdict(tmp_path: Path) -> None:
    # Decision 5: an assumption becomes an unknown only where it can change a verdict.
    files = {"i.yaml": inventory("c"), "j.yaml": torch(namespace="")}
    result = lint(tmp_path, {**files, "p.yaml": ISOLATING.format("train")})
    assert set(verdicts(result).values()) == {("unknown", "unknown")}
    assert any("namespace" in unknown.missing and "ml" in unknown.missing for unknown in result.unknowns)


def test_an_unstated_namespace_stays_an_assumption_where_it_changes_nothing(tmp_path: Path) -> None:
    files = {"i.yaml": inventory("c"), "j.yaml": torch(namespace="")}
    result = lint(tmp_path, {**files, "p.yaml": ISOLATING.format("another")})
    assert set(verdicts(result).values()) == {("proved", "proved")}
    assert any('"default"' in text for text in result.assumptions)


# --- the nearest inventory (7.4) ---


def test_of_several_inventories_the_nearest_one_counts(tmp_path: Path) -> None:
    result = lint(
        tmp_path,
        {
            "clusters/big/nodes.yaml": inventory("big"),
            "clusters/big/jobs/job.yaml": torch("one"),
            "clusters/small/nodes.yaml": inventory("small", gpus=4),
            "clusters/small/jobs/job.yaml": torch("two"),
        },
    )
    assert verdicts(result) == {("ml/one", "."): ("proved", "proved"), ("ml/two", "."): ("refuted", "refuted")}
    assert found(result) == [("request-exceeds-node", "clusters/small/jobs/job.yaml:15")]


def test_between_two_that_are_equally_near_there_is_no_choice(tmp_path: Path) -> None:
    result = lint(
        tmp_path,
        {"x/nodes.yaml": inventory("big"), "y/nodes.yaml": inventory("small", gpus=4), "jobs/j.yaml": torch()},
    )
    assert verdicts(result) == {("ml/train", "."): ("conditional", "conditional")}
    (group,) = result.groups
    assert any("which of 2 described clusters counts" in note and "1 of them" in note for note in group.notes)
    assert not [each for each in result.findings if each.finding.rule == "request-exceeds-node"]


def test_nodes_of_one_name_in_two_directories_are_two_clusters(tmp_path: Path) -> None:
    node = "apiVersion: v1\nkind: Node\nmetadata: {{name: gpu-1}}\nstatus: {{allocatable: {{nvidia.com/gpu: '{}'}}}}\n"
    result = lint(
        tmp_path,
        {"x/nodes.yaml": node.format(8), "y/nodes.yaml": node.format(4), "jobs/j.yaml": torch()},
    )
    assert {name for _, name in verdicts(result)} == {"x", "y"}


def test_inventories_join_the_snapshots_of_other_sets_too(tmp_path: Path) -> None:
    # Two clusters that name a node alike, and independently two states of a job: each state is judged on the nodes
    # that are nearest to it, never on the union, and never on none.
    node = "apiVersion: v1\nkind: Node\nmetadata: {{name: gpu-1}}\nstatus: {{allocatable: {{nvidia.com/gpu: '{}'}}}}\n"
    result = lint(
        tmp_path,
        {
            "x/nodes.yaml": node.format(8),
            "y/nodes.yaml": node.format(4),
            "jobs/one/j.yaml": torch(),
            "jobs/two/j.yaml": torch().replace("replicas: 2", "replicas: 3"),
        },
    )
    assert verdicts(result) == {
        ("ml/train", "jobs/one"): ("conditional", "conditional"),
        ("ml/train", "jobs/two"): ("conditional", "conditional"),
    }
    assert all(any("which of 2 described clusters" in note for note in group.notes) for group in result.groups)


def test_equal_copies_of_an_inventory_are_one(tmp_path: Path) -> None:
    files = {"x/nodes.yaml": inventory("c"), "y/nodes.yaml": inventory("c"), "jobs/j.yaml": torch()}
    assert verdicts(lint(tmp_path, files)) == {("ml/train", "."): ("proved", "proved")}


def test_a_copy_of_a_node_does_not_rob_the_other_directory_of_it() -> None:
    shared = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: '1'}}\n"
    kinds = KindFilter(READ_KINDS)
    texts = {"x/n.yaml": shared, "y/n.yaml": f"{shared}---\n{shared.replace('n1', 'n2')}"}
    readings = [read(name, text.encode(), kinds) for name, text in texts.items()]
    (made,) = build_snapshots(read_repository(readings), [Settings()])
    assert {each.name: len(each.pools) for each in made.inventories} == {"Nodes in x": 1, "Nodes in y": 2}


def test_nearness_is_the_number_of_directories_in_common() -> None:
    def at(file: str) -> Inventory:
        return Inventory(file, (Pool(file),), at=Location(file, 0))

    everything = [at("nodes.yaml"), at("a/nodes.yaml"), at("a/b/nodes.yaml"), at("c/nodes.yaml")]
    nearest = {
        "a/b/c/j.yaml": "a/b/nodes.yaml",
        "a/j.yaml": "a/nodes.yaml a/b/nodes.yaml",
        "c/j.yaml": "c/nodes.yaml",
        "ab/j.yaml": "nodes.yaml a/nodes.yaml a/b/nodes.yaml c/nodes.yaml",
    }
    for file, names in nearest.items():
        assert " ".join(each.name for each in nearest_inventories(everything, file)) == names


# --- the network plugin ---


@pytest.mark.parametrize(
    ("policies", "name", "assumed"),
    [
        ("", "", ""),
        (KUBERNETES, "", "a network plugin that follows the NetworkPolicy specification"),
        (CILIUM, "cilium", f"Cilium {NEWEST_CILIUM}"),
        (CILIUM + "---\n" + KUBERNETES, "cilium", f"Cilium {NEWEST_CILIUM}"),
    ],
)
def test_the_policies_in_use_tell_the_plugin_that_is_not_stated(policies: str, name: str, assumed: str) -> None:
    made = snapshot(Settings(), job=torch(), policies=policies)
    assert made.settings.cni.name == name
    said = [text for text in texts_of(made.settings.assumptions) if "Cilium" in text or "plugin" in text]
    assert len(said) == bool(assumed)
    assert all(text.startswith(assumed) for text in said)


def test_what_is_stated_is_no_assumption(tmp_path: Path) -> None:
    stated = 'clusters: [{name: c, kubernetes: "1.36", cni: {name: cilium, version: "1.18"}}]\n'
    result = lint(tmp_path, {"trainlint.yaml": stated, "i.yaml": inventory("c"), "j.yaml": torch(), "p.yaml": CILIUM})
    assert result.assumptions == ()
    unstated = lint(tmp_path, {"trainlint.yaml": "{}\n"})
    assert [text.partition(":")[0] for text in unstated.assumptions] == [
        f"Cilium {NEWEST_CILIUM}",
        f"Kubernetes {NEWEST_KUBERNETES}",
    ]


# --- several clusters ---


def test_every_state_is_judged_for_every_cluster_of_the_configuration(tmp_path: Path) -> None:
    text = """clusters:
  - {name: plain}
  - {name: racks, topology_key: example.org/rack}
"""
    result = lint(
        tmp_path,
        {
            "trainlint.yaml": text,
            "i.yaml": inventory("c"),
            "one/j.yaml": torch(),
            "two/j.yaml": torch().replace("replicas: 2", "replicas: 1"),
        },
    )
    assert [each.name for each in result.snapshots] == ["plain: one", "racks: one", "plain: two", "racks: two"]


def test_one_cluster_gives_no_prefix(tmp_path: Path) -> None:
    result = lint(tmp_path, {"trainlint.yaml": "clusters: [{name: only}]\n", "j.yaml": torch()})
    assert [each.name for each in result.snapshots] == ["."]


def test_a_finding_that_holds_in_two_clusters_is_reported_once(tmp_path: Path) -> None:
    files = {
        "trainlint.yaml": "clusters: [{name: east}, {name: west}]\n",
        "i.yaml": inventory("c", 4),
        "j.yaml": torch(),
    }
    (finding,) = lint(tmp_path, files).findings
    assert finding.finding.snapshots == ("east: .", "west: .")


def test_settings_decide_per_cluster(tmp_path: Path) -> None:
    # The nodes have no rack label, so there it is one domain and never a split (decision 3).
    text = "clusters: [{name: zones}, {name: racks, topology_key: example.org/rack}]\n"
    zones = inventory("c") + '  - {name: gpu-b, count: 2, zone: b, allocatable: {cpu: "64", nvidia.com/gpu: "8"}}\n'
    result = lint(tmp_path, {"trainlint.yaml": text, "i.yaml": zones, "j.yaml": torch()})
    (finding,) = [each.finding for each in result.findings if each.finding.rule == "split-across-zones"]
    assert finding.snapshots == ("zones: .",)
    assert verdicts(result) == {
        ("ml/train", "zones: ."): ("proved", "refuted"),
        ("ml/train", "racks: ."): ("proved", "proved"),
    }


EKSCTL = """apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {{name: {name}, region: eu-west-1}}
managedNodeGroups:
  - {{name: small, instanceType: {kind}, desiredCapacity: 2, availabilityZones: [eu-west-1a]}}
"""


def test_a_cluster_among_several_counts_only_for_what_lies_beside_it(tmp_path: Path) -> None:
    # A collection of examples: the job was never meant for the cluster that happens to be nearest.
    files = {
        "one/howto/eks/cluster.yaml": EKSCTL.format(name="one", kind="m5.large"),
        "two/cluster.yaml": EKSCTL.format(name="two", kind="m5.xlarge"),
        "one/other/jobs/job.yaml": torch("far"),
        "two/jobs/job.yaml": torch("near"),
    }
    result = lint(tmp_path, files)
    assert verdicts(result)[("ml/far", ".")] == ("conditional", "conditional")
    assert verdicts(result)[("ml/near", ".")][0] == "refuted"
    assert {each.finding.at.file for each in result.findings} == {"two/jobs/job.yaml"}


def test_the_only_cluster_of_a_repository_counts_wherever_it_lies(tmp_path: Path) -> None:
    files = {
        "one/howto/eks/cluster.yaml": EKSCTL.format(name="one", kind="m5.large"),
        "one/other/jobs/job.yaml": torch("far"),
    }
    assert verdicts(lint(tmp_path, files))[("ml/far", ".")][0] == "refuted"


NODE = """apiVersion: v1
kind: Node
metadata: {name: big, labels: {kubernetes.io/hostname: big, topology.kubernetes.io/zone: a}}
status: {allocatable: {cpu: "64", memory: 500Gi, pods: "110", nvidia.com/gpu: "4"}}
"""


@pytest.mark.parametrize(
    ("home", "beside", "other"),
    [
        ("docs/examples", "docs/examples/jobs", "docs/jobs"),
        ("Examples/one", "Examples/one/jobs", "Examples/two"),
        ("Examples/one/cluster", "Examples/one/jobs", "deploy"),
        ("test/e2e/fixtures", "test/e2e/fixtures/a", "test/e2e/jobs"),
        ("a/testdata/b", "a/testdata/b", "a/testdata"),
    ],
)
def test_nodes_among_examples_are_those_of_the_same_example_only(
    tmp_path: Path, home: str, beside: str, other: str
) -> None:
    files = {f"{home}/nodes.yaml": NODE, f"{beside}/train.yaml": torch(), f"{other}/train.yaml": torch("other")}
    result = lint(tmp_path, files)
    assert verdicts(result) == {
        ("ml/other", "."): ("conditional", "conditional"),
        ("ml/train", "."): ("refuted", "refuted"),
    }
    (told,) = (each for each in result.assumptions if "example" in each)
    assert told.startswith(f"Nodes in {home} are an example: they count for what lies in ")


def test_nodes_that_kwok_feigns_are_not_all_that_there_are(tmp_path: Path) -> None:
    feigned = NODE.replace("{name: big,", "{name: big, annotations: {kwok.x-k8s.io/node: fake},")
    result = lint(tmp_path, {"nodes.yaml": feigned, "train.yaml": torch()})
    assert verdicts(result) == {("ml/train", "."): ("conditional", "conditional")}


LIMITS = """apiVersion: v1
kind: LimitRange
metadata: {name: small, namespace: ml}
spec: {limits: [{type: Container, max: {nvidia.com/gpu: 1}}]}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: few, namespace: ml}
spec: {hard: {pods: 1}}
"""


@pytest.mark.parametrize(
    ("home", "refused"),
    [
        ("limits", True),
        ("examples/limits", False),
        ("examples/train/a", False),
        ("examples", True),
        ("examples/train", True),
    ],
)
def test_limits_and_quotas_of_another_example_are_not_meant(tmp_path: Path, home: str, refused: bool) -> None:
    files = {f"{home}/limits.yaml": LIMITS, "examples/train/job.yaml": torch(), "inventory.yaml": inventory("all")}
    assert (verdicts(lint(tmp_path, files))["ml/train", "."] == ("refuted", "refuted")) is refused


def test_nodes_among_examples_count_everywhere_where_the_settings_say_so(tmp_path: Path) -> None:
    files = {"examples/nodes.yaml": NODE, "deploy/train.yaml": torch()}
    named = lint(
        tmp_path, {**files, "trainlint.yaml": "clusters: [{name: ours, inventories: [examples/nodes.yaml]}]\n"}
    )
    assert verdicts(named) == {("ml/train", "."): ("refuted", "refuted")}
    assert not [each for each in named.assumptions if "example" in each]


def test_an_inventory_that_was_written_as_one_counts_wherever_it_stands(tmp_path: Path) -> None:
    result = lint(tmp_path, {"examples/inventory.yaml": inventory("ours", gpus=4), "deploy/train.yaml": torch()})
    assert verdicts(result) == {("ml/train", "."): ("refuted", "refuted")}
