"""Overlays that are rendered by the real kustomize, through a whole run (design, sections 6 and 7)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.engine.worlds import by_rule, found, lint, write
from tests.source.repositories import commit, repository

from trainlint.finding import Severity
from trainlint.report import Options, reporter

pytestmark = pytest.mark.needs("kustomize")

NODES = """apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: %s}
pools:
  - name: gpu
    count: 2
    zone: a
    labels: {pool: %s}
    allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}
"""

TRAIN = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: train
spec:
  runPolicy: {cleanPodPolicy: All}
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        metadata: {labels: {app: train}}
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              resources:
                limits: {nvidia.com/gpu: "8"}
"""

MORE_GPUS = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: train
spec:
  pytorchReplicaSpecs:
    Worker:
      template:
        spec:
          containers:
            - name: pytorch
              resources:
                limits:
                  nvidia.com/gpu: "16"
"""

FILES: dict[str, str | bytes] = {
    "nodes.yaml": NODES % ("cluster", "gpu"),
    "base/kustomization.yaml": "resources: [train.yaml]\n",
    "base/train.yaml": TRAIN,
    "overlays/dev/kustomization.yaml": "namespace: ml\nresources: [../../base]\nnamePrefix: dev-\n",
    "overlays/prod/kustomization.yaml": "namespace: ml\nresources: [../../base]\n",
}


def test_a_value_of_a_patch_is_judged_and_the_patch_is_where_it_points(tmp_path: Path) -> None:
    files = FILES | {
        "overlays/prod/kustomization.yaml": "namespace: ml\nresources: [../../base]\npatches: [{path: gpus.yaml}]\n",
        "overlays/prod/gpus.yaml": MORE_GPUS,
    }
    result = lint(tmp_path, files)
    assert found(result) == [("request-exceeds-node", "overlays/prod/gpus.yaml:12")]
    placed = by_rule(result, "request-exceeds-node")
    assert placed.finding.severity is Severity.ERROR
    assert placed.path[-1] == "resources"


def test_without_a_renderer_it_is_unknown(tmp_path: Path, no_renderer: None) -> None:
    files = FILES | {
        "overlays/prod/kustomization.yaml": "namespace: ml\nresources: [../../base]\npatches: [{path: gpus.yaml}]\n",
        "overlays/prod/gpus.yaml": MORE_GPUS,
    }
    result = lint(tmp_path, files)
    assert {each.finding.severity for each in result.findings} == {Severity.NOTE}
    assert {(each.exists.value, each.for_all.value) for each in result.groups} == {("unknown", "unknown")}
    assert any("trainlint[kustomize]" in each.remedy for each in result.unknowns)


def test_nothing_is_rendered_where_the_configuration_says_so(tmp_path: Path) -> None:
    result = lint(tmp_path, FILES | {"trainlint.yaml": "render: {kustomize: never}\n"})
    assert {rule for rule, _ in found(result)} == {"unrendered-template"}


def test_overlays_that_define_one_object_differently_are_snapshots_of_their_own(tmp_path: Path) -> None:
    files = FILES | {
        "overlays/dev/kustomization.yaml": "namespace: ml\nresources: [../../base]\ncommonLabels: {stage: dev}\n",
        "base/train.yaml": TRAIN.replace('"8"', '"16"'),
    }
    result = lint(tmp_path, files)
    assert [each.name for each in result.snapshots] == ["overlays/dev", "overlays/prod"]
    # one fault in the base that holds in both: one finding, with the list
    assert found(result) == [("request-exceeds-node", "base/train.yaml:17")]
    assert by_rule(result, "request-exceeds-node").finding.snapshots == ("overlays/dev", "overlays/prod")


def test_the_nearest_inventory_is_that_of_the_overlay(tmp_path: Path) -> None:
    files = FILES | {
        "base/train.yaml": TRAIN.replace("containers:", "nodeSelector: {pool: gpu}\n          containers:"),
        "overlays/dev/kustomization.yaml": "namespace: ml\nresources: [../../base]\ncommonLabels: {stage: dev}\n",
        "overlays/dev/nodes.yaml": NODES % ("dev", "other"),
        "overlays/prod/nodes.yaml": NODES % ("prod", "gpu"),
    }
    del files["nodes.yaml"]
    result = lint(tmp_path, files)
    finding = by_rule(result, "no-matching-node").finding
    assert finding.snapshots == ("overlays/dev",)
    assert finding.at.file == "base/train.yaml"


def test_json_gives_the_path_in_the_file_that_it_points_at(tmp_path: Path) -> None:
    result = lint(tmp_path, FILES | {"base/train.yaml": TRAIN.replace('"8"', '"16"')})
    (finding,) = json.loads(reporter("json")(result, Options()))["findings"]
    assert finding["location"]["file"] == "base/train.yaml"
    assert finding["location"]["path"] == [
        *("spec", "pytorchReplicaSpecs", "Worker", "template", "spec", "containers", 0),
        "resources",
    ]


@pytest.mark.parametrize(
    "train",
    [
        TRAIN.replace('"8"', '"16"').replace("resources:", "resources:  # trainlint: ignore[placement]"),
        TRAIN.replace('"8"', '"16"').replace(
            "  name: train\n", "  name: train\n  annotations: {trainlint.io/ignore: placement}\n"
        ),
    ],
    ids=["comment", "annotation"],
)
def test_suppressions_where_it_was_written_count(tmp_path: Path, train: str) -> None:
    result = lint(tmp_path, FILES | {"base/train.yaml": train})
    assert found(result) == []
    assert [each.finding.rule for each in result.suppressed] == ["request-exceeds-node"]


def test_an_annotation_of_the_object_counts_for_what_a_patch_brings_in(tmp_path: Path) -> None:
    files = FILES | {
        "base/train.yaml": TRAIN.replace(
            "  name: train\n", "  name: train\n  annotations: {trainlint.io/ignore: placement}\n"
        ),
        "overlays/prod/kustomization.yaml": "namespace: ml\nresources: [../../base]\npatches: [{path: gpus.yaml}]\n",
        "overlays/prod/gpus.yaml": MORE_GPUS,
    }
    result = lint(tmp_path, files)
    assert found(result) == []
    assert [each.finding.at.file for each in result.suppressed] == ["overlays/prod/gpus.yaml"]


def test_a_single_file_narrows_the_report_to_what_was_found_in_it(tmp_path: Path) -> None:
    files = FILES | {
        "base/train.yaml": TRAIN.replace('"8"', '"16"'),
        "other.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n",
    }
    root = repository(tmp_path / "r", files)
    for name, count in (("base/train.yaml", 1), ("overlays/prod/kustomization.yaml", 1), ("other.yaml", 0)):
        assert len(lint(root, None, name).findings) == count, name


def test_an_overlay_by_itself_is_judged_with_its_base_and_what_is_suppressed_there(tmp_path: Path) -> None:
    # The directory is the world, but what it makes is made of the base that it names.
    train = TRAIN.replace('"8"', '"16"')
    root = repository(
        tmp_path / "r", FILES | {"base/train.yaml": train, "overlays/prod/nodes.yaml": NODES % ("p", "gpu")}
    )
    result = lint(root, None, "overlays/prod")
    assert found(result) == [("request-exceeds-node", "base/train.yaml:17")]
    assert result.findings[0].lines == ("              resources:",)
    write(root, {"base/train.yaml": train.replace("resources:", "resources:  # trainlint: ignore[placement, policy]")})
    result = lint(root, None, "overlays/prod")
    assert (found(result), len(result.suppressed)) == ([], 1)


def test_unquoted_words_are_judged_as_kustomize_writes_them(tmp_path: Path) -> None:
    # kustomize puts quotes around `yes`, and leaves `true` as it is
    text = TRAIN.replace(
        "image: registry.example/train:1",
        "image: registry.example/train:1\n              env:\n                - {name: A, value: yes}\n"
        "                - {name: B, value: true}",
    )
    result = lint(tmp_path, FILES | {"base/train.yaml": text})
    assert found(result) == [("unquoted-string", "base/train.yaml:19")]


def test_a_root_that_does_not_build_is_an_error_with_the_reason(tmp_path: Path) -> None:
    files = FILES | {"overlays/prod/kustomization.yaml": "namespace: ml\nresources: [../../base, gone.yaml]\n"}
    result = lint(tmp_path, files)
    error = by_rule(result, "path-does-not-build")
    assert error.finding.severity is Severity.ERROR
    assert error.finding.message.startswith("the kustomization overlays/prod names gone.yaml, which is not there")
    assert (error.finding.at.file, error.span.line) == ("overlays/prod/kustomization.yaml", 2)
    assert any("gone.yaml" in each.missing for each in result.unknowns)
    assert found(result) == [("path-does-not-build", "overlays/prod/kustomization.yaml:2")]


def test_what_a_root_that_does_not_build_may_add_leaves_the_namespace_open(tmp_path: Path) -> None:
    # A policy that selects nothing is a finding only where everything is known (decision 5).
    policy = (
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p}\n"
        "spec: {podSelector: {matchLabels: {app: x}}}\n"
    )
    files = FILES | {
        "overlays/prod/kustomization.yaml": "namespace: ml\nresources: [../../base, p.yaml]\n",
        "overlays/prod/p.yaml": policy,
    }
    assert found(lint(tmp_path / "closed", files)) == [("policy-selects-nothing", "overlays/prod/p.yaml:4")]
    files["overlays/more/kustomization.yaml"] = "namespace: ml\nresources: [gone.yaml]\n"
    rules = {rule for rule, _ in found(lint(tmp_path / "open", files))}
    assert rules == {"path-does-not-build"}


def test_a_second_run_with_the_cache_starts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINLINT_CACHE_DIR", str(tmp_path / "cache"))
    files = FILES | {
        "base/train.yaml": TRAIN.replace('"8"', '"16"'),
        "broken/kustomization.yaml": "namePrefix: x-\nresources: [below]\n",
        "broken/below/kustomization.yaml": "resources: [gone.yaml]\n",
    }
    first = lint(tmp_path / "w", files, cache=True)
    assert ("path-does-not-build", "broken/below/kustomization.yaml:1") in found(first)

    def fail(*_: object) -> bytes:
        raise AssertionError("kustomize was started")

    monkeypatch.setattr("trainlint.source.kustomize_build.build", fail)
    assert lint(tmp_path / "w", cache=True) == first


def test_a_change_of_a_patch_is_told_from_the_base_revision(tmp_path: Path) -> None:
    files = FILES | {
        "overlays/prod/kustomization.yaml": "namespace: ml\nresources: [../../base]\npatches: [{path: gpus.yaml}]\n",
        "overlays/prod/gpus.yaml": MORE_GPUS.replace('"16"', '"4"'),
    }
    root = repository(tmp_path / "r", files)
    assert found(lint(root, base="HEAD")) == []
    write(root, {"overlays/prod/gpus.yaml": MORE_GPUS})
    result = lint(root, base="HEAD")
    assert found(result) == [("request-exceeds-node", "overlays/prod/gpus.yaml:12")]
    commit(root)
    write(root, {"overlays/prod/gpus.yaml": MORE_GPUS.replace('"16"', '"4"')})
    again = lint(root, base="HEAD")
    assert found(again) == []
    assert again.comparison is not None
    assert [each.finding.rule for each in again.comparison.fixed] == ["request-exceeds-node"]
    (fixed,) = again.comparison.fixed
    assert (fixed.finding.at.file, fixed.span.line) == ("overlays/prod/gpus.yaml", 12)


def test_a_change_of_the_kustomization_alone_is_named_as_what_brought_it_in(tmp_path: Path) -> None:
    files = FILES | {
        "overlays/prod/kustomization.yaml": "namespace: ml\nresources: [../../base]\n",
        "overlays/prod/gpus.yaml": MORE_GPUS,
        "base/train.yaml": TRAIN.replace("containers:", "nodeSelector: {pool: gpu}\n          containers:"),
        "overlays/prod/select.yaml": "- {op: replace, path: /spec/pytorchReplicaSpecs/Worker/replicas, value: 3}\n",
    }
    root = repository(tmp_path / "r", files)
    patch = "patches: [{path: select.yaml, target: {kind: PyTorchJob}}]\n"
    write(root, {"overlays/prod/kustomization.yaml": f"namespace: ml\nresources: [../../base]\n{patch}"})
    result = lint(root, base="HEAD")
    placed = by_rule(result, "group-exceeds-capacity")
    assert (placed.finding.at.file, placed.span.line) == ("overlays/prod/kustomization.yaml", 3)


def test_data_that_is_no_manifest_counts_as_a_change(tmp_path: Path) -> None:
    # NCCL reads `true` as 0 (N 1.2)
    mounted = TRAIN.replace(
        "image: registry.example/train:1",
        "image: registry.example/train:1\n              envFrom: [{configMapRef: {name: nccl}}]",
    )
    files = FILES | {
        "base/train.yaml": mounted,
        "base/kustomization.yaml": "resources: [train.yaml]\nconfigMapGenerator: [{name: nccl, envs: [nccl.env]}]\n"
        "generatorOptions: {disableNameSuffixHash: true}\n",  # kustomize does not know where a PyTorchJob names one
        "base/nccl.env": "NCCL_IB_DISABLE=1\n",
    }
    root = repository(tmp_path / "r", files)
    options = {"ignore": frozenset({"workload"}), "base": "HEAD"}
    assert found(lint(root, **options)) == []
    write(root, {"base/nccl.env": "NCCL_IB_DISABLE=true\n"})
    assert ("invalid-nccl-value", "base/kustomization.yaml:2") in found(lint(root, **options))


def test_what_does_not_parse_beside_a_kustomization_is_told_in_its_own_file(tmp_path: Path) -> None:
    """Documents that are rendered carry the name of the kustomization and numbers of their own."""
    kustomization = "namespace: ml\nresources: [../../base]\nnamePrefix: dev-\n---\nbroken: [\n"
    write(tmp_path, FILES | {"overlays/dev/kustomization.yaml": kustomization})
    placed = next(each for each in lint(tmp_path).findings if each.finding.rule == "syntax-error")
    assert (placed.finding.at.file, placed.finding.at.document) == ("overlays/dev/kustomization.yaml", 1)
    assert placed.span.line >= 5
