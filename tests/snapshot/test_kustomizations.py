"""Kustomizations that are found but not rendered (design, sections 7.2 and 7.3)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import by_rule, found, lint, verdicts

from trainlint.finding import Severity
from trainlint.result import Result


@pytest.fixture(autouse=True)
def _nothing_renders(no_renderer: None) -> None:
    """All of this is about what is said where there is no renderer."""


NODES = """apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: cluster}
pools:
  - {name: gpu, count: 2, zone: a, allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}}
"""


def torch(gpus: int = 8, name: str = "train", namespace: str = ", namespace: ml") -> str:
    return f"""apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: {name}{namespace}}}
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
            - {{name: pytorch, image: "registry.example/train:1", resources: {{limits: {{nvidia.com/gpu: "{gpus}"}}}}}}
"""


PATCH = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec: {pytorchReplicaSpecs: {Worker: {replicas: 1}}}
"""


def answers(result: Result) -> set[tuple[str, str]]:
    return set(verdicts(result).values())


def test_kustomizations_that_only_list_resources_change_nothing(tmp_path: Path) -> None:
    result = lint(
        tmp_path,
        {
            "nodes.yaml": NODES,
            "base/kustomization.yaml": "resources: [job.yaml]\n",
            "base/job.yaml": torch(),
            "app/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
            "resources: [../base]\n",
        },
    )
    assert answers(result) == {("proved", "proved")}
    assert found(result) == []
    assert not result.unknowns


@pytest.mark.parametrize(
    "field",
    [
        "namePrefix: x-",
        "namespace: other",
        "commonLabels: {a: b}",
        "labels: [{pairs: {a: b}}]",
        "images: [{name: x, newTag: y}]",
        "replicas: [{name: x, count: 3}]",
        "patches: [{path: patch.yaml}]",
        "patchesStrategicMerge: [patch.yaml]",
        "components: [../component]",
        "transformers: [t.yaml]",
    ],
)
def test_what_a_kustomization_changes_is_unknown_and_findings_on_it_are_notes(tmp_path: Path, field: str) -> None:
    result = lint(
        tmp_path,
        {
            "nodes.yaml": NODES,
            "app/kustomization.yaml": f"resources: [job.yaml]\n{field}\n",
            "app/job.yaml": torch(gpus=16),
            "app/patch.yaml": PATCH,
            "app/t.yaml": "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: t}\nlabels: {a: b}\n",
            "component/kustomization.yaml": "kind: Component\nlabels: [{pairs: {a: b}}]\n",
        },
    )
    assert answers(result) == {("unknown", "unknown")}
    too_large = by_rule(result, "request-exceeds-node").finding
    assert too_large.severity is Severity.NOTE
    assert any("app" in text and "not rendered" in text for text in too_large.assumes)
    assert by_rule(result, "unrendered-template").finding.at.file == "app/kustomization.yaml"
    assert any(unknown.subject == "kustomization app" for unknown in result.unknowns)
    assert any("kubectl kustomize app" in unknown.remedy for unknown in result.unknowns)


def test_the_topmost_kustomization_is_the_one_to_render(tmp_path: Path) -> None:
    result = lint(
        tmp_path,
        {
            "nodes.yaml": NODES,
            "base/kustomization.yaml": "resources: [job.yaml]\nnamePrefix: x-\n",
            "base/job.yaml": torch(),
            "prod/kustomization.yaml": "resources: [../base]\n",
        },
    )
    assert answers(result) == {("unknown", "unknown")}
    assert [unknown.subject for unknown in result.unknowns if unknown.subject.startswith("kustom")] == [
        "kustomization prod"
    ]


def test_patch_files_are_no_objects(tmp_path: Path) -> None:
    result = lint(
        tmp_path,
        {
            "app/kustomization.yaml": "resources: [job.yaml]\npatches: [{path: patch.yaml}]\n",
            "app/job.yaml": torch(),
            "app/patch.yaml": PATCH,
        },
    )
    assert [each.name for each in result.snapshots] == ["."]
    assert [group.name for group in result.groups] == ["ml/train"]


@pytest.mark.parametrize("named", ["", "# - path: patch.yaml\n"])
def test_a_patch_that_was_taken_out_of_the_list_is_no_alternative(tmp_path: Path, named: str) -> None:
    files = {
        "app/kustomization.yaml": f"resources: [job.yaml]\n{named}",
        "app/job.yaml": torch(),
        "app/patch.yaml": "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: train, namespace: ml}\n"
        "spec: {runPolicy: {}, pytorchReplicaSpecs: {Worker: {replicas: 9}}}\n",
    }
    result = lint(tmp_path, files)
    assert [each.name for each in result.snapshots] == ["."]
    assert [group.name for group in result.groups] == ["ml/train"]


def test_a_whole_object_beside_a_kustomization_stays_an_alternative(tmp_path: Path) -> None:
    files = {
        "app/kustomization.yaml": "resources: [job.yaml]\n",
        "app/job.yaml": torch(),
        "app/other.yaml": torch(gpus=4),
    }
    assert len(lint(tmp_path, files).snapshots) == 2


def test_one_object_twice_in_one_kustomization_does_not_build_and_is_no_alternative(tmp_path: Path) -> None:
    result = lint(
        tmp_path,
        {
            "kustomization.yaml": "resources: [a.yaml, b.yaml]\n",
            "a.yaml": torch(),
            "b.yaml": torch(gpus=4),
        },
    )
    assert found(result) == [("path-does-not-build", "b.yaml:1")]
    assert answers(result) == {("unknown", "unknown")}
    assert len(result.snapshots) == 1


def test_one_object_twice_in_files_that_no_kustomization_joins_is_no_duplicate(tmp_path: Path) -> None:
    result = lint(tmp_path, {"a.yaml": torch(), "b.yaml": torch(gpus=4)})
    assert found(result) == []
    assert [each.name for each in result.snapshots] == ["a.yaml", "b.yaml"]


def test_two_overlays_with_an_object_of_their_own_are_alternatives_that_share_the_base(tmp_path: Path) -> None:
    policy = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {{name: p, namespace: ml}}\nspec: {}\n"
    result = lint(
        tmp_path,
        {
            "nodes.yaml": NODES,
            "base/kustomization.yaml": "resources: [job.yaml]\n",
            "base/job.yaml": torch(),
            "overlays/dev/kustomization.yaml": "resources: [../../base, p.yaml]\n",
            "overlays/dev/p.yaml": policy.format("{podSelector: {}, policyTypes: [Ingress], ingress: [{}]}"),
            "overlays/prod/kustomization.yaml": "resources: [../../base, p.yaml]\n",
            "overlays/prod/p.yaml": policy.format("{podSelector: {}, policyTypes: [Ingress]}"),
        },
    )
    # A NetworkPolicy that allows everything, and one that isolates and allows nothing (P 2: default deny).
    assert verdicts(result) == {
        ("ml/train", "overlays/dev"): ("proved", "proved"),
        ("ml/train", "overlays/prod"): ("refuted", "refuted"),
    }


def test_a_policy_that_a_kustomization_changes_leaves_its_namespace_unknown(tmp_path: Path) -> None:
    result = lint(
        tmp_path,
        {
            "nodes.yaml": NODES,
            "job.yaml": torch(),
            "policies/kustomization.yaml": "resources: [p.yaml]\ncommonLabels: {team: a}\n",
            "policies/p.yaml": "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n"
            "metadata: {name: p, namespace: ml}\nspec: {podSelector: {}, policyTypes: [Ingress]}\n",
        },
    )
    assert answers(result) == {("unknown", "unknown")}
    assert all(each.finding.severity is Severity.NOTE for each in result.findings)


def test_a_policy_that_a_kustomization_puts_into_the_namespace_leaves_it_unknown(tmp_path: Path) -> None:
    # As it stands in its file it would apply in `default`; deployed, it isolates the pods in `ml`.
    result = lint(
        tmp_path,
        {
            "nodes.yaml": NODES,
            "job.yaml": torch(),
            "policies/kustomization.yaml": "namespace: ml\nresources: [p.yaml]\n",
            "policies/p.yaml": "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p}\n"
            "spec: {podSelector: {}, policyTypes: [Ingress]}\n",
        },
    )
    assert answers(result) == {("unknown", "unknown")}


def test_a_policy_that_a_kustomization_puts_elsewhere_does_not_concern_the_group(tmp_path: Path) -> None:
    result = lint(
        tmp_path,
        {
            "nodes.yaml": NODES,
            "job.yaml": torch(),
            "policies/kustomization.yaml": "namespace: web\nresources: [p.yaml]\n",
            "policies/p.yaml": "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p}\n"
            "spec: {podSelector: {}, policyTypes: [Ingress]}\n",
        },
    )
    assert answers(result) == {("proved", "proved")}


def test_a_remote_resource_is_unknown(tmp_path: Path) -> None:
    result = lint(
        tmp_path,
        {
            "kustomization.yaml": "resources: [job.yaml, 'https://example.org/x//y?ref=v1']\n",
            "job.yaml": torch(),
            "nodes.yaml": NODES,
        },
    )
    assert any("https://example.org/x//y?ref=v1" in unknown.subject for unknown in result.unknowns)


def test_a_kustomization_of_flux_is_not_one_of_kustomize(tmp_path: Path) -> None:
    flux = (
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nspec: {targetNamespace: x, patches: [{}]}\n"
    )
    result = lint(tmp_path, {"nodes.yaml": NODES, "job.yaml": torch(), "kustomization.yaml": flux})
    assert answers(result) == {("proved", "proved")}


@pytest.mark.parametrize(
    "text",
    [
        "resources: 1\n",
        "resources: [1, null, {a: b}, []]\n",
        "- a\n",
        "null\n",
        "resources: [.]\n",
        "resources: [..]\nbases: [../../..]\n",
        "patches: {a: b}\npatchesStrategicMerge: 7\nconfigMapGenerator: [1, {files: 3}, {envs: {a: b}}]\n",
        "configMapGenerator: [{files: [1, null]}]\nsecretGenerator: x\n",
        "replacements: [1]\nhelmCharts: [1, {name: []}]\n",
        "kind: [Kustomization]\napiVersion: {a: 1}\nnamespace: [x]\n",
        "resources: [kustomization.yaml]\n",
        "resources: ['\\0', '/etc/passwd', '~/x', '']\n",
    ],
)
def test_a_malformed_kustomization_hurts_nothing_else(tmp_path: Path, text: str) -> None:
    result = lint(tmp_path, {"nodes.yaml": NODES, "app/job.yaml": torch(), "app/kustomization.yaml": text})
    assert [group.name for group in result.groups] == ["ml/train"]


@pytest.mark.parametrize(("plain", "changed"), [("dev", "prod"), ("staging", "prod")])
def test_a_base_that_two_overlays_share_is_judged_for_the_one_that_changes_nothing(
    tmp_path: Path, plain: str, changed: str
) -> None:
    files = {
        "nodes.yaml": NODES,
        "base/kustomization.yaml": "resources: [job.yaml]\n",
        "base/job.yaml": torch(),
        f"overlays/{plain}/kustomization.yaml": "resources: [../../base]\n",
        f"overlays/{changed}/kustomization.yaml": "resources: [../../base]\npatches: [{path: patch.yaml}]\n",
        f"overlays/{changed}/patch.yaml": PATCH,
    }
    result = lint(tmp_path / "fits", files)
    assert verdicts(result) == {
        ("ml/train", f"overlays/{plain}"): ("proved", "proved"),
        ("ml/train", f"overlays/{changed}"): ("unknown", "unknown"),
    }
    too_large = by_rule(lint(tmp_path / "large", {**files, "base/job.yaml": torch(gpus=16)}), "request-exceeds-node")
    assert too_large.finding.severity is Severity.ERROR
    assert too_large.finding.snapshots == (f"overlays/{plain}",)


def test_a_base_above_which_a_plain_root_stands_is_judged_as_it_is(tmp_path: Path) -> None:
    result = lint(
        tmp_path,
        {
            "nodes.yaml": NODES,
            "app/kustomization.yaml": "resources: [base]\n",
            "app/base/kustomization.yaml": "resources: [job.yaml]\n",
            "app/base/job.yaml": torch(),
            "app/prod/kustomization.yaml": "resources: [../base]\nnamePrefix: x-\n",
        },
    )
    assert verdicts(result) == {
        ("ml/train", "app/base"): ("proved", "proved"),
        ("ml/train", "app/prod"): ("unknown", "unknown"),
    }
